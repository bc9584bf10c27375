#include "codecs/strict_inflate.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>

// Forces the compiler to inline every call of the inner loop.
#define HOTPACK_INLINE [[gnu::always_inline]] inline

namespace hotpack::codecs {
namespace {

// An entry of a decoding table says what the next bits of the stream mean. Its bits 0…5 are the
// number of stream bits to take, extra bits included. Its bits 6 and 7 are the number of literals
// that it contains. The other bits depend on the kind of the entry:
//   literals     one to three bytes, from bit 8 on
//   a base       of a length or distance: its value from bit 16 on; from bit 8 on, the length of
//                the code word without extra bits
//   a link       kSpecial and kLink are set; from bit 16 on, the index where the second table
//                begins; from bit 8 on, how many stream bits are the index in the second table
//   an end       of the block: kSpecial and kEnd are set
//   nothing      kSpecial is set: no code word begins with these bits
constexpr std::uint32_t kLiteral = 0x40, kAnyLiterals = 0xC0, kMostLiterals = 3;
constexpr std::uint32_t kSpecial = 0x8000, kLink = 0x4000, kEnd = 0x2000;
constexpr std::uint32_t kNothing = kSpecial;

constexpr std::uint32_t taken(std::uint32_t entry) { return entry & 0x3F; }
constexpr std::uint32_t value(std::uint32_t entry) { return entry >> 16; }
constexpr std::uint32_t literal_count(std::uint32_t entry) { return entry >> 6 & 3; }
constexpr bool is_literal(std::uint32_t entry) { return (entry & kAnyLiterals) != 0; }
constexpr bool is_special(std::uint32_t entry) {
  return !is_literal(entry) && (entry & kSpecial) != 0;
}
constexpr std::uint32_t word_bits(std::uint32_t entry) { return entry >> 8 & 0x1F; }

// The entry for a symbol, without the length of its code word, which is known later.
struct Meaning {
  std::uint32_t entry = kNothing;
  std::uint32_t extra_bits = 0;
};

constexpr unsigned kMostWordBits = 15, kMostSymbols = 288, kEndSymbol = 256, kLengths = 29,
                   kDistances = 30;

constexpr Meaning length_meaning(unsigned symbol) {
  if (symbol == kLengths - 1) return {258U << 16, 0};
  const unsigned extra = symbol < 8 ? 0 : (symbol - 4) / 4;
  const unsigned base = symbol < 8 ? symbol + 3 : ((4 + symbol % 4) << extra) + 3;
  return {base << 16, extra};
}

constexpr Meaning distance_meaning(unsigned symbol) {
  const unsigned extra = symbol < 4 ? 0 : (symbol - 2) / 2;
  const unsigned base = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
  return {base << 16, extra};
}

constexpr auto kLiteralMeanings = [] {
  std::array<Meaning, kMostSymbols> all{};
  for (unsigned i = 0; i < 256; ++i) all[i] = {kLiteral | i << 8, 0};
  all[kEndSymbol] = {kSpecial | kEnd, 0};
  for (unsigned i = 0; i < kLengths; ++i) all[kEndSymbol + 1 + i] = length_meaning(i);
  return all;
}();

constexpr auto kDistanceMeanings = [] {
  std::array<Meaning, 32> all{};
  for (unsigned i = 0; i < kDistances; ++i) all[i] = distance_meaning(i);
  return all;
}();

// The 19 symbols that describe the lengths of code words: lengths, and repeats of lengths.
constexpr auto kPlainMeanings = [] {
  std::array<Meaning, 19> all{};
  for (unsigned i = 0; i < 19; ++i) all[i] = {i << 16, 0};
  return all;
}();

constexpr std::uint32_t with_word(Meaning meaning, unsigned bits) {
  return meaning.entry | (is_literal(meaning.entry) || is_special(meaning.entry) ? 0 : bits << 8) |
         (bits + meaning.extra_bits);
}

// Returns the code word that comes after `word` in the order of a canonical code, where `bits` is
// the length. The stream contains the first bit of a code word first, so the function counts with
// reversed bits.
std::uint32_t next_word(std::uint32_t word, unsigned bits) {
  const std::uint32_t zeros = ~word & ((1U << bits) - 1);
  if (zeros == 0) return 0;
  const std::uint32_t highest = std::bit_floor(zeros);
  return (word & (highest - 1)) | highest;
}

// The ways in which zlib allows a code to be incomplete.
enum class Gaps { none, distances };

// Adds entries for groups of two or three literals to a decoding table, so that one look-up gives
// all of them.
//
// The table is made by doubling: when its indices have `length` bits, doubling it repeats all
// entries. Therefore groups whose code words have `length` bits together are added when the table
// has this size.
class LiteralGroups {
 public:
  static constexpr unsigned kMostBits = 12;

