#include "cli/preview_inputs.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "cli/preview_pack.hpp"
#include "pack/input_preview.hpp"

namespace hotpack::cli {

namespace {

std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

std::string name_of_inputs(const pipeline::InputOptions& input) {
  if (!input.root.empty()) return input.root;
  if (!input.images.empty()) return input.images.front();
  if (!input.image_folders.empty()) return input.image_folders.front();
  return input.pairs.empty() ? input.list : input.pairs;
}

class InputSource final : public PreviewSource {
 public:
  InputSource(std::unique_ptr<pipeline::InputPreview> inputs, std::string name)
      : inputs_(std::move(inputs)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] const Schema& schema() const override { return inputs_->schema(); }
  [[nodiscard]] std::uint64_t samples() const override { return inputs_->samples(); }
  [[nodiscard]] Result<std::optional<Statistics>> statistics() const override {
    return std::optional<Statistics>();
  }
  [[nodiscard]] bool has_remarks() const override { return inputs_->has_splits(); }

  [[nodiscard]] Result<std::vector<std::uint64_t>> find(const std::string& key) override {
    return inputs_->find(key);
  }
  [[nodiscard]] Result<std::string> key(std::uint64_t number) override {
    return std::string(inputs_->key(number));
  }
  [[nodiscard]] Result<Extent> size(std::uint64_t number) override {
    return inputs_->record_size(number);
  }

  [[nodiscard]] Result<preview::SheetSample> load(std::uint64_t number) override {
    preview::SheetSample shown;
    shown.key = inputs_->key(number);
    shown.remark = inputs_->split(number);
    HOTPACK_ASSIGN(const auto problem, inputs_->record_of(number, packed_));
    if (problem) {
      shown.problem = problem->text();
      return shown;
    }
    shown.image = image();
    shown.label = label();
    return shown;
  }

  // Returns no label for a sample that cannot be packed.
  [[nodiscard]] Result<std::optional<LabelView>> load_label(std::uint64_t number) override {
    HOTPACK_ASSIGN(const auto problem, inputs_->record_of(number, packed_));
    return problem ? std::optional<LabelView>() : label();
  }

 private:
  [[nodiscard]] ImageView image() const {
    const auto& shape = packed_.entry.image_shape;
    const AxisOrder layout = schema().image.layout;
    const bool chw = layout == AxisOrder::channels_first;
    return {
        as_u8(packed_.image),
        {chw ? shape[1] : shape[0], chw ? shape[2] : shape[1], chw ? shape[0] : shape[2], layout}};
  }

  [[nodiscard]] std::optional<LabelView> label() const {
    const auto& field = schema().label;
    if (!field || packed_.label.empty()) return std::nullopt;  // its split has no labels
    const auto& shape = packed_.entry.label_shape;
    const bool pixels = field->scope == LabelScope::pixel;
    return LabelView{as_u8(packed_.label),
                     {field->scope, field->storage, field->multi, pixels ? shape[0] : 1,
                      pixels ? shape[1] : 1, schema().class_count()}};
  }

  std::unique_ptr<pipeline::InputPreview> inputs_;
  std::string name_;
  pipeline::PackedSample packed_;
};

}  // namespace

Result<std::unique_ptr<PreviewSource>> open_inputs(const pipeline::PackOptions& options,
                                                   Terminal& terminal) {
  HOTPACK_ASSIGN(std::unique_ptr<pipeline::InputPreview> inputs,
                 pipeline::InputPreview::open(options, terminal));
  return std::unique_ptr<PreviewSource>(
      std::make_unique<InputSource>(std::move(inputs), name_of_inputs(options.input)));
}

bool is_unpacked_folder(const std::string& path) {
  std::error_code failed;
  constexpr int kSplits = 1;  // levels searched: a pack deeper in a folder of raw images is ignored
  return std::filesystem::is_directory(path, failed) && packs_at(path, kSplits).empty();
}

}  // namespace hotpack::cli
