#include "samples/pair_file.hpp"

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

PackOptions pair_options(const std::string& file) {
  PackOptions options;
  options.input.pairs = file;
  return options;
}

}  // namespace

TEST_CASE("a table pairs files anywhere, relative to its own folder") {
  const TempFolder folder;
  touch(folder, {"set/x/2.jpg", "set/y/mask two.png", "set/x/1.png", "set/z.png"});
  folder.write("set/pairs.csv", "image,mask\nx/2.jpg,y/mask two.png\n./x/1.png,z.png\n");
  const DiscoveredInput input = discovered_clean(pair_options(folder / "set/pairs.csv"));
  CHECK(input.pairs(folder) ==
        Names{"x/1: set/x/1.png set/z.png", "x/2: set/x/2.jpg set/y/mask two.png"});
  CHECK(input.list().has_label_files);
  CHECK(input.discovery.layout ==
        "'" +
            folder /
                "set/pairs.csv' is a table of comma-separated values: each line has an image "
                "and a label file; paths begin in '" +
            folder / "set'\n");
}

TEST_CASE("paths in every form of writing keep their text and key") {
  const TempFolder folder;
  touch(folder, {"a/1.png", "a/b/2.png", "a/c \"d\".png", "a/é.png", "m.png"});
  folder.write("pairs.csv",
               "image,mask\na/b/../1.png,m.png\na/./b/2.png,a/../m.png\n"
               "\"a/c \"\"d\"\".png\",./m.png\n");
  CHECK(discovered_clean(pair_options(folder / "pairs.csv")).pairs(folder) ==
        Names{"a/1: a/1.png m.png", "a/b/2: a/b/2.png m.png", "a/c \"d\": a/c \"d\".png m.png"});
  folder.write("pairs.jsonl",
               "{\"image\":\"a/./b/2.png\",\"mask\":\"m.png\"}\n"
               "{\"image\":\"a/\\u00e9.png\",\"mask\":\"\\u006d.png\"}\n");
  CHECK(discovered_clean(pair_options(folder / "pairs.jsonl")).pairs(folder) ==
        Names{"a/b/2: a/b/2.png m.png", "a/é: a/é.png m.png"});
}

TEST_CASE("SegNet lists are moved to a new root") {
  const TempFolder folder;
  touch(folder, {"camvid/train/1.png", "camvid/trainannot/1.png"});
  folder.write("lists/train.txt", "/SegNet/CamVid/train/1.png /SegNet/CamVid/trainannot/1.png\r\n");
  PackOptions options = pair_options(folder / "lists/train.txt");
  options.input.list_root = folder / "camvid/";
  options.input.strip_prefix = "/SegNet/CamVid";
  CHECK(discovered_clean(options).pairs(folder) ==
        Names{"train/1: camvid/train/1.png camvid/trainannot/1.png"});

  options.input.strip_prefix = "/Segnet/";
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("--strip-prefix /Segnet/: no path of"));
}

TEST_CASE("absolute paths give keys relative to the base folder or to /") {
  const TempFolder folder, other;
  touch(folder, {"a.png", "b.png"});
  touch(other, {"c.png"});
  folder.write("pairs.txt", folder / "a.png" + "\t" + folder / "b.png" + "\n" + other / "c.png" +
                                "\t" + folder / "b.png");
  const DiscoveredInput input = discovered_clean(pair_options(folder / "pairs.txt"));
  CHECK(input.list().image_path(input.list().samples.at(0)) == folder / "a.png");
  CHECK(input.keys() == Names{"a", (other / "c").substr(1)});
}

TEST_CASE("an image by two paths is in one split, and listed once") {
  const TempFolder folder;
  touch(folder, {"set/0.png", "set/1.png"});
  std::filesystem::create_directory_symlink(folder / "set", folder / "link");
  for (const std::string& path :
       Names{folder / "set/0.png", "../set/0.png", folder / "link/0.png", "../link/0.png"}) {
    CAPTURE(path);
    folder.write("set/t.csv",
                 "image,class,split\n0.png,a,train\n1.png,b,train\n" + path + ",a,test\n");
    CHECK_THAT(refused(pair_options(folder / "set/t.csv")).message,
               ContainsSubstring("1 sample is in more than one split, such as '0'"));
    folder.write("set/t.csv", "image,class\n0.png,a\n1.png,b\n" + path + ",b\n");
    CHECK(discovered(pair_options(folder / "set/t.csv"))
              .problems.group(ProblemKind::listed_twice)
              .count == 1);
  }
}

