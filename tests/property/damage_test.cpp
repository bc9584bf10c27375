// Every kind of damage gives an error that names the place, never a crash or wrong data.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "hotpack/shard.hpp"
#include "hotpack/verify.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// A shard file that can be damaged and restored, byte by byte.
class Victim {
 public:
  explicit Victim(const TinyForm& form)
      : shard_(make_shard(form, 3)), path_(folder_ / "shard-00000-of-00001.safetensors") {
    mend();
  }

  void mend() const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(shard_.bytes.data()),
               static_cast<std::streamsize>(shard_.bytes.size()));
  }
  void truncate(std::size_t size) const { std::filesystem::resize_file(path_, size); }
  void regrow() const {
    const std::size_t left = std::filesystem::file_size(path_);
    std::ofstream(path_, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(shard_.bytes.data()) + left,
               static_cast<std::streamsize>(shard_.bytes.size() - left));
  }
  void flip(std::size_t byte, unsigned bit) const {
    put(byte, shard_.bytes[byte] ^ static_cast<std::byte>(1u << bit));
  }
  void restore(std::size_t byte) const { put(byte, shard_.bytes[byte]); }

  [[nodiscard]] std::size_t size() const { return shard_.bytes.size(); }
  [[nodiscard]] std::size_t header_bytes() const {
    return static_cast<std::size_t>(shard_.layout.buffer_start());
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void put(std::size_t at, std::byte value) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(value));
  }

  TempFolder folder_;
  TinyShard shard_;
  std::string path_;
};

// The first finding of verify; the test fails if there is none.
VerifyFinding finding_of(const Victim& victim) {
  VerifyOptions options;
  options.threads = 1;
  const Result<VerifyReport> report = verify_shard(victim.path(), options);
  REQUIRE(report.ok());
  REQUIRE(report->finding_count > 0);
  return report->findings.front();
}

// Checks that opening fails with an error that names the place.
void require_refused(const Victim& victim) {
  const Result<Shard> shard = Shard::open(victim.path());
  REQUIRE_FALSE(shard.ok());
  REQUIRE(shard.error().code == ErrorCode::damaged);
  REQUIRE(shard.error().path == victim.path());
  REQUIRE_FALSE(shard.error().message.empty());
}

TinyForm zstd_form() {
  TinyForm form;
  form.image_zstd = form.label_zstd = true;
  return form;
}

TinyForm mixed_form() {
  TinyForm form;
  form.size.reset();
  form.storage = LabelStorage::index;
  return form;
}

}  // namespace

TEST_CASE("a shard truncated at any byte of its header is refused") {
  const Victim victim{TinyForm{}};
  for (std::size_t size = victim.header_bytes(); size-- > 0;) {
    victim.truncate(size);
    require_refused(victim);
  }
}

TEST_CASE("a shard truncated at any of 1,000 places of its payload is refused") {
  for (const TinyForm& form : {TinyForm{}, zstd_form(), mixed_form()}) {
    const Victim victim(form);
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
      victim.truncate(victim.header_bytes() + random() % (victim.size() - victim.header_bytes()));
      require_refused(victim);
      finding_of(victim);
      victim.regrow();
    }
  }
}

TEST_CASE("every flipped bit of the header is noticed when the shard is opened") {
  const Victim victim{TinyForm{}};
  for (std::size_t byte = 0; byte < victim.header_bytes(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      victim.flip(byte, bit);
      require_refused(victim);
    }
    victim.restore(byte);
  }
}

TEST_CASE("10,000 flipped bits of payload and tables are noticed and named") {
  for (const TinyForm& form : {TinyForm{}, zstd_form(), mixed_form()}) {
    const Victim victim(form);
    std::mt19937 random(2);
    for (int i = 0; i < 10000 / 3 + 1; ++i) {
      const std::size_t byte =
          victim.header_bytes() + random() % (victim.size() - victim.header_bytes());
      victim.flip(byte, random() % 8);
      const VerifyFinding finding = finding_of(victim);
      REQUIRE(finding.file == "shard-00000-of-00001.safetensors");
      REQUIRE((finding.offset || finding.record));
      victim.restore(byte);
    }
  }
}

TEST_CASE("a flipped bit of a record is an error of that record alone") {
  for (const TinyForm& form : {TinyForm{}, zstd_form(), mixed_form()}) {
    const Victim victim(form);
    const TinyShard good = make_shard(form, 3);
    const auto* const image = good.layout.find(form.image_zstd ? "image.zstd"
                                               : form.size     ? "image"
                                                               : "image.data");
    REQUIRE(image != nullptr);
    const auto first = static_cast<std::size_t>(good.layout.buffer_start() + image->begin);
    for (unsigned bit = 0; bit < 8; ++bit) {
      victim.flip(first, bit);
      const Result<Shard> shard = Shard::open(victim.path());
      REQUIRE(shard.ok());
      std::vector<std::uint8_t> buffer(4096);
      const auto damaged = shard->sample(0)->read_image(buffer);
      REQUIRE_FALSE(damaged.ok());
      CHECK(damaged.error().code == ErrorCode::damaged);
      CHECK_THAT(damaged.error().describe(), ContainsSubstring("record 0"));
      CHECK(shard->sample(1)->read_image(buffer).ok());
    }
    victim.restore(first);
  }
}
