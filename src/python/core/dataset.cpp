#include "dataset.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/read_batch.hpp"
#include "options.hpp"
#include "waiting.hpp"

namespace hotpack::python {

namespace {

nb::str file_name(const std::string& path) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::object color_of(const ClassInfo& info) {
  if (!info.color) return nb::none();
  const RgbColor& color = *info.color;
  return nb::make_tuple(int{color[0]}, int{color[1]}, int{color[2]});
}

nb::tuple sources_of(const std::vector<LabelSource>& sources) {
  nb::list list;
  for (const LabelSource& source : sources) {
    if (const auto* const number = std::get_if<std::int64_t>(&source)) {
      list.append(*number);
    } else {
      list.append(text_of(std::get<std::string>(source)));
    }
  }
  return nb::tuple(list);
}

nb::list classes_of(const Dataset& data) {
  nb::list rows;
  for (const ClassInfo& info : data.classes())
    rows.append(nb::make_tuple(text_of(info.name), color_of(info), sources_of(info.sources)));
  return rows;
}

template <class T>
nb::list numbers(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      list.append(value);
    } else if (value) {
      list.append(*value);
    } else {
      list.append(nb::none());
    }
  }
  return list;
}

nb::dict statistics_of(const PyDataset& self) {
  Result<Statistics> result = unlocked([&] { return self.data->statistics(); });
  const Statistics statistics = take(std::move(result));
  nb::dict facts;
  facts["mean"] = numbers(statistics.mean);
  facts["std"] = numbers(statistics.std);
  facts["pixels"] = numbers(statistics.pixels);
  facts["samples"] = numbers(statistics.samples);
  facts["ignored"] = statistics.ignored;
  facts["inverse"] = numbers(statistics.weights_inverse);
  facts["median"] = numbers(statistics.weights_median);
  return facts;
}

nb::object image_shape_of(const Dataset& data) {
  const auto& image = data.schema().image;
  if (!image.shape) return nb::none();
  const auto [a, b, c] = *image.shape;
  return image.layout == AxisOrder::channels_last ? nb::make_tuple(a, b, c)
                                                  : nb::make_tuple(b, c, a);
}

// (scope, storage, multi), or None without labels
nb::object label_of(const Dataset& data) {
  const auto& label = data.schema().label;
  if (!label) return nb::none();
  constexpr std::array<const char*, 3> kStorages{"bits", "one_hot", "index"};
  return nb::make_tuple(label->scope == LabelScope::pixel ? "pixel" : "image",
                        kStorages.at(static_cast<std::size_t>(label->storage)), label->multi);
}

struct PySample {
  SharedDataset data;
  Sample sample;
};

PySample sample_of(const PyDataset& self, std::uint64_t number) {
  return {self.data, take(self.data->sample(number))};
}

std::vector<std::int64_t> image_strides(const ImageShape& shape) {
  if (shape.layout == AxisOrder::channels_last)
    return {shape.width * shape.channels, shape.channels, 1};
  return {shape.width, 1, shape.width * shape.height};
}

nb::object image_of(const PySample& self, VerifyChecksums verify) {
  std::vector<std::uint8_t> scratch;
  Result<ImageView> loaded = unlocked([&] { return self.sample.load_image(scratch, verify); });
  const ImageView view = take(std::move(loaded));
  const std::array<std::int64_t, 3> shape{view.shape.height, view.shape.width, view.shape.channels};
  const bool copied = !scratch.empty();  // moving the vector leaves its memory in place
  Owner owner = std::make_shared<const PySample>(self);
  if (copied) owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(scratch));
  return view_of(view.bytes.data(), shape, image_strides(view.shape), std::move(owner));
}

std::vector<std::int64_t> label_shape(const LabelShape& label, const LabelOutput& output) {
  std::vector<std::int64_t> shape;
  if (label.scope == LabelScope::pixel) shape = {label.height, label.width};
  if (output.form == LabelForm::ids) return shape;
  const auto count = static_cast<std::int64_t>(label.class_count);
  const std::int64_t depth =
      output.form == LabelForm::bits ? (count + 7) / 8 : count + (output.ignore_channel ? 1 : 0);
  const bool first =
      output.form == LabelForm::one_hot && output.layout == AxisOrder::channels_first;
  shape.insert(first ? shape.begin() : shape.end(), depth);
  return shape;
}

ElementType label_type(const LabelShape& label, const LabelOutput& output) {
  if (output.dtype) return *output.dtype;
  const bool wide = output.form == LabelForm::ids &&
                    (label.class_count > 255 || output.ignore_index.value_or(0) > 255);
  return wide ? ElementType::u16 : ElementType::u8;
}

