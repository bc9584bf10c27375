#include "label_setup/header_probe.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"

#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

HeaderProbe probed(const PackOptions& options, ProbeThreads threads = {}) {
  Recorder recorder;
  SampleList list = samples_of(options);
  return probe_headers(list, options.record, recorder, threads).value();
}

HeaderProbe probed(const TempFolder& folder) { return probed(options_for(folder)); }

codecs::ImageInfo info_of(int width, int height, int orientation = 1) {
  codecs::ImageInfo info;
  info.format = codecs::FileFormat::png;
  info.width = width;
  info.height = height;
  info.orientation = orientation;
  return info;
}

SampleHeaders headers_of(const codecs::ImageInfo& image,
                         const std::optional<codecs::ImageInfo>& label) {
  SampleHeaders headers{{image, "image.jpg"}, {}};
  if (label) headers.labels.push_back({*label, "label.png"});
  return headers;
}

std::optional<Problem> checked(const codecs::ImageInfo& image,
                               const std::optional<codecs::ImageInfo>& label,
                               const RecordOptions& options = {}) {
  return check_headers(headers_of(image, label), options);
}

}  // namespace

TEST_CASE("the forms of labels are counted, each with its first file") {
  const TempFolder folder;
  const std::vector<Color> palette{{0, 0, 0}, {9, 9, 9}};
  const std::vector<std::uint16_t> ids(48, 1);
  const std::map<std::string, Bytes> labels{
      {"a", id_label(8, 6, ids)},
      {"b", id_label(8, 6, ids, 1)},
      {"c", id_label(8, 6, ids, 16)},
      {"d", palette_label(8, 6, ids, palette)},
      {"e", color_label(8, 6, ids, palette)},
      {"f",
       make_jpeg({.width = 8, .height = 6, .color = JpegColor::gray}, smooth_samples(8, 6, 1))}};
  for (const auto& [key, label] : labels) {
    put(folder, "images/" + key + ".png", photo());
    put(folder, "labels/" + key + (key == "f" ? ".jpg" : ".png"), label);
  }
  const HeaderProbe headers = probed(folder);
  CHECK(headers.problems.text() == "");
  CHECK(headers.forms.gray8.count == 2);
  CHECK(headers.forms.gray8.first == folder / "labels/a.png");
  CHECK(headers.forms.gray16.count == 1);
  CHECK(headers.forms.palette.count == 1);
  CHECK(headers.forms.rgb.count == 1);
  CHECK(headers.forms.jpeg.count == 1);
  CHECK(headers.forms.jpeg.first == folder / "labels/f.jpg");
  CHECK(headers.largest_pixels == 48);
}

TEST_CASE("files that are no readable images are problems, each with its name") {
  const TempFolder folder;
  put(folder, "images/good.png", photo(20, 10));
  put(folder, "images/empty.png", {});
  put(folder, "images/text.png", text_file("hello"));
  put(folder, "images/bmp.png", text_file("BM\x36\x01"));
  put(folder, "images/short.png", truncated(photo(), 20));
  const HeaderProbe headers = probed(folder);
  CHECK(headers.unreadable == 4);
  CHECK(headers.problems.group(ProblemKind::unreadable_header).count == 4);
  for (const std::string name : {"empty.png", "text.png", "bmp.png", "short.png"})
    CHECK_THAT(headers.problems.text(), ContainsSubstring(folder / ("images/" + name)));
  CHECK_THAT(headers.problems.text(), ContainsSubstring("BMP"));
  CHECK(headers.largest_pixels == 200);
}

TEST_CASE("content decides what a file is, not its extension") {
  const TempFolder folder;
  put(folder, "images/a.png", make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3)));
  put(folder, "images/b.jpg", photo());
  CHECK(probed(folder).problems.text() == "");
}

TEST_CASE("an unusable label is a problem too") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  put(folder, "labels/a.png", text_file("no image"));
  const HeaderProbe headers = probed(folder);
  CHECK(headers.unreadable == 1);
  CHECK_THAT(headers.problems.text(), ContainsSubstring(folder / "labels/a.png"));
}