  explicit LiteralGroups(std::span<std::uint32_t> table) : table_(table) {}

  // Adds a literal whose code word has the present length.
  void add(std::uint32_t word, std::uint32_t entry) { groups_[count_++] = {word, entry}; }

  // Adds the groups whose code words have `length` bits together: each literal with a shorter word,
  // followed by each literal or pair that fills up the rest. Call it after all single literals of
  // this length were added.
  void put_groups(unsigned length) {
    singles_end_[length] = count_;
    for (unsigned first = 1; first < length; ++first) {
      const unsigned rest = length - first;
      for (std::size_t i = begin_[first]; i < singles_end_[first]; ++i)
        put_before(groups_[i], first,
                   {groups_.data() + begin_[rest], begin_[rest + 1] - begin_[rest]});
    }
    begin_[length + 1] = count_;
  }

 private:
  struct Group {
    std::uint32_t word, entry;
  };

  // Puts in the groups that begin with `literal`, whose code word has `bits` bits.
  void put_before(Group literal, unsigned bits, std::span<const Group> following) {
    for (const Group& next : following) {
      const std::uint32_t word = literal.word | next.word << bits;
      const std::uint32_t entry = (next.entry & ~0xFFU) << 8 | (literal.entry & 0xFF00) |
                                  ((next.entry & 0xFF) + (literal.entry & 0xFF));
      table_[word] = entry;
      groups_[count_] = {word, entry};
      count_ += literal_count(entry) < kMostLiterals;
    }
  }

  std::span<std::uint32_t> table_;
  std::size_t count_ = 0;
  // For each length, single literals and then pairs.
  std::array<std::size_t, kMostBits + 2> begin_{}, singles_end_{};
  // Pairs whose code words have up to kMostBits bits together: at most 2^kMostBits, because the
  // words of one pair are never the beginning of those of another pair.
  std::array<Group, 256 + (1 << kMostBits) + 1> groups_;
};

// Makes the table of a canonical code from the lengths of its words.
class TableMaker {
 public:
  TableMaker(std::span<const std::uint8_t> lengths, std::span<const Meaning> meanings,
             std::span<std::uint32_t> table, unsigned bits, LiteralGroups* groups)
      : meanings_(meanings), table_(table), bits_(bits), groups_(groups) {
    for (const std::uint8_t length : lengths) ++count_[length];
    std::array<std::uint16_t, kMostWordBits + 2> next{};
    for (unsigned i = 1; i <= kMostWordBits; ++i)
      next[i + 1] = static_cast<std::uint16_t>(next[i] + count_[i]);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (lengths[i] != 0) sorted_[next[lengths[i]]++] = static_cast<std::uint16_t>(i);
  }

  // Returns false if zlib refuses such a code.
  [[nodiscard]] bool make(Gaps gaps) {
    std::int32_t left = 1;
    for (unsigned length = 1; length <= kMostWordBits; ++length) {
      left = left * 2 - static_cast<std::int32_t>(count_[length]);
      if (left < 0) return false;
    }
    if (left == 0) return fill();
    return gaps == Gaps::distances && fill_one_or_none(left);
  }

 private:
  // Fills the table of an incomplete code: one without any code word, or with only the word 0. zlib
  // accepts such a code for distances, and refuses a stream that uses a word that the code lacks.
  bool fill_one_or_none(std::int32_t left) {
    const bool one = count_[1] == 1 && left == 1 << (kMostWordBits - 1);
    if (!one && left != 1 << kMostWordBits) return false;
    const std::size_t size = std::size_t{1} << bits_;
    std::fill_n(table_.begin(), size, kNothing);
    for (std::size_t i = 0; one && i < size; i += 2)
      table_[i] = with_word(meanings_[sorted_[0]], 1);
    return true;
  }