// The label in the form of hotpack.forms.
nb::object label_in(const PySample& self, const nb::object& spec, VerifyChecksums verify) {
  const LabelOutput output = label_output(spec);
  if (!self.sample.has_label()) raise({ErrorCode::usage, "this data set has no label", {}, {}});
  const LabelShape stored = self.sample.label_shape();
  static_cast<void>(take(label_bytes(stored, output)));  // refuses forms that cannot be
  const NewArray made = new_array(label_shape(stored, output), label_type(stored, output));
  Status expanded = unlocked([&]() -> Status {
    std::vector<std::uint8_t> scratch;
    Result<LabelView> view = self.sample.copy_label(scratch, verify);
    if (!view.ok()) return std::move(view).error();
    return expand_label(*view, output, made.bytes);
  });
  check(std::move(expanded));
  return made.array;
}

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::uint64_t> indices_of(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

nb::list keys_of(const PyDataset& self, std::uint64_t first, std::uint64_t count) {
  Result<std::vector<std::string>> result =
      unlocked([&] { return self.data->copied_keys(first, count); });
  const std::vector<std::string> keys = take(std::move(result));
  nb::list list;
  for (const std::string& key : keys) list.append(text_of(key));
  return list;
}

nb::object find(const PyDataset& self, const std::string& key) {
  Result<std::optional<std::uint64_t>> result = unlocked([&] { return self.data->find(key); });
  const auto number = take(std::move(result));
  return number ? nb::object(nb::int_(*number)) : nb::none();
}

// The user's memory for a field, or new memory.
using Out = nb::ndarray<nb::c_contig, nb::device::cpu>;

NewArray room_for(const char* name, const nb::object& out, std::span<const std::int64_t> shape,
                  ElementType type, std::uint64_t bytes) {
  if (out.is_none()) return new_array(shape, type);
  const auto array = nb::cast<Out>(out);
  if (array.nbytes() != bytes)
    raise({ErrorCode::usage,
           std::string("the ") + name + " array has " + std::to_string(array.nbytes()) +
               " bytes, but the batch needs " + std::to_string(bytes),
           {},
           {},
           {},
           {},
           "out"});
  return {out, {static_cast<std::byte*>(array.data()), bytes}};
}

nb::tuple read(const PyDataset& self, const Numbers& numbers, const nb::tuple& image,
               const nb::object& label, const nb::object& pad_to, unsigned threads,
               const std::string& verify, const nb::object& image_out,
               const nb::object& label_out) {
  const std::vector<std::uint64_t> indices = indices_of(numbers);
  const ReadOptions options{image_output(image), label_output(label), pixel_size(pad_to), threads,
                            verify_of(verify)};
  Result<BatchShapes> known =
      unlocked([&] { return read_batch_shapes(*self.data, indices, options); });
  const BatchShapes shapes = take(std::move(known));
  const NewArray images =
      room_for("image", image_out, shapes.image, shapes.image_dtype, shapes.image_bytes);
  const bool labeled = !shapes.label.empty();
  const NewArray labels =
      labeled ? room_for("label", label_out, shapes.label, shapes.label_dtype, shapes.label_bytes)
              : NewArray{nb::none(), {}};
  Result<BatchInfo> result = unlocked([&] {
    return read_batch(*self.data, indices, options, {images.bytes, labels.bytes});
  });
  const BatchInfo info = take(std::move(result));
  nb::list keys;
  for (const std::string& key : info.keys) keys.append(text_of(key));
  return nb::make_tuple(images.array, labels.array, keys, crops_array(info.crops));
}

PyDataset open(const nb::list& folders) {
  std::vector<std::string> paths;
  for (const nb::handle folder : folders) {
    const auto bytes = nb::cast<nb::bytes>(folder);
    paths.emplace_back(bytes.c_str(), bytes.size());
  }
  Result<Dataset> opened = unlocked([&] { return Dataset::open(paths); });
  return {std::make_shared<const Dataset>(take(std::move(opened)))};
}

PyDataset subset(const PyDataset& self, const Numbers& numbers) {
  return {std::make_shared<const Dataset>(take(self.data->subset(indices_of(numbers))))};
}

nb::list folders_of(const PyDataset& self) {
  nb::list list;
  for (const PackInfo& pack : self.data->packs()) list.append(file_name(pack.folder));
  return list;
}

void bind_sample(nb::module_& module) {
  nb::class_<PySample>(module, "Sample")
      .def_prop_ro("key",
                   [](const PySample& self) { return text_of(take(self.sample.copied_key())); })
      .def_prop_ro("source_size",
                   [](const PySample& self) {
                     const SampleSource source = self.sample.source();
                     return nb::make_tuple(source.width, source.height);
                   })
      .def_prop_ro("region",
                   [](const PySample& self) {
                     const auto [x, y, width, height] = self.sample.source().region;
                     return nb::make_tuple(x, y, width, height);
                   })
      .def_prop_ro("image_shape",
                   [](const PySample& self) {
                     const ImageShape shape = self.sample.image_shape();
                     return nb::make_tuple(shape.height, shape.width, shape.channels);
                   })
      .def("image", [](const PySample& self,
                       const std::string& verify) { return image_of(self, verify_of(verify)); })
      .def(
          "label",
          [](const PySample& self, const nb::object& spec, const std::string& verify) {
            return label_in(self, spec, verify_of(verify));
          },
          nb::arg("spec").none(), nb::arg("verify"));
}

}  // namespace

void bind_dataset(nb::module_& module) {
  bind_sample(module);
  nb::class_<PyDataset>(module, "Dataset")
      .def("__len__", [](const PyDataset& self) { return self.data->size(); })
      .def("sample", &sample_of)
      .def("keys", &keys_of)
      .def("find", &find)
      .def("subset", &subset)
      .def("read", &read, nb::arg("indices"), nb::arg("image"), nb::arg("label").none(),
           nb::arg("pad_to").none(), nb::arg("threads"), nb::arg("verify"),
           nb::arg("image_out").none(), nb::arg("label_out").none())
      .def("statistics", &statistics_of)
      .def_prop_ro("folders", &folders_of)
      .def_prop_ro("fingerprint", [](const PyDataset& self) { return self.data->fingerprint(); })
      .def_prop_ro("classes", [](const PyDataset& self) { return classes_of(*self.data); })
      .def_prop_ro("channels",
                   [](const PyDataset& self) { return self.data->schema().image.channels(); })
      .def_prop_ro("image_shape", [](const PyDataset& self) { return image_shape_of(*self.data); })
      .def_prop_ro("label", [](const PyDataset& self) { return label_of(*self.data); });
  module.def("open", &open);
}

}  // namespace hotpack::python
