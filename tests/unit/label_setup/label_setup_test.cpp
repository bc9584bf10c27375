#include "label_setup/label_setup.hpp"

#include <numeric>

#include "base/words.hpp"
#include "format/manifest.hpp"
#include "label_setup/id_scan.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;
using Names = std::vector<std::string>;

const std::vector<Color> kColors{{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
constexpr const char* kCsv = "name,r,g,b\nvoid,0,0,0\ncar,128,0,0\ntree,0,128,0\n";

// One image and its label.
void put_sample(const TempFolder& folder, const std::string& key, const Bytes& label,
                const std::string& extension = ".png") {
  put(folder, "images/" + key + ".png", photo(2, 2));
  put(folder, "labels/" + key + extension, label);
}

PackOptions with_classes(const TempFolder& folder, std::string_view text) {
  folder.write("classes.csv", text);
  PackOptions options = options_for(folder);
  options.label.classes = folder / "classes.csv";
  return options;
}

Result<LabelSetup> resolved(const PackOptions& options, std::vector<SampleList>& lists,
                            ProblemLog& problems) {
  Recorder recorder;
  LabelForms forms;
  std::vector<SampleList*> splits;
  for (SampleList& list : lists) {
    forms.add(probe_headers(list, options.record, recorder).value().forms);
    splits.push_back(&list);
  }
  return resolve_labels(options, splits, forms, recorder, problems);
}

Result<LabelSetup> resolved(const PackOptions& options, ProblemLog& problems) {
  std::vector<SampleList> lists{samples_of(options)};
  return resolved(options, lists, problems);
}

LabelSetup resolved_well(const PackOptions& options, std::vector<SampleList>& lists) {
  ProblemLog problems;
  auto setup = resolved(options, lists, problems);
  if (!setup.ok()) FAIL(setup.error().describe());
  CHECK(problems.text() == "");
  return std::move(setup).value();
}

LabelSetup setup_of(const PackOptions& options) {
  std::vector<SampleList> lists{samples_of(options)};
  return resolved_well(options, lists);
}

Error refusal(const PackOptions& options, ErrorCode code) {
  ProblemLog problems;
  const auto setup = resolved(options, problems);
  if (setup.ok()) FAIL("was not refused: " + setup.value().explanation);
  CHECK(setup.error().code == code);
  return setup.error();
}

std::string usage_text(const PackOptions& options) {
  return refusal(options, ErrorCode::usage).message;
}
std::string data_text(const PackOptions& options) {
  return refusal(options, ErrorCode::data).message;
}

Names names_of(const LabelSetup& setup) {
  Names names;
  for (const ClassInfo& info : setup.table.classes) names.push_back(info.name);
  return names;
}

Bytes gray_jpeg(int width, int height) {
  return make_jpeg({.width = width, .height = height, .color = JpegColor::gray},
                   smooth_samples(width, height, 1));
}

// A data set of one image, "a", and its label.
struct OneLabel {
  explicit OneLabel(const Bytes& label) { put_sample(folder, "a", label); }
  const TempFolder folder;
};
struct ColorLabels : OneLabel {
  ColorLabels() : OneLabel(color_label(2, 2, {0, 1, 2, 1}, kColors)) {}
};
struct PaletteLabels : OneLabel {
  PaletteLabels() : OneLabel(palette_label(2, 2, {0, 1, 2, 1}, kColors)) {}
};
struct IdLabels : OneLabel {
  IdLabels() : OneLabel(id_label(2, 2, {0, 1, 0, 0})) {}
};
struct MaskLabels : OneLabel {
  MaskLabels() : OneLabel(id_label(2, 2, {0, 255, 0, 0})) {}
};
struct TrainIds : OneLabel {
  TrainIds() : OneLabel(id_label(2, 2, {7, 11, 0, 255})) {}
};

}  // namespace

// ---- auto

TEST_CASE_METHOD(ColorLabels, "auto: classes with colors make labels colors") {
  const LabelSetup setup = setup_of(with_classes(folder, kCsv));
  CHECK(setup.label_kind == "color");
  CHECK(setup.explanation ==
        "labels are read as color (auto: the classes have colors; the labels are 1 RGB PNG)");
  CHECK(names_of(setup) == Names{"void", "car", "tree"});
  CHECK(setup.table.classes[1].sources == std::vector<LabelSource>{LabelSource("#800000")});
  CHECK(setup.scope == LabelScope::pixel);
  CHECK(setup.unknown == "error");
  CHECK(setup.pad_label == "ignore");
  CHECK(setup.pad_id == labels::kIgnored);
  CHECK_FALSE(setup.threshold);
}

TEST_CASE_METHOD(PaletteLabels, "auto: palette and gray files are colors if classes have colors") {
  CHECK(setup_of(with_classes(folder, kCsv)).label_kind == "color");
}

TEST_CASE("auto: gray and palette files without class colors are ids and counted") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  put_sample(folder, "b", palette_label(2, 2, {4, 0, 0, 0}, {{0, 0, 0}, {9, 9, 9}}));
  const LabelSetup setup = setup_of(options_for(folder));
  CHECK(setup.label_kind == "index");
  CHECK(names_of(setup) == Names{"0", "1", "2", "3", "4"});
  CHECK(setup.explanation ==
        "labels are read as index (auto: no class colors were given; the labels are 1 gray, 1 "
        "palette PNG); ids found: 0…2, 4, 255, so 5 "
        "classes; if another split may hold more, give --num-classes N or --classes");
  CHECK(setup.table.ignore ==
        std::vector<LabelSource>{LabelSource(std::int64_t{255}), LabelSource(std::int64_t{65535})});
}

TEST_CASE_METHOD(IdLabels, "auto: with --num-classes no pixels are read") {
  PackOptions options = options_for(folder);
  options.label.class_count = 12;
  const LabelSetup setup = setup_of(options);
  CHECK(setup.table.classes.size() == 12);
  CHECK_THAT(setup.explanation, !ContainsSubstring("ids found"));
}

TEST_CASE_METHOD(IdLabels, "auto: names without colors are names of ids") {
  const LabelSetup setup = setup_of(with_classes(folder, "sky\nroad\n"));
  CHECK(setup.label_kind == "index");
  CHECK(names_of(setup) == Names{"sky", "road"});
}

TEST_CASE_METHOD(IdLabels, "names of ids that a column counts from 1 are a question") {
  PackOptions options = with_classes(folder, "label,Nr\nground,1\ntree,2\nboat,3\n");
  const Error error = refusal(options, ErrorCode::data);
  CHECK(error.path == folder / "classes.csv");
  CHECK(error.message ==
        "the column 'Nr' numbers the classes from 1 to 3, but the first class has id 0. If labels "
        "hold 1 to 3, give --shift-ids -1; if they hold 0 to 2, remove the column");
  options.label.shift_ids = -1;
  CHECK(names_of(setup_of(options)) == Names{"ground", "tree", "boat"});
}

TEST_CASE_METHOD(ColorLabels, "a column that counts colored classes from 1 does not matter") {
  const std::string csv = "Nr,name,color\n1,void,#000000\n2,car,#800000\n3,tree,#008000\n";
  CHECK(names_of(setup_of(with_classes(folder, csv))) == Names{"void", "car", "tree"});
}

TEST_CASE_METHOD(IdLabels, "auto: RGB labels without class colors are refused by name") {
  put_sample(folder, "b", photo(2, 2));
  const Error error = refusal(options_for(folder), ErrorCode::data);
  CHECK(error.path == folder / "labels/b.png");
  CHECK_THAT(error.message, ContainsSubstring("--classes FILE.csv"));
  PackOptions counted = options_for(folder);
  counted.label.class_count = 3;
  CHECK(refusal(counted, ErrorCode::data).path == folder / "labels/b.png");
}

TEST_CASE("a colored label that may be skipped does not affect the class count") {
  const TempFolder folder;
  put_sample(folder, "a", photo(2, 2));
  put_sample(folder, "b", id_label(2, 2, {0, 1, 0, 3}));
  PackOptions options = options_for(folder);
  options.label.kind = LabelKind::index;
  CHECK(setup_of(options).table.classes.size() == 4);
}

TEST_CASE("auto: RGB labels with equal channels hold ids") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 1, {0, 1}, {{0, 0, 0}, {3, 3, 3}}));
  put_sample(folder, "b", id_label(2, 2, {0, 1, 0, 0}));
  const LabelSetup setup = setup_of(options_for(folder));
  CHECK(names_of(setup) == Names{"0", "1", "2", "3"});
  CHECK(setup.explanation ==
        "labels are read as index (auto: no class colors were given; the labels are 1 gray, 1 RGB "
        "PNG, of equal channels, which hold ids); "
        "ids found: 0, 1, 3, so 4 classes; if another split may hold more, give --num-classes N "
        "or --classes");
}

TEST_CASE("auto: JPEG labels are refused, with advice") {
  const TempFolder folder;
  put_sample(folder, "a", gray_jpeg(2, 2), ".jpg");
  for (const PackOptions& options : {options_for(folder), with_classes(folder, kCsv)}) {
    const Error error = refusal(options, ErrorCode::data);
    CHECK(error.path == folder / "labels/a.jpg");
    CHECK_THAT(error.message,
               ContainsSubstring("lossy") && ContainsSubstring("--label-kind binary"));
  }
}

TEST_CASE_METHOD(MaskLabels, "auto: masks of only 0 and 255 are a question") {
  CHECK_THAT(data_text(options_for(folder)),
             ContainsSubstring("0 and 255") && ContainsSubstring("--label-kind binary"));
  PackOptions meant = options_for(folder);
  meant.label.kind = LabelKind::index;
  CHECK(setup_of(meant).table.classes.size() == 1);
}