TEST_CASE("an image cannot be its own label") {
  const TempFolder folder;
  touch(folder, {"0.png", "1.png", "masks/0.png", "masks/1.png"});
  for (const std::string& row : Names{"0,0", "0.png,./0.png", "0.png," + folder / "0.png"}) {
    CAPTURE(row);
    folder.write("t.csv", "image,mask\n" + row + "\n1.png,masks/1.png\n");
    PackOptions options = pair_options(folder / "t.csv");
    options.input.skip_orphans = true;
    const DiscoveredInput input = discovered(options);
    CHECK(input.keys() == Names{"1"});
    CHECK_THAT(input.problems.text(),
               ContainsSubstring("0.png: the label is the image itself; give the path of its "
                                 "label (" +
                                 folder / "t.csv, line 2)"));
  }
}

TEST_CASE("a listed file whose name differs in case is named") {
  const TempFolder folder;
  touch(folder, {"IMG_1.JPG", "b.png"});
  folder.write("pairs.csv", "image,class\nimg_1.jpg,cat\nb.png,dog\n");
  CHECK_THAT(discovered(pair_options(folder / "pairs.csv")).problems.text(),
             ContainsSubstring("img_1.jpg: there is no such file; the file 'IMG_1.JPG' there "
                               "differs in upper and lower case only: write the names as"));
}

TEST_CASE("a listed file that does not exist is a problem with its line") {
  const TempFolder folder;
  touch(folder, {"a.png", "b.png", "m/a.png", "c.tif"});
  folder.write("pairs.csv", "a.png,m/a.png\nb.png,m/b.png\nx/c.png,m/a.png\nc.tif,m/a.png\n");
  PackOptions options = pair_options(folder / "pairs.csv");
  const DiscoveredInput input = discovered(options);
  CHECK(input.keys() == Names{"a"});
  CHECK(input.problems.group(ProblemKind::missing_file).count == 2);
  CHECK_THAT(input.problems.text(), ContainsSubstring(folder / "m/b.png: there is no such file (" +
                                                      folder / "pairs.csv, line 2)"));
  CHECK_THAT(input.problems.text(), ContainsSubstring(folder / "x/c.png: there is no such file (" +
                                                      folder / "pairs.csv, line 3)"));
  CHECK_THAT(input.problems.text(), ContainsSubstring("TIFF is not supported"));
  options.input.skip_orphans = true;
  const DiscoveredInput skipped = discovered_clean(options);
  CHECK(skipped.keys() == Names{"a"});
  CHECK(skipped.discovery.orphans_left_out == 3);
}

TEST_CASE("a label that is not a file is a class of the whole image") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "3.jpg"});
  folder.write("t.csv",
               "filename,category\n1.jpg,golden retriever\n3.jpg,ant\n2.jpg,golden retriever\n");
  const DiscoveredInput input = discovered_clean(pair_options(folder / "t.csv"));
  CHECK(input.list().class_names == Names{"ant", "golden retriever"});
  CHECK(input.classes() == Names{"1: golden retriever", "2: golden retriever", "3: ant"});
  CHECK_FALSE(input.list().has_label_files);
}

TEST_CASE("splits and classes that differ in case only are slips") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg"});
  folder.write("t.csv", "image,class\n1.jpg,cat\n2.jpg,Cat\n");
  CHECK_THAT(refused(pair_options(folder / "t.csv")).describe(),
             ContainsSubstring("the classes 'Cat' and 'cat' differ in upper and lower"));
  folder.write("t.csv", "image,class,split\n1.jpg,cat,train\n2.jpg,cat,Train\n");
  CHECK_THAT(refused(pair_options(folder / "t.csv")).describe(),
             ContainsSubstring("the splits 'Train' and 'train'"));
}

TEST_CASE("files and classes in one table are refused") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "m.png"});
  folder.write("t.csv", "1.jpg,m.png\n2.jpg,cat\n");
  const Error error = refused(pair_options(folder / "t.csv"));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("t.csv: line 2 has a class, line 1 has a label file"));
  folder.write("t.csv", "1.jpg,m.png\n2.jpg,\n");
  CHECK_THAT(refused(pair_options(folder / "t.csv")).message,
             ContainsSubstring("line 2 has no label, line 1 has a label file"));
}

