// Writes samples of a pack to files, for `extract`.
//
//   images/KEY.png    the record's pixels
//   labels/KEY.png    class ids: a palette image if every class has a color, otherwise gray; 16-bit
//                     above 255 classes. Ignored pixels are 255 (65535), in a color that no class
//                     has. With several classes per pixel: labels/KEY.class-ID.png, 0 and 255, one
//                     file per class
//   labels.csv        instead, for labels of whole images: image,class,id; one line per class; no
//                     class: ignored; images as below images/
//   */KEY.npy         on request, for images and labels: [H,W,C] bytes; the label as stored
//
// Keys are relative paths without "." and ".." (opening a shard refuses others), and the tree
// follows no link. Ownership: keeps buffers from sample to sample. Not thread-safe: one writer per
// thread, on one tree. Failure: as OutputTree, and `damaged`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output_tree.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::cli {

struct SampleWriterOptions {
  std::string prefix;  // of every name: empty, or a folder that ends with "/"
  bool ids = false;    // gray ids even if classes have colors
  bool npy = false;
  bool force = false;  // replace files that exist
};

class SampleWriter {
 public:
  // `tree` and `classes` outlive the writer.
  SampleWriter(OutputTree& tree, SampleWriterOptions options,
               const std::vector<ClassInfo>& classes);

  [[nodiscard]] Status write(const Sample& sample);
  // The lines of labels.csv for the samples since the last call.
  [[nodiscard]] std::string take_rows() { return std::exchange(rows_, {}); }
  // After the last sample: writes labels.csv with the rows of all writers, if there are any.
  [[nodiscard]] Status write_list(const std::string& rows);
  [[nodiscard]] std::uint64_t files() const { return files_; }

 private:
  [[nodiscard]] Status write_image(const Sample& sample);
  [[nodiscard]] Status write_label(const Sample& sample);
  [[nodiscard]] Status write_label_image(const std::string& name, const LabelView& label);
  [[nodiscard]] Status write_id_image(const std::string& name, const LabelShape& shape);
  [[nodiscard]] Status write_class_images(const std::string& name, const LabelView& label);
  [[nodiscard]] Status write_label_array(const std::string& name, const LabelView& label);
  [[nodiscard]] Status add_rows(std::string_view key, const LabelView& label);
  [[nodiscard]] Status write_file(const std::string& name, std::string_view content);
  [[nodiscard]] Status write_file(const std::string& name, const std::vector<std::byte>& content);

  OutputTree& tree_;
  SampleWriterOptions options_;
  const std::vector<ClassInfo>& classes_;
  std::vector<RgbColor> palette_;  // empty: gray ids
  std::vector<std::uint8_t> stored_, interleaved_, one_hot_;
  std::vector<std::uint16_t> ids_;
  std::string rows_;  // of labels.csv
  std::uint64_t files_ = 0;
};

}  // namespace hotpack::cli