TEST_CASE("auto: masks of 0 and 255 remain a question even with named classes") {
  const TempFolder folder;
  for (const char* key : {"a", "b", "c"}) put_sample(folder, key, id_label(2, 2, {0, 255, 0, 0}));
  PackOptions options = with_classes(folder, "ground\nroad\n");
  CHECK_THAT(data_text(options),
             ContainsSubstring("0 and 255") && ContainsSubstring("--label-kind binary"));
  options.label.ignore = {"255"};
  CHECK(names_of(setup_of(options)) == Names{"ground", "road"});
  options = options_for(folder);
  options.label.class_count = 2;
  CHECK_THAT(data_text(options), ContainsSubstring("--label-kind index, if 255 means ignored"));
  options.label.kind = LabelKind::index;
  CHECK(setup_of(options).table.classes.size() == 2);
  options.label.kind = LabelKind::automatic;
  put_sample(folder, "d", id_label(2, 2, {0, 1, 255, 0}));
  CHECK(setup_of(options).table.classes.size() == 2);
}

TEST_CASE("auto: masks of 0 and 255 next to masks of 0 and 1 are a question") {
  const TempFolder folder;
  for (const char* key : {"a", "b"}) put_sample(folder, key, id_label(2, 2, {0, 1, 0, 0}));
  for (const char* key : {"c", "d"}) put_sample(folder, key, id_label(2, 2, {0, 255, 0, 0}));
  put_sample(folder, "e", id_label(2, 2, {0, 0, 0, 0}));
  const auto check_asked = [&](const std::string& message) {
    CHECK_THAT(message, ContainsSubstring(folder / "labels/a.png") &&
                            ContainsSubstring(folder / "labels/c.png") &&
                            ContainsSubstring("--label-kind binary --threshold 1"));
  };
  PackOptions options = options_for(folder);
  const std::string message = data_text(options);
  check_asked(message);
  CHECK_THAT(message, ContainsSubstring("\n  --label-kind index, if they are ids"));
  options = with_classes(folder, "ground\nroad\n");
  check_asked(data_text(options));
  options.label.kind = LabelKind::index;
  CHECK(setup_of(options).table.classes.size() == 2);
  options.label.kind = LabelKind::automatic;
  put_sample(folder, "f",
             id_label(2, 2, {0, 1, 255, 0}));  // 255 next to 1 is no second spelling of it
  CHECK(setup_of(options).table.classes.size() == 2);
}

TEST_CASE("auto: indices that palettes show in different colors are a question") {
  const TempFolder folder;
  const std::vector<RgbColor> turned{{0, 0, 0}, {0, 128, 0}, {128, 0, 0}},
      unused_differs{{0, 0, 0}, {128, 0, 0}, {1, 2, 3}};
  put_sample(
      folder, "a",
      palette_label(2, 2, {0, 0, 0, 0}, {{0, 0, 0}}));  // background alone, and a palette cut to it
  put_sample(folder, "b", palette_label(2, 2, {0, 1, 2, 1}, kColors));
  put_sample(folder, "c", palette_label(2, 2, {0, 1, 1, 1}, unused_differs));
  CHECK(setup_of(options_for(folder)).table.classes.size() == 3);
  put_sample(folder, "d", palette_label(2, 2, {0, 1, 1, 0}, turned));
  const auto check_asked = [&](const PackOptions& options) {
    CHECK_THAT(data_text(options),
               ContainsSubstring("index 1 is #800000 in '" + (folder / "labels/b.png") +
                                 "' and #008000 in '" + (folder / "labels/d.png") + "'") &&
                   ContainsSubstring("\n  --label-kind palette-color") &&
                   ContainsSubstring("\n  --label-kind index"));
  };
  check_asked(options_for(folder));
  check_asked(with_classes(folder, "ground\nroad\nsky\n"));  // without colors of theirs
  Bytes cut = palette_label(2, 2, {0, 1, 2, 1}, kColors);
  cut.resize(cut.size() - 20);
  put_sample(folder, "_damaged", cut);  // before all others, and no reason to compare nothing
  check_asked(options_for(folder));
  PackOptions meant = options_for(folder);
  meant.label.kind = LabelKind::index;
  CHECK(setup_of(meant).table.classes.size() == 3);
  meant = options_for(folder);
  meant.label.class_count = 3;
  CHECK(setup_of(meant).table.classes.size() == 3);
}

TEST_CASE("auto: one odd mask among many that have names is found") {
  const TempFolder folder;
  for (int i = 0; i < 40; ++i)
    put_sample(folder, std::to_string(100 + i), id_label(2, 2, {0, 1, 0, 0}));
  const PackOptions options = with_classes(folder, "ground\nroad\n");
  CHECK(setup_of(options).table.classes.size() == 2);
  put_sample(folder, "101", id_label(2, 2, {0, 255, 0, 0}));
  CHECK_THAT(data_text(options), ContainsSubstring(folder / "labels/101.png"));
}

TEST_CASE_METHOD(IdLabels, "auto: mixed masks are found in every form of file") {
  SECTION("16 bits") { put_sample(folder, "b", id_label(2, 2, {0, 65535, 0, 0}, 16)); }
  SECTION("gray in RGB") {
    put_sample(folder, "b", color_label(2, 2, {0, 1, 0, 0}, {{0, 0, 0}, {255, 255, 255}}));
  }
  SECTION("1 in 16 bits") {
    put_sample(folder, "a", id_label(2, 2, {0, 1, 0, 0}, 16));
    put_sample(folder, "b", id_label(2, 2, {0, 65535, 0, 0}, 16));
  }
  CHECK_THAT(data_text(options_for(folder)),
             ContainsSubstring("others 0 and") && ContainsSubstring(folder / "labels/b.png") &&
                 ContainsSubstring("\n  --label-kind binary --threshold 1"));
}

TEST_CASE("labels that cannot be decoded are not blamed on their ids") {
  const TempFolder folder;
  Bytes cut = id_label(8, 8, std::vector<std::uint16_t>(64, 1));
  cut.resize(cut.size() - 20);
  put_sample(folder, "a", cut);
  CHECK_THAT(data_text(options_for(folder)), ContainsSubstring("no label can be decoded") &&
                                                 ContainsSubstring(folder / "labels/a.png: "));
}

TEST_CASE("auto: 16-bit masks of only 0 and 65535 are a question") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 65535, 0, 0}, 16));
  PackOptions options = options_for(folder);
  CHECK_THAT(data_text(options),
             ContainsSubstring("0 and 65535") && ContainsSubstring("--label-kind binary"));
  options.label.class_count = 2;
  CHECK_THAT(data_text(options), ContainsSubstring("0 and 65535"));
}

TEST_CASE("auto: values far apart are no class ids") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 128, 255, 0}));
  PackOptions options = options_for(folder);
  CHECK_THAT(data_text(options), ContainsSubstring("0, 128, 255") &&
                                     ContainsSubstring("\n  --map FILE") &&
                                     ContainsSubstring("\n  --preset refuge"));
  options.label.class_count = 129;
  CHECK(setup_of(options).table.classes.size() == 129);
  put_sample(folder, "a", id_label(2, 2, {10, 20, 40, 10}));
  options.label.class_count.reset();
  CHECK_THAT(data_text(options),
             ContainsSubstring("the line \"10,1\"") && !ContainsSubstring("refuge"));
}

TEST_CASE("a label with more than 100 ids is a question unless classes are given") {
  const TempFolder folder;
  std::vector<std::uint16_t> ids(101);
  std::iota(ids.begin(), ids.end(), std::uint16_t{0});
  put_sample(folder, "a", id_label(4, 2, {0, 1, 2, 3, 0, 0, 0, 0}));
  put(folder, "images/b.png", photo(101, 1));
  put(folder, "labels/b.png", id_label(101, 1, ids));
  PackOptions options = options_for(folder);
  const std::string message = data_text(options);
  CHECK_THAT(message, ContainsSubstring("holds more than 100 different values") &&
                          ContainsSubstring("looks like a photograph or a gray image"));
  CHECK_THAT(message, ContainsSubstring("\n  --label-kind binary") &&
                          ContainsSubstring("\n  --classes FILE") &&
                          !ContainsSubstring("--num-classes"));
  options.label.class_count = 101;
  CHECK(setup_of(options).table.classes.size() == 101);

  ids.back() = 99;
  put(folder, "labels/b.png", id_label(101, 1, ids));
  options.label.class_count.reset();
  CHECK(setup_of(options).table.classes.size() == 100);
}

TEST_CASE("labels with only ignored ids have no classes") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {255, 255, 255, 255}));
  CHECK_THAT(data_text(options_for(folder)), ContainsSubstring("found: 255"));
}

TEST_CASE("more than a thousand scanned ids are a question") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 26001, 3, 3}, 16));
  CHECK_THAT(data_text(options_for(folder)),
             ContainsSubstring("found: 0, 3, 26001") && ContainsSubstring("instanceIds"));
  PackOptions meant = options_for(folder);
  meant.label.class_count = 26002;
  CHECK(setup_of(meant).table.classes.size() == 26002);
}

// ---- kinds given by --label-kind

TEST_CASE("binary has two classes of its own and takes JPEG") {
  const TempFolder folder;
  put_sample(folder, "a", gray_jpeg(2, 2), ".jpg");
  PackOptions options = options_for(folder);
  options.label.kind = LabelKind::binary;
  options.label.threshold = 77;
  const LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"background", "foreground"});
  CHECK(setup.label_kind == "binary");
  CHECK(setup.threshold == 77);
  CHECK(setup.explanation ==
        "labels are read as binary (as --label-kind says; the labels are 1 JPEG)");
}

TEST_CASE_METHOD(MaskLabels, "binary refuses a table of other than two classes") {
  PackOptions options = with_classes(folder, kCsv);
  options.label.kind = LabelKind::binary;
  CHECK_THAT(usage_text(options), ContainsSubstring("names 3"));
  options = with_classes(folder, "other\nroad\n");
  options.label.kind = LabelKind::binary;
  CHECK(names_of(setup_of(options)) == Names{"other", "road"});
}

TEST_CASE_METHOD(PaletteLabels, "color kinds need class colors") {
  for (const LabelKind reading : {LabelKind::color, LabelKind::palette_color}) {
    PackOptions options = with_classes(folder, "sky\nroad\n");
    options.label.kind = reading;
    CHECK_THAT(usage_text(options), ContainsSubstring("needs class colors"));
    options = options_for(folder);
    options.label.kind = reading;
    CHECK_THAT(usage_text(options), ContainsSubstring("needs class colors"));
    options = with_classes(folder, kCsv);
    options.label.kind = reading;
    CHECK(setup_of(options).label_kind == word_of(reading));
  }
}

