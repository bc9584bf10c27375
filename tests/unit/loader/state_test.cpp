#include <string>
#include <utility>
#include <vector>

#include "hotpack/order.hpp"
#include "support/catch.hpp"

using namespace hotpack;

namespace {

const std::string kText =
    R"({"hotpack_state":1,"fingerprint":"xxh3-128:00112233445566778899aabbccddeeff","records":367,"shuffle":"block","seed":18446744073709551615,)"
    R"("block_samples":256,"window_blocks":16,"last_batch":"pad","global_batch_size":32,"epoch":4294967295,"samples":384})";

LoaderState some_state() {
  LoaderState state;
  state.fingerprint = "xxh3-128:00112233445566778899aabbccddeeff";
  state.records = 367;
  state.order = {.shuffle = Shuffle::block, .seed = 0xFFFFFFFFFFFFFFFF};
  state.last_batch = LastBatch::pad;
  state.global_batch_size = 32;
  state.epoch = kMaxEpoch;
  state.samples = 384;
  return state;
}

std::string altered(const std::string& from, const std::string& to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const auto state = LoaderState::parse(text);
  if (state.ok()) return {};
  CHECK(state.error().code == ErrorCode::usage);
  CHECK_THAT(state.error().message, ContainsSubstring("the state that a loader wrote"));
  return state.error().message;
}

}  // namespace

TEST_CASE("a state is one line of JSON and comes back whole") {
  CHECK(some_state().text() == kText);
  CHECK(LoaderState::parse(kText).value() == some_state());
  CHECK(LoaderState::parse(" " + kText + "\n").value() == some_state());
}

TEST_CASE("every name of shuffle and tail comes back") {
  for (const Shuffle shuffle : {Shuffle::full, Shuffle::block, Shuffle::none}) {
    for (const LastBatch last_batch :
         {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}) {
      LoaderState state = some_state();
      state.order.shuffle = shuffle;
      state.last_batch = last_batch;
      state.samples = 32;
      CHECK(LoaderState::parse(state.text()).value() == state);
    }
  }
  CHECK(shuffle_name(Shuffle::full) == "full");
  CHECK(shuffle_name(Shuffle::none) == "none");
  CHECK(last_batch_name(LastBatch::drop) == "drop");
  CHECK(last_batch_name(LastBatch::wrap) == "wrap");
  CHECK(last_batch_name(LastBatch::keep) == "keep");
}

TEST_CASE("blocks and windows may be as large as a data set") {
  LoaderState state = some_state();
  state.order.block_samples = state.order.window_blocks = kMaxSamples;
  CHECK(LoaderState::parse(state.text()).value() == state);
}

TEST_CASE("a position may be any step of the epoch, its end too, and nothing else") {
  CHECK(refusal(altered("\"samples\":384", "\"samples\":0")).empty());
  CHECK(refusal(altered("\"samples\":384", "\"samples\":352")).empty());
  CHECK_THAT(refusal(altered("\"samples\":384", "\"samples\":385")),
             ContainsSubstring("samples: 385 is not a multiple of the global batch size, 32, or it "
                               "is beyond the epoch's 12 steps"));
  CHECK_THAT(refusal(altered("\"samples\":384", "\"samples\":416")),
             ContainsSubstring("samples: 416"));
}

TEST_CASE("a text that is no state is refused, naming what is wrong") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not a state of a loader"},
      {"hello", "not a state of a loader"},
      {"[1]", "lacks the key \"hotpack_state\""},
      {"{}", "lacks the key \"hotpack_state\""},
      {R"({"hotpack_state":1})", "lacks the key \"fingerprint\""},
      {kText + "x", "not a state of a loader"},
      {kText.substr(0, kText.size() - 1), "not a state of a loader"},
      {altered("\"hotpack_state\":1", "\"hotpack_state\":2"),
       "version 2, and this hotpack knows version 1: use a newer hotpack"},
      {altered("\"hotpack_state\":1", "\"hotpack_state\":\"1\""),
       "hotpack_state: \"1\" is not an integer"},
      {altered("\"last_batch\":\"pad\",", ""), "lacks the key \"last_batch\""},
      {altered("\"last_batch\"", "\"extra\":0,\"last_batch\""), "\"extra\" is unknown"},
      {altered("\"last_batch\"", "\"seed\":0,\"last_batch\""), "seed"},
      {altered("xxh3-128:0", "xxh3-128:"), "fingerprint: "},
      {altered("\"block\"", "\"random\""), "shuffle: \"random\" is none of full, block, none"},
      {altered("\"pad\"", "\"cut\""), "last_batch: \"cut\" is none of drop, pad, wrap, keep"},
      {altered("18446744073709551615", "18446744073709551616"), "seed: "},
      {altered("18446744073709551615", "-1"), "seed: -1"},
      {altered("\"records\":367", "\"records\":0"), "records: 0 is not an integer from 1"},
      {altered("\"block_samples\":256", "\"block_samples\":0"), "block_samples: 0"},
      {altered("\"window_blocks\":16", "\"window_blocks\":0"), "window_blocks: 0"},
      {altered("\"block_samples\":256", "\"block_samples\":4611686018427387905"),
       "block_samples: 4611686018427387905"},
      {altered("\"window_blocks\":16", "\"window_blocks\":4611686018427387905"),
       "window_blocks: 4611686018427387905"},
      {altered("\"global_batch_size\":32", "\"global_batch_size\":0"), "global_batch_size: 0"},
      {altered("4294967295", "4294967296"),
       "epoch: 4294967296 is not an integer from 0 to 4294967295"},
      {altered("\"samples\":384", "\"samples\":384.0"), "samples: "},
  };
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), ContainsSubstring(problem));
  }
}

TEST_CASE("a state of a run without a step is refused") {
  std::string text = altered("\"pad\"", "\"drop\"");
  text.replace(text.find("\"records\":367"), 13, "\"records\":31");
  CHECK_THAT(refusal(text), ContainsSubstring("larger than the 31 samples"));
}
