// Makes deflate streams of every valid kind, and of many invalid ones: codes that are incomplete
// or oversubscribed, symbols that do not exist, repeats beyond the end, distances that reach too
// far, blocks that do not end.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/random.hpp"

namespace hotpack::fuzz {

class BitWriter {
 public:
  void put(std::uint32_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) {
      if (used_ == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1U) << used_);
      used_ = (used_ + 1) % 8;
    }
  }
  // A code word, the highest bit first.
  void word(std::uint32_t code, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) put(code >> i & 1U, 1);
  }
  void align() { used_ = 0; }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
  unsigned used_ = 0;
};

// A canonical code: for each symbol the length of its word, and the word.
struct Code {
  std::vector<std::uint8_t> lengths;
  std::vector<std::uint32_t> words;
  std::vector<std::size_t> used;

  explicit Code(std::vector<std::uint8_t> given)
      : lengths(std::move(given)), words(lengths.size()) {
    std::uint32_t word = 0;
    for (unsigned length = 1; length <= 15; ++length) {
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] != length) continue;
        words[i] = word++;
        used.push_back(i);
      }
      word <<= 1;
    }
  }
  void put(BitWriter& out, std::size_t symbol) const { out.word(words[symbol], lengths[symbol]); }
};

class DeflateMaker {
 public:
  explicit DeflateMaker(Random& random) : random_(random) {}

  // One to four blocks of random symbols.
  [[nodiscard]] Bytes make() {
    few_literals_ = random_.percent(60);
    const std::size_t blocks = random_.between(1, 4);
    for (std::size_t i = 0; i < blocks; ++i) {
      out_.put(i + 1 == blocks && !random_.percent(1), 1);
      block();
    }
    return out_.take();
  }

 private:
  void block() {
    const std::size_t kind = random_.below(100);
    if (kind < 10) return stored();
    if (kind < 40) return fixed();
    if (kind < 99) return dynamic();
    out_.put(3, 2);
  }

  void stored() {
    out_.put(0, 2);
    out_.align();
    const auto length = static_cast<std::uint32_t>(random_.percent(10) ? random_.between(600, 3500)
                                                                       : random_.below(30));
    out_.put(length, 16);
    out_.put(random_.percent(3) ? length : ~length & 0xFFFF, 16);
    for (std::uint32_t i = 0; i < length; ++i) out_.put(literal(), 8);
    produced_ += length;
  }