TEST_CASE_METHOD(PaletteLabels, "index may be chosen although classes have colors") {
  PackOptions options = with_classes(folder, kCsv);
  options.label.kind = LabelKind::index;
  const LabelSetup setup = setup_of(options);
  CHECK(setup.label_kind == "index");
  CHECK(setup.table.classes[2].sources == std::vector<LabelSource>{LabelSource(std::int64_t{2})});
}

TEST_CASE("option --classes and --num-classes exclude each other") {
  const TempFolder folder;
  put_sample(folder, "a", noise_label(2, 2));
  PackOptions options = with_classes(folder, kCsv);
  options.label.class_count = 3;
  CHECK_THAT(usage_text(options), ContainsSubstring("--num-classes"));
}

TEST_CASE("a class file that is missing or wrong is named") {
  const TempFolder folder;
  put_sample(folder, "a", noise_label(2, 2));
  PackOptions options = options_for(folder);
  options.label.classes = folder / "missing.csv";
  CHECK(refusal(options, ErrorCode::io).path == folder / "missing.csv");
  const Error error =
      refusal(with_classes(folder, "name,r,g,b\na,1,2,3\nb,1,2,3\n"), ErrorCode::data);
  CHECK(error.path == folder / "classes.csv");
  CHECK_THAT(error.message, ContainsSubstring("line 3"));
}

// ---- policies

TEST_CASE("option --ignore takes ids and class names") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 9}));
  PackOptions options = options_for(folder);
  options.label.ignore = {"9"};
  LabelSetup setup = setup_of(options);
  CHECK(setup.table.classes.size() == 3);
  CHECK(std::count(setup.table.ignore.begin(), setup.table.ignore.end(),
                   LabelSource(std::int64_t{9})) == 1);

  options = with_classes(folder, kCsv);
  options.label.kind = LabelKind::index;
  options.label.ignore = {"tree"};
  setup = setup_of(options);
  CHECK(setup.table.classes[2].sources.empty());
  CHECK(std::count(setup.table.ignore.begin(), setup.table.ignore.end(),
                   LabelSource(std::int64_t{2})) == 1);
}

TEST_CASE_METHOD(ColorLabels, "option --ignore with colors takes names and class numbers") {
  for (const std::string word : {"void", "0"}) {
    PackOptions options = with_classes(folder, kCsv);
    options.label.ignore = {word};
    const LabelSetup setup = setup_of(options);
    CHECK(setup.table.classes.size() == 3);
    CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource("#000000")});
  }
}

TEST_CASE_METHOD(ColorLabels, "words that name no class are refused with their option") {
  PackOptions options = with_classes(folder, kCsv);
  options.label.ignore = {"trees"};
  CHECK_THAT(usage_text(options), ContainsSubstring("--ignore trees"));
  options.label.ignore = {"3"};
  CHECK_THAT(usage_text(options), ContainsSubstring("--ignore 3"));
  options.label.ignore.clear();
  options.label.unknown = "trees";
  CHECK_THAT(usage_text(options), ContainsSubstring("--unknown trees"));
  options.label.unknown = "tree";
  options.label.pad_label = "0";
  CHECK_THAT(usage_text(options), ContainsSubstring("--pad-label 0"));
}

TEST_CASE_METHOD(ColorLabels, "option --unknown and --pad-label take a class name") {
  PackOptions options = with_classes(folder, kCsv);
  options.label.unknown = "tree";
  options.label.pad_label = "car";
  const LabelSetup setup = setup_of(options);
  CHECK(setup.unknown == "tree");
  CHECK(setup.pad_label == "car");
  CHECK(setup.pad_id == 1);
}

TEST_CASE_METHOD(ColorLabels, "nearest resolves to its distance, for colors only") {
  PackOptions options = with_classes(folder, kCsv);
  options.label.unknown = "nearest:40";
  CHECK(setup_of(options).unknown == "nearest:40");
  CHECK(setup_of(options).refuses_unknown());
  options.label.unknown = "nearest";
  CHECK(setup_of(options).unknown == "nearest:442");
  for (const std::string word :
       {"nearest:", "nearest:-1", "nearest:443", "nearest:x", "nearest40"}) {
    options.label.unknown = word;
    CHECK_THAT(usage_text(options),
               ContainsSubstring("--unknown " + word) && ContainsSubstring("0 to 442"));
  }
  options = with_classes(folder, "sky\nroad\n");
  options.label.kind = LabelKind::index;
  options.label.unknown = "nearest";
  CHECK_THAT(usage_text(options), ContainsSubstring("--map"));
}

TEST_CASE("JPEG labels are read by the nearest class color on request") {
  const TempFolder folder;
  put_sample(folder, "a", gray_jpeg(2, 2), ".jpg");
  PackOptions options = with_classes(folder, kCsv);
  options.label.unknown = "nearest:60";
  CHECK(setup_of(options).explanation ==
        "labels are read as color (auto: the classes have colors; the labels are 1 JPEG)");
  options.label.unknown = "ignore";
  CHECK_THAT(data_text(options), ContainsSubstring("\n  --unknown nearest:64 with --classes"));
  options = options_for(folder);
  options.label.unknown = "nearest:60";
  CHECK(refusal(options, ErrorCode::data).path == folder / "labels/a.jpg");
}

TEST_CASE_METHOD(ColorLabels, "option --ignore takes a color if labels hold colors") {
  PackOptions options = with_classes(folder, "car,128,0,0\n");
  options.label.ignore = {"#000000", "#008000"};
  CHECK(setup_of(options).table.ignore ==
        std::vector<LabelSource>{LabelSource("#000000"), LabelSource("#008000")});
  options.label.ignore = {"#00000"};
  CHECK_THAT(usage_text(options), ContainsSubstring("#rrggbb"));
}

TEST_CASE_METHOD(ColorLabels, "a class with the name of an option keyword causes a warning") {
  PackOptions options = with_classes(
      folder, "name,r,g,b\nignore,0,0,0\nerror,128,0,0\ntree,0,128,0\nnearest one,1,1,1\n");
  options.label.unknown = "ignore";
  const LabelSetup setup = setup_of(options);
  CHECK(setup.unknown == "ignore");
  CHECK_FALSE(setup.refuses_unknown());
  REQUIRE(setup.table.warnings.size() == 3);
  CHECK_THAT(setup.table.warnings[0],
             ContainsSubstring("class 'ignore'") && ContainsSubstring("rename"));
  options.label.unknown = "nearest one";
  CHECK_THAT(usage_text(options), ContainsSubstring("--unknown nearest one"));
}

TEST_CASE_METHOD(ColorLabels, "options without effect cause warnings") {
  PackOptions options = with_classes(folder, kCsv);
  CHECK(setup_of(options).table.warnings.empty());
  options.label.threshold = 90;
  options.label.pad_label = "tree";
  const Names warnings = setup_of(options).table.warnings;
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], ContainsSubstring("--threshold has no effect"));
  CHECK_THAT(warnings[1], ContainsSubstring("--pad-label has no effect"));
  options.record.fit = Fit::contain;
  CHECK(setup_of(options).table.warnings.size() == 1);
}

// ---- maps

namespace {

PackOptions with_map(const TempFolder& folder, std::string_view text) {
  folder.write("map.csv", text);
  PackOptions options = options_for(folder);
  options.label.map = folder / "map.csv";
  return options;
}

std::vector<LabelSource> ids(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_CASE_METHOD(TrainIds, "a map of ids makes the classes that it names") {
  const LabelSetup setup =
      setup_of(with_map(folder, "old,new\n0,ignore\n11,house\n7,road\n8,road\n9,road\n12,house\n"));
  CHECK(names_of(setup) == Names{"house", "road"});
  CHECK(setup.label_kind == "index");
  CHECK(setup.table.classes[0].sources == ids({11, 12}));
  CHECK(setup.table.classes[1].sources == ids({7, 8, 9}));
  CHECK(setup.table.ignore == ids({0, 255, 65535}));
  CHECK(setup.map == R"([[0,"ignore"],[7,1],[8,1],[9,1],[11,0],[12,0]])");
  CHECK(setup.map_lines == Names{"11, 12 → 0 house", "7…9 → 1 road", "0 → ignored"});
  CHECK(setup.explanation ==
        "labels are read as index (auto: --map gives ids; the labels are 1 gray); 6 values become "
        "2 classes by --map");
}

TEST_CASE_METHOD(TrainIds, "two maps with the same meaning give the same schema") {
  const std::string text = setup_of(with_map(folder, "7,1\n8,0\n0,ignore\n")).map;
  CHECK(setup_of(with_map(folder, "id,class\r\n0,ignore\r\n8, 0\r\n7,\"1\"\r\n")).map == text);
}

TEST_CASE_METHOD(TrainIds, "options --classes and --num-classes name the classes of a map") {
  PackOptions options = with_map(folder, "7,road\n0,ignore\n11,2\n");
  folder.write("names.txt", "sky\nroad\nhouse\n");
  options.label.classes = folder / "names.txt";
  LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"sky", "road", "house"});
  CHECK(setup.table.classes[1].sources == ids({7}));
  REQUIRE(setup.table.warnings.size() == 1);
  CHECK_THAT(setup.table.warnings[0], ContainsSubstring("no value becomes class 'sky'"));

  options = with_map(folder, "7,1\n11,3\n");
  CHECK_THAT(data_text(options),
             ContainsSubstring("becomes 0") && ContainsSubstring("--num-classes"));
  options.label.class_count = 5;
  setup = setup_of(options);
  CHECK(names_of(setup) == Names{"0", "1", "2", "3", "4"});
  CHECK(setup.table.classes[3].sources == ids({11}));
}

