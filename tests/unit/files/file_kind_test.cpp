#include "files/file_kind.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("the kind of a file follows from its name") {
  CHECK(describe_name("a/b.png").kind == FileKind::image);
  CHECK(describe_name("a.JPeG").kind == FileKind::image);
  CHECK(describe_name("a.jfif").is_jpeg);
  CHECK_FALSE(describe_name("a.png").is_jpeg);
  CHECK(describe_name("README").kind == FileKind::other);
  CHECK(describe_name("png").kind == FileKind::other);
  CHECK(describe_name("list.txt").kind == FileKind::other);
  CHECK(describe_name("a/._b.png").kind == FileKind::junk);
  CHECK(describe_name("a/Thumbs.db").kind == FileKind::junk);
  CHECK(describe_name(".hidden/b.png").kind == FileKind::image);  // folders are examined one by one
  CHECK(describe_name("coco.json").kind == FileKind::annotation);
}

TEST_CASE("the stem is the name without its extension") {
  CHECK(describe_name("a.b.png").stem_length == 3);
  CHECK(describe_name("dir.x/name").stem_length == 10);
  CHECK(describe_name("scan.nii.gz").stem_length == 4);
  CHECK(describe_name("scan.nii").stem_length == 4);
  CHECK(describe_name("x.gz").kind == FileKind::other);
}

TEST_CASE("unsupported formats have a name and advice") {
  CHECK(unsupported_text(describe_name("a.TIFF").format) ==
        "TIFF is not supported; convert it to PNG");
  CHECK(unsupported_text(describe_name("a.webp").format) ==
        "WebP is not supported; convert it to PNG");
  CHECK(unsupported_text(describe_name("a.nii.gz").format) ==
        "NIfTI is not supported; convert its slices to PNG");
  CHECK(unsupported_text(describe_name("a.mat").format) ==
        "MATLAB is not supported; save its arrays as PNG");
}
