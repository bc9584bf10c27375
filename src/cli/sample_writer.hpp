// Writes samples of a pack to files, for `extract`.
//
//     images/KEY.png    the record's pixels
//     labels/KEY.png    the class ids: a palette image if every class has a color, otherwise gray;
//                       16-bit above 255 classes. Ignored pixels are 255 (or 65535), in a color
//                       that no class has. If a pixel may have several classes, each class has a
//                       file of its own instead: labels/KEY.class-ID.png with the values 0 and 255
//     labels.csv        replaces labels/ if each image has one class: columns image,class,id. The
//                       image is its path below images/; class and id are empty without a class
//     classes.csv       on request: the classes in the order of their ids, with colors if all have
//                       one
//     */KEY.npy         on request, for images and labels: [H,W,C] bytes; the label as stored
//
// The files of a sample are made in memory before the first is written, and are removed if one of
// them cannot be written. So a sample that fails leaves no file, unless `force` lets it replace
// existing files. Keys are relative paths without "." and ".." (opening a shard refuses others),
// and OutputTree follows no link.
// Ownership: owns buffers that it reuses for each sample. Not thread-safe: each thread has its own
// writer, and all use the same tree. Failure: the errors of OutputTree, and `damaged`.
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

inline constexpr std::string_view kClassFile = "classes.csv";

struct SampleWriterOptions {
  std::string prefix;  // put before every file name: empty, or a folder that ends with "/"
  bool ids = false;    // writes labels as gray ids even if classes have colors
  bool npy = false;
  bool class_file = false;  // also writes classes.csv, for --classes
  bool force = false;       // replaces existing files
};

class SampleWriter {
 public:
  // `tree` and `classes` must outlive the writer.
  SampleWriter(OutputTree& tree, SampleWriterOptions options,
               const std::vector<ClassInfo>& classes);

  [[nodiscard]] Status write(const Sample& sample);
  // Returns the lines of labels.csv for the samples written since the last call.
  [[nodiscard]] std::string take_rows() { return std::exchange(rows_, {}); }
  // Call this after the last sample. Writes labels.csv from `rows`, the lines of all writers
  // together; writes no file if there are none.
  [[nodiscard]] Status write_list(const std::string& rows);
  // Writes classes.csv, if the options ask for it.
  [[nodiscard]] Status write_classes();
  [[nodiscard]] std::uint64_t files() const { return files_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of these files

 private:
  // These add files to made_.
  [[nodiscard]] Status make_image(const Sample& sample);
  [[nodiscard]] Status make_label(const Sample& sample);
  [[nodiscard]] Status make_label_image(const std::string& name, const LabelView& label);
  [[nodiscard]] Status make_id_image(const std::string& name, const LabelShape& shape);
  [[nodiscard]] Status make_class_images(const std::string& name, const LabelView& label);
  void add_label_array(const std::string& name, const LabelView& label);
  void add_png(const std::string& name, const std::vector<std::byte>& png);
  [[nodiscard]] Status add_rows(std::string_view key, const LabelView& label);
  [[nodiscard]] Status write_file(const std::string& name, std::string_view content);

  OutputTree& tree_;
  SampleWriterOptions options_;
  const std::vector<ClassInfo>& classes_;
  std::vector<RgbColor> palette_;  // empty: labels are written as gray ids
  std::vector<std::uint8_t> stored_, interleaved_, one_hot_;
  std::vector<std::uint16_t> ids_;
  std::vector<std::pair<std::string, std::string>> made_;  // names and contents, of one sample
  std::string rows_;                                       // of labels.csv
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace hotpack::cli