TEST_CASE_METHOD(ColorLabels, "a map of colors makes labels colors, also as a wider class file") {
  const PackOptions options = with_map(
      folder,
      "name,r,g,b,to2\nvoid,0,0,0,ignore\ncar,128,0,0,1\ntree,0,128,0,0\nbus,128,0,128,1\n");
  const LabelSetup setup = setup_of(options);
  CHECK(setup.label_kind == "color");
  CHECK(names_of(setup) == Names{"0", "1"});
  CHECK(setup.table.classes[1].sources ==
        std::vector<LabelSource>{LabelSource("#800000"), LabelSource("#800080")});
  CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource("#000000")});
  CHECK(setup.map == R"([["#000000","ignore"],["#008000",0],["#800000",1],["#800080",1]])");
  CHECK(setup.map_lines == Names{"#008000 → 0 0", "#800000, #800080 → 1 1", "#000000 → ignored"});
}

TEST_CASE_METHOD(ColorLabels, "a map of names refers to --classes and makes its own classes") {
  PackOptions options = with_map(folder, "void,ignore\ncar,thing\ntree,thing\n");
  CHECK_THAT(usage_text(options), ContainsSubstring("--classes or --preset"));
  folder.write("classes.csv", kCsv);
  options.label.classes = folder / "classes.csv";
  const LabelSetup setup = setup_of(options);
  CHECK(setup.label_kind == "color");
  CHECK(names_of(setup) == Names{"thing"});
  CHECK(setup.map == R"([["#000000","ignore"],["#008000",0],["#800000",0]])");

  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 1}));
  options.label.kind = LabelKind::index;
  CHECK(setup_of(options).map == R"([[0,"ignore"],[1,0],[2,0]])");
}

TEST_CASE("a map that does not fit the label kind is refused") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 1}));
  PackOptions options = with_map(folder, "0,0\n");
  options.label.kind = LabelKind::color;
  CHECK_THAT(usage_text(options), ContainsSubstring("about ids"));
  options.label.kind = LabelKind::binary;
  CHECK_THAT(usage_text(options), ContainsSubstring("--label-kind binary"));
  options = with_map(folder, "#000000,0\n");
  options.label.kind = LabelKind::index;
  CHECK_THAT(usage_text(options), ContainsSubstring("about colors"));
  options.label.map = folder / "missing.csv";
  CHECK(refusal(options, ErrorCode::io).path == folder / "missing.csv");
}

TEST_CASE("map rows that are left out cause a warning") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 1}));
  const LabelSetup setup = setup_of(with_map(folder, "0,0\n5,\n"));
  REQUIRE(setup.table.warnings.size() == 1);
  CHECK_THAT(setup.table.warnings[0], ContainsSubstring("map.csv") && ContainsSubstring("line 2"));
}

// ---- presets

namespace {

PackOptions with_preset(const TempFolder& folder, const std::string& name) {
  PackOptions options = options_for(folder);
  options.label.preset = name;
  return options;
}

}  // namespace

TEST_CASE("a preset provides classes, map and ignore rule") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {7, 8, 0, 33}));
  const LabelSetup setup = setup_of(with_preset(folder, "cityscapes19"));
  CHECK(setup.table.classes.size() == 19);
  CHECK(setup.table.classes[0].name == "road");
  CHECK(setup.table.classes[0].color == RgbColor{128, 64, 128});
  CHECK(setup.table.classes[0].sources == ids({7}));
  CHECK(setup.label_kind == "index");
  CHECK_THAT(setup.explanation, ContainsSubstring("as --preset cityscapes19 says") &&
                                    ContainsSubstring("34 values become 19 classes"));
  CHECK(setup.map.starts_with(R"([[0,"ignore"],[1,"ignore"])"));
  CHECK(setup_of(with_preset(folder, "camvid11")).table.ignore == ids({11, 255, 65535}));
}

TEST_CASE("a preset for ids and colors decides by the files") {
  const TempFolder folder;
  put_sample(folder, "a", palette_label(2, 2, {0, 1, 2, 255}, kColors));
  LabelSetup setup = setup_of(with_preset(folder, "voc"));
  CHECK(setup.label_kind == "index");
  CHECK(setup.table.ignore == ids({255, 65535}));
  put_sample(folder, "b", color_label(2, 2, {0, 1, 2, 1}, kColors));
  CHECK_THAT(refusal(with_preset(folder, "voc"), ErrorCode::data).message,
             ContainsSubstring("1 palette, 1 RGB"));
  std::filesystem::remove(folder / "labels/a.png");
  std::filesystem::remove(folder / "images/a.png");
  setup = setup_of(with_preset(folder, "voc"));
  CHECK(setup.label_kind == "color");
  CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource("#e0e0c0")});
}

TEST_CASE("Potsdam's ids are shifted, its colors are not") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 6, 6}));
  CHECK(setup_of(with_preset(folder, "potsdam")).table.classes[0].sources == ids({1}));
  put_sample(folder, "a", color_label(2, 2, {0, 0, 0, 0}, {{255, 255, 255}}));
  const LabelSetup setup = setup_of(with_preset(folder, "potsdam"));
  CHECK(setup.table.classes[0].sources == std::vector<LabelSource>{LabelSource("#ffffff")});
  CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource("#000000")});
  CHECK(setup.map.empty());
}

TEST_CASE("explicit options override a preset") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {7, 8, 0, 11}));
  PackOptions options = with_preset(folder, "camvid11");
  options.label.ignore = {"fence"};
  CHECK(setup_of(options).table.ignore == ids({7, 255, 65535}));

  options = with_map(folder, "11,void\n0,sky\n");
  options.label.preset = "camvid11";
  LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"void", "sky"});
  CHECK(setup.table.ignore == ids({255, 65535}));

  options = with_map(folder, "sky,far\nbuilding,far\nroad,near\n");
  options.label.preset = "camvid11";
  setup = setup_of(options);
  CHECK(names_of(setup) == Names{"far", "near"});
  CHECK(setup.table.classes[0].sources == ids({0, 1}));
  CHECK(setup.table.ignore == ids({11, 255, 65535}));

  options = with_preset(folder, "pets");
  folder.write("names.txt", "animal\nother\n");
  options.label.classes = folder / "names.txt";
  CHECK(names_of(setup_of(options)) == Names{"animal", "other"});
  options.label.classes.clear();
  options.label.class_count = 2;
  CHECK_THAT(usage_text(options), ContainsSubstring("--preset pets and --num-classes"));
}

TEST_CASE_METHOD(IdLabels, "a value that a map gives a class cannot also be ignored") {
  PackOptions options = with_map(folder, "0,a\n1,b\n");
  options.label.ignore = {"0"};
  CHECK_THAT(usage_text(options), ContainsSubstring("--ignore 0") && ContainsSubstring("0,ignore"));
  options.label.ignore = {"7"};
  CHECK(setup_of(options).table.ignore == ids({7, 255, 65535}));
}

TEST_CASE_METHOD(IdLabels, "a preset for one kind of ids is refused with the suffix of the other") {
  PackOptions options = with_preset(folder, "cityscapes19");
  std::vector<SampleList> lists{samples_of(options)};
  ProblemLog problems;
  const auto refused = [&] { return resolved(options, lists, problems).error().message; };
  options.input.label_suffix = "_gtFine_labelTrainIds";
  CHECK_THAT(refused(), ContainsSubstring("--preset cityscapes19-trainids"));
  options.label.preset = "cityscapes19-trainids";
  CHECK(resolved(options, lists, problems).ok());
  options.input.label_suffix = "_gtFine_labelIds";
  CHECK_THAT(refused(), ContainsSubstring("give --preset cityscapes19,"));
}

TEST_CASE("colors may be requested of a preset that reads ids") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 0, 0, 0}, {{128, 64, 128}}));
  PackOptions options = with_preset(folder, "cityscapes19");
  options.label.kind = LabelKind::color;
  const LabelSetup setup = setup_of(options);
  CHECK(setup.table.classes[0].sources == std::vector<LabelSource>{LabelSource("#804080")});
  CHECK(setup.map.empty());
}

TEST_CASE("a preset may be a file, and --classes renames its classes") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {7, 8, 0, 11}));
  folder.write("own.csv", "name,ids\nignore,0\nroad,7 8\nwall,11\n");
  PackOptions options = with_preset(folder, folder / "own.csv");
  const LabelSetup setup = setup_of(options);
  CHECK(setup.table.classes[0].name == "road");
  CHECK(setup.table.classes[0].sources == ids({7, 8}));
  CHECK(setup.map == R"([[0,"ignore"],[7,0],[8,0],[11,1]])");
  folder.write("two.txt", "Straße\nMauer\n");
  options.label.classes = folder / "two.txt";
  CHECK(setup_of(options).table.classes[1].name == "Mauer");
  folder.write("two.txt", "Straße\n");
  CHECK_THAT(refusal(options, ErrorCode::usage).message,
             ContainsSubstring("has ids of 2 classes, and --classes has 1"));
}

// ---- several splits

TEST_CASE("all splits share one class table") {
  const TempFolder train, val;
  put_sample(train, "a", id_label(2, 2, {0, 1, 2, 255}));
  put_sample(val, "b", color_label(1, 1, {0}, {{5, 5, 5}}));
  std::vector<SampleList> lists{samples_of(options_for(train)), samples_of(options_for(val))};
  const LabelSetup setup = resolved_well(options_for(train), lists);
  CHECK(setup.table.classes.size() == 6);
  CHECK_THAT(setup.explanation, ContainsSubstring("1 gray, 1 RGB PNG, of equal channels"));
}

TEST_CASE("a split of images alone does not take part in the class table") {
  const TempFolder train, test;
  put_sample(train, "a", id_label(2, 2, {0, 1, 2, 255}));
  put(test, "images/x.png", photo());
  std::vector<SampleList> lists{samples_of(options_for(test)), samples_of(options_for(train))};
  CHECK(resolved_well(options_for(train), lists).table.classes.size() == 3);
}

// ---- class folders and no labels

namespace {

PackOptions folders_options(const TempFolder& folder) {
  PackOptions options;
  options.input.image_folders = {folder / "folders"};
  options.record.size = {8, 6};
  return options;
}

}  // namespace

