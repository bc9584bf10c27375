#include "pipeline/label_setup.hpp"

#include "format/manifest.hpp"

#include "unit/pipeline/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;
using labels::LabelReading;

namespace {

using Ids = std::vector<std::uint16_t>;
using Names = std::vector<std::string>;

const std::vector<Color> kColors{{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
constexpr const char* kCsv = "name,r,g,b\nvoid,0,0,0\ncar,128,0,0\ntree,0,128,0\n";

// One image and its label.
void put_sample(const TempFolder& folder, const std::string& key, const Bytes& label, const std::string& extension = ".png") {
  put(folder, "images/" + key + ".png", photo(2, 2));
  put(folder, "labels/" + key + extension, label);
}

PackOptions with_classes(const TempFolder& folder, std::string_view text) {
  folder.write("classes.csv", text);
  PackOptions options = options_for(folder);
  options.label.classes = folder / "classes.csv";
  return options;
}

Result<LabelSetup> resolved(const PackOptions& options, ProblemLog& problems) {
  SampleList list = samples_of(options);
  Recorder recorder;
  const auto survey = survey_headers(list, options.record, recorder).value();
  return resolve_labels(options, list, survey, recorder, problems);
}

LabelSetup setup_of(const PackOptions& options) {
  ProblemLog problems;
  auto setup = resolved(options, problems);
  if (!setup.ok()) FAIL(setup.error().describe());
  CHECK(problems.text() == "");
  return std::move(setup).value();
}

Error refusal(const PackOptions& options, ErrorCode code) {
  ProblemLog problems;
  const auto setup = resolved(options, problems);
  if (setup.ok()) FAIL("was not refused: " + setup.value().verdict);
  CHECK(setup.error().code == code);
  return setup.error();
}

Names names_of(const LabelSetup& setup) {
  Names names;
  for (const ClassInfo& info : setup.table.classes) names.push_back(info.name);
  return names;
}

Bytes gray_jpeg(int width, int height) {
  return make_jpeg({.width = width, .height = height, .color = JpegColor::gray}, smooth_samples(width, height, 1));
}

}  // namespace

// ---- auto

TEST_CASE("auto: classes with colours make labels colours") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, kColors));
  const LabelSetup setup = setup_of(with_classes(folder, kCsv));
  CHECK(setup.label_kind == "color");
  CHECK(setup.verdict == "labels are read as color (auto: the classes have colours; the labels are 1 RGB PNG)");
  CHECK(names_of(setup) == Names{"void", "car", "tree"});
  CHECK(setup.table.classes[1].sources == std::vector<LabelSource>{LabelSource("#800000")});
  CHECK(setup.kind == LabelKind::pixel);
  CHECK(setup.unknown == "error");
  CHECK(setup.pad_label == "ignore");
  CHECK(setup.pad_id == labels::kIgnored);
  CHECK_FALSE(setup.threshold);
}

TEST_CASE("auto: palette and gray files are colours too where classes have colours") {
  const TempFolder folder;
  put_sample(folder, "a", palette_label(2, 2, {0, 1, 2, 1}, kColors));
  CHECK(setup_of(with_classes(folder, kCsv)).label_kind == "color");
}

TEST_CASE("auto: without colours gray and palette files hold ids, and their number is found") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  put_sample(folder, "b", palette_label(2, 2, {4, 0, 0, 0}, {{0, 0, 0}, {9, 9, 9}}));
  const LabelSetup setup = setup_of(options_for(folder));
  CHECK(setup.label_kind == "index");
  CHECK(names_of(setup) == Names{"0", "1", "2", "3", "4"});
  CHECK(setup.verdict ==
        "labels are read as index (auto: no class colours were given; the labels are 1 gray, 1 palette PNG); ids found: 0…2, 4, 255, so 5 "
        "classes; where another split may hold more, say --num-classes N or --classes");
  CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource(std::int64_t{255}), LabelSource(std::int64_t{65535})});
}

