// The options and label rules of a plan file as JSON.
//
// Pure functions; thread-safe. Each text holds every field, so a later default changes no plan.
// Failure: decoding fails with `damaged` and names the JSON path.
#pragma once

#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "label_setup/label_setup.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The options that decide the bytes of records and shards.
[[nodiscard]] std::string encode_options(const RecordOptions& record, const ShardOptions& shard);
[[nodiscard]] Status decode_options(std::string_view text, RecordOptions& record,
                                    ShardOptions& shard);

// How labels are read, without the classes: these are in the schema.
[[nodiscard]] std::string encode_labels(const LabelSetup& setup);
// `schema` is that of a set with labels, or of any set if none has labels.
[[nodiscard]] Result<LabelSetup> decode_labels(std::string_view text, const Schema& schema);

}  // namespace hotpack::pipeline
