#include "check/label_diagnostics.hpp"

#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint8_t>;
using Reading = LabelContext::Reading;

LabelContext context_for(int classes, Reading reading = Reading::ids) {
  LabelContext context;
  context.reading = reading;
  context.refuses_unknown = true;
  context.threshold = 128;
  for (int c = 0; c < classes; ++c) {
    context.class_names.push_back("class " + std::to_string(c));
    context.known_ids.set(static_cast<std::size_t>(c));
  }
  context.known_ids.set(255);
  context.last_id = static_cast<std::uint32_t>(classes - 1);
  return context;
}

// Labels one after the other, and what is said of them: kinds and titles.
class Labels {
 public:
  explicit Labels(LabelContext context)
      : context_(std::move(context)),
        label_diagnostics_(context_),
        decoder_(id_decoder(static_cast<int>(context_.class_names.size()))) {}

  void add(const std::string& path, const RawLabel& raw) {
    label_diagnostics_.add(path, inspected(raw, &decoder_));
  }
  void add(const std::string& path, const Drawing& drawing) {
    std::vector<std::uint16_t> samples;
    add(path, raw_label(drawing, samples));
  }
  void add_correct(int count, const Ids& ids) {
    for (int i = 0; i < count; ++i)
      add("correct", drawn_ids(ids, 160, 120, static_cast<std::uint32_t>(i + 1)));
  }
  LabelDiagnostics& label_diagnostics() { return label_diagnostics_; }

  [[nodiscard]] std::string text_of() const {
    Diagnostics diagnostics;
    label_diagnostics_.finish(diagnostics);
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      text += std::string(severity_name(diagnostic.severity)) + " " + diagnostic.kind + ": " +
              diagnostic.title + "\n";
      for (const Evidence& example : diagnostic.examples) CHECK_FALSE(example.path == "correct");
    }
    return text;
  }

 private:
  LabelContext context_;
  LabelDiagnostics label_diagnostics_;
  labels::LabelDecoder decoder_;
};

const Ids kIds{0, 1, 3, 5, 7, 9, 11};

}  // namespace

TEST_CASE("correct labels cause no diagnostic") {
  Labels labels(context_for(12));
  labels.add_correct(20, kIds);
  CHECK(labels.text_of().empty());
}

TEST_CASE("misplaced labels and labels damaged by a tool are reported") {
  Labels labels(context_for(12));
  labels.add_correct(20, kIds);
  Drawing photo{160, 120, 1, {}};
  for (const std::uint16_t sample : noise_samples(160, 120, 1, 255))
    photo.samples.push_back(static_cast<std::uint8_t>(sample));
  labels.add("photo", photo);
  CHECK(labels.text_of() ==
        "warning photo-as-label: 1 of 21 labels looks like a photo or a depth map\n");
  labels.add("interpolated", interpolated(drawn_ids(kIds, 320, 240), 200, 150));
  CHECK_THAT(labels.text_of(),
             ContainsSubstring("warning blended-borders: 1 of 22 labels has blended borders\n"));
  labels.add("jpeg", through_jpeg(drawn_ids(kIds, 320, 240), 75));
  CHECK_THAT(
      labels.text_of(),
      ContainsSubstring("warning jpeg-artifacts: 1 of 23 labels has traces of JPEG compression\n"));
  labels.label_diagnostics().add_copy_of_image("copy", "the same bytes as its image");
  CHECK_THAT(labels.text_of(),
             ContainsSubstring("warning label-is-image: 1 of 23 labels is a copy of its image\n"));
}

TEST_CASE("rescaled ids and ids one too high are reported") {
  Labels labels(context_for(12));
  labels.add_correct(20, kIds);
  labels.add("times 17", mapped(drawn_ids(kIds), [](int id) { return 17 * id; }));
  labels.add("plus 1", mapped(drawn_ids(kIds, 160, 120, 3), [](int id) { return id + 1; }));
  CHECK(labels.text_of() ==
        "warning rescaled-ids: 1 of 22 labels has ids that are multiples of 17\n"
        "warning shifted-ids: 1 of 22 labels seems to have ids one too high\n");
}

TEST_CASE("labels of only 0 and 255 are reported as masks read as ids") {
  Labels labels(context_for(2));
  labels.add_correct(3, {0, 255});
  CHECK(labels.text_of() ==
        "warning binary-as-ids: the only label values are 0 and 255: the labels look like masks of "
        "two "
        "classes, but 255 is read as ignored\n");
  SECTION("unless one of them holds something else") {
    labels.add_correct(1, {0, 1, 255});
    CHECK(labels.text_of().empty());
  }
}