  void fixed() {
    std::vector<std::uint8_t> lengths(288);
    for (std::size_t i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    out_.put(1, 2);
    symbols(Code(lengths), Code(std::vector<std::uint8_t>(32, 5)));
  }

  void dynamic() {
    out_.put(2, 2);
    const std::size_t literals =
        random_.percent(3) ? random_.between(287, 288) : random_.between(257, 286);
    const std::size_t distances =
        random_.percent(3) ? random_.between(31, 32) : random_.between(1, 30);
    std::vector<std::uint8_t> lengths = literal_lengths(literals);
    const std::vector<std::uint8_t> more = distance_lengths(distances);
    const Code literal_code(lengths), distance_code(more);
    lengths.insert(lengths.end(), more.begin(), more.end());
    out_.put(static_cast<std::uint32_t>(literals - 257), 5);
    out_.put(static_cast<std::uint32_t>(distances - 1), 5);
    put_lengths(lengths);
    symbols(literal_code, distance_code);
  }

  std::vector<std::uint8_t> literal_lengths(std::size_t count) {
    std::vector<std::size_t> used{256};
    if (random_.percent(2)) used.clear();
    const std::size_t wanted =
        random_.percent(10) ? random_.below(3) : random_.between(2, few_literals_ ? 30 : 200);
    for (std::size_t i = 0; i < wanted; ++i) {
      const bool length = random_.percent(30);
      used.push_back(length ? 257 + random_.below(count - 257 + 1) : literal());
    }
    return complete_code(used, count, 15);
  }

  std::vector<std::uint8_t> distance_lengths(std::size_t count) {
    std::vector<std::size_t> used;
    const std::size_t wanted = random_.percent(15)   ? 0
                               : random_.percent(20) ? 1
                                                     : random_.between(2, 12);
    for (std::size_t i = 0; i < wanted; ++i)
      used.push_back(random_.below(random_.percent(70) ? std::min<std::size_t>(count, 8) : count));
    return complete_code(used, count, 15);
  }

  // Splits leaves of a tree at random until each symbol has one. Sometimes changes a length
  // afterwards.
  std::vector<std::uint8_t> complete_code(std::vector<std::size_t> used, std::size_t count,
                                          unsigned most) {
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::erase_if(used, [&](std::size_t symbol) { return symbol >= count; });
    std::vector<std::uint8_t> lengths(count), leaves{0};
    const bool deep = random_.percent(30);
    while (leaves.size() < used.size()) {
      const std::size_t leaf =
          deep && random_.percent(80) ? leaves.size() - 1 : random_.below(leaves.size());
      if (leaves[leaf] >= most) continue;
      leaves.push_back(++leaves[leaf]);
    }
    if (used.size() == 1) leaves[0] = random_.percent(95) ? 1 : 2;
    for (std::size_t i = leaves.size(); i > 1; --i)
      std::swap(leaves[i - 1], leaves[random_.below(i)]);
    for (std::size_t i = 0; i < used.size(); ++i) lengths[used[i]] = leaves[i];
    if (random_.percent(6))
      lengths[random_.below(count)] = static_cast<std::uint8_t>(random_.below(most + 1));
    return lengths;
  }

  void put_lengths(const std::vector<std::uint8_t>& lengths) {
    constexpr std::array<std::size_t, 19> kOrder{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::vector<std::size_t> all(19);
    for (std::size_t i = 0; i < 19; ++i) all[i] = i;
    const Code code(complete_code(all, 19, 7));
    out_.put(15, 4);
    for (const std::size_t symbol : kOrder) out_.put(code.lengths[symbol], 3);
    for (std::size_t i = 0; i < lengths.size();) i += put_some_lengths(code, lengths, i);
  }

  // One length, or a repeat; returns how many lengths it stands for.
  std::size_t put_some_lengths(const Code& code, const std::vector<std::uint8_t>& lengths,
                               std::size_t at) {
    std::size_t run = 1;
    while (at + run < lengths.size() && run < 138 && lengths[at + run] == lengths[at]) ++run;
    if (random_.percent(1)) run += random_.below(4);  // beyond the end, or over different lengths
    const bool zeros = lengths[at] == 0, again = at > 0 && lengths[at - 1] == lengths[at];
    if (zeros && run >= 11 && random_.percent(90)) return put_repeat(code, 18, run, 11, 7);
    if (zeros && run >= 3 && random_.percent(90))
      return put_repeat(code, 17, std::min<std::size_t>(run, 10), 3, 3);
    if ((again || random_.percent(1)) && run >= 3 && random_.percent(80))
      return put_repeat(code, 16, std::min<std::size_t>(run, 6), 3, 2);
    code.put(out_, lengths[at]);
    return 1;
  }

  std::size_t put_repeat(const Code& code, std::size_t symbol, std::size_t times, std::size_t least,
                         unsigned bits) {
    code.put(out_, symbol);
    out_.put(static_cast<std::uint32_t>(times - least), bits);
    return times;
  }

  void symbols(const Code& literals, const Code& distances) {
    const std::size_t count =
        random_.percent(10) ? random_.between(50, 400) : random_.between(0, 30);
    for (std::size_t i = 0; i < count && !literals.used.empty(); ++i) {
      const std::size_t symbol = literals.used[random_.below(literals.used.size())];
      if (symbol < 256) {
        if (few_literals_ && symbol > 8 && random_.percent(70)) continue;
        literals.put(out_, symbol);
        ++produced_;
      } else if (symbol > 256 && (symbol < 286 || random_.percent(3))) {
        match(literals, symbol, distances);
      }
    }
    if (literals.lengths[256] != 0 && !random_.percent(1)) literals.put(out_, 256);
  }

  void match(const Code& literals, std::size_t symbol, const Code& distances) {
    const std::size_t code = symbol - 257;
    const unsigned extra = code < 8 || code >= 28 ? 0 : static_cast<unsigned>((code - 4) / 4);
    const std::size_t length = code >= 28 ? 258
                               : code < 8 ? code + 3
                                          : ((4 + code % 4) << extra) + 3;
    std::vector<std::size_t> within;
    for (const std::size_t distance : distances.used)
      if (least_distance(distance) <= produced_ || random_.percent(1)) within.push_back(distance);
    const bool missing = random_.percent(1);
    if (within.empty() && !missing) return;
    literals.put(out_, symbol);
    const auto length_extra = static_cast<std::uint32_t>(random_.below(std::size_t{1} << extra));
    out_.put(length_extra, extra);
    if (missing) return out_.put(1, 1);
    const std::size_t distance = within[random_.below(within.size())];
    distances.put(out_, distance);
    put_distance_extra(distance);
    produced_ += length + length_extra;
  }

  void put_distance_extra(std::size_t symbol) {
    const unsigned extra =
        symbol < 4 ? 0 : static_cast<unsigned>(std::min<std::size_t>(13, (symbol - 2) / 2));
    const std::size_t room =
        produced_ >= least_distance(symbol) ? produced_ - least_distance(symbol) : 0;
    const std::size_t most = (std::size_t{1} << extra) - 1;
    out_.put(static_cast<std::uint32_t>(
                 random_.below((random_.percent(2) ? most : std::min(most, room)) + 1)),
             extra);
  }

  static std::size_t least_distance(std::size_t symbol) {
    return symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << (symbol - 2) / 2) + 1;
  }

  std::uint8_t literal() {
    return few_literals_ ? static_cast<std::uint8_t>(random_.below(5)) : random_.byte();
  }

  Random& random_;
  BitWriter out_;
  std::size_t produced_ = 0;
  bool few_literals_ = false;
};

// The output of a careless inflater, or of zlib up to its error.
class LenientReader {
 public:
  LenientReader() : decompressor_(libdeflate_alloc_decompressor()) {}
  ~LenientReader() { libdeflate_free_decompressor(decompressor_); }
  LenientReader(const LenientReader&) = delete;
  LenientReader& operator=(const LenientReader&) = delete;