TEST_CASE("class folders become classes in byte order") {
  const TempFolder folder;
  for (const std::string name : {"b/1.png", "a/2.png", "A1/3.png"})
    put(folder, "folders/" + std::string(name), photo());
  std::filesystem::create_directory(folder / "folders/empty");
  std::vector<SampleList> lists{samples_of(folders_options(folder))};
  const LabelSetup setup = resolved_well(folders_options(folder), lists);
  CHECK(names_of(setup) == Names{"A1", "a", "b", "empty"});
  CHECK(setup.scope == LabelScope::image);
  CHECK(setup.label_kind == "folder");
  CHECK(setup.table.classes[2].sources == std::vector<LabelSource>{LabelSource("b")});
  REQUIRE(lists[0].samples.size() == 3);
  for (const Sample& sample : lists[0].samples)
    CHECK(names_of(setup)[sample.class_id] == lists[0].class_names[sample.class_name]);
  CHECK(setup.table.warnings == Names{"class 'empty' has no image"});
  CHECK(setup.explanation == "4 classes, one per folder, in byte order");

  PackOptions meant = folders_options(folder);
  meant.input.allow_empty = true;
  CHECK(setup_of(meant).table.warnings.empty());
}

TEST_CASE("classes that differ in case, Unicode form or blanks only are refused") {
  const TempFolder folder;
  const PackOptions options = folders_options(folder);
  for (const std::string name : {"cat/1.png", "dog/2.png", "Cat/3.png"})
    put(folder, "folders/" + std::string(name), photo());
  CHECK_THAT(
      refusal(options, ErrorCode::data).message,
      ContainsSubstring("'Cat' (of '" + (folder / "folders/Cat/3.png") + "') and 'cat' (of '" +
                        (folder / "folders/cat/1.png") + "') differ in upper and lower case only"));
  folder.write("map.csv", "cat,cat\nCat,cat\ndog,dog\n");
  PackOptions mapped = options;
  mapped.label.map = folder / "map.csv";
  CHECK(names_of(setup_of(mapped)) == Names{"cat", "dog"});
  std::filesystem::rename(folder / "folders/Cat", folder / "folders/ca t");
  CHECK_THAT(refusal(options, ErrorCode::data).message, ContainsSubstring("blanks"));
  std::filesystem::rename(folder / "folders/ca t", folder / "folders/cats");
  CHECK(names_of(setup_of(options)) == Names{"cat", "cats", "dog"});
}

TEST_CASE("option --classes fixes the classes of folders and their order") {
  const TempFolder folder;
  for (const std::string name : {"ant/1.png", "bee/2.png"})
    put(folder, "folders/" + std::string(name), photo());
  folder.write("names.txt", "bee\nwasp\nant\n");
  PackOptions options = folders_options(folder);
  options.label.classes = folder / "names.txt";
  std::vector<SampleList> lists{samples_of(options)};
  const LabelSetup setup = resolved_well(options, lists);
  CHECK(names_of(setup) == Names{"bee", "wasp", "ant"});
  CHECK(lists[0].samples[0].class_id == 2);
  CHECK(lists[0].samples[1].class_id == 0);
  CHECK(setup.table.warnings == Names{"class 'wasp' has no image"});

  folder.write("names.txt", "bee\nwasp\n");
  ProblemLog problems;
  CHECK(resolved(options, lists, problems).ok());
  CHECK(problems.group(ProblemKind::unknown_folder).count == 1);
  CHECK_THAT(problems.text(), ContainsSubstring("its folder 'ant' is no class of --classes"));
}

TEST_CASE("options about label files do not go with class folders") {
  const TempFolder folder;
  put(folder, "folders/ant/1.png", photo());
  PackOptions options = folders_options(folder);
  options.label.class_count = 2;
  CHECK_THAT(usage_text(options), ContainsSubstring("--num-classes"));
  options = folders_options(folder);
  options.label.kind = LabelKind::index;
  CHECK_THAT(usage_text(options), ContainsSubstring("--label-kind"));
  options = folders_options(folder);
  options.label.unknown = "ignore";
  CHECK_THAT(usage_text(options), ContainsSubstring("--unknown"));
}

TEST_CASE("images alone have no label, and take no option about labels") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  const LabelSetup setup = setup_of(options_for(folder));
  CHECK_FALSE(setup.scope);
  CHECK(setup.label_kind.empty());
  CHECK(setup.explanation.empty());
  PackOptions options = options_for(folder);
  options.label.class_count = 2;
  CHECK_THAT(usage_text(options), ContainsSubstring("--num-classes needs labels"));
  options = options_for(folder);
  options.label.ignore = {"7"};
  options.label.unknown = "ignore";
  CHECK_THAT(usage_text(options), ContainsSubstring("--ignore, --unknown need labels"));
}

TEST_CASE("class folders of several splits share a table and report gaps") {
  const TempFolder folder;
  for (const std::string name :
       {"train/ant/1.png", "train/bee/2.png", "val/bee/3.png", "val/wasp/4.png"})
    put(folder, std::string(name), photo());
  std::vector<SampleList> lists;
  PackOptions options = folders_options(folder);
  for (const std::string split : {"train", "val"}) {
    options.input.image_folders = {folder / split};
    lists.push_back(samples_of(options));
    lists.back().split = split;
  }
  const LabelSetup setup = resolved_well(options, lists);
  CHECK(names_of(setup) == Names{"ant", "bee", "wasp"});
  CHECK(lists[0].samples[1].class_id == 1);
  CHECK(lists[1].samples[0].class_id == 1);
  CHECK(lists[1].samples[1].class_id == 2);
  CHECK(setup.table.warnings ==
        Names{"classes without an image in some of the splits: 'ant' (not in val), 'wasp' (not in "
              "train)"});
}

TEST_CASE("many classes without an image are one warning") {
  const TempFolder folder;
  put(folder, "folders/a/1.png", photo());
  PackOptions options = folders_options(folder);
  folder.write("names.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
  options.label.classes = folder / "names.txt";
  CHECK(setup_of(options).table.warnings == Names{"classes without an image: 'b', 'c', 'd', 'e', "
                                                  "'f' and 2 more; the pack keeps their ids"});
}

TEST_CASE("class folders are merged by name") {
  const TempFolder folder;
  for (const std::string name : {"ant/1.png", "bee/2.png", "cat/3.png"})
    put(folder, "folders/" + std::string(name), photo());
  folder.write("map.csv", "cat,mammal\nbee,insect\nant,insect\n");
  PackOptions options = folders_options(folder);
  options.label.map = folder / "map.csv";
  std::vector<SampleList> lists{samples_of(options)};
  const LabelSetup setup = resolved_well(options, lists);
  CHECK(names_of(setup) == Names{"mammal", "insect"});
  CHECK(setup.table.classes[1].sources ==
        std::vector<LabelSource>{LabelSource("ant"), LabelSource("bee")});
  CHECK(setup.map == R"([["ant",1],["bee",1],["cat",0]])");
  CHECK(setup.map_lines == Names{"ant → 1 insect", "bee → 1 insect", "cat → 0 mammal"});
  CHECK(lists[0].samples[2].class_id == 0);
  CHECK(setup.explanation == "2 classes of whole images, as --map says");

  folder.write("map.csv", "cat,mammal\nbee,insect\n");
  ProblemLog problems;
  CHECK(resolved(options, lists, problems).ok());
  CHECK_THAT(problems.text(), ContainsSubstring("its folder 'ant' is not in --map"));
}

namespace {

// Samples whose classes a table gave, as --pairs does.
SampleList listed_samples(const TempFolder& folder, const Names& classes) {
  SampleList list;
  list.images.roots = {{folder / "images", ""}};
  list.class_names = classes;
  std::sort(list.class_names.begin(), list.class_names.end());
  list.class_names.erase(std::unique(list.class_names.begin(), list.class_names.end()),
                         list.class_names.end());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Sample sample;
    const std::string name = std::to_string(i);
    sample.image.text = sample.image.key = list.images.arena.add(name);
    sample.image.text_length = sample.image.key_length = static_cast<std::uint16_t>(name.size());
    const auto place = std::find(list.class_names.begin(), list.class_names.end(), classes[i]);
    sample.class_name = static_cast<std::uint32_t>(place - list.class_names.begin());
    list.samples.push_back(sample);
  }
  return list;
}

Result<LabelSetup> resolved_alone(const PackOptions& options, SampleList& list,
                                  ProblemLog& problems) {
  Recorder recorder;
  const std::vector<SampleList*> splits{&list};
  return resolve_labels(options, splits, {}, recorder, problems);
}

}  // namespace

TEST_CASE("classes in a table are classes of whole images") {
  const TempFolder folder;
  SampleList list = listed_samples(folder, {"dog", "cat", "dog"});
  PackOptions options;
  options.input.pairs = folder / "pairs.csv";
  ProblemLog problems;
  const LabelSetup setup = resolved_alone(options, list, problems).value();
  CHECK(setup.scope == LabelScope::image);
  CHECK(setup.label_kind == "folder");
  CHECK(names_of(setup) == Names{"cat", "dog"});
  CHECK(list.samples[0].class_id == 1);
  CHECK(list.samples[1].class_id == 0);
  CHECK(setup.explanation == "2 classes of whole images, in byte order");

  folder.write("names.txt", "dog\n");
  options.label.classes = folder / "names.txt";
  CHECK(resolved_alone(options, list, problems).ok());
  CHECK(problems.group(ProblemKind::unknown_folder).count == 1);
  CHECK_THAT(problems.text(), ContainsSubstring("its class 'cat' is no class of --classes"));
  options.label.unknown = "ignore";
  CHECK_THAT(resolved_alone(options, list, problems).error().message,
             ContainsSubstring("with classes of whole images there are no label files"));
}

// ---- masks

