#include "loader/batch_form.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::loader;
using namespace hotpack::test;

namespace {

BatchForm form_of(const Schema& schema, const LoaderOptions& options, std::size_t rows = 4) {
  auto form = BatchForm::make(schema, options, rows);
  INFO((form.ok() ? std::string() : form.error().describe()));
  REQUIRE(form.ok());
  return std::move(form).value();
}

Schema schema_of(const char* name) { return tiny_schema(all_forms().at(name)); }

std::string refusal(const char* name, const LoaderOptions& options, std::size_t rows = 4) {
  const auto form = BatchForm::make(schema_of(name), options, rows);
  REQUIRE_FALSE(form.ok());
  CHECK(form.error().code == ErrorCode::usage);
  return form.error().message;
}

RecordShape record_of(std::int64_t width, std::int64_t height) {
  return {{height, width, 3, AxisOrder::channels_last},
          {LabelScope::pixel, LabelStorage::bits, false, height, width, 3}};
}

}  // namespace

TEST_CASE("the record's shape is read from the schema, whatever its layout") {
  for (const char* const name : {"bits", "chw"}) {
    const BatchForm form = form_of(schema_of(name), {});
    CHECK(form.one_size());
    CHECK(form.record().image.width == 6);
    CHECK(form.record().image.height == 5);
    CHECK(form.record().label.size_bytes() == 30);
    CHECK(form.output() == PixelSize{6, 5});
  }
  CHECK(form_of(schema_of("gray"), {}).record().image.channels == 1);
  CHECK(form_of(schema_of("sample-bits"), {}).record().label.vectors() == 1);
  CHECK(form_of(schema_of("unlabeled"), {}).record().label.class_count == 0);
}

TEST_CASE("the size of a row follows crop, resized crop, pad_to and content") {
  LoaderOptions options;
  CHECK(form_of(schema_of("bits"), options).row_bytes(record_of(6, 5), {6, 5}).image == 90);
  options.augment.crop = Crop{{4, 3}};
  CHECK(form_of(schema_of("bits"), options).output() == PixelSize{4, 3});
  CHECK(form_of(schema_of("mixed"), options).output() == PixelSize{4, 3});
  options.augment.crop.reset();
  options.augment.resized_crop = ResizedCrop{{9, 8}};
  CHECK(form_of(schema_of("mixed"), options).output() == PixelSize{9, 8});
  options.content = BatchContent::packed;  // crops are chosen, not applied
  CHECK(form_of(schema_of("bits"), options).output() == PixelSize{6, 5});
  options = {};
  options.pad_to = PixelSize{7, 9};
  CHECK(form_of(schema_of("bits"), options).output() == PixelSize{7, 9});
}

TEST_CASE("records of mixed sizes have no common row without an option") {
  const BatchForm form = form_of(schema_of("mixed"), {}, 1);
  CHECK_FALSE(form.one_size());
  CHECK_FALSE(form.output());
  CHECK(form.row_bytes(record_of(4, 3), {4, 3}).image == 36);
  CHECK(form.row_bytes(record_of(4, 3), {4, 3}).label == 12);
  CHECK_THAT(refusal("mixed", {}, 2),
             ContainsSubstring("a crop or pad_to, or batches of one row per rank"));
}

TEST_CASE("a record is placed by the options, one beyond pad_to is refused") {
  const SampleCrop whole{0, 0, 6, 5, true, false};
  LoaderOptions options;
  CHECK(form_of(schema_of("bits"), options).place(record_of(6, 5), whole)->output ==
        PixelSize{6, 5});
  options.pad_to = PixelSize{7, 9};
  const BatchForm padded = form_of(schema_of("mixed"), options);
  CHECK(padded.place(record_of(6, 5), whole)->output == PixelSize{7, 9});
  CHECK(padded.place(record_of(6, 5), whole)->box == whole);
  const auto larger = padded.place(record_of(8, 5), whole);
  REQUIRE_FALSE(larger.ok());
  CHECK(larger.error().code == ErrorCode::data);
  CHECK(larger.error().message ==
        "the record is 8x5 pixels, larger than pad_to 7x9; use a larger pad_to, or a crop");
  CHECK_FALSE(padded.place(record_of(6, 10), whole).ok());
  options = {};
  options.augment.resized_crop = ResizedCrop{{9, 8}};
  CHECK(form_of(schema_of("bits"), options).place(record_of(6, 5), whole)->resample);
}

TEST_CASE("packed records are placed whole, unflipped") {
  LoaderOptions options;
  options.content = BatchContent::packed;
  const auto placed =
      form_of(schema_of("bits"), options).place(record_of(6, 5), {1, 1, 3, 3, true, true});
  CHECK(placed->box == SampleCrop{0, 0, 6, 5, false, false});
}

TEST_CASE("packed labels have the shape they are stored in") {
  LoaderOptions options;
  options.content = BatchContent::packed;
  const auto shape_of = [&](const char* name) {
    const BatchForm form = form_of(schema_of(name), options);
    BatchField image, label;
    form.describe(form.record(), {6, 5}, 4, image, label);
    return label;
  };
  CHECK(shape_of("bits-12").shape == std::vector<std::int64_t>{4, 5, 6, 2});
  CHECK(shape_of("onehot").shape == std::vector<std::int64_t>{4, 5, 6, 3});
  CHECK(shape_of("index").shape == std::vector<std::int64_t>{4, 5, 6});
  CHECK(shape_of("index").dtype == ElementType::u8);
  CHECK(shape_of("index-300").dtype == ElementType::u16);
  CHECK(shape_of("sample-bits").shape == std::vector<std::int64_t>{4, 1});
  CHECK(shape_of("sample-index").shape == std::vector<std::int64_t>{4});
  CHECK(shape_of("unlabeled").shape.empty());
}

TEST_CASE("packed content refuses expansion, unlabeled sets refuse labels") {
  LoaderOptions options;
  options.content = BatchContent::packed;
  options.label.form = LabelForm::one_hot;
  CHECK_THAT(refusal("bits", options), ContainsSubstring("`label` has no effect"));
  CHECK_THAT(refusal("unlabeled", options), ContainsSubstring("has no labels"));
  options.label = {};
  options.image.dtype = ElementType::f32;
  CHECK_THAT(refusal("bits", options), ContainsSubstring("`image` has no effect"));
}