TEST_CASE("examples do not depend on the number of threads") {
  const TempFolder folder;
  for (int i = 0; i < 300; ++i)
    folder.write("images/" + std::to_string(1000 + i) + ".png",
                 i % 3 == 0 ? "no image" : std::string_view("\x89PNG\r\n\x1a\n", 8));
  const PackOptions options = options_for(folder);
  std::vector<std::string> texts;
  for (const int threads : {1, 8})
    texts.push_back(probed(options, {threads, threads}).problems.text());
  CHECK(texts[0] == texts[1]);
  CHECK_THAT(texts[0], ContainsSubstring("300 files that are not readable images") &&
                           ContainsSubstring("1004.png"));
}

TEST_CASE("a file that vanished is a problem, and probing goes on") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  put(folder, "images/b.png", photo());
  const PackOptions options = options_for(folder);
  SampleList list = samples_of(options);
  std::filesystem::remove(folder / "images/a.png");
  Recorder recorder;
  const auto headers = probe_headers(list, options.record, recorder);
  REQUIRE(headers.ok());
  const ProblemLog::Group& group = headers->problems.group(ProblemKind::unopenable_file);
  REQUIRE(group.count == 1);
  CHECK(group.examples[0].path == folder / "images/a.png");
  CHECK_FALSE(list.samples[1].size == Extent{});
}

TEST_CASE("a signal ends probing") {
  const TempFolder folder;
  folder.write("images/a.png", "no image");
  const PackOptions options = options_for(folder);
  Recorder recorder;
  recorder.stopped = true;
  SampleList list = samples_of(options);
  CHECK(probe_headers(list, options.record, recorder).value().problems.count() == 0);
}

TEST_CASE("an image beyond --max-pixels is refused by its header") {
  RecordOptions options;
  options.max_pixels = 1200;
  CHECK_FALSE(checked(info_of(40, 30), {}, options));
  const auto image = checked(info_of(41, 30), {}, options);
  REQUIRE(image);
  CHECK(image->kind == ProblemKind::too_large);
  CHECK(image->text() == "image.jpg: is 41x30 = 1230 pixels, the limit is 1200");
  const auto label = checked(info_of(40, 30), info_of(41, 30), options);
  REQUIRE(label);
  CHECK(label->path == "label.png");
}

TEST_CASE("an image of too many tiles is refused, with advice about tiles") {
  RecordOptions options;
  options.tile = TileOptions{{1, 1}, 0};
  CHECK_FALSE(checked(info_of(1024, 1024), {}, options));
  const auto image = checked(info_of(1025, 1024), {}, options);
  REQUIRE(image);
  CHECK_THAT(image->text(), ContainsSubstring("1025x1024 makes too many tiles"));
  CHECK_THAT(std::string(problem_title(image->kind, 1)), !ContainsSubstring("--max-pixels"));
  CHECK_THAT(std::string(problem_advice(image->kind)), ContainsSubstring("a larger --tile"));
}

TEST_CASE("different image and label sizes are refused unless resized separately") {
  RecordOptions options;
  CHECK_FALSE(checked(info_of(40, 30), info_of(40, 30), options));
  const auto problem = checked(info_of(40, 30), info_of(31, 40), options);
  REQUIRE(problem);
  CHECK(problem->kind == ProblemKind::size_mismatch);
  CHECK(problem->text() == "image.jpg: is 40x30, its label 'label.png' is 31x40");
  options.size_mismatch = SizeMismatch::each_to_target;
  CHECK_FALSE(checked(info_of(40, 30), info_of(30, 40), options));
}

TEST_CASE("exchanged sides are named, and if all labels have them") {
  const TempFolder folder;
  put(folder, "images/a.png", photo(8, 6));
  put(folder, "labels/a.png", noise_label(6, 8));
  put(folder, "images/b.png", photo(8, 6));
  put(folder, "labels/b.png", noise_label(6, 8));
  SampleList list = samples_of(options_for(folder));
  Recorder recorder;
  HeaderProbe found = probe_headers(list, {}, recorder).value();
  CHECK(found.problems.group(ProblemKind::exchanged_sides).count == 2);
  note_exchanged_sides(3, found.problems);
  CHECK_THAT(found.problems.text(), !ContainsSubstring("all 3"));
  note_exchanged_sides(2, found.problems);
  CHECK_THAT(found.problems.text(),
             ContainsSubstring("2 labels whose width and height are exchanged") &&
                 ContainsSubstring("is 6x8; width and height are exchanged in all 2 labels") &&
                 !ContainsSubstring("--size-mismatch"));
}