namespace {

// One sample a list of mask names; masks in the order given.
SampleList masked_samples(const TempFolder& folder, const Names& names,
                          const std::vector<std::vector<std::uint32_t>>& samples) {
  SampleList list;
  list.labels.roots = {{folder / "labels", ""}};
  list.mask_names = names;
  for (const auto& masks : samples) {
    Sample sample;
    sample.first_mask = static_cast<std::uint32_t>(list.masks.size());
    sample.mask_count = static_cast<std::uint32_t>(masks.size());
    for (const std::uint32_t name : masks) {
      Mask mask;
      const std::string text = std::to_string(list.samples.size()) + "_" + names[name] + ".png";
      mask.file.text = list.labels.arena.add(text);
      mask.file.text_length = static_cast<std::uint16_t>(text.size());
      mask.name = name;
      list.masks.push_back(mask);
    }
    list.samples.push_back(sample);
  }
  return list;
}

std::vector<std::uint32_t> class_ids(const SampleList& list, std::size_t sample) {
  std::vector<std::uint32_t> found;
  for (const Mask& mask : list.masks_of(list.samples[sample])) found.push_back(mask.class_id);
  return found;
}

}  // namespace

TEST_CASE("masks are classes sorted by bytes and stored in class order") {
  const TempFolder folder;
  SampleList train = masked_samples(folder, {"cat", "dog"}, {{1, 0}, {1}});
  SampleList val = masked_samples(folder, {"ant", "dog"}, {{1, 0}});
  PackOptions options;
  options.label.threshold = 99;
  ProblemLog problems;
  Recorder recorder;
  const std::vector<SampleList*> splits{&train, &val};
  const LabelSetup setup = resolve_labels(options, splits, {}, recorder, problems).value();
  CHECK(problems.text() == "");
  CHECK(setup.multi);
  CHECK(setup.scope == LabelScope::pixel);
  CHECK(setup.label_kind == "binary");
  CHECK(setup.threshold == 99);
  CHECK(setup.pad_label == "ignore");
  CHECK(names_of(setup) == Names{"ant", "cat", "dog"});
  CHECK(setup.table.classes[2].sources == std::vector<LabelSource>{LabelSource("dog")});
  CHECK(class_ids(train, 0) == std::vector<std::uint32_t>{1, 2});
  CHECK(class_ids(train, 1) == std::vector<std::uint32_t>{2});
  CHECK(class_ids(val, 0) == std::vector<std::uint32_t>{0, 2});
  REQUIRE(setup.decoder);
  CHECK(setup.decoder->table().classes.size() == 2);
}

TEST_CASE("mask classes that differ only in a number are a warning") {
  const TempFolder folder;
  PackOptions options;
  options.input.mask_per_class = "{key}_{class}";
  ProblemLog problems;
  const auto warnings = [&](const Names& names) {
    SampleList list = masked_samples(folder, names, {{0, 1, 2}});
    return resolved_alone(options, list, problems).value().table.warnings;
  };
  CHECK(warnings({"tumor_1", "tumor_2", "vessel_1"}) ==
        Names{"the classes 'tumor_1', 'tumor_2' differ only in a number: if they are several masks "
              "of one class, give --mask-per-class '{key}_{class}_*'"});
  CHECK(warnings({"liver", "tumor-1", "tumor-2"}) ==
        Names{"the classes 'tumor-1', 'tumor-2' differ only in a number: if they are several masks "
              "of one class, give the names of all masks a number, and give --mask-per-class "
              "'{key}_{class}-*'"});
  CHECK(warnings({"lane1", "lane2", "tumor_1"}).empty());
  options.input.mask_per_class = "";
  CHECK(warnings({"tumor_1", "tumor_2", "vessel_1"}).empty());
  options.input.mask_per_class = "{key}_{class}";
  folder.write("names.txt", "tumor_1\ntumor_2\nvessel_1\n");
  options.label.classes = folder / "names.txt";
  CHECK(warnings({"tumor_1", "tumor_2", "vessel_1"}).empty());
}

namespace {

// Images with a mask and a file of another kind each.
PackOptions masks_beside(const TempFolder& folder, const Bytes& other) {
  for (const std::string key : {"0", "1"}) {
    put(folder, "images/" + key + ".png", photo(32, 32));
    put(folder, "labels/" + key + "_roi.png", id_label(32, 32, noise_ids(32, 32, 1), 1));
    put(folder, "labels/" + key + "_view.png", other);
  }
  return options_for(folder);
}

// A mask with soft edges: of 101 values, 99 are those of one pixel each.
Bytes soft_mask() {
  std::vector<std::uint16_t> values(std::size_t{32} * 32);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(i < 99 ? 30 + 2 * i : i % 2 * 255);
  return id_label(32, 32, values);
}

}  // namespace

TEST_CASE("files among masks that are photographs or JPEGs are refused") {
  const auto values = noise_ids(32, 32, 255);
  const std::vector<std::pair<Bytes, std::string>> bad{
      {make_jpeg({.width = 32, .height = 32, .color = JpegColor::gray}, narrowed(values)),
       "is a JPEG"},
      {id_label(32, 32, values), "holds more than 100 different values"},
      {photo(32, 32), "holds more than 256 different colors"},
  };
  for (const auto& [view, why] : bad) {
    const TempFolder folder;
    PackOptions per_class = masks_beside(folder, view);
    per_class.input.mask_per_class = "{key}_{class}";
    PackOptions merged = per_class, objects;
    merged.input.mask_per_class = "";
    merged.input.labels = {folder / "labels/{key}_*.png"};
    merged.label.kind = LabelKind::binary;
    objects = merged;
    objects.label.kind = LabelKind::instances;
    for (PackOptions* const each : {&per_class, &merged, &objects}) {
      PackOptions& options = *each;
      const Error error = refusal(options, ErrorCode::data);
      CHECK(error.path == folder / "labels/0_view.png");
      CHECK_THAT(error.message, ContainsSubstring(why) && ContainsSubstring("--exclude") &&
                                    ContainsSubstring("give --threshold N"));
      options.label.threshold = 128;
      ProblemLog problems;
      CHECK(resolved(options, problems).ok());
    }
    per_class.label.threshold.reset();
    per_class.label.kind = LabelKind::binary;
    ProblemLog problems;
    CHECK(resolved(per_class, problems).ok());
  }
}

TEST_CASE("masks with soft edges and masks in one color are accepted") {
  for (const Bytes& mask : {soft_mask(), color_label(32, 32, noise_ids(32, 32, 1), kColors)}) {
    const TempFolder folder;
    PackOptions options = masks_beside(folder, mask);
    options.input.mask_per_class = "{key}_{class}";
    ProblemLog problems;
    CHECK(resolved(options, problems).ok());
  }
}

TEST_CASE("mask classes that are numbers but not ids are a warning") {
  const TempFolder folder;
  const auto warnings = [&](const Names& names) {
    SampleList list = masked_samples(folder, names, {{0, 1, 2}});
    ProblemLog problems;
    return resolved_alone({}, list, problems).value().table.warnings;
  };
  REQUIRE(warnings({"1", "10", "2"}).size() == 1);
  CHECK_THAT(warnings({"1", "10", "2"})[0],
             ContainsSubstring("the names of classes are numbers, but not the ids of the classes: "
                               "class '1' gets id 0; to set the ids"));
  CHECK(warnings({"0", "1", "2"}).empty());
  CHECK(warnings({"a", "b", "1"}).empty());
}

TEST_CASE("class names that are one number in two spellings are refused") {
  const TempFolder folder;
  PackOptions options;
  options.input.mask_per_class = "{key}_{class}";
  const auto refused = [&](const std::string& first, const std::string& second) {
    SampleList list = masked_samples(folder, {first, second}, {{0, 1}});
    ProblemLog problems;
    const auto setup = resolved_alone(options, list, problems);
    return setup.ok() ? "" : setup.error().message;
  };
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"1", "1.0"}, {"01", "1"}, {"0", "00"}, {"0", "0.0"}, {"1.5", "1.50"}}) {
    CAPTURE(first, second);
    CHECK_THAT(refused(first, second),
               ContainsSubstring("the classes '" + first + "' (of '") &&
                   ContainsSubstring("differ in the spelling of one number; use one spelling"));
  }
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"1", "10"}, {"1.2.3", "1.2.30"}, {"a1", "a01"}, {"0.1", "1"}}) {
    CAPTURE(first, second);
    CHECK(refused(first, second).empty());
  }
}

TEST_CASE("option --classes fixes the mask classes, and other masks are problems") {
  const TempFolder folder;
  SampleList list = masked_samples(folder, {"cat", "dog"}, {{0, 1}});
  PackOptions options;
  folder.write("names.txt", "dog\nfox\n");
  options.label.classes = folder / "names.txt";
  ProblemLog problems;
  const LabelSetup setup = resolved_alone(options, list, problems).value();
  CHECK(names_of(setup) == Names{"dog", "fox"});
  CHECK(class_ids(list, 0) == std::vector<std::uint32_t>{0, kNoClass});
  CHECK_THAT(problems.text(), ContainsSubstring(folder / "labels/0_cat.png") &&
                                  ContainsSubstring("'cat' is no class of --classes"));
  CHECK(setup.table.warnings == Names{"classes without a mask: 'fox'"});
}

TEST_CASE("options that exclude several classes per pixel are refused") {
  const TempFolder folder;
  SampleList list = masked_samples(folder, {"cat", "dog"}, {{0, 1}});
  const auto refused = [&](const PackOptions& options) {
    ProblemLog problems;
    const auto setup = resolved_alone(options, list, problems);
    REQUIRE_FALSE(setup.ok());
    CHECK(setup.error().code == ErrorCode::usage);
    return setup.error().message;
  };
  PackOptions options;
  options.record.label_storage = LabelStorage::index;
  CHECK_THAT(refused(options),
             ContainsSubstring("--label-storage index") && ContainsSubstring("bits or one_hot"));
  options = {};
  options.label.kind = LabelKind::index;
  CHECK_THAT(refused(options), ContainsSubstring("--label-kind"));
  options = {};
  options.label.class_count = 2;
  CHECK_THAT(refused(options), ContainsSubstring("--num-classes"));
  options = {};
  options.label.unknown = "cat";
  CHECK_THAT(refused(options), ContainsSubstring("--unknown cat"));
  options = {};
  options.label.threshold = 0;
  CHECK_THAT(refused(options), ContainsSubstring("--threshold 0"));
}

// ---- an earlier decision