  // Fills the table. The words of `length` bits fill its first 2^length entries. Doubling the table
  // then repeats these entries for longer indices.
  bool fill() {
    std::size_t at = 0;
    std::uint32_t word = 0;
    table_[0] = kNothing;
    for (unsigned length = 1; length <= bits_; ++length) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(table_.begin(), half, table_.begin() + static_cast<std::ptrdiff_t>(half));
      for (unsigned i = 0; i < count_[length]; ++i, word = next_word(word, length)) {
        const std::uint32_t entry = with_word(meanings_[sorted_[at++]], length);
        table_[word] = entry;
        if (groups_ != nullptr && is_literal(entry)) groups_->add(word, entry);
      }
      if (groups_ != nullptr) groups_->put_groups(length);
    }
    return fill_second_tables(at, word);
  }

  bool fill_second_tables(std::size_t at, std::uint32_t word) {
    const std::uint32_t mask = (1U << bits_) - 1;
    std::size_t start = std::size_t{1} << bits_, size = 0;
    std::uint32_t prefix = ~0U;
    for (unsigned length = bits_ + 1; length <= kMostWordBits; ++length) {
      for (unsigned i = 0; i < count_[length]; ++i, word = next_word(word, length)) {
        if ((word & mask) != prefix) {
          prefix = word & mask;
          start += size;
          const unsigned second = second_bits(length, i);
          size = std::size_t{1} << second;
          if (start + size > table_.size()) return false;
          table_[prefix] =
              kSpecial | kLink | static_cast<std::uint32_t>(start) << 16 | second << 8 | bits_;
        }
        const std::uint32_t entry = with_word(meanings_[sorted_[at++]], length - bits_);
        for (std::size_t j = word >> bits_; j < size; j += std::size_t{1} << (length - bits_))
          table_[start + j] = entry;
      }
    }
    return true;
  }

  // Returns how many bits distinguish all words with the same prefix in their second table. The
  // first of these words has `length` bits; `before` words of that length come before it in the
  // code.
  [[nodiscard]] unsigned second_bits(unsigned length, unsigned before) const {
    unsigned bits = length - bits_;
    std::uint32_t words = count_[length] - before;
    while (words < 1U << bits && length < kMostWordBits) {
      ++bits;
      words = words * 2 + count_[++length];
    }
    return bits;
  }

  std::span<const Meaning> meanings_;
  std::span<std::uint32_t> table_;
  unsigned bits_;
  LiteralGroups* groups_;
  std::array<std::uint32_t, kMostWordBits + 1> count_{};
  std::array<std::uint16_t, kMostSymbols> sorted_;
};

bool make_table(std::span<const std::uint8_t> lengths, std::span<const Meaning> meanings,
                std::span<std::uint32_t> table, unsigned bits, Gaps gaps,
                LiteralGroups* groups = nullptr) {
  return TableMaker(lengths, meanings, table, bits, groups).make(gaps);
}

constexpr std::size_t kReadAhead = 32;  // bytes that one turn of the inner loop may load or skip

std::uint64_t load_le64(const std::uint8_t* at) {
  std::uint64_t loaded = 0;
  std::memcpy(&loaded, at, sizeof loaded);
  if constexpr (std::endian::native == std::endian::big) loaded = __builtin_bswap64(loaded);
  return loaded;
}

void store_le64(std::uint8_t* at, std::uint64_t bytes) {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  std::memcpy(at, &bytes, sizeof bytes);
}

std::uint32_t little_endian(std::uint32_t bytes) {
  return std::endian::native == std::endian::big ? __builtin_bswap32(bytes) : bytes;
}

// Bits that were loaded from the stream: `count` bits in `bits`, of which the lowest comes first.
// The bits above them may be set; then they equal the bits that the next load will put there.
struct Bits {
  const std::uint8_t* in;  // next byte to load
  std::uint64_t bits = 0;
  std::uint32_t count = 0;