TEST_CASE("auto: --num-classes needs no look at the pixels") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 0, 0}));
  PackOptions options = options_for(folder);
  options.label.class_count = 12;
  const LabelSetup setup = setup_of(options);
  CHECK(setup.table.classes.size() == 12);
  CHECK_THAT(setup.verdict, !ContainsSubstring("ids found"));
}

TEST_CASE("auto: names without colours are names of ids") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 0, 0}));
  const LabelSetup setup = setup_of(with_classes(folder, "sky\nroad\n"));
  CHECK(setup.label_kind == "index");
  CHECK(names_of(setup) == Names{"sky", "road"});
}

TEST_CASE("auto: RGB labels without class colours are refused by name") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 0, 0}));
  put_sample(folder, "b", photo(2, 2));
  const Error error = refusal(options_for(folder), ErrorCode::data);
  CHECK(error.path == folder / "labels/b.png");
  CHECK_THAT(error.message, ContainsSubstring("--classes FILE.csv"));
}

TEST_CASE("auto: JPEG labels are refused, with advice") {
  const TempFolder folder;
  put_sample(folder, "a", gray_jpeg(2, 2), ".jpg");
  for (const PackOptions& options : {options_for(folder), with_classes(folder, kCsv)}) {
    const Error error = refusal(options, ErrorCode::data);
    CHECK(error.path == folder / "labels/a.jpg");
    CHECK_THAT(error.message, ContainsSubstring("lossy") && ContainsSubstring("--label-kind binary"));
  }
}

TEST_CASE("auto: masks of 0 and 255 alone are asked about") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 255, 0, 0}));
  CHECK_THAT(refusal(options_for(folder), ErrorCode::data).message,
             ContainsSubstring("0 and 255") && ContainsSubstring("--label-kind binary"));
  PackOptions meant = options_for(folder);
  meant.label.reading = LabelReading::index;
  CHECK(setup_of(meant).table.classes.size() == 1);
}

TEST_CASE("labels that hold nothing but ignored ids have no classes") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {255, 255, 255, 255}));
  CHECK_THAT(refusal(options_for(folder), ErrorCode::data).message, ContainsSubstring("found: 255"));
}

TEST_CASE("more than a thousand scanned ids are asked about, not packed") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 26001, 3, 3}, 16));
  CHECK_THAT(refusal(options_for(folder), ErrorCode::data).message, ContainsSubstring("--num-classes 26002"));
  PackOptions meant = options_for(folder);
  meant.label.class_count = 26002;
  CHECK(setup_of(meant).table.classes.size() == 26002);
}

// ---- kinds that are asked for

TEST_CASE("binary has two classes of its own and takes JPEG") {
  const TempFolder folder;
  put_sample(folder, "a", gray_jpeg(2, 2), ".jpg");
  PackOptions options = options_for(folder);
  options.label.reading = LabelReading::binary;
  options.label.threshold = 77;
  const LabelSetup setup = setup_of(options);
  CHECK(names_of(setup) == Names{"background", "foreground"});
  CHECK(setup.label_kind == "binary");
  CHECK(setup.threshold == 77);
  CHECK(setup.verdict == "labels are read as binary (as --label-kind says; the labels are 1 JPEG)");
}

TEST_CASE("binary refuses a table of other than two classes") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 255, 0, 0}));
  PackOptions options = with_classes(folder, kCsv);
  options.label.reading = LabelReading::binary;
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("names 3"));
  options = with_classes(folder, "other\nroad\n");
  options.label.reading = LabelReading::binary;
  CHECK(names_of(setup_of(options)) == Names{"other", "road"});
}

TEST_CASE("colour kinds need class colours") {
  const TempFolder folder;
  put_sample(folder, "a", palette_label(2, 2, {0, 1, 2, 1}, kColors));
  for (const LabelReading reading : {LabelReading::color, LabelReading::palette_color}) {
    PackOptions options = with_classes(folder, "sky\nroad\n");
    options.label.reading = reading;
    CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("needs class colours"));
    options = options_for(folder);
    options.label.reading = reading;
    CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("needs class colours"));
    options = with_classes(folder, kCsv);
    options.label.reading = reading;
    CHECK(setup_of(options).label_kind == labels::reading_name(reading));
  }
}

