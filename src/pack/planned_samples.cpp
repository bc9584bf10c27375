#include "pack/planned_samples.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

// Numbers and texts of one kind stand together, because they compress better so. The columns in the
// order of the file:
enum Column : std::size_t {
  kKeyLengths,
  kKeyTexts,
  kImageLengths,
  kImageTexts,
  kImageBytes,
  kImageRoots,
  kLabelLengths,
  kLabelTexts,
  kLabelBytes,
  kLabelRoots,
  kClasses,
  kSizes,
  kTiles,
  kMaskCounts,
  kMasks,
  kColumnCount
};

void append_number(std::string& column, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) column += static_cast<char>(number | 0x80);
  column += static_cast<char>(number);
}

std::size_t shared_length(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(end - a.begin());
}

class Encoder {
 public:
  explicit Encoder(const SampleList& list) : list_(list) {}

  void add(const Sample& sample) {
    const std::string_view key = list_.key(sample);
    text(kKeyLengths, kKeyTexts, last_key_, key);
    file(list_.images, sample.image, key, kImageLengths, kImageTexts, kImageBytes, kImageRoots);
    if (list_.has_label_files)
      file(list_.labels, sample.label, key, kLabelLengths, kLabelTexts, kLabelBytes, kLabelRoots);
    number(kClasses, sample.class_id == kNoClass ? 0 : std::uint64_t{sample.class_id} + 1);
    number(kSizes, static_cast<std::uint64_t>(sample.size.width));
    number(kSizes, static_cast<std::uint64_t>(sample.size.height));
    number(kTiles, static_cast<std::uint64_t>(sample.tile_x));
    number(kTiles, static_cast<std::uint64_t>(sample.tile_y));
    number(kMaskCounts, sample.mask_count);
    for (const Mask& mask : list_.masks_of(sample)) {
      file(list_.labels, mask.file, key, kLabelLengths, kLabelTexts, kLabelBytes, kLabelRoots);
      if (list_.merges_masks) continue;
      number(kMasks, mask.name);
      number(kMasks, mask.class_id);
    }
    last_key_ = key;
  }

  [[nodiscard]] std::string bytes() const {
    std::string all;
    for (const std::string& column : columns_) append_number(all, column.size());
    for (const std::string& column : columns_) all += column;
    return all;
  }

 private:
  void number(Column column, std::uint64_t value) { append_number(columns_[column], value); }

  // A text as the length that it shares with `like`, and the rest.
  void text(Column lengths, Column texts, std::string_view like, std::string_view value) {
    const std::size_t shared = shared_length(like, value);
    number(lengths, shared);
    number(lengths, value.size() - shared);
    columns_[texts] += value.substr(shared);
  }

  void file(const FileList& files, const SourceFile& source, std::string_view key, Column lengths,
            Column texts, Column bytes, Column roots) {
    text(lengths, texts, key, files.text(source));
    number(bytes, source.bytes);
    number(roots, source.root);
  }

  const SampleList& list_;
  std::string_view last_key_;
  std::array<std::string, kColumnCount> columns_;
};

// Reads one column after the other. The first fault is kept; after it, all values are empty.
class Decoder {
 public:
  Decoder(std::size_t classes, SampleList& list) : classes_(classes), list_(list) {}

  Status decode(std::string_view bytes, std::uint64_t count) {
    cut(bytes);
    for (std::uint64_t i = 0; i < count && fault_ == nullptr; ++i) add();
    const bool left = std::any_of(columns_.begin(), columns_.end(),
                                  [](std::string_view column) { return !column.empty(); });
    if (left) fail("more than its samples");
    return fault_ == nullptr ? Status()
                             : damaged_error("the samples of a shard hold " + std::string(fault_));
  }

 private:
  void fail(const char* fault) {
    if (fault_ == nullptr) fault_ = fault;
  }

  void cut(std::string_view bytes) {
    std::array<std::uint64_t, kColumnCount> sizes{};
    for (std::uint64_t& size : sizes) size = take_number(bytes);
    for (std::size_t column = 0; column < kColumnCount; ++column) {
      if (sizes[column] > bytes.size()) return fail("a column that is cut off");
      columns_[column] = bytes.substr(0, static_cast<std::size_t>(sizes[column]));
      bytes.remove_prefix(columns_[column].size());
    }
    if (!bytes.empty()) fail("more than their columns");
  }