TEST_CASE("a split column makes several sets") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "3.jpg"});
  folder.write("t.csv", "image,class,split\n1.jpg,b,val\n2.jpg,a,train\n3.jpg,,test\n");
  const DiscoveredInput input = discovered_clean(pair_options(folder / "t.csv"));
  CHECK(input.split_names() == Names{"test", "train", "val"});
  CHECK(input.classes("val") == Names{"1: b"});
  CHECK(input.classes("train") == Names{"2: a"});
  CHECK(input.list("val").class_names == Names{"a", "b"});
  CHECK(input.list("test").class_names.empty());  // an unlabeled split is a set of images only

  PackOptions options = pair_options(folder / "t.csv");
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"a", "1"}};
  CHECK_THAT(refused(options).message,
             ContainsSubstring("has a column of splits, and --split is given"));
  folder.write("t.csv", "image,class,split\n1.jpg,b,val\n2.jpg,a,../x\n");
  CHECK_THAT(refused(pair_options(folder / "t.csv")).message,
             ContainsSubstring("line 3: the split '../x'"));
}

TEST_CASE("a table of many rows keeps the paths of all") {
  const TempFolder folder;
  Names files;
  std::string table = "image,mask,split\n";
  Names expected[2];
  for (int i = 0; i < 20'000; ++i) {  // more than are read at once
    const std::string number = std::to_string(100'000 + i);
    table += "i/" + number + ".png,m/" + number + ".png," + (i % 3 == 0 ? "val" : "train") + "\n";
    expected[i % 3 == 0 ? 1 : 0].push_back("i/" + number + ": i/" + number + ".png m/" + number +
                                           ".png");
    files.push_back("i/" + number + ".png");
    files.push_back("m/" + number + ".png");
  }
  touch(folder, files);
  folder.write("pairs.csv", table);
  const DiscoveredInput input = discovered_clean(pair_options(folder / "pairs.csv"));
  CHECK(input.pairs(folder, "train") == expected[0]);
  CHECK(input.pairs(folder, "val") == expected[1]);
}

TEST_CASE("of rows with one key the first is kept, wherever its text is") {
  const TempFolder folder;
  touch(folder, {"a/1.png", "a/2.png", "m.png"});
  // Keys of rows as tight as the first do not fit into the row.
  folder.write("t.txt", "a/./1.png m.png\na/1.png m.png\na/./2.png m.png\n./a/2.png m.png\n");
  const DiscoveredInput input = discovered(pair_options(folder / "t.txt"));
  CHECK(input.problems.group(ProblemKind::duplicate_key).count == 2);
  const std::string text = input.problems.text(), same = ": has the same key ";
  CHECK_THAT(text, ContainsSubstring("/a/1.png" + same + "'a/1' as '" + folder / "a/./1.png'"));
  CHECK_THAT(text, ContainsSubstring("/./a/2.png" + same + "'a/2' as '" + folder / "a/./2.png'"));
  CHECK(input.keys() == Names{"a/1", "a/2"});
}

TEST_CASE("splits in a column of another name are a question without --split") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg"});
  folder.write("t.csv", "image,class,weather,fold\n1.jpg,b,sun,test\n2.jpg,a,sun,train\n");
  PackOptions options = pair_options(folder / "t.csv");
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK(error.path == folder / "t.csv");
  CHECK(error.message ==
        "the column 'fold' seems to hold splits (test, train), and no column is called 'split': "
        "rename it to 'split', or name it with --columns split=NAME, to pack a set per split, or "
        "remove it to pack all lines as one set");
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"a", "1"}};
  CHECK_THAT(discovered_clean(options).discovery.layout,
             ContainsSubstring("columns that are not used: 'weather', 'fold'"));
}