namespace {

// What a finished pack of this setup says, every class seen.
format::Manifest finished_pack(const LabelSetup& setup) {
  format::Manifest manifest;
  manifest.schema.label.emplace();
  manifest.schema.classes = setup.table.classes;
  manifest.schema.options.more = {{"label_kind", "\"" + setup.label_kind + "\""}};
  manifest.statistics.pixels.assign(setup.table.classes.size(), 1);
  return manifest;
}

Result<LabelSetup> adopted(const PackOptions& options, std::vector<SampleList>& lists,
                           const std::vector<const format::Manifest*>& finished) {
  std::vector<SampleList*> splits;
  for (SampleList& list : lists) splits.push_back(&list);
  ProblemLog problems;
  return adopt_labels(options, splits, finished, problems);
}

}  // namespace

TEST_CASE("a class count is not copied from a pack if counting could differ") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  const PackOptions options = options_for(folder);
  std::vector<SampleList> lists{samples_of(options)};
  format::Manifest finished = finished_pack(setup_of(options));
  finished.statistics.pixels = {1, 1,
                                0};  // the last class never occurs: somebody said --num-classes
  CHECK_FALSE(adopted(options, lists, {&finished}).ok());
  finished.statistics.pixels = {1, 1, 1};
  CHECK(adopted(options, lists, {&finished}).ok());
  finished.schema.classes.back().name = "road";  // somebody gave names
  CHECK_FALSE(adopted(options, lists, {&finished}).ok());
}

TEST_CASE("an earlier decision gives the same labels without reading any") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  const PackOptions options = options_for(folder);
  const LabelSetup found = setup_of(options);
  std::vector<SampleList> lists{samples_of(options)};
  std::filesystem::remove(folder / "labels/a.png");
  const format::Manifest finished = finished_pack(found);
  const LabelSetup again = adopted(options, lists, {&finished}).value();
  CHECK(again.table.classes == found.table.classes);
  CHECK(again.table.ignore == found.table.ignore);
  CHECK(again.label_kind == found.label_kind);
}

TEST_CASE("an earlier decision holds for presets and maps too") {
  const TempFolder folder;
  put_sample(folder, "a", palette_label(2, 2, {0, 1, 2, 255}, kColors));
  folder.write("map.csv", "0,a\n1,b\n2,b\n");
  PackOptions mapped = options_for(folder);
  mapped.label.map = folder / "map.csv";
  PackOptions preset = options_for(folder);
  preset.label.preset = "voc";
  std::vector<SampleList> lists{samples_of(mapped)};
  for (const PackOptions& options : {mapped, preset}) {
    const LabelSetup found = setup_of(options);
    const format::Manifest finished = finished_pack(found);
    const LabelSetup again = adopted(options, lists, {&finished}).value();
    CHECK(again.table.classes == found.table.classes);
    CHECK(again.table.ignore == found.table.ignore);
    CHECK(again.map == found.map);
    CHECK(again.label_kind == found.label_kind);
  }
  CHECK_FALSE(
      adopted(preset, lists, {}).ok());  // nothing tells whether its files hold ids or colors
}

TEST_CASE("an earlier decision is that of all splits") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  const PackOptions options = options_for(folder);
  std::vector<SampleList> lists{samples_of(options)};
  format::Manifest train = finished_pack(setup_of(options)), val = train;
  format::Manifest test;  // images alone
  val.statistics.pixels = {1, 1, 0};
  CHECK(adopted(options, lists, {&test, &train, &val}).ok());
  train.statistics.pixels = {1, 1, 0};
  CHECK_FALSE(adopted(options, lists, {&test, &train, &val}).ok());
  train = finished_pack(setup_of(options));
  val.schema.classes.pop_back();
  CHECK_FALSE(adopted(options, lists, {&train, &val}).ok());
  CHECK_FALSE(adopted(options, lists, {&test}).ok());
}

TEST_CASE("a partition needs the classes as options") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  PackOptions options = options_for(folder);
  options.run.partition = Partition{0, 2};
  CHECK_THAT(usage_text(options),
             ContainsSubstring("--partition") && ContainsSubstring("--num-classes"));
  options.label.class_count = 3;
  CHECK(setup_of(options).table.classes.size() == 3);
}

// ---- the classes of a pack

namespace {

// Packs with these options, and names the pack as the classes of val.
PackOptions classes_of_pack(PackOptions options, const TempFolder& val) {
  options.record.size = {2, 2};
  (void)packed(options);
  PackOptions other = options_for(val);
  other.label.classes = options.run.output;
  return other;
}

// As they are resolved for train.
void check_same(const LabelSetup& train, const LabelSetup& val) {
  CHECK(val.table.classes == train.table.classes);
  CHECK(val.table.ignore == train.table.ignore);
  CHECK(val.label_kind == train.label_kind);
  CHECK(val.threshold == train.threshold);
  CHECK(val.map == train.map);
}

}  // namespace

TEST_CASE("option --classes PACK: map, preset and ignore apply to a new split") {
  const TempFolder train, val;
  put_sample(train, "a", id_label(2, 2, {0, 1, 2, 3}));
  put_sample(val, "b", id_label(2, 2, {1, 1, 2, 2}));
  PackOptions options = with_map(train, "0,x\n1,ignore\n2,y\n3,y\n");
  SECTION("--map") {}
  SECTION("--preset") {
    options = options_for(train);
    options.label.preset = "nyu40";
  }
  SECTION("--ignore") {
    options = options_for(train);
    options.label.class_count = 4;
    options.label.ignore = {"1"};
  }
  const LabelSetup found = setup_of(options);
  PackOptions other = classes_of_pack(options, val);
  check_same(found, setup_of(other));
  other.label.kind = LabelKind::color;
  CHECK_THAT(refusal(other, ErrorCode::usage).message,
             ContainsSubstring("--label-kind color contradicts --classes"));
}

TEST_CASE("option --classes PACK: the threshold of a binary pack applies again") {
  const TempFolder train, val;
  put_sample(train, "a", id_label(2, 2, {0, 255, 100, 0}));
  put_sample(val, "b", id_label(2, 2, {0, 255, 100, 0}));
  PackOptions options = options_for(train);
  options.label.kind = LabelKind::binary;
  options.label.threshold = 90;
  const LabelSetup found = setup_of(options);
  PackOptions other = classes_of_pack(options, val);
  check_same(found, setup_of(other));
  other.label.threshold = 90;
  check_same(found, setup_of(other));
  for (const int threshold : {100, 128}) {
    other.label.threshold = threshold;
    CHECK_THAT(refusal(other, ErrorCode::usage).message,
               ContainsSubstring("--threshold " + std::to_string(threshold) + " contradicts"));
  }
}

TEST_CASE("option --classes PACK: plain ids and colors stay plain") {
  const TempFolder train, val;
  put_sample(train, "a", color_label(2, 2, {0, 1, 2, 1}, kColors));
  put_sample(val, "b", color_label(2, 2, {2, 2, 2, 2}, kColors));
  const PackOptions options = with_classes(train, kCsv);
  const LabelSetup found = setup_of(options);
  const LabelSetup other = setup_of(classes_of_pack(options, val));
  check_same(found, other);
  CHECK(other.map_lines.empty());
}

TEST_CASE("option --classes PACK: --map and --preset go before it") {
  const TempFolder train, val;
  put_sample(train, "a", id_label(2, 2, {0, 1, 2, 3}));
  put_sample(val, "b", id_label(2, 2, {7, 8, 7, 8}));
  PackOptions other = classes_of_pack(with_map(train, "0,x\n1,ignore\n2,y\n3,y\n"), val);
  val.write("map.csv", "7,y\n8,x\n");
  other.label.map = val / "map.csv";
  const LabelSetup setup = setup_of(other);
  CHECK(names_of(setup) == Names{"x", "y"});
  CHECK(setup.table.classes[0].sources == std::vector<LabelSource>{LabelSource(std::int64_t{8})});
}

TEST_CASE_METHOD(IdLabels, "option --classes takes a folder only where it is a pack") {
  PackOptions options = options_for(folder);
  options.label.classes = folder.path();
  CHECK_THAT(usage_text(options),
             ContainsSubstring("is no pack") && ContainsSubstring("class file"));
}

TEST_CASE_METHOD(IdLabels, "a header that a map does not know is an error with its line") {
  CHECK_THAT(refusal(with_map(folder, "Wert,Klasse\n0,x\n1,y\n"), ErrorCode::usage).message,
             ContainsSubstring("line 1: 'Wert'") && ContainsSubstring("old,new"));
}

// ---- ids

TEST_CASE("option --shift-ids lowers ids, ignores negative ones and becomes a map") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 3}));
  PackOptions options = options_for(folder);
  options.label.shift_ids = -1;
  const LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"0", "1", "2"});
  CHECK(setup.map == R"([[0,"ignore"],[1,0],[2,1],[3,2]])");
  options.label.class_count = 3;
  CHECK(setup_of(options).map == setup.map);
  options.label.shift_ids = 1;
  CHECK_THAT(usage_text(options), ContainsSubstring("--shift-ids 1"));
  options.label.shift_ids = -1;
  options.label.kind = LabelKind::binary;
  CHECK_THAT(usage_text(options), ContainsSubstring("--label-kind"));
}

TEST_CASE("option --rgb-id counts the classes and sets the label kind") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  PackOptions options = options_for(folder);
  options.label.rgb_id = labels::RgbId::low_first;
  const LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"0", "1", "2"});
  CHECK(setup.label_kind == "index");
  CHECK_THAT(setup.explanation, ContainsSubstring("r+256g+65536b"));
  CHECK(setup.rgb_id == labels::RgbId::low_first);
}

TEST_CASE("option --label-kind rgb-id gets its formula from an option or a preset") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  PackOptions options = options_for(folder);
  options.label.kind = LabelKind::rgb_id;
  options.label.class_count = 3;
  CHECK_THAT(usage_text(options),
             ContainsSubstring("r+256g+65536b") && ContainsSubstring("r/10*256+g"));
  options.label.rgb_id = labels::RgbId::low_first;
  CHECK(setup_of(options).label_kind == "index");
  options.label = {};
  options.label.preset = "coco-panoptic133";
  const LabelSetup setup = setup_of(options);
  CHECK(setup.rgb_id == labels::RgbId::low_first);
  CHECK(setup.table.classes.size() == 133);
  options.label.kind = LabelKind::index;  // category ids in gray labels
  CHECK(setup_of(options).rgb_id == labels::RgbId::none);
}