TEST_CASE("index may be asked for although classes have colours") {
  const TempFolder folder;
  put_sample(folder, "a", palette_label(2, 2, {0, 1, 2, 1}, kColors));
  PackOptions options = with_classes(folder, kCsv);
  options.label.reading = LabelReading::index;
  const LabelSetup setup = setup_of(options);
  CHECK(setup.label_kind == "index");
  CHECK(setup.table.classes[2].sources == std::vector<LabelSource>{LabelSource(std::int64_t{2})});
}

TEST_CASE("option --classes and --num-classes exclude each other") {
  const TempFolder folder;
  put_sample(folder, "a", noise_label(2, 2));
  PackOptions options = with_classes(folder, kCsv);
  options.label.class_count = 3;
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--num-classes"));
}

TEST_CASE("a class file that is missing or wrong is named") {
  const TempFolder folder;
  put_sample(folder, "a", noise_label(2, 2));
  PackOptions options = options_for(folder);
  options.label.classes = folder / "missing.csv";
  CHECK(refusal(options, ErrorCode::io).path == folder / "missing.csv");
  const Error error = refusal(with_classes(folder, "name,r,g,b\na,1,2,3\nb,1,2,3\n"), ErrorCode::data);
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
  CHECK(std::count(setup.table.ignore.begin(), setup.table.ignore.end(), LabelSource(std::int64_t{9})) == 1);

  options = with_classes(folder, kCsv);
  options.label.reading = LabelReading::index;
  options.label.ignore = {"tree"};
  setup = setup_of(options);
  CHECK(setup.table.classes[2].sources.empty());
  CHECK(std::count(setup.table.ignore.begin(), setup.table.ignore.end(), LabelSource(std::int64_t{2})) == 1);
}

TEST_CASE("option --ignore with colours takes names and class numbers") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, kColors));
  for (const std::string word : {"void", "0"}) {
    PackOptions options = with_classes(folder, kCsv);
    options.label.ignore = {word};
    const LabelSetup setup = setup_of(options);
    CHECK(setup.table.classes.size() == 3);
    CHECK(setup.table.ignore == std::vector<LabelSource>{LabelSource("#000000")});
  }
}

TEST_CASE("words that name no class are refused with their option") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, kColors));
  PackOptions options = with_classes(folder, kCsv);
  options.label.ignore = {"trees"};
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--ignore trees"));
  options.label.ignore = {"3"};
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--ignore 3"));
  options.label.ignore.clear();
  options.label.unknown = "trees";
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--unknown trees"));
  options.label.unknown = "tree";
  options.label.pad_label = "0";
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--pad-label 0"));
}

TEST_CASE("option --unknown and --pad-label take a class name") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 1}, kColors));
  PackOptions options = with_classes(folder, kCsv);
  options.label.unknown = "tree";
  options.label.pad_label = "car";
  const LabelSetup setup = setup_of(options);
  CHECK(setup.unknown == "tree");
  CHECK(setup.pad_label == "car");
  CHECK(setup.pad_id == 1);
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

TEST_CASE("class folders are classes in byte order, and every sample has its own") {
  const TempFolder folder;
  for (const std::string name : {"b/1.png", "a/2.png", "B/3.png"}) put(folder, "folders/" + std::string(name), photo());
  std::filesystem::create_directory(folder / "folders/empty");
  Prepared run{folders_options(folder), samples_of(folders_options(folder)), {}};
  Recorder recorder;
  ProblemLog problems;
  const LabelSetup setup = resolve_labels(run.options, run.list, {}, recorder, problems).value();
  CHECK(names_of(setup) == Names{"B", "a", "b", "empty"});
  CHECK(setup.kind == LabelKind::sample);
  CHECK(setup.label_kind == "folder");
  CHECK(setup.table.classes[2].sources == std::vector<LabelSource>{LabelSource("b")});
  REQUIRE(run.list.samples.size() == 3);
  for (const Sample& sample : run.list.samples) CHECK(names_of(setup)[sample.class_id] == class_folder_of(run.list, sample));
  CHECK(setup.table.warnings == Names{"class 'empty' has no image"});
}

