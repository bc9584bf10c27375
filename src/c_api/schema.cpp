// The functions hotpack_dataset_… about where classes come from and how records were made.
#include "hotpack/schema.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/label_source.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"
#include "hotpack/hotpack.h"

namespace hotpack::c_api {

Result<const ClassInfo*> find_class(const Dataset& dataset, std::uint64_t class_id) {
  if (class_id < dataset.classes().size()) return &dataset.classes()[class_id];
  return option_error("class_id",
                      "there is no class " + std::to_string(class_id) + "; the data set has " +
                          std::to_string(dataset.classes().size()) + ", counted from 0");
}

namespace {

// Writes the source with this number, if there is one.
Outcome write_source(const std::vector<LabelSource>& sources, std::uint64_t number,
                     hotpack_label_source* source) {
  HOTPACK_TRY(require(source, "source"));
  if (number >= sources.size()) return HOTPACK_NOT_FOUND;
  HOTPACK_TRY(write_struct(source_of(sources[number]), source, "hotpack_label_source"));
  return HOTPACK_OK;
}

hotpack_geometry_info info_of(const Geometry& geometry) {
  hotpack_geometry_info info{};
  if (geometry.size) {
    info.width = (*geometry.size)[0];
    info.height = (*geometry.size)[1];
  }
  info.fit = geometry.fit.c_str();
  info.image_filter = geometry.image_filter.c_str();
  info.label_filter = geometry.label_filter.c_str();
  std::copy_n(geometry.pad_color.begin(),
              std::min(geometry.pad_color.size(), std::size(info.pad_color)), info.pad_color);
  return info;
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

uint64_t hotpack_dataset_class_sources(const hotpack_dataset* dataset, uint64_t class_id) {
  return class_id < hotpack_dataset_classes(dataset)
             ? dataset->dataset->classes()[class_id].sources.size()
             : 0;
}

hotpack_status hotpack_dataset_class_source(const hotpack_dataset* dataset, uint64_t class_id,
                                            uint64_t number, hotpack_label_source* source) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_ASSIGN(const ClassInfo* const found, find_class(open, class_id));
    return write_source(found->sources, number, source);
  });
}

uint64_t hotpack_dataset_ignored_sources(const hotpack_dataset* dataset) {
  return dataset == nullptr || !dataset->dataset ? 0 : dataset->dataset->schema().ignore.size();
}

hotpack_status hotpack_dataset_ignored_source(const hotpack_dataset* dataset, uint64_t number,
                                              hotpack_label_source* source) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    return write_source(open.schema().ignore, number, source);
  });
}

hotpack_status hotpack_dataset_geometry(const hotpack_dataset* dataset,
                                        hotpack_geometry_info* info) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(write_struct(info_of(open.schema().geometry), info, "hotpack_geometry_info"));
    return HOTPACK_OK;
  });
}