TEST_CASE("ids that a program rescaled are reported as such") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 257, 514, 1285}, 16));
  CHECK_THAT(data_text(options_for(folder)), ContainsSubstring("multiples of 257") &&
                                                 ContainsSubstring("--map") &&
                                                 ContainsSubstring("found: 0, 257, 514, 1285"));
}

TEST_CASE("a long list of ids is cut between numbers") {
  std::bitset<65536> ids;
  for (std::size_t id = 0; id <= 100; ++id) ids.set(29 * id);
  CHECK(ids_text(ids, 4) == "0, 29, 58, …, 2900");
  CHECK(ids_text(ids, 4) != ids_text(ids));
  CHECK(ids_text(std::bitset<65536>(7), 4) == "0…2");
}

TEST_CASE("photos in place of labels are reported as such") {
  const TempFolder folder;
  put_sample(folder, "a", photo(40, 40));
  CHECK_THAT(data_text(options_for(folder)),
             ContainsSubstring("as photos do") && ContainsSubstring("swapped"));
}

// ---- masks that are no ids

namespace {

// A gray mask of `side` pixels a side: black, white, and `values` between.
Bytes soft_mask(int side, const std::vector<std::uint16_t>& values, int bit_depth = 8) {
  std::vector<std::uint16_t> pixels(static_cast<std::size_t>(side * side));
  const auto white = static_cast<std::uint16_t>((1 << bit_depth) - 1);
  std::fill(pixels.begin() + side, pixels.end() - side * side / 2, white);
  std::copy(values.begin(), values.end(), pixels.begin());
  return id_label(side, side, pixels, bit_depth);
}

void put_mask(const TempFolder& folder, const std::string& key, int side, const Bytes& mask) {
  put(folder, "images/" + key + ".png", photo(side, side));
  put(folder, "labels/" + key + ".png", mask);
}

}  // namespace

TEST_CASE("auto: masks with soft edges are a question, binary first") {
  const TempFolder folder;
  for (const char* key : {"a", "b"})
    put_mask(folder, key, 20, soft_mask(20, {20, 60, 90, 130, 190, 240}));
  PackOptions options = options_for(folder);
  const std::string message = data_text(options);
  CHECK_THAT(message, ContainsSubstring("98.50 % of all pixels") &&
                          ContainsSubstring("Choose one:\n  --label-kind binary") &&
                          ContainsSubstring("\n  --label-kind index") &&
                          !ContainsSubstring("--num-classes") && !ContainsSubstring("--map"));
  options.label.class_count = 255;  // does not say that the values are ids
  CHECK(data_text(options) == message);
  options = with_classes(folder, "ground\ncrack\n");
  CHECK(data_text(options) == message);
  options.label.kind = LabelKind::binary;
  CHECK(names_of(setup_of(options)) == Names{"ground", "crack"});
}

TEST_CASE("auto: soft masks of 16 bits get a threshold of theirs") {
  const TempFolder folder;
  put_mask(folder, "a", 20, soft_mask(20, {9000, 30000, 40000, 60000}, 16));
  CHECK_THAT(data_text(options_for(folder)),
             ContainsSubstring("\n  --label-kind binary --threshold 32768"));
}

TEST_CASE("auto: ids beside many ignored pixels are no soft masks") {
  const TempFolder folder;
  put_mask(folder, "a", 20, soft_mask(20, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  CHECK(setup_of(options_for(folder)).table.classes.size() == 13);
}

TEST_CASE("auto: masks of several depths and palettes are a question") {
  const TempFolder folder;
  const std::vector<Color> plain{{0, 0, 0}, {255, 255, 255}}, turned{{255, 255, 255}, {0, 0, 0}};
  const std::vector<std::uint16_t> bits{0, 1, 0, 0};
  put_sample(folder, "a", id_label(2, 2, bits, 1));
  CHECK(setup_of(options_for(folder)).table.classes.size() == 2);
  put_sample(folder, "b", palette_label(2, 2, bits, plain));
  CHECK(setup_of(options_for(folder)).table.classes.size() == 2);
  const auto check_asked = [&] {
    const std::string message = data_text(options_for(folder));
    CHECK_THAT(message, ContainsSubstring("only black and white") &&
                            ContainsSubstring("Choose one:\n  --label-kind binary, if"));
  };
  SECTION("2 bits") { put_sample(folder, "c", id_label(2, 2, {0, 3, 0, 0}, 2)); }
  SECTION("a palette in the other order") {
    put_sample(folder, "c", palette_label(2, 2, bits, turned));
  }
  SECTION("2 bits alone") {
    for (const char* key : {"a", "b"}) put_sample(folder, key, id_label(2, 2, {0, 3, 0, 3}, 2));
  }
  check_asked();
}

TEST_CASE("auto: a mask in the alpha channel is named as such") {
  const TempFolder folder;
  const PngSpec spec{.width = 2, .height = 1, .color = PngColor::rgba};
  put(folder, "images/a.png", photo(2, 1));
  put(folder, "labels/a.png",
      make_png(spec, std::vector<std::uint16_t>{255, 255, 255, 0, 255, 255, 255, 255}));
  for (const LabelKind kind : {LabelKind::automatic, LabelKind::index}) {
    PackOptions options = options_for(folder);
    options.label.kind = kind;
    CHECK_THAT(data_text(options), ContainsSubstring("the mask is in the alpha channel"));
  }
}

// ---- ids in the red of colors

TEST_CASE("16-bit RGB labels lead to --rgb-id r, which counts their classes") {
  const TempFolder folder;
  const PngSpec spec{.width = 2, .height = 1, .color = PngColor::rgb, .bit_depth = 16};
  put(folder, "images/a.png", photo(2, 1));
  put(folder, "labels/a.png", make_png(spec, std::vector<std::uint16_t>{3, 1, 0, 1, 7, 0}));
  PackOptions options = options_for(folder);
  for (const LabelKind kind : {LabelKind::automatic, LabelKind::index, LabelKind::binary}) {
    options.label.kind = kind;
    const Error error = refusal(options, ErrorCode::data);
    CHECK(error.path == folder / "labels/a.png");
    CHECK_THAT(error.message, ContainsSubstring("(red 1, 3, green 1, 7, blue 0)") &&
                                  ContainsSubstring("\n  --rgb-id r") &&
                                  !ContainsSubstring("8 bits"));
  }
  options.label.kind = LabelKind::automatic;
  options.label.rgb_id = labels::RgbId::red;
  CHECK(names_of(setup_of(options)) == Names{"0", "1", "2", "3"});
}

TEST_CASE("colors without green and blue lead to --rgb-id r") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, {{0, 0, 0}, {7, 0, 0}, {12, 0, 0}}));
  PackOptions options = options_for(folder);
  CHECK_THAT(data_text(options), ContainsSubstring("green and blue are 0 everywhere") &&
                                     ContainsSubstring("which class:\n  --rgb-id r"));
  options.label.rgb_id = labels::RgbId::red;
  CHECK(setup_of(options).table.classes.size() == 13);
  put_sample(folder, "b", color_label(2, 2, {0, 0, 0, 0}, {{0, 1, 0}}));
  options.label.rgb_id = labels::RgbId::none;
  CHECK_THAT(data_text(options), !ContainsSubstring("--rgb-id r,"));
}

// ---- ids of another kind

TEST_CASE("train ids under a preset of label ids are a question") {
  const TempFolder folder;
  std::vector<std::uint16_t> ids(20);
  std::iota(ids.begin(), ids.end(), std::uint16_t{0});
  ids.back() = 255;
  put(folder, "images/a.png", photo(20, 1));
  put(folder, "labels/a.png", id_label(20, 1, ids));
  PackOptions options = options_for(folder);
  options.label.preset = "cityscapes19";
  CHECK_THAT(data_text(options), ContainsSubstring("the labels hold 0…18, 255") &&
                                     ContainsSubstring("\n  --preset cityscapes19-trainids,") &&
                                     ContainsSubstring("\n  --preset cityscapes19 --label-kind"));
  options.label.kind = LabelKind::index;
  CHECK(setup_of(options).table.classes.size() == 19);
  options.label.kind = LabelKind::automatic;
  options.label.preset = "cityscapes19-trainids";
  CHECK(setup_of(options).table.classes.size() == 19);
  options.label.preset = "cityscapes19";
  put(folder, "images/b.png", photo(20, 1));
  ids.back() = 26;  // a car: no train id
  put(folder, "labels/b.png", id_label(20, 1, ids));
  CHECK(setup_of(options).table.classes.size() == 19);
}

TEST_CASE("numbers of objects are a warning") {
  const TempFolder folder;
  const auto put_numbers = [&](const std::string& key, int most) {
    std::vector<std::uint16_t> ids(32);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = static_cast<std::uint16_t>(i % static_cast<std::size_t>(most + 1));
    put(folder, "images/" + key + ".png", photo(32, 1));
    put(folder, "labels/" + key + ".png", id_label(32, 1, ids));
  };
  put_numbers("a", 17);
  put_numbers("b", 5);
  CHECK(setup_of(options_for(folder)).table.warnings.empty());
  put_numbers("c", 9);
  const Names warnings = setup_of(options_for(folder)).table.warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), ContainsSubstring("numbers of objects") &&
                                   ContainsSubstring("5 in one label and 17 in another"));
  put(folder, "images/d.png", photo(4, 1));
  put(folder, "labels/d.png", id_label(4, 1, {0, 2, 9, 11}));  // three ids say nothing
  CHECK(setup_of(options_for(folder)).table.warnings.size() == 1);
  put(folder, "labels/d.png", id_label(4, 1, {3, 2, 9, 11}));
  CHECK(setup_of(options_for(folder)).table.warnings.empty());
}