  std::uint64_t take_number(std::string_view& from) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (from.empty()) break;
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    fail("a number that is cut off");
    return 0;
  }

  // Returns a number below `limit`.
  std::uint64_t number(Column column, std::uint64_t limit) {
    const std::uint64_t value = take_number(columns_[column]);
    if (value < limit) return value;
    fail("a number that is too large");
    return 0;
  }

  std::string text(Column lengths, Column texts, std::string_view like) {
    const std::uint64_t shared = number(lengths, like.size() + 1);
    const std::uint64_t rest = number(lengths, columns_[texts].size() + 1);
    std::string value(like.substr(0, static_cast<std::size_t>(shared)));
    value += columns_[texts].substr(0, static_cast<std::size_t>(rest));
    columns_[texts].remove_prefix(std::min(columns_[texts].size(), static_cast<std::size_t>(rest)));
    return value;
  }

  struct TextOfFile {
    std::string text;
    std::uint64_t place = 0;
  };

  // Reads a file. If it has the text of `last`, it shares its place in the arena, as the tiles of
  // one image do.
  void file(FileList& files, TextOfFile& last, SourceFile& source, Column lengths, Column texts,
            Column bytes, Column roots) {
    std::string found = text(lengths, texts, key_);
    if (found.empty()) fail("a file without a name");
    if (found.size() > kLongest) fail("a file's name that is too long");
    if (found.find('\0') != std::string::npos) fail("a file's name with a zero byte");
    if (found != last.text) {
      last.place = files.arena.add(found);
      last.text = std::move(found);
    }
    source.text = last.place;
    source.text_length = static_cast<std::uint16_t>(last.text.size());
    source.bytes = number(bytes, kMost);
    source.root = static_cast<std::uint16_t>(number(roots, files.roots.size()));
    if (last.text.size() < files.roots[source.root].key_prefix.size())
      fail("a file's name that is shorter than the prefix of its folder");
  }

  void add() {
    key_ = text(kKeyLengths, kKeyTexts, key_);
    Sample sample;
    file(list_.images, last_image_, sample.image, kImageLengths, kImageTexts, kImageBytes,
         kImageRoots);
    if (key_.size() > kLongest) fail("a key that is too long");
    sample.image.key_length = static_cast<std::uint16_t>(key_.size());
    sample.image.key = std::string_view(last_image_.text).starts_with(key_)
                           ? last_image_.place
                           : list_.images.arena.add(key_);
    if (list_.has_label_files)
      file(list_.labels, last_label_, sample.label, kLabelLengths, kLabelTexts, kLabelBytes,
           kLabelRoots);
    sample.class_id = class_of(number(kClasses, classes_ + 1));
    sample.size.width = static_cast<int>(number(kSizes, kMostSide));
    sample.size.height = static_cast<int>(number(kSizes, kMostSide));
    sample.tile_x = static_cast<std::int32_t>(number(kTiles, kMostSide));
    sample.tile_y = static_cast<std::int32_t>(number(kTiles, kMostSide));
    add_masks(sample);
    list_.samples.push_back(sample);
  }

  static std::uint32_t class_of(std::uint64_t number) {
    return number == 0 ? kNoClass : static_cast<std::uint32_t>(number - 1);
  }

  void add_masks(Sample& sample) {
    sample.first_mask = static_cast<std::uint32_t>(list_.masks.size());
    sample.mask_count = static_cast<std::uint32_t>(
        number(kMaskCounts, list_.merges_masks ? kMostMasks : classes_ + 1));
    for (std::uint32_t i = 0; i < sample.mask_count && fault_ == nullptr; ++i) {
      Mask mask;
      file(list_.labels, last_label_, mask.file, kLabelLengths, kLabelTexts, kLabelBytes,
           kLabelRoots);
      if (!list_.merges_masks) {
        mask.name = static_cast<std::uint32_t>(number(kMasks, list_.mask_names.size()));
        mask.class_id = static_cast<std::uint32_t>(number(kMasks, classes_));
      }
      list_.masks.push_back(mask);
    }
  }

  static constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // bytes of a file
  static constexpr std::size_t kLongest = 65535;                  // bytes of a name or key
  static constexpr std::uint64_t kMostMasks = 1 << 24;            // of a sample
  static constexpr std::uint64_t kMostSide = std::numeric_limits<std::int32_t>::max();

  std::size_t classes_;
  SampleList& list_;
  std::array<std::string_view, kColumnCount> columns_;
  std::string key_;
  TextOfFile last_image_, last_label_;
  const char* fault_ = nullptr;
};

}  // namespace

std::string encode_samples(const SampleList& list, std::span<const Sample> samples) {
  Encoder encoder(list);
  for (const Sample& sample : samples) encoder.add(sample);
  return encoder.bytes();
}

Status decode_samples(std::string_view bytes, std::uint64_t count, std::size_t classes,
                      SampleList& list) {
  return Decoder(classes, list).decode(bytes, count);
}

}  // namespace hotpack::pipeline