TEST_CASE("a sample in several splits is an error that names it and all of them") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "3.jpg"});
  folder.write("t.csv", "image,split\n1.jpg,val\n2.jpg,train\n1.jpg,train\n");
  const Error error = refused(pair_options(folder / "t.csv"));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(
      error.message,
      ContainsSubstring("1 sample is in more than one split, such as '1' (in 'train' and 'val')"));
  folder.write("t.csv",
               "image,split\n1.jpg,val\n1.jpg,train\n1.jpg,test\n2.jpg,test\n2.jpg,val\n"
               "3.jpg,val\n");
  CHECK_THAT(refused(pair_options(folder / "t.csv")).message,
             ContainsSubstring("2 samples are in more than one split, such as '1' (in 'test' and "
                               "'train' and 'val'), '2' (in 'test' and 'val');"));
}

TEST_CASE("an image listed twice is a problem") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "1.png", "m.png"});
  folder.write("t.csv", "1.jpg,m.png\n1.png,m.png\n");
  const DiscoveredInput input = discovered(pair_options(folder / "t.csv"));
  CHECK(input.problems.group(ProblemKind::duplicate_key).count == 1);
  CHECK_THAT(input.problems.text(), ContainsSubstring("1.png: has the same key '1' as '" +
                                                      folder / "1.jpg' in '" + folder / "t.csv'"));
}

TEST_CASE("metadata.jsonl describes an image folder") {
  const TempFolder folder;
  touch(folder, {"set/images/1.jpg", "set/masks/1.png"});
  folder.write("set/metadata.jsonl",
               "{\"file_name\": \"images/1.jpg\", \"mask\": \"masks/1.png\"}\n");
  CHECK(discovered_clean(pair_options(folder / "set/metadata.jsonl")).pairs(folder) ==
        Names{"images/1: set/images/1.jpg set/masks/1.png"});
}

TEST_CASE("option --list without --images is a table of paths") {
  const TempFolder folder;
  touch(folder, {"a/1.jpg", "b/1.png"});
  folder.write("list.txt", "a/1.jpg b/1.png\n");
  PackOptions options;
  options.input.list = folder / "list.txt";
  CHECK(discovered_clean(options).pairs(folder) == Names{"a/1: a/1.jpg b/1.png"});
}

TEST_CASE("a table with only a header is an error") {
  const TempFolder folder;
  folder.write("p.csv", "image,label\n");
  PackOptions options;
  options.input.pairs = folder / "p.csv";
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(), ContainsSubstring("p.csv: has a header and no sample"));
  folder.write("set/metadata.csv", "file_name,label\n");
  CHECK_THAT(refused(root_options(folder / "set")).describe(),
             ContainsSubstring("has a header and no sample"));
}

TEST_CASE("names in a table may begin with '#'") {
  const TempFolder folder;
  touch(folder, {"#1.png", "2.png"});
  folder.write("p.csv", "#Image,CLASS\n#1.png,cat\n2.png,dog\n");
  PackOptions options;
  options.input.pairs = folder / "p.csv";
  CHECK(discovered_clean(options).classes() == Names{"#1: cat", "2: dog"});
}

TEST_CASE("a label that is neither text nor an integer is an error with its line") {
  const TempFolder folder;
  touch(folder, {"1.png", "2.png"});
  PackOptions options;
  options.input.pairs = folder / "p.jsonl";
  for (const std::string value : {"1.0", "[\"cat\"]", "true", "{\"a\": 1}"}) {
    folder.write("p.jsonl", "{\"file_name\": \"1.png\", \"label\": " + value + "}\n");
    const Error error = refused(options);
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(error.describe(), ContainsSubstring("line 1: the value of 'label' is"));
  }
  folder.write("p.jsonl", "{\"file_name\": \"1.png\", \"label\": null, \"box\": [1, 2]}\n");
  CHECK_THAT(refused(options).message, ContainsSubstring("columns that are not used: 'box'"));
}

TEST_CASE("a table whose columns are not labels is not a list of images") {
  const TempFolder folder;
  touch(folder, {"1.png"});
  folder.write("p.csv", "file_name,species,split\n1.png,cat,train\n");
  PackOptions options;
  options.input.pairs = folder / "p.csv";
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("not used: 'species'") && ContainsSubstring("--list FILE"));
  folder.write("p.csv", "file_name,cat,dog\n1.png,1,0\n");
  CHECK_THAT(refused(options).describe(), ContainsSubstring("class, into one column"));
}

