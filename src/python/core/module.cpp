// The compiled part of the Python package. It is private: hotpack's Python modules are the API.

#include <nanobind/nanobind.h>

#include "dataset.hpp"
#include "errors.hpp"
#include "hotpack/build_info.hpp"
#include "hotpack/version.hpp"

NB_MODULE(_core, module) {
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // processes that end early, such as workers, are no leaks
#endif
  hotpack::python::translate_errors();
  hotpack::python::bind_dataset(module);
  hotpack::python::bind_loader(module);
  module.attr("version") = HOTPACK_VERSION;
  const hotpack::BuildInfo info = hotpack::build_info();
  module.attr("compiler") = info.compiler.c_str();
  module.attr("zstd") = info.zstd.c_str();
  module.attr("instructions") = info.instructions.c_str();
}