TEST_CASE("a label with an EXIF orientation is refused unless it is ignored") {
  RecordOptions options;
  for (const ExifPolicy policy : {ExifPolicy::automatic, ExifPolicy::apply, ExifPolicy::ignore}) {
    options.exif = policy;
    const auto problem = checked(info_of(40, 30), info_of(40, 30, 3), options);
    CHECK(problem.has_value() == (policy != ExifPolicy::ignore));
    if (problem) CHECK(problem->text() == "label.png: EXIF orientation 3, its image none");
    CHECK(checked(info_of(40, 30, 6), info_of(40, 30, 6), options).has_value() ==
          (policy != ExifPolicy::ignore));
  }
  CHECK(problem_options(ProblemKind::label_orientation) == "--exif ignore|--on-error skip");
}

TEST_CASE("sizes are compared as the EXIF rule leaves them") {
  RecordOptions options;
  CHECK_FALSE(checked(info_of(40, 30, 6), info_of(30, 40), options));
  CHECK_FALSE(checked(info_of(40, 30, 6), info_of(40, 30), options));
  options.exif = ExifPolicy::apply;
  CHECK_FALSE(checked(info_of(40, 30, 6), info_of(30, 40), options));
  CHECK(checked(info_of(40, 30, 6), info_of(40, 30), options)->kind == ProblemKind::size_mismatch);
  options.exif = ExifPolicy::ignore;
  CHECK(checked(info_of(40, 30, 6), info_of(30, 40), options)->kind == ProblemKind::size_mismatch);
}

TEST_CASE("an orientation that nothing settles asks for a choice") {
  const auto problem = checked(info_of(30, 30, 6), info_of(30, 30));
  REQUIRE(problem);
  CHECK(problem->kind == ProblemKind::orientation);
  CHECK(problem->text() == "image.jpg: EXIF orientation 6, stored 30x30, label 30x30");
  CHECK_THAT(std::string(problem_advice(problem->kind)),
             ContainsSubstring("--exif apply or --exif ignore"));
  CHECK_FALSE(checked(info_of(30, 30, 6), {}));
}

TEST_CASE("probing headers computes the packed size of every sample") {
  const TempFolder folder;
  put(folder, "images/a.png", photo(10, 6));
  put(folder, "labels/a.png", noise_label(8, 7));
  put(folder, "images/b.png", photo(4, 5));
  put(folder, "labels/b.png", noise_label(4, 5));
  PackOptions options = options_for(folder);
  SampleList list = samples_of(options);
  Recorder recorder;
  CHECK(probe_headers(list, options.record, recorder)
            .value()
            .problems.group(ProblemKind::size_mismatch)
            .count == 1);
  CHECK(list.samples[0].size == Extent{});
  CHECK(list.samples[1].size == Extent{4, 5});
  for (const auto& [policy, expected] : {std::pair(SizeMismatch::each_to_target, Extent{10, 6}),
                                         std::pair(SizeMismatch::resize_label, Extent{10, 6}),
                                         std::pair(SizeMismatch::crop_min, Extent{8, 6})}) {
    options.record.size_mismatch = policy;
    CHECK(probe_headers(list, options.record, recorder).value().problems.count() == 0);
    CHECK(list.samples[0].size == expected);
  }
}

TEST_CASE("the packed size follows the EXIF rotation") {
  const codecs::ImageInfo image = info_of(8, 6, 6);
  CHECK(packed_source_size(headers_of(image, {}), {}) == Extent{6, 8});
  CHECK(packed_source_size(headers_of(image, info_of(8, 6)), {}) == Extent{8, 6});
  CHECK(packed_source_size(headers_of(image, info_of(6, 8)), {}) == Extent{6, 8});
}