TEST_CASE("a header of unknown names is no sample, and --columns names it") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "3.jpg"});
  folder.write("t.csv", "Bild,Klasse,Teil\n1.jpg,nv,a\n2.jpg,mel,b\n3.jpg,nv,a\n");
  PackOptions options = pair_options(folder / "t.csv");
  options.input.skip_orphans = true;  // never leaves out the header
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("line 1: is no sample, because there is no file 'Bild', and no "
                               "header with a usual name: 'Bild', 'Klasse', 'Teil'.") &&
                 ContainsSubstring("--columns image=NAME,label=NAME") &&
                 ContainsSubstring("usual names of images: image, images, img"));
  options.input.columns = {"Bild", "Klasse", "Teil", true};
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.list("a").class_names == Names{"mel", "nv"});
  CHECK(input.classes("a") == Names{"1: nv", "3: nv"});
  CHECK(input.classes("b") == Names{"2: mel"});
  options.input.columns.label = "klasse";
  CHECK_THAT(refused(options).message,
             ContainsSubstring("--columns names 'klasse', but the columns (or keys) are 'Bild', "
                               "'Klasse', 'Teil'"));
}

TEST_CASE("labels of --columns class= are classes, also with names of files") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "cat", "dog.png"});
  folder.write("t.csv", "image,what\n1.jpg,cat\n2.jpg,dog.png\n");
  PackOptions options = pair_options(folder / "t.csv");
  options.input.columns.label = "what";
  CHECK(discovered(options).list().has_label_files);
  options.input.columns.classes = true;
  CHECK(discovered_clean(options).classes() == Names{"1: cat", "2: dog.png"});
}

TEST_CASE("a table without header begins with a file that exists") {
  const TempFolder folder;
  touch(folder, {"a/1.jpg", "a/2.jpg"});
  folder.write("t.csv", "1.jpg,cat\n2.jpg,dog\n");
  PackOptions options = pair_options(folder / "t.csv");
  options.input.list_root = folder / "a";
  CHECK(discovered_clean(options).classes() == Names{"1: cat", "2: dog"});
  folder.write("t.csv", "1,cat\n2,dog\n");
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.classes() == Names{"1: cat", "2: dog"});
  CHECK_THAT(input.discovery.layout,
             ContainsSubstring("images found by their names without extension: 2\n"));
  folder.write("t.csv", "x,cat\n1,dog\n");
  CHECK_THAT(refused(options).message, ContainsSubstring("there is no file 'x'"));
}

TEST_CASE("a name without extension means the only image that has it") {
  const TempFolder folder;
  touch(folder, {"part1/1.jpg", "part2/2.jpg", "part2/3.jpg", "part1/3.jpg", "4.jpg", "4.png"});
  folder.write("t.csv", "image,class\n1,cat\npart2/2,dog\n");
  CHECK(discovered_clean(pair_options(folder / "t.csv")).classes() ==
        Names{"part1/1: cat", "part2/2: dog"});
  folder.write("t.csv", "image,class\n1,cat\n3,dog\n4,dog\n5,dog\n");
  const DiscoveredInput input = discovered(pair_options(folder / "t.csv"));
  CHECK(input.keys() == Names{"part1/1"});
  CHECK(input.problems.group(ProblemKind::missing_file).count == 3);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("may be 'part1/3.jpg' or 'part2/3.jpg'; give the folder of the "
                               "images with --root") &&
                 ContainsSubstring("may be '4.jpg' or '4.png'") &&
                 ContainsSubstring("there is no such file (" + folder / "t.csv, line 5)"));
}

TEST_CASE("labels of a column of masks are files, also without extension") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "masks/1_seg.png", "images/2.jpg"});
  folder.write("t.csv", "image,mask\n1,1_seg\n");
  const DiscoveredInput input = discovered_clean(pair_options(folder / "t.csv"));
  CHECK(input.keys() == Names{"images/1"});
  CHECK(input.list().has_label_files);
  folder.write("t.csv", "image,mask\n1,1_seg\n2,2_seg\n");
  CHECK_THAT(discovered(pair_options(folder / "t.csv")).problems.text(),
             ContainsSubstring("if it is a class, name its column with --columns class=NAME"));
  folder.write("t.csv", "image,label\n1,C:\\x\\1_seg\n");
  CHECK(
      discovered(pair_options(folder / "t.csv")).problems.group(ProblemKind::missing_file).count ==
      1);
}