TEST_CASE("ids from 1 to the number of classes are reported") {
  Labels labels(context_for(3));
  labels.add_correct(3, {1, 2, 3});
  CHECK_THAT(
      labels.text_of(),
      ContainsSubstring("warning one-based-ids: ids run from 1 to the number of classes, 3"));
}

TEST_CASE("a threshold that no mask reaches is reported with a better one") {
  Labels labels(context_for(2, Reading::binary));
  labels.add_correct(3, {0, 1});
  CHECK(labels.text_of() ==
        "warning threshold-never-reached: no label reaches --threshold 128: the largest value is "
        "1\n");
  Labels good(context_for(2, Reading::binary));
  good.add_correct(3, {0, 255});
  CHECK(good.text_of().empty());
}

TEST_CASE("labels of one class, or of none, are reported") {
  Labels labels(context_for(12));
  labels.add_correct(3, kIds);
  labels.add("one class", drawn_ids({4}));
  CHECK(labels.text_of() == "note one-value-label: 1 of 4 labels is of one class throughout\n");
  labels.add("ignored", drawn_ids({255}));
  CHECK(labels.text_of() ==
        "warning ignored-label: 1 of 5 labels has no pixel of a class\n"
        "note one-value-label: 1 of 5 labels is of one class throughout\n");
}

TEST_CASE("all labels of one class are a warning") {
  Labels labels(context_for(12));
  labels.add("a", drawn_ids({4}));
  labels.add("b", drawn_ids({2}));
  CHECK_THAT(
      labels.text_of(),
      ContainsSubstring("warning one-value-label: all 2 labels are of one class throughout\n"));
}

TEST_CASE("ids of few bits or in palettes, which are read as stored, are a note") {
  Labels labels(context_for(12));
  std::vector<std::uint16_t> samples;
  RawLabel low = raw_label(drawn_ids({0, 1, 2, 3}), samples);
  low.bit_depth = 2;
  labels.add("2 bits", low);
  RawLabel with_palette = raw_label(drawn_ids({0, 1, 2}), samples);
  with_palette.is_palette = true;
  with_palette.palette = {{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
  labels.add("palette", with_palette);
  CHECK(labels.text_of() ==
        "note low-depth-ids: 1 of 2 labels has fewer than 8 bits per pixel\n"
        "note palette-ids: 1 of 2 labels has a palette\n");
}

TEST_CASE("palettes with different colors for one index are reported") {
  Labels labels(context_for(12));
  std::vector<std::uint16_t> samples;
  RawLabel raw = raw_label(drawn_ids({0, 1, 2}), samples);
  raw.is_palette = true;
  raw.palette = {{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
  labels.add("first", raw);
  raw.palette.push_back({7, 7, 7});  // an index that is not used may be anything
  labels.add("alike", raw);
  CHECK_THAT(labels.text_of(), !ContainsSubstring("palettes-differ"));
  raw.palette = {{0, 0, 0}, {0, 128, 0}, {128, 0, 0}};
  labels.add("other", raw);
  CHECK_THAT(
      labels.text_of(),
      ContainsSubstring("warning palettes-differ: 1 of 3 labels has a palette of its own\n"));
}

TEST_CASE("labels strewn with single pixels are reported, fine drawings are not") {
  Labels labels(context_for(12));
  labels.add_correct(20, kIds);
  Drawing salted = drawn_ids(kIds);
  const auto places = noise_samples(200, 2, 1, 997, 5);
  for (std::size_t i = 0; i < 200; ++i)
    salted.at(places[2 * i] % 160, places[2 * i + 1] % 120) = kIds[i % kIds.size()];
  labels.add("salted", salted);
  Drawing lines = drawn_ids(kIds);
  for (int y = 0; y < lines.height; ++y)
    for (int x = y % 7; x < lines.width; x += 7) lines.at(x, y) = 11;
  labels.add("correct", lines);
  CHECK(labels.text_of() ==
        "warning salted-label: 1 of 22 labels is strewn with single pixels of other classes\n");
  Labels most(context_for(12));
  most.add("salted", salted);
  most.add("salted too", salted);
  most.add("correct", lines);
  CHECK(most.text_of() ==
        "note salted-label: 2 of 3 labels are strewn with single pixels of other classes\n");
}