  struct Text {
    Bytes bytes;
    std::size_t coded = 0;  // bytes of the stream that were consumed
    bool whole = false;
  };
  [[nodiscard]] Text read(const std::uint8_t* deflated, std::size_t size) {
    Text text;
    text.bytes.resize(kMost);
    std::size_t written = 0;
    text.whole =
        libdeflate_deflate_decompress_ex(decompressor_, deflated, size, text.bytes.data(), kMost,
                                         &text.coded, &written) == LIBDEFLATE_SUCCESS;
    if (!text.whole) written = read_as_zlib_does(deflated, size, text);
    text.bytes.resize(written);
    return text;
  }

 private:
  static std::size_t read_as_zlib_does(const std::uint8_t* deflated, std::size_t size, Text& text) {
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK) return 0;
    stream.next_in = const_cast<Bytef*>(deflated);
    stream.avail_in = static_cast<uInt>(size);
    stream.next_out = text.bytes.data();
    stream.avail_out = kMost;
    inflate(&stream, Z_SYNC_FLUSH);
    text.coded = stream.total_in;
    const std::size_t written = stream.total_out;
    inflateEnd(&stream);
    return written;
  }

  static constexpr std::size_t kMost = 1 << 16;
  libdeflate_decompressor* decompressor_;
};

// The bytes as zlib codes them with random parameters.
inline Bytes deflate_somehow(const Bytes& bytes, Random& random) {
  z_stream stream{};
  const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  deflateInit2(&stream, static_cast<int>(random.below(10)), Z_DEFLATED,
               -static_cast<int>(random.between(9, 15)), 1 + static_cast<int>(random.below(3)),
               strategies[random.below(5)]);
  Bytes coded(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64);
  stream.next_out = coded.data();
  stream.avail_out = static_cast<uInt>(coded.size());
  stream.next_in = const_cast<Bytef*>(bytes.data());
  if (random.percent(30)) {
    stream.avail_in = static_cast<uInt>(random.below(bytes.size() + 1));
    deflate(&stream, random.percent(50) ? Z_SYNC_FLUSH : Z_PARTIAL_FLUSH);
  }
  stream.avail_in =
      static_cast<uInt>(bytes.size() - static_cast<std::size_t>(stream.next_in - bytes.data()));
  deflate(&stream, Z_FINISH);
  coded.resize(stream.total_out);
  deflateEnd(&stream);
  return coded;
}

}  // namespace hotpack::fuzz
