// Files that cannot be read, or are none, among good ones: named, and nothing else is lost.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/checked.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// While it exists, a root process has only the rights of other users.
class Unprivileged {
 public:
  Unprivileged() : was_root_(::geteuid() == 0) { changed_ = was_root_ && ::seteuid(65534) == 0; }
  ~Unprivileged() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  [[nodiscard]] bool works() const {
    if (::geteuid() != 0) return true;
    HOTPACK_NOT_TESTED("this process cannot take on the rights of other users");
    return false;
  }

 private:
  bool was_root_;
  bool changed_ = false;
};

void open_to_others(const TempFolder& folder) {
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
}

void make_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(descriptor >= 0);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(descriptor);
}

std::string text_of(const CheckReport& report, const std::string& kind) {
  std::string text;
  for (const Diagnostic& diagnostic : report.diagnostics.all())
    if (diagnostic.kind == kind)
      for (const Evidence& example : diagnostic.examples)
        text += example.path + ": " + example.found + "\n";
  return text;
}

PackOptions images_of(const TempFolder& folder) {
  PackOptions options;
  options.input.images = {folder / "images"};
  return options;
}

}  // namespace

TEST_CASE("an unreadable file is one problem, and the others are still checked") {
  const TempFolder folder;
  for (const std::string name : {"a", "b", "c"}) put(folder, "images/" + name + ".png", photo());
  REQUIRE(::chmod((folder / "images/b.png").c_str(), 0) == 0);
  open_to_others(folder);
  const Unprivileged other;
  if (!other.works()) return;
  const CheckReport report = checked(images_of(folder));
  CHECK(report.result == CheckResult::refuses);
  CHECK_THAT(text_of(report, "unopenable-file"), ContainsSubstring(folder / "images/b.png: ") &&
                                                     ContainsSubstring("Permission denied"));
  CHECK(report.images.sizes().front().count == 2);
}

TEST_CASE("a folder that may not be read is a problem among others") {
  const TempFolder folder;
  for (const std::string name : {"x/a", "y/b"}) put(folder, "images/" + name + ".png", photo());
  REQUIRE(::chmod((folder / "images/y").c_str(), 0) == 0);
  open_to_others(folder);
  {
    const Unprivileged other;
    if (other.works())
      CHECK_THAT(text_of(checked(images_of(folder)), "unopenable-file"),
                 ContainsSubstring(folder / "images/y: "));
  }
  REQUIRE(::chmod((folder / "images/y").c_str(), 0755) == 0);
}

TEST_CASE("sockets and devices with image names are reported as what they are") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  make_socket(folder / "images/s.png");
  std::filesystem::create_symlink("/dev/null", folder / "images/null.png");
  std::filesystem::create_symlink("/dev/zero", folder / "images/zero.jpg");
  const std::string text = text_of(checked(images_of(folder)), "unopenable-file");
  CHECK_THAT(text, ContainsSubstring("images/s.png: is a socket"));
  CHECK_THAT(text, ContainsSubstring("images/null.png: is a device"));
  CHECK_THAT(text, ContainsSubstring("images/zero.jpg: is a device"));
}

TEST_CASE("labels with 16-bit colors are reported as a form, not as damage") {
  const unsigned char rgb16[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
      0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x10, 0x02, 0x00, 0x00, 0x00, 0xad,
      0x44, 0x46, 0x30, 0x00, 0x00, 0x00, 0x0e, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
      0x45, 0x02, 0x0c, 0xc8, 0x1c, 0x00, 0x06, 0x32, 0x00, 0x79, 0x76, 0xa0, 0xf9, 0xdf, 0x00,
      0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  const TempFolder folder;
  put(folder, "images/a.png", photo(2, 2));
  folder.write("labels/a.png",
               std::string_view(reinterpret_cast<const char*>(rgb16), sizeof rgb16));
  PackOptions options = images_of(folder);
  options.input.labels = {folder / "labels"};
  options.label.class_count = 3;
  CHECK_THAT(text_of(checked(options), "open-question"), ContainsSubstring("\n  --rgb-id r"));
  for (const char* key : {"b", "c"}) {
    put(folder, std::string("images/") + key + ".png", photo(2, 2));
    put(folder, std::string("labels/") + key + ".png", id_label(2, 2, {0, 1, 2, 0}));
  }
  const CheckReport report = checked(options);
  CHECK_THAT(text_of(report, "label-form"),
             ContainsSubstring("colors of 16 bits") && ContainsSubstring("--rgb-id r"));
  CHECK(text_of(report, "damaged-image").empty());
}
