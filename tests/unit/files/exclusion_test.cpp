#include "files/exclusion.hpp"

#include "files/scan.hpp"
#include "files/scan_scope.hpp"
#include "files/tree_walk.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// Scans a folder twice without what the globs leave out.
Names left(const TempFolder& folder, Exclusion& exclusion) {
  const ScanScope scope(2, nullptr, &exclusion);
  ProblemLog problems;
  FileList list;
  for (int i = 0; i < 2; ++i) list = scan_images({{folder.path(), ""}}, problems).value();
  CHECK(problems.text() == "");
  Names paths;
  for (const FoundFile& file : list.files) paths.emplace_back(list.below(file));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("globs leave out files and whole folders, counted once") {
  const TempFolder folder;
  touch(folder, {"a.png", "a_preview.png", "in/b_preview.png", "in/b.png", "figures/c.png",
                 "in/figures/d.png", "in/figures/e.tif"});
  Exclusion by_name({"*_preview.png", "figures/"}, {folder.path()});
  CHECK(left(folder, by_name) == Names{"a.png", "in/b.png"});
  CHECK(by_name.count() == 4);
  CHECK(by_name.unused().empty());
}

TEST_CASE("a glob with a slash is matched with paths below the folder") {
  const TempFolder folder;
  touch(folder, {"figures/c.png", "in/figures/d.png", "in/x/y.png"});
  Exclusion by_path({"in/figures", "*/y.png", "./in/nothing"}, {folder.path() + "/"});
  CHECK(left(folder, by_path) == Names{"figures/c.png", "in/x/y.png"});
  CHECK(by_path.unused() == Names{"*/y.png", "./in/nothing"});
  Exclusion elsewhere({"figures"}, {folder / "in"});
  CHECK(left(folder, elsewhere) == Names{"figures/c.png", "in/x/y.png"});
}

TEST_CASE("the entries of a folder lack what is left out") {
  const TempFolder folder;
  touch(folder, {"a.png", "b/c.png", "d/e.png"});
  Exclusion exclusion({"a.*", "b"}, {folder.path()});
  const ScanScope scope(1, nullptr, &exclusion);
  const FolderContent content = read_folder(folder.path()).value();
  CHECK(content.files.empty());
  CHECK(content.folders == Names{"d"});
}
