#include "files/pair_table.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

// "line:image|label|split;" for each row, or the error.
std::string rows_of(std::string_view text, const ColumnNames& given = {}) {
  Result<PairTable> table = PairTable::open(text, "table", given);
  if (!table.ok()) return table.error().describe();
  std::string all;
  while (true) {
    const Result<std::optional<PairRow>> row = table->next();
    if (!row.ok()) return row.error().describe();
    if (!*row) return all;
    all += std::to_string((*row)->line.number) + ":" + (*row)->image + "|" + (*row)->label + "|" +
           (*row)->split + ";";
  }
}

}  // namespace

TEST_CASE("CSV, TSV and space-separated text are recognized by content") {
  CHECK(rows_of("a.png,b.png\nc d.png , \"e,f.png\"\r\n") == "1:a.png|b.png|;2:c d.png|e,f.png|;");
  CHECK(rows_of("a b.png\tc.png\n") == "1:a b.png|c.png|;");
  CHECK(rows_of("/SegNet/a.png /SegNet/b.png\n\n# end\n") == "1:/SegNet/a.png|/SegNet/b.png|;");
  CHECK(rows_of("\"a b.png\" cat train\n") == "1:a b.png|cat|train;");
  CHECK(rows_of("\xEF\xBB\xBF"
                "a.png,b.png") == "1:a.png|b.png|;");
  CHECK(rows_of("a.png\nb.png\n") == "1:a.png||;2:b.png||;");
}

TEST_CASE("separators in quotes do not tell the form") {
  CHECK(rows_of("\"a,b.png\";\"c,d.png\"\n") == "1:a,b.png|c,d.png|;");
  CHECK(rows_of("\"a;b.png\",c.png\n") == "1:a;b.png|c.png|;");
}

TEST_CASE("the last fields of a row of tab-separated values may be empty") {
  CHECK(rows_of("image\tlabel\tnote\na.png\tb.png\t\nc.png\t\t\r\nd.png\tcat\tx\n") ==
        "2:a.png|b.png|;3:c.png||;4:d.png|cat|;");
  CHECK(rows_of("a.png\tb.png\nc.png\td.png\t\n") == "1:a.png|b.png|;2:c.png|d.png|;");
  CHECK_THAT(rows_of("image\tlabel\tnote\na.png\tb.png\n"), ContainsSubstring("has 2 columns"));
}

TEST_CASE("a header names the columns in any order and among others") {
  CHECK(rows_of("id,Mask,Split,File Name\n7,m.png,val,a.png\n") == "2:a.png|m.png|val;");
  CHECK(rows_of("filename\tclass\na.png\tgolden retriever\n") == "2:a.png|golden retriever|;");
  CHECK(rows_of("image_path,label_path\na.png,\n") == "2:a.png||;");
}

TEST_CASE("JSON lines have a file_name and labels under common names") {
  CHECK(rows_of("{\"file_name\": \"a.png\", \"label\": 3, \"caption\": [1]}\n{\"file_name\": "
                "\"b.png\", \"label\": null}\n") == "1:a.png|3|;2:b.png||;");
  CHECK(rows_of("{\"image\": \"a.png\", \"mask\": \"m/a.png\", \"split\": \"test\"}\n") ==
        "1:a.png|m/a.png|test;");
}

TEST_CASE("a key of JSON lines that the first line lacks is refused") {
  CHECK_THAT(rows_of("{\"image\": \"a.png\"}\n{\"image\": \"b.png\", \"label\": 1}\n"),
             ContainsSubstring("line 2: has 'label', which the first line lacks"));
  CHECK(rows_of("{\"image\": \"a.png\", \"label\": null}\n{\"label\": 1, \"image\": \"b.png\", "
                "\"note\": 2}\n") == "1:a.png||;2:b.png|1|;");
  CHECK_THAT(rows_of("{\"image\": \"a.png\", \"split\": \"val\"}\n{\"image\": \"b.png\"}\n"),
             ContainsSubstring("line 2: names no split"));
}

TEST_CASE("a syntax error names the line, what was found and what was expected") {
  CHECK_THAT(rows_of(""), ContainsSubstring("table: is empty"));
  CHECK_THAT(rows_of("a.png,b.png\nc.png\n"),
             ContainsSubstring("line 2: has 1 columns ('c.png'), expected 2"));
  CHECK_THAT(rows_of("a.png b.png c.png d.png\n"), ContainsSubstring("line 1: has 4 columns"));
  CHECK_THAT(rows_of("a.png,b.png,foo\n"), ContainsSubstring("no header"));
  CHECK_THAT(
      rows_of("mask,split\nb.png,val\n"),
      ContainsSubstring("line 1: no column (or key) names the image; found 'mask', 'split'"));
  CHECK_THAT(rows_of("image,mask,label\na.png,b.png,c\n"),
             ContainsSubstring("'mask' and 'label' both name the label"));
  CHECK_THAT(rows_of("image,split\na.png,\n"), ContainsSubstring("line 2: names no split"));
  CHECK_THAT(rows_of("image,mask\n,m.png\n"), ContainsSubstring("line 2: names no image"));
  CHECK_THAT(rows_of("a.png,\"b.png\n"), ContainsSubstring("line 1: a quote is not closed"));
  CHECK_THAT(rows_of("{\"file_name\": \"a.png\"}\n{\"file\n"),
             ContainsSubstring("line 2: is no JSON object"));
  CHECK_THAT(rows_of("{\"text\": \"a\"}\n"),
             ContainsSubstring("no column (or key) names the image"));
}

