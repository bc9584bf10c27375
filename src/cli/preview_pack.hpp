// Opens the samples of packs, for `preview`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/preview_source.hpp"
#include "hotpack/dataset.hpp"
#include "label_setup/pack_folders.hpp"

namespace hotpack::cli {

class PackSource final : public PreviewSource {
 public:
  // Opens several packs as one data set. Fails if their schemas do not agree; the error tells the
  // user to name only one of them.
  [[nodiscard]] static Result<PackSource> open(const std::vector<std::string>& folders);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] const Schema& schema() const override { return dataset_.schema(); }
  [[nodiscard]] std::uint64_t samples() const override { return dataset_.records(); }
  [[nodiscard]] Result<std::optional<Statistics>> statistics() const override;
  [[nodiscard]] bool has_remarks() const override { return dataset_.packs().size() > 1; }

  // Returns the numbers of the samples with this key. With several packs, "val/key" means the
  // sample `key` of the pack in folder val; that search takes time in proportion to the number of
  // samples.
  [[nodiscard]] Result<std::vector<std::uint64_t>> find(const std::string& key) override;
  [[nodiscard]] Result<std::string> key(std::uint64_t number) override;
  [[nodiscard]] Result<Extent> size(std::uint64_t number) override;
  [[nodiscard]] Result<preview::SheetSample> load(std::uint64_t number) override;
  [[nodiscard]] Result<std::optional<LabelView>> load_label(std::uint64_t number) override;

 private:
  explicit PackSource(Dataset dataset) : dataset_(std::move(dataset)) {}
  [[nodiscard]] const std::string& folder_of(std::uint64_t number) const;

  Dataset dataset_;
  std::vector<std::uint8_t> image_, label_;  // what the latest views show
};

using pipeline::packs_at;

}  // namespace hotpack::cli
