// The compiled part of the Python package. It is private: hotpack's Python modules are the API.

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "hotpack/build_info.hpp"
#include "hotpack/version.hpp"
#include "waiting.hpp"

NB_MODULE(_core, module) {
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // processes that end early, such as workers, are no leaks
#endif
  hotpack::python::translate_errors();
  hotpack::python::bind_memory(module);
  hotpack::python::bind_dataset(module);
  hotpack::python::bind_loader(module);
  hotpack::python::bind_device_loader(module);
  module.def("end_waiting", &hotpack::python::end_waiting);
  module.def("forget_waiting", &hotpack::python::forget_waiting);
  module.attr("version") = HOTPACK_VERSION;
  const hotpack::BuildInfo info = hotpack::build_info();
  module.attr("compiler") = info.compiler.c_str();
  module.attr("zstd") = info.zstd.c_str();
  module.attr("instructions") = info.instructions.c_str();
}
