// What the classes of both loaders have in common for Python. Needs the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "errors.hpp"
#include "hotpack/loader_state.hpp"
#include "waiting.hpp"

namespace hotpack::python {

// Class is an Awaited with loader() and batches().
template <class Class>
void bind_controls(nanobind::class_<Class>& bound) {
  namespace nb = nanobind;
  bound
      .def("begin_epoch",
           [](Class& self, std::uint64_t epoch) { check(self.loader().begin_epoch(epoch)); })
      .def("seek", [](Class& self, std::uint64_t epoch,
                      std::uint64_t step) { check(self.loader().seek(epoch, step)); })
      .def("restore",
           [](Class& self, const std::string& state) {
             check(self.loader().restore(take(LoaderState::parse(state))));
           })
      .def("state", [](Class& self) { return self.loader().state().text(); })
      .def("position",
           [](Class& self) {
             const LoaderPosition at = self.position();
             return nb::make_tuple(at.epoch, at.step);
           })
      .def("cancel", [](Class& self) { self.cancel(); })
      .def("close", [](Class& self) { unlocked_unless_exiting([&] { self.loader().close(); }); })
      .def_prop_ro("steps", [](Class& self) { return self.loader().steps_per_epoch(); })
      .def_prop_ro("batch_size", [](Class& self) { return self.loader().batch_size(); })
      .def_prop_ro("threads", [](Class& self) { return self.loader().threads(); });
}

}  // namespace hotpack::python