  // Refills to 56 bits or more. Moves `in` on by up to 7 bytes.
  HOTPACK_INLINE void refill() {
    bits |= load_le64(in) << count;
    in += (63 - count) >> 3;
    count |= 56;
  }
  HOTPACK_INLINE void skip(std::uint32_t wanted) {
    bits >>= wanted;
    count -= wanted;
  }
  [[nodiscard]] HOTPACK_INLINE std::uint32_t first(std::uint32_t wanted) const {
    return static_cast<std::uint32_t>(bits) & ((1U << wanted) - 1);
  }
  [[nodiscard]] std::uint32_t take(std::uint32_t wanted) {
    const std::uint32_t number = first(wanted);
    skip(wanted);
    return number;
  }
  // Returns an index in the second table, from a link entry and the next bits. The bits of the link
  // entry itself must have been taken.
  [[nodiscard]] HOTPACK_INLINE std::uint32_t follow(std::uint32_t link) const {
    return value(link) + first(word_bits(link));
  }
  // Returns the value of a base with its extra bits. Takes all bits of the entry.
  [[nodiscard]] HOTPACK_INLINE std::uint32_t number(std::uint32_t entry) {
    const std::uint32_t coded = first(taken(entry)) >> word_bits(entry);
    skip(taken(entry));
    return value(entry) + coded;
  }
};

// The compressed stream and the position in it. Eight bytes can always be loaded: near the end,
// reading continues in a copy of the last bytes that is followed by zeros.
class Source {
 public:
  explicit Source(std::span<const std::byte> coded)
      : begin_(reinterpret_cast<const std::uint8_t*>(coded.data())),
        size_(coded.size()),
        end_(begin_ + size_),
        at{begin_} {}

  // Makes sure that kReadAhead bytes can be read at `in`; may move `in` to a copy of the last
  // bytes. Returns false if the stream has ended.
  [[nodiscard]] HOTPACK_INLINE bool provide(const std::uint8_t*& in) {
    return static_cast<std::size_t>(end_ - in) >= kReadAhead || enter_tail(in);
  }
  [[nodiscard]] bool refill() {
    if (!provide(at.in)) return false;
    at.refill();
    return true;
  }

  // Returns the index of the next byte of which no bit was taken. It may lie beyond the end.
  [[nodiscard]] std::size_t next_byte() const {
    const std::size_t loaded = in_tail_
                                   ? tail_from_ + static_cast<std::size_t>(at.in - tail_.data())
                                   : static_cast<std::size_t>(at.in - begin_);
    return loaded - (at.count >> 3);
  }

  // Moves to the byte of the stream with this index.
  void go_to(std::size_t byte) {
    in_tail_ = false;
    at = {begin_ + byte};
    end_ = begin_ + size_;
  }

  [[nodiscard]] const std::uint8_t* bytes() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  bool enter_tail(const std::uint8_t*& in) {
    if (in_tail_) return false;
    const auto left = static_cast<std::size_t>(end_ - in);
    tail_from_ = size_ - left;
    tail_ = {};
    if (left > 0) std::memcpy(tail_.data(), in, left);
    in_tail_ = true;
    in = tail_.data();
    end_ = in + tail_.size();
    return true;
  }

  const std::uint8_t* begin_;
  std::size_t size_;
  const std::uint8_t* end_;  // end of the readable bytes at Bits::in
  bool in_tail_ = false;
  std::size_t tail_from_ = 0;
  std::array<std::uint8_t, kReadAhead * 3> tail_;