TEST_CASE("option --classes fixes the classes of folders and their order") {
  const TempFolder folder;
  for (const std::string name : {"ant/1.png", "bee/2.png"}) put(folder, "folders/" + std::string(name), photo());
  folder.write("names.txt", "bee\nwasp\nant\n");
  PackOptions options = folders_options(folder);
  options.label.classes = folder / "names.txt";
  SampleList list = samples_of(options);
  Recorder recorder;
  ProblemLog problems;
  const LabelSetup setup = resolve_labels(options, list, {}, recorder, problems).value();
  CHECK(names_of(setup) == Names{"bee", "wasp", "ant"});
  CHECK(list.samples[0].class_id == 2);
  CHECK(list.samples[1].class_id == 0);
  CHECK(setup.table.warnings == Names{"class 'wasp' has no image"});

  folder.write("names.txt", "bee\nwasp\n");
  CHECK(resolve_labels(options, list, {}, recorder, problems).ok());
  CHECK(problems.group(ProblemKind::unknown_folder).count == 1);
  CHECK_THAT(problems.text(), ContainsSubstring("its folder 'ant' is no class of --classes"));
}

TEST_CASE("options about label files do not go with class folders") {
  const TempFolder folder;
  put(folder, "folders/ant/1.png", photo());
  PackOptions options = folders_options(folder);
  options.label.class_count = 2;
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--num-classes"));
  options = folders_options(folder);
  options.label.reading = LabelReading::index;
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--label-kind"));
  options = folders_options(folder);
  options.label.unknown = "ignore";
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("--unknown"));
}

TEST_CASE("images alone have no label, and take no option about labels") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  const LabelSetup setup = setup_of(options_for(folder));
  CHECK_FALSE(setup.kind);
  CHECK(setup.label_kind.empty());
  CHECK(setup.verdict.empty());
  PackOptions options = options_for(folder);
  options.label.class_count = 2;
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("need labels"));
  options = options_for(folder);
  options.label.unknown = "ignore";
  CHECK_THAT(refusal(options, ErrorCode::usage).message, ContainsSubstring("need labels"));
}

// ---- an earlier decision

TEST_CASE("a class count is not taken from a pack where counting again could give another") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  PackOptions options = options_for(folder);
  SampleList list = samples_of(options);
  ProblemLog problems;
  format::Manifest finished;
  finished.schema.classes = setup_of(options).table.classes;
  finished.statistics.pixels = {1, 1, 0};  // the last class never occurs: somebody said --num-classes
  CHECK_FALSE(adopt_labels(options, list, finished, problems).ok());
  finished.statistics.pixels = {1, 1, 1};
  finished.schema.classes.back().name = "road";  // somebody gave names
  CHECK_FALSE(adopt_labels(options, list, finished, problems).ok());
}

TEST_CASE("an earlier decision gives the same labels without reading any") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 1, 2, 255}));
  PackOptions options = options_for(folder);
  const LabelSetup found = setup_of(options);
  SampleList list = samples_of(options);
  std::filesystem::remove(folder / "labels/a.png");
  ProblemLog problems;
  format::Manifest finished;
  finished.schema.classes = found.table.classes;
  finished.statistics.pixels = {1, 1, 1};
  const LabelSetup adopted = adopt_labels(options, list, finished, problems).value();
  CHECK(adopted.table.classes == found.table.classes);
  CHECK(adopted.table.ignore == found.table.ignore);
  CHECK(adopted.label_kind == found.label_kind);
}
