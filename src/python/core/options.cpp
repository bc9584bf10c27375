#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <string>
#include <utility>
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

LabelForm form_of(std::string_view name) {
  if (name == "ids") return LabelForm::ids;
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
  return PixelSize{get<std::int64_t>(tuple, 0), get<std::int64_t>(tuple, 1)};
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

namespace {

template <class Choice>
using Words = std::initializer_list<std::pair<std::string_view, Choice>>;

// The package checks words before; an unknown one is a fault of its table.
template <class Choice>
Choice choice_of(std::string_view word, Words<Choice> words) {
  for (const auto& [known, choice] : words) {
    if (known == word) return choice;
  }
  raise({ErrorCode::internal, "no option has the word '" + std::string(word) + "'", {}, {}});
}

template <class Choice>
void read(const nb::dict& given, const char* name, Choice& to, Words<Choice> words) {
  to = choice_of(nb::cast<std::string>(given[name]), words);
}

template <class Number>
void read(const nb::dict& given, const char* name, Number& to) {
  to = nb::cast<Number>(given[name]);
}

void read(const nb::dict& given, const char* name, std::optional<std::uint64_t>& to) {
  const nb::object value = given[name];
  if (!value.is_none()) to = nb::cast<std::uint64_t>(value);
}

}  // namespace

VerifyChecksums verify_of(std::string_view name) {
  return choice_of<VerifyChecksums>(name, {{"first_read", VerifyChecksums::first_read},
                                           {"always", VerifyChecksums::always},
                                           {"never", VerifyChecksums::never}});
}

LoaderOptions loader_options(const nb::dict& given) {
  LoaderOptions options;
  // <api: core options>
  // clang-format off
  read(given, "batch_size", options.batch_size);
  read(given, "global_batch_size", options.global_batch_size);
  read(given, "seed", options.seed);
  read(given, "epoch", options.epoch);
  read(given, "rank", options.rank);
  read(given, "world_size", options.world_size);
  read<LastBatch>(given, "last_batch", options.last_batch,
       {{"drop", LastBatch::drop}, {"pad", LastBatch::pad}, {"wrap", LastBatch::wrap}, {"keep", LastBatch::keep}});
  read<Shuffle>(given, "shuffle", options.shuffle,
       {{"full", Shuffle::full}, {"block", Shuffle::block}, {"none", Shuffle::none}});
  read(given, "block_samples", options.block_samples);
  read(given, "window_blocks", options.window_blocks);
  read(given, "threads", options.threads);
  read(given, "prefetch_batches", options.prefetch_batches);
  read<VerifyChecksums>(given, "verify_checksums", options.verify_checksums,
       {{"first_read", VerifyChecksums::first_read}, {"always", VerifyChecksums::always}, {"never", VerifyChecksums::never}});
  read<FileAccess>(given, "access", options.access,
       {{"map", FileAccess::map}, {"read", FileAccess::read}});
  read(given, "memory_budget_bytes", options.memory_budget_bytes);
  // clang-format on
  // </api>
  options.image = image_output(nb::cast<nb::tuple>(given["image"]));
  options.label = label_output(given["label"]);
  options.augment = augment_of(given["augment"]);
  options.pad_to = pixel_size(given["pad_to"]);
  options.timeout = kSlice;  // of next_into(); the whole wait is a loop of these
  const nb::object resume = given["resume"];
  if (!resume.is_none()) options.resume = take(LoaderState::parse(nb::cast<std::string>(resume)));
  return options;
}

DeviceLoaderOptions device_options(const nb::dict& given) {
  DeviceLoaderOptions options;
  options.loader = loader_options(given);
  options.device = nb::cast<int>(given["device"]);
  // <api: core device options>
  // clang-format off
  read<Residency>(given, "residency", options.residency,
       {{"page", Residency::page}, {"device", Residency::device}, {"auto", Residency::automatic}});
  read(given, "device_budget_bytes", options.device_budget_bytes);
  // clang-format on
  // </api>
  return options;
}

}  // namespace hotpack::python