 public:
  Bits at;
};

struct Target {
  std::uint8_t* begin;
  std::uint8_t* at;
  std::uint8_t* end;
};

// Bytes that a match copies at first, without a branch, and then in each turn.
constexpr std::size_t kBlind = 48, kCopied = 32;

// Copies a match: repeats the `distance` bytes before `out` until `length` bytes are written.
// `distance` is below 16, and at least 8 if `kLong`. Keeps the bytes in registers, because loading
// bytes that were just stored, in pieces of another size, is slow.
template <bool kLong>
HOTPACK_INLINE void repeat_near(std::uint8_t* out, std::uint32_t length, std::uint32_t distance) {
  // 1 + 2^d + 2^2d …, below 2^64, for d = 8 times the index
  static constexpr std::uint64_t kTimes[8] = {0,
                                              0x0101010101010101,
                                              0x0001000100010001,
                                              0x0001000001000001,
                                              0x0000000100000001,
                                              0x0000010000000001,
                                              0x0001000000000001,
                                              0x0100000000000001};
  static constexpr std::uint8_t kSteps[8] = {0, 8, 8, 6, 8, 5, 6, 7};
  const std::uint8_t* const end = out + length;
  std::uint64_t low = load_le64(out - distance), high = 0;
  std::uint32_t step = distance;
  if constexpr (kLong) {
    high = load_le64(out - distance + 8);
  } else {
    low = (low & ((std::uint64_t{1} << 8 * distance) - 1)) * kTimes[distance];
    step = kSteps[distance];
  }
  do {
    store_le64(out, low);
    if constexpr (kLong) store_le64(out + 8, high);
    out += step;
  } while (out < end);
}

HOTPACK_INLINE void copy_half(std::uint8_t* to, const std::uint8_t* from) {
  std::memcpy(to, from, kCopied / 2);
}

// Copies `length` bytes that begin `distance` bytes before. May write up to kBlind bytes more.
HOTPACK_INLINE void repeat(std::uint8_t* out, std::uint32_t length, std::uint32_t distance) {
  const std::uint8_t* from = out - distance;
  const std::uint8_t* const end = out + length;
  if (distance >= kCopied / 2) {
    for (std::size_t at = 0; at < kBlind; at += kCopied / 2) copy_half(out + at, from + at);
    for (out += kBlind, from += kBlind; out < end; out += kCopied, from += kCopied) {
      copy_half(out, from);
      copy_half(out + kCopied / 2, from + kCopied / 2);
    }
  } else if (distance == 1) {
    const int byte = *from;
    do {
      std::memset(out, byte, kCopied);
      out += kCopied;
    } while (out < end);
  } else if (distance >= 8) {
    repeat_near<true>(out, length, distance);
  } else {
    repeat_near<false>(out, length, distance);
  }
}

// The tables of a block. The compiler knows their sizes.
struct Tables {
  // bits of a code word that the first table covers
  static constexpr unsigned kLiteralBits = 12, kDistanceBits = 8;
  static_assert(kLiteralBits <= LiteralGroups::kMostBits);
  const std::uint32_t* literals;
  const std::uint32_t* distances;

  [[nodiscard]] HOTPACK_INLINE std::uint32_t literal(const Bits& at) const {
    return literals[at.first(kLiteralBits)];
  }
  [[nodiscard]] HOTPACK_INLINE std::uint32_t distance(const Bits& at) const {
    return distances[at.first(kDistanceBits)];
  }
};

HOTPACK_INLINE void put(Bits& at, std::uint8_t*& out, std::uint32_t literal) {
  at.skip(taken(literal));
  const std::uint32_t bytes = little_endian(literal >> 8);
  std::memcpy(out, &bytes, sizeof bytes);
  out += literal_count(literal);
}

// The distance of a match; 0 if there is none. Takes at most 28 bits.
HOTPACK_INLINE std::uint32_t read_distance(Bits& at, const Tables& tables) {
  std::uint32_t entry = tables.distance(at);
  if (at.count < 28) at.refill();
  if ((entry & kSpecial) != 0) {
    if ((entry & kLink) == 0) return 0;
    at.skip(taken(entry));
    entry = tables.distances[at.follow(entry)];
    if ((entry & kSpecial) != 0) return 0;
  }
  return at.number(entry);
}

// Handles an entry of the literals' table that is neither a literal nor a base. Takes its bits. If
// it is a link, follows it into the second table and returns the entry there. If the returned entry
// is special, its bits are taken and the block is over.
HOTPACK_INLINE std::uint32_t settle(Bits& at, std::uint32_t entry, const Tables& tables) {
  at.skip(taken(entry));
  if ((entry & kLink) == 0) return entry;
  entry = tables.literals[at.follow(entry)];
  if (is_special(entry)) at.skip(taken(entry));
  return entry;
}

// Decodes the symbols of one block. Returns false if the stream is wrong or too long. Variables
// that the loop changes are local; the compiler could not keep others in registers, because a byte
// written through a pointer might change them. Each turn begins with an entry and at least 56 bits.
// It takes at most 39 bits for literals, or at most 24 for literals and then 20 for a length. A
// turn may write up to kInflateSlack bytes beyond the end; a block whose result ends there is
// refused.
HOTPACK_INLINE bool read_symbols(Source& source, Target& target, const Tables tables) {
  if (!source.refill()) return false;
  Bits at = source.at;
  std::uint8_t *out = target.at, *const begin = target.begin, *const end = target.end;
  for (std::uint32_t entry = tables.literal(at);;) {
    const std::uint8_t* in = at.in;
    if (!source.provide(in) || out > end) return false;
    at.in = in;
    for (int i = 0; i < 2 && is_literal(entry); ++i) {
      put(at, out, entry);
      entry = tables.literal(at);
    }
    if (is_special(entry)) {
      entry = settle(at, entry, tables);
      if (is_special(entry)) {
        source.at = at;
        target.at = out;
        return (entry & kEnd) != 0 && out <= end;
      }
    }
    if (is_literal(entry)) {
      put(at, out, entry);
      at.refill();
      entry = tables.literal(at);
      continue;
    }
    const std::uint32_t length = at.number(entry), distance = read_distance(at, tables);
    if (distance == 0 || distance > static_cast<std::size_t>(out - begin)) return false;
    at.refill();
    entry = tables.literal(at);
    repeat(out, length, distance);
    out += length;
  }
}

#if defined(__x86_64__)
[[gnu::target("bmi2")]] bool read_symbols_bmi2(Source& source, Target& target,
                                               const Tables& tables) {
  return read_symbols(source, target, tables);
}
#endif

bool read_symbols_portable(Source& source, Target& target, const Tables& tables) {
  return read_symbols(source, target, tables);
}

using ReadSymbols = bool (*)(Source&, Target&, const Tables&);

ReadSymbols fastest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2")) return read_symbols_bmi2;
#endif
  return read_symbols_portable;
}

