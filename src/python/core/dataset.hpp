// Data sets and samples for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "hotpack/dataset.hpp"

namespace hotpack::python {

// Shared with every sample and every view of a record, so the mapping lives as long as they do.
using SharedDataset = std::shared_ptr<const Dataset>;

struct PyDataset {
  SharedDataset data;
};

void bind_dataset(nanobind::module_& module);
void bind_loader(nanobind::module_& module);
void bind_device_loader(nanobind::module_& module);

}  // namespace hotpack::python