TEST_CASE("COCO and other JSON is refused by name") {
  CHECK_THAT(rows_of("{\"images\": [], \"annotations\": []}"),
             ContainsSubstring("is a COCO annotation file"));
  CHECK_THAT(rows_of("[{\"file_name\": \"a.png\"}]"), ContainsSubstring("JSON list"));
  CHECK_THAT(
      rows_of("{\n \"images\": []\n}"),
      ContainsSubstring("COCO or LabelMe polygons, is not supported; draw its masks as PNG"));
}

TEST_CASE("an unused column of words for splits is found after the last row") {
  const auto found = [](const std::string& text) -> std::string {
    PairTable table = PairTable::open(text, "table").value();
    while (table.next().value()) continue;
    const auto words = table.split_words();
    return words ? words->column + ": " + joined_text(words->words, " ") : "";
  };
  CHECK(found("image,class,fold\na.png,1,train\nb.png,1,Test\n") == "fold: Test train");
  CHECK(
      found(
          "{\"image\": \"a.png\", \"use\": \"val\"}\n{\"image\": \"b.png\", \"use\": \"dev\"}\n") ==
      "use: dev val");
  for (const std::string text :
       {"image,class,fold\na.png,1,train\nb.png,1,train\n",
        "image,class,fold\na.png,1,1\nb.png,1,2\n",
        "image,class,fold\na.png,1,train\nb.png,1,rest\n",
        "image,class,fold\na.png,1,\nb.png,1,test\n",
        "image,class,split\na.png,1,train\nb.png,1,test\n",
        "{\"image\": \"a.png\", \"use\": \"val\"}\n{\"image\": \"b.png\"}\n"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
}

TEST_CASE("given names of columns go before usual names") {
  ColumnNames given;
  given.image = "sat";
  CHECK(rows_of("image,sat,mask\nx,1.jpg,m.png\n", given) == "2:1.jpg|m.png|;");
  given.label = "image";
  CHECK(rows_of("image,sat,mask\nx,1.jpg,m.png\n", given) == "2:1.jpg|x|;");
  given.split = "mask";
  CHECK(rows_of("image,sat,mask\nx,1.jpg,val\n", given) == "2:1.jpg|x|val;");
  CHECK(rows_of("{\"sat\": \"1.jpg\", \"image\": 3, \"mask\": \"val\"}\n", given) ==
        "1:1.jpg|3|val;");
  CHECK_THAT(rows_of("image,sat,Sat,mask\nx,1.jpg,2.jpg,val\n", {"Satz", "", "", false}),
             ContainsSubstring("line 1: --columns names 'Satz', but the columns (or keys) are "
                               "'image', 'sat', 'Sat', 'mask'"));
  CHECK_THAT(rows_of("a,a\n1.jpg,x\n", {"a", "", "", false}),
             ContainsSubstring("'a' and 'a' both name the image"));
  CHECK_THAT(rows_of("image,img\n1.jpg,2.jpg\n"), ContainsSubstring("choose one with --columns"));
}

TEST_CASE("a first row without a file and without a usual name is refused") {
  for (const std::string text :
       {"Bild,Klasse\n1.jpg,cat\n", "id,breed\n1,pug\n",
        "ImageId,ClassId,EncodedPixels\n1.jpg,3,1 2\n", "Image Index,Finding Labels\n1.png,x\n",
        "lesion_id,image_id,dx\nH,I,nv\n", "1,cat\n"}) {
    CAPTURE(text);
    CHECK_THAT(rows_of(text), ContainsSubstring("table: line 1: is no sample, because"));
  }
  CHECK_THAT(rows_of("image_id,split,sat_image_path,mask_path\n1,train,a.jpg,b.png\n"),
             ContainsSubstring("no column (or key) names the image; found 'image_id', 'split', "
                               "'sat_image_path', 'mask_path'; name its columns with --columns"));
  const auto is_file = [](const std::string& path) { return path == "1"; };
  CHECK(PairTable::open("1,cat\n", "table", {}, is_file).ok());
  CHECK_FALSE(PairTable::open("2,cat\n", "table", {}, is_file).ok());
}

TEST_CASE("a class file is no table of samples") {
  for (const std::string header : {"class_names,r,g,b", "class,Red,Green,Blue", "id;name;r;g;b"})
    CHECK_THAT(rows_of(header + "\n"), ContainsSubstring("this is a class file, not a table of "
                                                         "samples; give it with --classes"));
}

TEST_CASE("a first line of a spreadsheet names the separator") {
  CHECK(rows_of("\xEF\xBB\xBFsep=;\r\nimage;mask\r\na,1.png;b.png\r\n") == "3:a,1.png|b.png|;");
  CHECK(rows_of("SEP=\t\nimage\tmask\na.png\tb.png\n") == "3:a.png|b.png|;");
  CHECK_THAT(rows_of("sep=;\n"), ContainsSubstring("is empty"));
}
