#include "format/schema_check.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

std::string refusal(const Schema& schema) {
  const Status status = check_schema(schema);
  if (status.ok()) return "accepted";
  CHECK(status.error().code == ErrorCode::damaged);
  return status.error().message;
}

}  // namespace

TEST_CASE("schemas of every form follow the rules") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    CHECK(refusal(tiny_schema(form)) == "accepted");
  }
}

TEST_CASE("each value outside the lists is refused by its key") {
  struct Case {
    const char* key;
    void (*change)(Schema&);
  };
  const Case cases[] = {
      {"geometry.fit", [](Schema& s) { s.geometry.fit = "squash"; }},
      {"geometry.image_filter", [](Schema& s) { s.geometry.image_filter = "zzz"; }},
      {"geometry.label_filter", [](Schema& s) { s.geometry.label_filter = "linear"; }},
      {"geometry.pad_color", [](Schema& s) { s.geometry.pad_color = {0}; }},
      {"options.size_mismatch", [](Schema& s) { s.options.size_mismatch = "weird"; }},
      {"options.label_kind", [](Schema& s) { s.options.more[0].second = "\"auto\""; }},
      {"options.x", [](Schema& s) { s.options.more.emplace_back("x", "{\"a\":[1,0.5]}"); }},
      {"classes[1].name", [](Schema& s) { s.classes[1].name.clear(); }},
      {"classes[1].name", [](Schema& s) { s.classes[1].name = s.classes[0].name; }},
      {"classes[1].sources", [](Schema& s) { s.classes[1].sources = s.classes[0].sources; }},
      {"ignore.sources",
       [](Schema& s) {
         s.ignore = {std::int64_t{255}, std::int64_t{255}};
       }},
      {"ignore.sources", [](Schema& s) { s.ignore = {std::int64_t{2}}; }},
  };
  for (const Case& one : cases) {
    Schema schema = tiny_schema({});
    one.change(schema);
    CHECK_THAT(refusal(schema), ContainsSubstring(one.key));
  }
}

TEST_CASE("options that do not affect a sample's bytes are refused") {
  for (const auto* name :
       {"on_error", "max_errors", "orphans", "threads", "jobs", "force", "list", "split", "pairing",
        "shard_size", "shard_samples", "output", "hostname", "time", "timestamp"}) {
    Schema schema = tiny_schema({});
    schema.options.more.emplace_back(name, "1");
    CHECK_THAT(refusal(schema), ContainsSubstring(std::string("options.") + name));
  }
}

TEST_CASE("values that other writers of 1.0 may use are legal") {
  Schema schema = tiny_schema({});
  for (const auto* fit : {"stretch", "contain", "cover", "long-side", "short-side"}) {
    schema.geometry.fit = fit;
    CHECK(refusal(schema) == "accepted");
  }
  for (const auto* filter : {"auto", "linear", "area", "nearest", "triangle", "cubic", "lanczos",
                             "triangle-pillow12.1", "cubic-pillow12.1", "lanczos-pillow12.1"}) {
    schema.geometry.image_filter = filter;
    CHECK(refusal(schema) == "accepted");
  }
  for (const auto* mismatch : {"error", "each-to-target", "resize-label", "crop-min"}) {
    schema.options.size_mismatch = mismatch;
    CHECK(refusal(schema) == "accepted");
  }
}
