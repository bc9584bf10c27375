#include "errors.hpp"

#include <nanobind/nanobind.h>

#include <exception>
#include <string>

namespace nb = nanobind;

namespace hotpack::python {

namespace {

nb::object text_or_none(const std::string& text) {
  if (text.empty()) return nb::none();
  return nb::steal(
      PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

nb::object number_or_none(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::none();
}

// Sets the Python error that belongs to the library's error.
void set_error(const Error& error) {
  const nb::object make = nb::module_::import_("hotpack.errors").attr("_of_code");
  const nb::object exception =
      make(static_cast<int>(error.code),
           nb::steal(PyUnicode_DecodeFSDefaultAndSize(
               error.message.data(), static_cast<Py_ssize_t>(error.message.size()))),
           text_or_none(error.path), number_or_none(error.offset), number_or_none(error.record),
           text_or_none(error.key), text_or_none(error.option));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Exception& exception) {
      try {
        set_error(exception.error());
      } catch (nb::python_error& failed) {
        failed.restore();
      }
    }
  });
}

void raise(Error error) { throw Exception(std::move(error)); }

}  // namespace hotpack::python
