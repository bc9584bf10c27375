// Mutates JPEG files by their structure: segments, their lengths, tables, frames and scans, EXIF
// directories, coded data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fuzz/random.hpp"

namespace hotpack::fuzz {

class JpegMutator {
 public:
  explicit JpegMutator(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Bytes run(const std::uint8_t* file, std::size_t size) {
    parse(file, size);
    const std::size_t changes = random_.percent(60) ? 1 : random_.between(2, 5);
    for (std::size_t i = 0; i < changes; ++i) change();
    Bytes built = build();
    if (random_.percent(5)) scramble(built, random_);
    return built;
  }

 private:
  // A marker, the payload of its length, and the coded data after it.
  struct Segment {
    std::uint8_t marker = 0xFE;
    bool alone = false;  // without a payload
    Bytes payload;
    Bytes coded;
    int lie = 0;  // added to the length
  };

  static bool stands_alone(unsigned marker) {
    return marker == 1 || (marker >= 0xD0 && marker <= 0xD9);
  }

  void parse(const std::uint8_t* file, std::size_t size) {
    segments_.clear();
    std::size_t at = 0;
    while (at + 1 < size && segments_.size() < 200) {
      if (file[at] != 0xFF || file[at + 1] == 0 || file[at + 1] == 0xFF) {
        if (segments_.empty()) segments_.push_back({0xD8, true, {}, {}, 0});
        segments_.back().coded.push_back(file[at++]);
        continue;
      }
      Segment segment{file[at + 1], stands_alone(file[at + 1]), {}, {}, 0};
      at += 2;
      if (!segment.alone) {
        const std::size_t length = at + 2 <= size ? std::size_t{file[at]} << 8 | file[at + 1] : 2;
        const std::size_t end = std::min(size, std::max(at + length, at + 2));
        if (at + 2 < end) segment.payload.assign(file + at + 2, file + end);
        at = end;
      }
      segments_.push_back(std::move(segment));
    }
    if (segments_.empty()) segments_.push_back({0xD8, true, {}, {}, 0});
  }

  [[nodiscard]] Bytes build() const {
    Bytes file;
    for (const Segment& segment : segments_) {
      file.insert(file.end(), {0xFF, segment.marker});
      if (!segment.alone) {
        const std::size_t length =
            segment.payload.size() + 2 + static_cast<std::size_t>(segment.lie);
        file.insert(file.end(),
                    {static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)});
        file.insert(file.end(), segment.payload.begin(), segment.payload.end());
      }
      file.insert(file.end(), segment.coded.begin(), segment.coded.end());
    }
    return file;
  }

  void change() {
    const std::size_t at = random_.below(segments_.size());
    Segment& segment = segments_[at];
    const auto here = segments_.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random_.below(14)) {
      case 0:
        if (segments_.size() > 1) segments_.erase(here);
        break;
      case 1:
        segments_.insert(here, Segment(segment));
        break;
      case 2:
        std::swap(segment, segments_[random_.below(segments_.size())]);
        break;
      case 3:
        segment.marker = static_cast<std::uint8_t>(0xC0 + random_.below(64));
        break;
      case 4:
        segment.lie = static_cast<int>(random_.below(9)) - 4;
        break;
      case 5:
      case 6:
        if (segments_.size() < 100) segments_.insert(here + 1, extra());
        break;
      case 7:
      case 8:
        if (!segment.coded.empty()) scramble(segment.coded, random_);
        break;
      case 9:
        change_frame();
        break;
      default:
        if (!segment.payload.empty()) scramble(segment.payload, random_);
    }
  }

  // Size, precision, process or sampling.
  void change_frame() {
    for (Segment& segment : segments_) {
      const bool frame = segment.marker >= 0xC0 && segment.marker <= 0xCF &&
                         segment.marker != 0xC4 && segment.marker != 0xCC;
      if (!frame || segment.payload.size() < 9) continue;
      if (random_.percent(20)) segment.marker = static_cast<std::uint8_t>(0xC0 + random_.below(16));
      const std::size_t at = random_.below(segment.payload.size());
      segment.payload[at] =
          static_cast<std::uint8_t>(random_.percent(80) ? random_.below(40) : random_.byte());
      if (at == 1 || at == 3) segment.payload[at] = 0;  // small images
    }
  }

  Segment extra() {
    switch (random_.below(6)) {
      case 0:
        return {0xE1, false, exif(), {}, 0};
      case 1:
        return {0xDD, false, {0, static_cast<std::uint8_t>(random_.below(4))}, {}, 0};
      case 2:
        return {0xEE,
                false,
                {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0,
                 static_cast<std::uint8_t>(random_.below(4))},
                {},
                0};
      case 3:
        return {static_cast<std::uint8_t>(0xD0 + random_.below(10)), true, {}, {}, 0};
      default: {
        Bytes payload(random_.below(30));
        for (std::uint8_t& byte : payload) byte = random_.byte();
        return {
            static_cast<std::uint8_t>(0xC0 + random_.below(63)), false, std::move(payload), {}, 0};
      }
    }
  }

  // A directory of some entries, one of which may be the orientation.
  Bytes exif() {
    const bool big = random_.percent(50);
    Bytes bytes{'E', 'x', 'i', 'f', 0, 0};
    const auto put = [&](std::size_t value, int size) {
      for (int i = 0; i < size; ++i)
        bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (big ? size - 1 - i : i)));
    };
    bytes.insert(bytes.end(), 2, big ? 'M' : 'I');
    put(random_.percent(95) ? 42 : random_.below(65536), 2);
    put(random_.percent(90) ? 8 : random_.next(), 4);
    const std::size_t entries = random_.below(4);
    put(random_.percent(95) ? entries : random_.below(65536), 2);
    for (std::size_t i = 0; i < entries; ++i) {
      put(random_.percent(60) ? 0x0112 : random_.below(65536), 2);
      put(random_.percent(80) ? random_.between(3, 4) : random_.below(14), 2);
      put(random_.percent(85) ? 1 : random_.next(), 4);
      put(random_.percent(80) ? random_.below(10) : random_.next(), 4);
    }
    if (random_.percent(20)) bytes.resize(random_.below(bytes.size()));
    return bytes;
  }

  Random random_;
  std::vector<Segment> segments_;
};

// For libFuzzer: mutates in place, at most `most` bytes; returns the new size.
inline std::size_t mutate_jpeg(std::uint8_t* data, std::size_t size, std::size_t most,
                               unsigned seed) {
  const Bytes mutated = JpegMutator(seed).run(data, size);
  const std::size_t kept = std::min(mutated.size(), most);
  std::copy_n(mutated.begin(), kept, data);
  return kept;
}

}  // namespace hotpack::fuzz
