#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "waiting.hpp"

namespace hotpack::python {

namespace nb = nanobind;

namespace {

template <class T>
T get(const nb::tuple& tuple, std::size_t index) {
  return nb::cast<T>(tuple[index]);
}

Error wrong(std::string option, std::string message) {
  return {ErrorCode::usage, std::move(message), {}, {}, {}, {}, std::move(option)};
}

LabelForm form_of(std::string_view name) {
  if (name == "index") return LabelForm::ids;
  if (name == "one_hot") return LabelForm::one_hot;
  return LabelForm::bits;
}

}  // namespace

ImageOutput image_output(const nb::tuple& spec) {
  return {element_of(get<std::string>(spec, 0)), order_of(get<std::string>(spec, 1)),
          get<std::vector<float>>(spec, 2), get<std::vector<float>>(spec, 3)};
}

LabelOutput label_output(const nb::object& spec) {
  LabelOutput output;
  if (spec.is_none()) return output;
  const auto tuple = nb::cast<nb::tuple>(spec);
  output.form = form_of(get<std::string>(tuple, 0));
  if (!tuple[1].is_none()) output.dtype = element_of(get<std::string>(tuple, 1));
  output.layout = order_of(get<std::string>(tuple, 2));
  output.ignore_channel = get<bool>(tuple, 3);
  if (!tuple[4].is_none()) output.ignore_index = get<std::int64_t>(tuple, 4);
  return output;
}

std::optional<PixelSize> pixel_size(const nb::object& size) {
  if (size.is_none()) return std::nullopt;
  const auto tuple = nb::cast<nb::tuple>(size);
  return PixelSize{get<std::int64_t>(tuple, 1), get<std::int64_t>(tuple, 0)};
}

Augment augment_of(const nb::object& spec) {
  Augment augment;
  if (spec.is_none()) return augment;
  const auto tuple = nb::cast<nb::tuple>(spec);
  augment.horizontal_flip = get<double>(tuple, 0);
  augment.vertical_flip = get<double>(tuple, 1);
  if (!tuple[2].is_none()) {
    const auto crop = get<nb::tuple>(tuple, 2);
    augment.crop =
        Crop{{get<std::int64_t>(crop, 0), get<std::int64_t>(crop, 1)}, get<bool>(crop, 2)};
  }
  if (!tuple[3].is_none()) {
    const auto crop = get<nb::tuple>(tuple, 3);
    augment.resized_crop = ResizedCrop{{get<std::int64_t>(crop, 0), get<std::int64_t>(crop, 1)},
                                       get<double>(crop, 2),
                                       get<double>(crop, 3),
                                       get<double>(crop, 4),
                                       get<double>(crop, 5)};
  }
  return augment;
}

VerifyChecksums verify_of(std::string_view name) {
  if (name == "always") return VerifyChecksums::always;
  if (name == "first") return VerifyChecksums::first_read;
  if (name == "never") return VerifyChecksums::never;
  raise(wrong("check", "check '" + std::string(name) + "' is none of first, always, never"));
}

namespace {

Shuffle shuffle_of(const std::string& name) {
  if (name == "full") return Shuffle::full;
  return name == "block" ? Shuffle::block : Shuffle::none;
}

LastBatch last_batch_of(const std::string& name) {
  if (name == "drop") return LastBatch::drop;
  if (name == "pad") return LastBatch::pad;
  return name == "wrap" ? LastBatch::wrap : LastBatch::keep;
}

}  // namespace

LoaderOptions loader_options(const nb::dict& given) {
  const auto number = [&](const char* name) { return nb::cast<std::uint64_t>(given[name]); };
  const auto small = [&](const char* name) { return nb::cast<unsigned>(given[name]); };
  const auto text = [&](const char* name) { return nb::cast<std::string>(given[name]); };
  LoaderOptions options;
  options.global_batch_size = number("global_batch_size");
  options.seed = number("seed");
  options.epoch = number("epoch");
  options.rank = number("rank");
  options.world_size = number("world");
  options.last_batch = last_batch_of(text("tail"));
  options.shuffle = shuffle_of(text("shuffle"));
  options.block_samples = number("block_samples");
  options.window_blocks = number("window_blocks");
  options.image = image_output(nb::cast<nb::tuple>(given["image"]));
  options.label = label_output(given["label"]);
  options.augment = augment_of(given["augment"]);
  options.pad_to = pixel_size(given["pad_to"]);
  options.threads = small("threads");
  options.prefetch_batches = small("slots");
  options.verify_checksums = verify_of(text("check"));
  options.access = text("access") == "read" ? FileAccess::read : FileAccess::map;
  options.timeout = kSlice;  // of next_into(); the whole wait is a loop of these
  const nb::object resume = given["resume"];
  if (!resume.is_none()) options.resume = take(LoaderState::parse(nb::cast<std::string>(resume)));
  return options;
}

}  // namespace hotpack::python
