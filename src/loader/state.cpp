#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "hotpack/order.hpp"

namespace hotpack {
namespace {

using format::JsonNode;

constexpr std::string_view kVersionKey = "hotpack_state";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<std::string_view, 3> kShuffleNames = {"full", "block",
                                                           "none"};  // in the order of Shuffle
constexpr std::array<std::string_view, 4> kLastBatchNames = {"drop", "pad", "wrap",
                                                             "keep"};  // in the order of LastBatch

Status check_version(const JsonNode& node) {
  if (!node.has(kVersionKey)) return node.error("lacks the key \"hotpack_state\"");
  HOTPACK_ASSIGN(const std::uint64_t version, node.at(kVersionKey).count(1, kMax));
  if (version == kVersion) return {};
  return node.error("it is of version " + std::to_string(version) +
                    ", and this hotpack knows version 1: use a newer hotpack");
}

Result<OrderOptions> decode_order(const JsonNode& node) {
  OrderOptions order;
  HOTPACK_ASSIGN(const std::size_t shuffle, node.at("shuffle").choice(kShuffleNames));
  order.shuffle = static_cast<Shuffle>(shuffle);
  HOTPACK_ASSIGN(order.seed, node.at("seed").count(0, kMax));
  HOTPACK_ASSIGN(order.block_samples, node.at("block_samples").count(1, kMaxSamples));
  HOTPACK_ASSIGN(order.window_blocks, node.at("window_blocks").count(1, kMaxSamples));
  return order;
}

// Checks that the position is at the start or end of a step of this run.
Status check_position(const JsonNode& node, const LoaderState& state) {
  HOTPACK_ASSIGN(const StepPlan plan,
                 StepPlan::make(state.records, state.global_batch_size, state.last_batch));
  if (state.samples % state.global_batch_size == 0 &&
      state.samples / state.global_batch_size <= plan.steps())
    return {};
  return node.at("samples").error(
      std::to_string(state.samples) + " is not a multiple of the global batch size, " +
      std::to_string(state.global_batch_size) + ", or it is beyond the epoch's " +
      std::to_string(plan.steps()) + " steps");
}

Result<LoaderState> decode(const JsonNode& node) {
  HOTPACK_TRY(check_version(node));
  HOTPACK_TRY(
      node.require_keys({kVersionKey, "fingerprint", "records", "shuffle", "seed", "block_samples",
                         "window_blocks", "last_batch", "global_batch_size", "epoch", "samples"},
                        0));
  LoaderState state;
  HOTPACK_ASSIGN(state.fingerprint, node.at("fingerprint").digest());
  HOTPACK_ASSIGN(state.records, node.at("records").count(1, kMaxSamples));
  HOTPACK_ASSIGN(state.order, decode_order(node));
  HOTPACK_ASSIGN(const std::size_t last_batch, node.at("last_batch").choice(kLastBatchNames));
  state.last_batch = static_cast<LastBatch>(last_batch);
  HOTPACK_ASSIGN(state.global_batch_size, node.at("global_batch_size").count(1, kMaxSamples));
  HOTPACK_ASSIGN(state.epoch, node.at("epoch").count(0, kMaxEpoch));
  HOTPACK_ASSIGN(state.samples, node.at("samples").count(0, kMax));
  HOTPACK_TRY(check_position(node, state));
  return state;
}

Error no_state(const Error& error) {
  return {ErrorCode::usage,
          "not a state of a loader: " + error.message +
              "; give the state that a loader wrote, unchanged",
          {},
          error.offset};
}

}  // namespace

std::string_view shuffle_name(Shuffle shuffle) {
  return kShuffleNames.at(static_cast<std::size_t>(shuffle));
}
std::string_view last_batch_name(LastBatch last_batch) {
  return kLastBatchNames.at(static_cast<std::size_t>(last_batch));
}

std::string LoaderState::text() const {
  const auto name = [](const char* key) { return ",\"" + std::string(key) + "\":"; };
  const auto number = [&](const char* key, std::uint64_t value) {
    return name(key) + std::to_string(value);
  };
  const auto string = [&](const char* key, std::string_view value) {
    return name(key) + format::canonical_string(value);
  };
  return "{\"" + std::string(kVersionKey) + "\":" + std::to_string(kVersion) +
         string("fingerprint", fingerprint) + number("records", records) +
         string("shuffle", shuffle_name(order.shuffle)) + number("seed", order.seed) +
         number("block_samples", order.block_samples) +
         number("window_blocks", order.window_blocks) +
         string("last_batch", last_batch_name(last_batch)) +
         number("global_batch_size", global_batch_size) + number("epoch", epoch) +
         number("samples", samples) + "}";
}

Result<LoaderState> LoaderState::parse(std::string_view text) {
  return or_out_of_memory([&]() -> Result<LoaderState> {
    const auto json = format::parse_document(text, {.depth = 4});
    if (!json.ok()) return no_state(json.error());
    auto state = decode(JsonNode(json->root(), {}));
    if (!state.ok()) return no_state(state.error());
    return state;
  });
}

}  // namespace hotpack