TEST_CASE("a label with a slash is a file, also without extension") {
  const TempFolder folder;
  touch(folder, {"images/0.png", "images/1.png", "masks/0.png", "masks/1.png"});
  folder.write("t.csv", "image,label\nimages/0,masks/0\nimages/1,masks/1\n");
  const Names pairs{"images/0: images/0.png masks/0.png", "images/1: images/1.png masks/1.png"};
  CHECK(discovered_clean(pair_options(folder / "t.csv")).pairs(folder) == pairs);
  folder.write("t.csv", "image,label\nimages/0,masks/0.txt\nimages/1,masks/2\n");
  PackOptions options = pair_options(folder / "t.csv");
  const DiscoveredInput input = discovered(options);
  CHECK(input.problems.group(ProblemKind::missing_file).count == 2);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("if it is a class, name its column with --columns class=NAME (" +
                               folder / "t.csv, line 3)"));
  options.input.columns = {"image", "label", "", true};
  CHECK(discovered_clean(options).list().class_names == Names{"masks/0.txt", "masks/2"});
}

TEST_CASE("a table found in a folder may lack labels only for texts") {
  const TempFolder folder;
  touch(folder, {"train/1.jpg", "test/2.jpg"});
  folder.write("train/metadata.csv", "file_name,label\n1.jpg,cat\n");
  const auto write = [&](const std::string& name, const std::string& value) {
    folder.write("test/metadata.csv", "file_name," + name + "\n2.jpg," + value + "\n");
  };
  for (const auto& [name, value] :
       {std::pair("text,width", "a cat,20"), std::pair("label,note", ",x")}) {
    write(name, value);
    CHECK(discovered_clean(root_options(folder.path())).split_names() == Names{"test", "train"});
  }
  for (const std::string name : {"lbl", "text,diagnosis"}) {
    write(name, name == "lbl" ? "cat" : "x,cat");
    const Error error = refused(root_options(folder.path()));
    CHECK(error.path == folder / "test/metadata.csv");
    CHECK_THAT(error.message,
               ContainsSubstring("has no label column") &&
                   ContainsSubstring("with --pairs " + error.path + " --columns label=NAME") &&
                   ContainsSubstring("without labels, give --images DIR"));
  }
}

TEST_CASE("paths of Windows and of URLs are found in another form") {
  const TempFolder folder;
  touch(folder, {"img/a b.jpg", "img/c%20d.jpg", "msk/a b.png", "msk/c.png"});
  const Names both{"img/a b: img/a b.jpg msk/a b.png"};
  for (const std::string line : {"img\\a b.jpg,msk\\a b.png", "img/a%20b.jpg,msk\\a%20b.png",
                                 "/img/a b.jpg,/msk/a b.png", "\\img\\a%20b.jpg,msk/a b.png"}) {
    CAPTURE(line);
    folder.write("t.csv", "image,mask\r\n" + line + "\r\n");
    const DiscoveredInput input = discovered_clean(pair_options(folder / "t.csv"));
    CHECK(input.pairs(folder) == both);
    CHECK_THAT(input.discovery.layout, ContainsSubstring("or without a leading '/': "));
  }
  folder.write("t.csv", "image,mask\nC:\\me\\img\\a b.jpg,C:\\me\\msk\\a b.png\n");
  PackOptions options = pair_options(folder / "t.csv");
  CHECK_THAT(discovered(options).problems.text(),
             ContainsSubstring("there is no such file, and none with '/' in place of its "
                               "backslashes; remove the folder of the other computer with "
                               "--strip-prefix"));
  for (const std::string prefix : {"C:\\me\\", "C:/me/"}) {
    options.input.strip_prefix = prefix;
    CHECK(discovered_clean(options).pairs(folder) == both);
  }
  folder.write("t.csv", "image,mask\nimg/c%20d.jpg,msk/c.png\n");  // such a file exists
  CHECK(discovered_clean(pair_options(folder / "t.csv")).keys() == Names{"img/c%20d"});
}

TEST_CASE("an image in two lines is listed twice") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg"});
  folder.write("t.csv", "image,class\n1.jpg,cat\n2.jpg,cat\n1.jpg,dog\n");
  const DiscoveredInput input = discovered(pair_options(folder / "t.csv"));
  CHECK(input.problems.group(ProblemKind::listed_twice).count == 1);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("1.jpg: is in several lines of '" + folder / "t.csv'"));
}
