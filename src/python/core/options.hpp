// Forms of images and labels, from what hotpack.forms makes of its classes.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "hotpack/device_loader.hpp"
#include "hotpack/loader_options.hpp"

namespace hotpack::python {

// (dtype, layout, mean, std); mean and std are lists of numbers, both empty or both not
[[nodiscard]] ImageOutput image_output(const nanobind::tuple& spec);
// (form, dtype or None, layout, ignore_channel, ignore_index or None); form: "ids", "one_hot",
// "bits". None: the default.
[[nodiscard]] LabelOutput label_output(const nanobind::object& spec);
// (width, height) or None
[[nodiscard]] std::optional<PixelSize> pixel_size(const nanobind::object& size);
// (horizontal_flip, vertical_flip, crop or None, resized_crop or None); crop: (width, height,
// random); resized_crop: (width, height, min_area, max_area, min_ratio, max_ratio)
[[nodiscard]] Augment augment_of(const nanobind::object& spec);
[[nodiscard]] VerifyChecksums verify_of(std::string_view name);
// Reads what LoaderOf of hotpack/loader.py gives. `timeout` is a slice of the whole wait.
[[nodiscard]] LoaderOptions loader_options(const nanobind::dict& given);
// The same for a loader on a device, whose number is given["device"].
[[nodiscard]] DeviceLoaderOptions device_options(const nanobind::dict& given);

}  // namespace hotpack::python