bool read_stored(Source& source, Target& target) {
  const std::size_t at = source.next_byte();
  if (at > source.size() || source.size() - at < 4) return false;
  const std::uint8_t* const head = source.bytes() + at;
  const auto word = [head](std::size_t first) {
    return std::size_t{head[first]} | std::size_t{head[first + 1]} << 8;
  };
  const std::size_t length = word(0), inverse = word(2);
  if ((length ^ inverse) != 0xFFFF || source.size() - at - 4 < length) return false;
  if (target.end - target.at < static_cast<std::ptrdiff_t>(length)) return false;
  if (length > 0) std::memcpy(target.at, head + 4, length);
  target.at += length;
  source.go_to(at + 4 + length);
  return true;
}

// Reads the lengths of the code words of literals and distances in a block that has its own codes.
struct WordLengths {
  std::array<std::uint8_t, 286 + 30> all{};
  std::size_t literals = 0;
  std::size_t distances = 0;

  [[nodiscard]] bool read(Source& source) {
    if (!source.refill()) return false;
    literals = source.at.take(5) + 257;
    distances = source.at.take(5) + 1;
    if (literals > 286 || distances > 30) return false;
    constexpr unsigned kBits = 7;
    std::array<std::uint32_t, 1 << kBits> table;
    if (!read_table(source, table)) return false;
    std::size_t have = 0;
    while (have < literals + distances) {
      if (!source.refill()) return false;
      const std::uint32_t entry = table[source.at.first(kBits)];
      source.at.skip(taken(entry));
      if (!put(source, value(entry), have)) return false;
    }
    return all[kEndSymbol] != 0;
  }

 private:
  static bool read_table(Source& source, std::span<std::uint32_t> table) {
    constexpr std::array<std::uint8_t, 19> kOrder{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 19> lengths{};
    const std::size_t given = source.at.take(4) + 4;
    for (std::size_t i = 0; i < given; ++i) {
      if (!source.refill()) return false;
      lengths[kOrder[i]] = static_cast<std::uint8_t>(source.at.take(3));
    }
    return make_table(lengths, kPlainMeanings, table, 7, Gaps::none);
  }

  // Adds a length, or a repeat: 16 repeats the last length, 17 and 18 repeat zero.
  bool put(Source& source, std::uint32_t symbol, std::size_t& have) {
    if (symbol < 16) {
      all[have++] = static_cast<std::uint8_t>(symbol);
      return true;
    }
    if (symbol == 16 && have == 0) return false;
    const std::uint8_t repeated = symbol == 16 ? all[have - 1] : std::uint8_t{0};
    const std::size_t times = symbol == 16   ? 3 + source.at.take(2)
                              : symbol == 17 ? 3 + source.at.take(3)
                                             : 11 + source.at.take(7);
    if (times > literals + distances - have) return false;
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(have), times, repeated);
    have += times;
    return true;
  }
};

