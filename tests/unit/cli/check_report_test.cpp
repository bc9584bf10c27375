#include "cli/check_report.hpp"
#include "codecs/image_info.hpp"

#include "cli/text.hpp"
#include "format/json.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

Diagnostic diagnostic(const std::string& kind, Severity severity, const std::string& title,
                      std::uint64_t count = 1) {
  Diagnostic made;
  made.kind = kind;
  made.severity = severity;
  made.title = title;
  made.count = count;
  return made;
}

Diagnostic unknown_color() {
  Diagnostic made =
      diagnostic("unknown-value", Severity::problem,
                 "17,302 pixels in 6 of 148 labels have color (0,0,128), which no class has", 6);
  made.of = 148;
  made.pixels = 17302;
  made.value = "color (0,0,128)";
  made.add_example({"labels/a.png", "12 pixels", PixelPlace{3, 4}});
  made.advice = "the nearest color is that of class 'Road', at distance 8";
  made.options = {"--unknown nearest:8", "--unknown ignore"};
  return made;
}

ClassInfo class_of(const std::string& name) {
  ClassInfo info;
  info.name = name;
  return info;
}

codecs::ImageInfo image(int width, int height) {
  codecs::ImageInfo info;
  info.format = codecs::FileFormat::png;
  info.width = width, info.height = height;
  return info;
}

CheckReport report_of_two_splits() {
  CheckReport report;
  report.labels = "labels are read as color (the classes have colors)";
  report.label_files = report.classes_counted = true;
  report.classes = {class_of("Sky"), class_of("Road"), class_of("Never")};
  report.splits = {{"train", 100, 0, {{60, 40, 0}, {10, 9, 0}, 0}},
                   {"val", 20, 0, {{80, 0, 0}, {5, 0, 0}, 20}}};
  report.images.add(image(480, 360));
  report.images.add(image(480, 360));
  SizeEstimate estimate;
  estimate.records = 120, estimate.shards = 2, estimate.image_bytes = 1 << 20;
  estimate.storages = {{LabelStorage::bits, 1024}, {LabelStorage::index, 2048}};
  report.estimate = estimate;
  return report;
}

const cli::CheckEnd kEnd{.command = "hotpack pack --images a -o packed", .seconds = 1.5};

std::string text_of(const CheckReport& report, const cli::CheckEnd& end = kEnd) {
  return cli::check_text(cli::check_report(report, end), report.result, 100, false);
}

format::Json json_of(const CheckReport& report) { return cli::check_report(report, kEnd).json(); }

}  // namespace

TEST_CASE("a check's report of sound data") {
  CHECK(text_of(report_of_two_splits()) ==
        "labels       read as color (the classes have colors)\n"
        "samples      120: train 100, val 20\n"
        "images       2 8-bit RGB PNG\n"
        "             all 480x360\n"
        "output       120 records in 2 shards: images 1.0 MiB, labels 1.0 KiB as bits (chosen), "
        "2.0 KiB as\n"
        "             index\n"
        "\n"
        "classes\n"
        "  class                share  labels    train       val\n"
        "  Sky                77.78 %      15  60.00 %  100.00 %\n"
        "  Road               22.22 %       9  40.00 %         –\n"
        "  Never                never                –         –\n"
        "  (ignored, of all)  10.00 %                –   20.00 %\n"
        "\n"
        "result       pack would succeed\n"
        "next         hotpack pack --images a -o packed\n");
}

TEST_CASE("the check report shows evidence, advice and the remaining options") {
  CheckReport report = report_of_two_splits();
  report.diagnostics.add(diagnostic("palette-ids", Severity::note, "1 label has a palette"));
  report.diagnostics.add(unknown_color());
  Diagnostic orphan = diagnostic("orphan-image", Severity::problem, "9 images without a label", 9);
  for (int i = 0; i < 9; ++i) orphan.add_example({std::to_string(i) + ".png", "no label", {}});
  orphan.advice = "add the labels, or leave these images out with --orphans skip";
  orphan.options = {"--orphans skip"};
  report.diagnostics.add(orphan);
  report.result = CheckResult::refuses;
  report.problems = 15;
  const std::string text = text_of(report);
  CHECK_THAT(
      text,
      ContainsSubstring(
          "\nnotes\n  1 label has a palette\n\nproblems\n  17,302 pixels in 6 of 148 labels"));
  CHECK_THAT(text, ContainsSubstring(
                       "      labels/a.png x=3 y=4: 12 pixels\n"
                       "      … and 5 more\n"
                       "    what to do: the nearest color is that of class 'Road', at distance 8\n"
                       "    options: --unknown nearest:8 or --unknown ignore\n"));
  CHECK_THAT(
      text,
      ContainsSubstring(
          "      4.png: no label\n"
          "      … and 4 more\n"
          "    what to do: add the labels, or leave these images out with --orphans skip\n\n"));
  CHECK_THAT(text, ContainsSubstring(
                       "result       pack would refuse: 15 problems\n"
                       "next         fix the problems, or give options that they name; then check "
                       "again\n"));
}

TEST_CASE("the next command was never just refused and lacks no input") {
  CheckReport report = report_of_two_splits();
  const std::string command = "hotpack pack --images a --list=- -o packed";
  CHECK_THAT(text_of(report, {.command = command, .reads_input = true}),
             ContainsSubstring("next         with the same standard input:\n             " +
                               command + "\n"));
  report.result = CheckResult::refuses;
  CHECK_THAT(text_of(report, {.command = command}), !ContainsSubstring("hotpack pack"));
  CHECK_THAT(text_of(report, {.command = command, .adds_classes = true, .reads_input = true}),
             ContainsSubstring("next         once the classes in the written file have names, with "
                               "the same standard input:\n             " +
                               command + "\n"));
  report.diagnostics.add(
      diagnostic("no-samples", Severity::problem, "a: Say\n  hotpack pack --images a -o OUT"));
  const std::string text = text_of(report);
  CHECK_THAT(text, ContainsSubstring("next         run one of the commands above\n"));
  CHECK_THAT(text, !ContainsSubstring("-o packed"));
}

