// A whole data set: opened, verified, every sample read. An input is a list of edits to a small
// pack of one of the format's forms, after which the sums are corrected, also in the manifest. If
// verify accepts the pack, it must open and every sample must be readable.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/manifest.hpp"
#include "format/shard_header.hpp"
#include "format/shard_tables.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/shard_mender.hpp"
#include "fuzz/tiny_packs.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/verify.hpp"

using namespace hotpack;

namespace {

constexpr std::size_t kMostEdits = 24;
constexpr std::size_t kLengthBytes = 8;

struct Base {
  // of the only shard: the header's text without blanks, and everything after it
  std::string manifest, header, rest;
  std::size_t header_bytes = 0;  // L
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Base make_base(const test::TinyForm& form) {
  const fuzz::MemoryFolder folder;
  (void)test::write_pack(folder.path(), form, test::tiny_records(form, 3), 3);
  const std::string shard = read_file(folder.path() + "/" + format::shard_file_name(0, 1));
  Base base{read_file(folder.path() + "/dataset.json"), {}, {}, 0};
  base.header_bytes = static_cast<std::size_t>(
      load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(shard.data())));
  base.header = shard.substr(kLengthBytes, base.header_bytes);
  base.header.erase(base.header.find_last_not_of(' ') + 1);
  base.rest = shard.substr(kLengthBytes + base.header_bytes);
  return base;
}

const std::vector<Base>& bases() {
  static const std::vector<Base> made = [] {
    std::vector<Base> all;
    for (const auto& form : fuzz::tiny_forms()) all.push_back(make_base(form));
    return all;
  }();
  return made;
}

// Numbers that programs often get wrong.
std::string odd_number(std::uint8_t choice) {
  constexpr std::uint64_t kNumbers[] = {0,          1,          2,          255,
                                        65535,      0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                        1ULL << 62, 1ULL << 63, ~0ULL,      ~0ULL - 7};
  return std::to_string(kNumbers[choice % std::size(kNumbers)]);
}

// One edit: its kind, place and bytes.
void edit(fuzz::Pieces& pieces, std::string& text) {
  const std::uint8_t kind = pieces.byte();
  const std::size_t at =
      text.empty() ? 0 : static_cast<std::size_t>(pieces.number(2)) % text.size();
  const std::size_t length = pieces.byte() % 32u;
  const auto bytes = pieces.take(kind % 4 < 2 ? length : 0);
  const std::string words(bytes.begin(), bytes.end());
  switch (kind % 4) {
    case 0:
      text.replace(at, words.size(), words.substr(0, text.size() - at));
      break;
    case 1:
      text.insert(at, words);
      break;
    case 2:
      text.erase(at, length);
      break;
    default: {  // the next number in decimal digits
      const std::size_t begin = std::min(text.find_first_of("0123456789", at), text.size());
      const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
      text.replace(begin, end - begin, odd_number(static_cast<std::uint8_t>(length)));
    }
  }
}

std::string shard_of(const Base& base, const std::string& header, const std::string& rest) {
  std::string shard(kLengthBytes, '\0');
  const std::size_t length = std::max(base.header_bytes, header.size());
  store_le(reinterpret_cast<std::byte*>(shard.data()), static_cast<std::uint64_t>(length));
  return shard + header + std::string(length - header.size(), ' ') + rest;
}

// Corrects the manifest's row and check for the shard, if both can be read.
std::string mended_manifest(const std::string& text, const std::string& shard) {
  const auto bytes = bytes_of(shard);
  auto manifest = format::decode_manifest(text);
  const auto header = format::decode_header(bytes);
  if (!manifest.ok() || !header.ok() || manifest->shards.empty()) return text;
  format::ShardRow& row = manifest->shards.front();
  row.bytes = shard.size();
  row.digest = format::digest_of(bytes, *header);
  row.sources = header->metadata.sources;
  manifest->schema_text = header->metadata.schema;
  manifest->plan_text = header->metadata.plan;
  return format::encode_manifest(*manifest);
}

// `"check":"…"` for the bytes before it.
std::string with_check(std::string text) {
  const std::size_t at = text.rfind("\"check\":\"");
  if (at == std::string::npos) return text;
  return text.substr(0, at) + "\"check\":\"" +
         format::crc_text(crc32c(bytes_of(text.substr(0, at)))) + "\"}\n";
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  void set(const std::string& text) const {
    if (ftruncate(descriptor_, 0) != 0 ||
        pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      std::abort();
  }

 private:
  int descriptor_;
};

bool read_sample(const Sample& sample, VerifyChecksums crc) {
  std::vector<std::uint8_t> scratch;
  (void)sample.source();
  const auto image = sample.load_image(scratch, crc);
  fuzz::require_told(image);
  if (image.ok())
    fuzz::require(image->bytes.size() == image->shape.size_bytes(),
                  "an image has the bytes of its shape");
  if (!sample.has_label()) return image.ok();
  const auto label = sample.load_label(scratch, crc);
  fuzz::require_told(label);
  if (label.ok())
    fuzz::require(label->bytes.size() == label->shape.size_bytes(),
                  "a label has the bytes of its shape");
  return image.ok() && label.ok();
}

// True if everything could be read.
bool read_all(const std::string& folder) {
  const auto dataset = Dataset::open(folder);
  fuzz::require_told(dataset);
  if (!dataset.ok()) return false;
  bool whole = dataset->statistics().ok();
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(dataset->records(), 8); ++i) {
    const auto sample = dataset->sample(i);
    fuzz::require_told(sample);
    if (!sample.ok()) return false;
    whole = read_sample(*sample, VerifyChecksums::always) && whole;
    (void)read_sample(*sample, VerifyChecksums::never);
    const auto found = dataset->find(sample->key());
    whole = whole && found.ok() && *found == i;
  }
  return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFolder folder;
  static const OpenFile manifest_file(folder.path() + "/dataset.json");
  static const OpenFile shard_file(folder.path() + "/" + format::shard_file_name(0, 1));
  fuzz::Pieces pieces(data, size);
  const Base& base = bases()[pieces.byte() % bases().size()];
  const std::uint8_t mending = pieces.byte();
  std::string manifest = base.manifest, header = base.header, rest = base.rest;
  for (std::size_t i = 0; i < kMostEdits && !pieces.empty(); ++i) {
    const std::uint8_t where = pieces.byte() % 8;
    edit(pieces, where < 2 ? manifest : where < 5 ? header : rest);
  }
  std::string shard = shard_of(base, header, rest);
  if ((mending & 1) == 0) fuzz::mend_shard(std::as_writable_bytes(std::span(shard)));
  if ((mending & 2) == 0) manifest = with_check(std::move(manifest));
  if ((mending & 4) == 0) manifest = mended_manifest(manifest, shard);
  manifest_file.set(manifest);
  shard_file.set(shard);
  const auto report =
      verify_dataset(folder.path(), {.threads = 1, .max_findings = 4, .progress = {}});
  fuzz::require_told(report);
  const bool whole = read_all(folder.path());
  if (report.ok() && report->ok()) fuzz::require(whole, "what verify calls sound can be read");
  return 0;
}
