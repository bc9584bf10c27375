// The struct of hotpack.h for a value in label files. A pure function; thread-safe. The result
// points into `source`.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "hotpack/hotpack.h"
#include "hotpack/schema.hpp"

namespace hotpack::c_api {

[[nodiscard]] inline hotpack_label_source source_of(const LabelSource& source) {
  hotpack_label_source found{};
  if (const auto* const text = std::get_if<std::string>(&source)) {
    found.text = text->c_str();
  } else {
    found.id = std::get<std::int64_t>(source);
  }
  return found;
}

}  // namespace hotpack::c_api