TEST_CASE("the check report wraps text, but never commands or options") {
  CheckReport report = report_of_two_splits();
  Diagnostic long_one = unknown_color();
  for (int i = 0; i < 8; ++i) long_one.options.push_back("--size-mismatch each-to-target");
  long_one.advice = std::string(40, 'a');
  for (int i = 0; i < 30; ++i) long_one.advice += " advice";
  report.diagnostics.add(long_one);
  report.layout = "layout of data: " + std::string(50, 'x') + " and more words " +
                  std::string(50, 'y') + "\nsecond line\n";
  const std::string command = "hotpack pack --images " + std::string(150, 'i') + " -o packed";
  const std::string text = text_of(report, {.command = command, .seconds = 1});
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line.find(command) == std::string::npos) CHECK(cli::text_width(line) <= 120);
    CHECK(line.find("--size-mismatch\n") == std::string::npos);
    CHECK((line.empty() || line.back() != ' '));
    begin = end + 1;
  }
  CHECK_THAT(text, ContainsSubstring(command));
  CHECK_THAT(text, ContainsSubstring("\n             second line\n"));
}

TEST_CASE("the check report says when labels or pixels could not be read") {
  CheckReport report = report_of_two_splits();
  report.labels.clear();
  report.classes_known = report.classes_counted = false;
  report.estimate.reset();
  CHECK_THAT(text_of(report),
             ContainsSubstring(
                 "the label kind is undecided (see problems), so classes are not reported\n"));
  CHECK_THAT(text_of(report), !ContainsSubstring("\nclasses\n"));
  report.headers_only = true;
  CHECK_THAT(
      text_of(report),
      ContainsSubstring("samples      120: train 100, val 20; only headers were read (--fast)"));
  CHECK_THAT(text_of(report), ContainsSubstring("pack would succeed, as far as headers tell"));
}

TEST_CASE("of many classes a check's report shows the commonest") {
  CheckReport report;
  report.classes_counted = true;
  report.splits = {{"", 100, 0, {}}};
  for (int c = 0; c < 150; ++c) {
    report.classes.push_back(class_of("class" + std::to_string(c)));
    report.splits[0].classes.pixels.push_back(c % 5 == 0 ? 1000u : 1u);
    report.splits[0].classes.labels.push_back(1);
  }
  const std::string text = text_of(report);
  CHECK_THAT(text, ContainsSubstring("  class145"));
  CHECK_THAT(text, !ContainsSubstring("  class149"));
  CHECK_THAT(text, ContainsSubstring("  … and 118 more classes\n"));
}

TEST_CASE("names in a check's report cannot drive the terminal") {
  CheckReport report = report_of_two_splits();
  Diagnostic odd = diagnostic("damaged-image", Severity::problem, "1 damaged image");
  odd.add_example({"\x1b[31mred.png", "cut", {}});
  report.diagnostics.add(odd);
  CHECK_THAT(text_of(report), ContainsSubstring("\\x1b[31mred.png: cut"));
  CHECK(json_of(report)["diagnostics"][0]["examples"][0]["file"] == "\\x1b[31mred.png");
}

TEST_CASE("a check's JSON has the members that docs/check.md documents") {
  CheckReport report = report_of_two_splits();
  report.diagnostics.add(unknown_color());
  report.result = CheckResult::refuses;
  report.problems = 6;
  const format::Json json = json_of(report);
  CHECK(json["report"] == "hotpack-check/1");
  CHECK(json["result"] == "refuses");
  CHECK(json["problems"] == 6);
  CHECK(json["pixels_read"] == true);
  CHECK(json["labels_read_as"] == report.labels);
  CHECK(json["command"].is_null());
  CHECK(json["seconds"] == 1.5);
  const format::Json& found = json["diagnostics"][0];
  CHECK(found["kind"] == "unknown-value");
  CHECK(found["severity"] == "problem");
  CHECK(found["count"] == 6);
  CHECK(found["of"] == 148);
  CHECK(found["value"] == "color (0,0,128)");
  CHECK(found["pixels"] == 17302);
  CHECK(found["examples"][0]["file"] == "labels/a.png");
  CHECK(found["examples"][0]["x"] == 3);
  CHECK(found["examples"][0]["y"] == 4);
  CHECK(found["options"] == format::Json{"--unknown nearest:8", "--unknown ignore"});
  CHECK(json["splits"][1]["name"] == "val");
  CHECK(json["splits"][1]["ignored_pixels"] == 20);
  CHECK(json["classes"][0]["name"] == "Sky");
  CHECK(json["classes"][0]["pixels"] == format::Json{60, 80});
  CHECK(json["images"]["sizes"][0]["width"] == 480);
  CHECK(json["images"]["orientations"].size() == 8);
  CHECK(json["estimate"]["label_bytes"]["bits"] == 1024);
  CHECK(json["label_files"]["files"] == 0);
}

TEST_CASE("the results of a check's JSON") {
  CheckReport report;
  const std::pair<CheckResult, const char*> results[] = {{CheckResult::succeeds, "succeeds"},
                                                         {CheckResult::leaves_out, "leaves-out"},
                                                         {CheckResult::refuses, "refuses"},
                                                         {CheckResult::stopped, "stopped"}};
  for (const auto& [result, name] : results) {
    report.result = result;
    CHECK(json_of(report)["result"] == name);
  }
  CHECK(json_of(report)["estimate"].is_null());
}