// The lengths of the fixed code, for which the stream has no table.
constexpr auto kFixedLengths = [] {
  std::array<std::uint8_t, kMostSymbols> all{};
  for (unsigned i = 0; i < kMostSymbols; ++i) all[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  return all;
}();

constexpr std::ptrdiff_t kWorthGrouping =
    8192;  // only with so many bytes still to decode are literals grouped

// Returns how many blocks of a stream of `size` bytes may have a code of their own, for which new
// tables must be made. The limit is far above what programs write. For streams with more of them,
// zlib is faster, because its tables are smaller.
constexpr std::size_t most_codes(std::ptrdiff_t size) {
  return 64 + static_cast<std::size_t>(size) / 256;
}

constexpr std::size_t kHeadBytes = 2, kChecksumBytes = 4;

// Returns true if the first bytes of the stream say that it can be decoded from these bytes alone:
// zlib's method, no dictionary, and a window of at least `size` bytes. With a smaller window, the
// result would depend on how zlib is called.
bool is_plain_head(std::span<const std::byte> coded, std::size_t size) {
  if (coded.size() < kHeadBytes + kChecksumBytes) return false;
  const auto method = std::to_integer<unsigned>(coded[0]),
             flags = std::to_integer<unsigned>(coded[1]);
  if ((method & 15) != 8 || method >> 4 > 7 || (method << 8 | flags) % 31 != 0 ||
      (flags & 0x20) != 0)
    return false;
  const std::size_t window = std::size_t{256} << (method >> 4);
  return method >> 4 == 7 || size <= window;
}

bool checksum_fits(std::span<const std::byte> stored, const std::uint8_t* bytes, std::size_t size) {
  std::uint32_t expected = 0;
  for (const std::byte b : stored) expected = expected << 8 | std::to_integer<std::uint32_t>(b);
  return libdeflate_adler32(1, bytes, size) == expected;
}

}  // namespace

// Reads one block after the other.
class StrictInflate::Blocks {
 public:
  Blocks(StrictInflate& tables, Source& source, Target& target)
      : own_(tables), source_(source), target_(target) {}

  [[nodiscard]] bool run() {
    for (bool last = false; !last;) {
      if (!source_.refill()) return false;
      last = source_.at.take(1) != 0;
      if (!block(source_.at.take(2))) return false;
    }
    return true;
  }

 private:
  bool block(std::uint32_t kind) {
    static const ReadSymbols read = fastest();
    if (kind == 0) return read_stored(source_, target_);
    if (kind == 3 || !(kind == 1 ? use_fixed_code() : read_code())) return false;
    return read(source_, target_, {own_.literals_.data(), own_.distances_.data()});
  }

  bool use_fixed_code() {
    if (holds_fixed_code_) return true;
    std::array<std::uint8_t, 32> fives;
    fives.fill(5);
    holds_fixed_code_ = make(kFixedLengths, fives);
    return holds_fixed_code_;
  }

  bool read_code() {
    WordLengths lengths;
    if (!lengths.read(source_)) return false;
    const std::span<const std::uint8_t> all = lengths.all;
    return make(all.first(lengths.literals), all.subspan(lengths.literals, lengths.distances));
  }

  bool make(std::span<const std::uint8_t> literals, std::span<const std::uint8_t> distances) {
    holds_fixed_code_ = false;
    if (codes_left_-- == 0) return false;
    LiteralGroups groups(own_.literals_);
    if (!make_table(literals, kLiteralMeanings, own_.literals_, Tables::kLiteralBits, Gaps::none,
                    target_.end - target_.at >= kWorthGrouping ? &groups : nullptr))
      return false;
    return make_table(distances, kDistanceMeanings, own_.distances_, Tables::kDistanceBits,
                      Gaps::distances);
  }

  StrictInflate& own_;
  Source& source_;
  Target& target_;
  std::size_t codes_left_ = most_codes(target_.end - target_.begin);
  bool holds_fixed_code_ = false;
};

bool StrictInflate::run(std::span<const std::byte> coded, std::uint8_t* into, std::size_t size) {
  if (!is_plain_head(coded, size)) return false;
  Source source(coded);
  source.go_to(kHeadBytes);
  Target target{into, into, into + size};
  if (!Blocks(*this, source, target).run() || target.at != target.end) return false;
  return source.next_byte() + kChecksumBytes == coded.size() &&
         checksum_fits(coded.last(kChecksumBytes), into, size);
}

}  // namespace hotpack::codecs
