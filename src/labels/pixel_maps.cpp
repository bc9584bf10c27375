#include "labels/pixel_maps.hpp"

#include <span>

#include "base/words.hpp"
#include "labels/fill_units.hpp"
#include "labels/row_runs.hpp"

namespace hotpack::labels {
namespace {

constexpr Entry kNotKnown = kUnknown | kNearest;

std::uint32_t color_at(const std::uint8_t* rgb) { return packed_color({rgb[0], rgb[1], rgb[2]}); }

// Maps 0xRRGGBB to its entry; unknown_id if the color is unknown.
class ExactLookup {
 public:
  ExactLookup(const ColorMap& colors, std::uint16_t unknown_id)
      : colors_(colors), unknown_(kUnknown | unknown_id) {}
  Entry operator()(std::uint32_t color) const {
    const Entry entry = colors_.find(color);
    return entry == kUnknown ? unknown_ : entry;
  }

 private:
  const ColorMap& colors_;
  Entry unknown_;
};

// Maps a color 0xRRGGBB to the entry of the nearest color of a class. Comparing with all classes is
// slow, and an interpolated or lossy label has thousands of colors, each of which occurs many
// times. So a table of fixed size keeps results; a later color replaces an earlier one in the same
// slot.
class NearestLookup {
 public:
  NearestLookup(const NearestColors& colors, std::uint16_t unknown_id)
      : colors_(colors), unknown_id_(unknown_id), slots_(kSlots) {}
  Entry operator()(std::uint32_t color) {
    Slot& slot = slots_[(color * 0x9E3779B1u) >> (32 - kSlotBits)];
    if (slot.color != color) slot = {color, colors_.entry(color, unknown_id_)};
    return slot.entry;
  }

 private:
  static constexpr int kSlotBits = 12;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  struct Slot {
    std::uint32_t color = 0xFFFFFFFF;  // none
    Entry entry = 0;
  };

  const NearestColors& colors_;
  std::uint16_t unknown_id_;
  std::vector<Slot> slots_;
};

// Maps a row that consists of runs of one color. `begins` has the first pixel of each run.
template <class Lookup>
Entry map_runs(const std::uint8_t* rgb, std::size_t width, std::span<const std::uint32_t> begins,
               Lookup& lookup, std::uint16_t* ids) {
  Entry flags = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t begin = begins[i], end = i + 1 < begins.size() ? begins[i + 1] : width;
    const Entry entry = lookup(color_at(rgb + 3 * begin));
    flags |= entry;
    fill_units(static_cast<std::uint16_t>(entry), end - begin, ids + begin);
  }
  return flags;
}

// Maps a row pixel by pixel, and uses the table only if the color changes.
template <class Lookup>
Entry map_pixels(const std::uint8_t* rgb, std::size_t width, Lookup& lookup, std::uint16_t* ids) {
  Entry flags = 0;
  std::uint32_t last = ~color_at(rgb);
  std::uint16_t id = 0;
  for (std::size_t x = 0; x < width; ++x) {
    const std::uint32_t color = color_at(rgb + 3 * x);
    if (color != last) {
      const Entry entry = lookup(color);
      flags |= entry;
      id = static_cast<std::uint16_t>(entry);
      last = color;
    }
    ids[x] = id;
  }
  return flags;
}

// `Index` keeps a sample inside its table of 256 or 65536 entries.
template <class Index>
Entry map_sample_row(const std::uint16_t* samples, int width, const Entry* entries,
                     std::uint16_t* ids) {
  Entry flags = 0;
  for (int x = 0; x < width; ++x) {
    const Entry entry = entries[static_cast<Index>(samples[x])];
    ids[x] = static_cast<std::uint16_t>(entry);
    flags |= entry;
  }
  return flags;
}

// Returns the largest n such that the entry of every value below n is that value itself, without
// flags. In most labels all values are below n.
std::uint16_t plain_samples(const NarrowTable& table) {
  std::uint16_t count = 0;
  while (count < table.entries.size() && table.entries[count] == count) ++count;
  return count;
}

// Copies a row. Returns true if all its samples are below `limit`, so that the copy is correct.
bool copy_plain_row(const std::uint16_t* samples, int width, std::uint16_t limit,
                    std::uint16_t* ids) {
  std::uint16_t largest = 0;
  for (int x = 0; x < width; ++x) {
    largest = std::max(largest, samples[x]);
    ids[x] = samples[x];
  }
  return largest < limit;
}

// Counts the unknown values of a row; called only for rows that contain one. `entry_at(x)` returns
// the entry of pixel x, `found_at(x)` its value.
template <class EntryAt, class FoundAt>
void count_unknown(int width, int y, EntryAt entry_at, FoundAt found_at, UnknownCounter& unknown) {
  for (int x = 0; x < width; ++x) {
    const Entry entry = entry_at(x);
    if ((entry & kUnknown) != 0) unknown.add(found_at(x), x, y);
    if ((entry & kNearest) != 0) unknown.add_nearest();
  }
}

// Maps one row of samples to row y of `ids`. Samples below `plain` are their own ids.
template <class Index, class ValueOf>
Entry map_row(const std::uint16_t* row, int y, const Entry* entries, std::uint16_t plain,
              ValueOf value_of, MutableIds ids, UnknownCounter& unknown) {
  if (plain > 0 && copy_plain_row(row, ids.width, plain, ids.row(y))) return 0;
  const Entry flags = map_sample_row<Index>(row, ids.width, entries, ids.row(y));
  if ((flags & kNotKnown) != 0) {
    count_unknown(
        ids.width, y, [&](int x) { return entries[static_cast<Index>(row[x])]; },
        [&](int x) { return value_of(static_cast<Index>(row[x])); }, unknown);
  }
  return flags;
}

template <class Index, class ValueOf>
Entry map_samples(ConstIds samples, const Entry* entries, std::uint16_t plain, ValueOf value_of,
                  MutableIds ids, UnknownCounter& unknown) {
  Entry flags = 0;
  for (int y = 0; y < ids.height; ++y)
    flags |= map_row<Index>(samples.row(y), y, entries, plain, value_of, ids, unknown);
  return flags;
}

// Maps the first of three channels as map_row() maps samples.
template <class Sample, class ValueOf>
Entry map_reds(PixelView<const Sample> rgb, const Entry* entries, std::uint16_t plain,
               ValueOf value_of, MutableIds ids, UnknownCounter& unknown) {
  std::vector<std::uint16_t> samples(static_cast<std::size_t>(rgb.width));
  Entry flags = 0;
  for (int y = 0; y < rgb.height; ++y) {
    const Sample* at = rgb.row(y);
    for (std::uint16_t& sample : samples) sample = *at, at += 3;
    flags |= map_row<Sample>(samples.data(), y, entries, plain, value_of, ids, unknown);
  }
  return flags;
}

FoundValue color_found(std::uint32_t color) { return {FoundValue::Kind::color, color}; }

// `found` gives the reported value of an unknown color.
template <class Lookup, class Found>
Entry map_colors(ConstPixels rgb, Lookup lookup, Found found, MutableIds ids,
                 UnknownCounter& unknown) {
  Entry flags = 0;
  RowRuns runs;
  const auto width = static_cast<std::size_t>(ids.width);
  for (int y = 0; y < ids.height; ++y) {
    const std::uint8_t* row = rgb.row(y);
    const Entry row_flags = runs.find_colors(row, width)
                                ? map_runs(row, width, runs.begins(), lookup, ids.row(y))
                                : map_pixels(row, width, lookup, ids.row(y));
    flags |= row_flags;
    if ((row_flags & kNotKnown) == 0) continue;
    count_unknown(
        ids.width, y, [&](int x) { return lookup(color_at(row + 3 * x)); },
        [&](int x) { return found(color_at(row + 3 * x)); }, unknown);
  }
  return flags;
}

}  // namespace

Entry map_narrow(ConstIds samples, const NarrowTable& table, MutableIds ids,
                 UnknownCounter& unknown) {
  return map_samples<std::uint8_t>(
      samples, table.entries.data(), plain_samples(table),
      [&](std::uint8_t sample) { return table.found[sample]; }, ids, unknown);
}

Entry map_wide(ConstIds samples, const std::vector<Entry>& entries, MutableIds ids,
               UnknownCounter& unknown) {
  const auto value_of = [](std::uint16_t sample) {
    return FoundValue{FoundValue::Kind::id, sample};
  };
  return map_samples<std::uint16_t>(samples, entries.data(), 0, value_of, ids, unknown);
}

Entry map_rgb(ConstPixels rgb, const ColorMap& colors, std::uint16_t unknown_id, MutableIds ids,
              UnknownCounter& unknown) {
  return map_colors(rgb, ExactLookup(colors, unknown_id), color_found, ids, unknown);
}

Entry map_rgb_nearest(ConstPixels rgb, const NearestColors& colors, std::uint16_t unknown_id,
                      MutableIds ids, UnknownCounter& unknown) {
  return map_colors(rgb, NearestLookup(colors, unknown_id), color_found, ids, unknown);
}

Entry map_rgb_ids(ConstPixels rgb, RgbId formula, const std::vector<Entry>& entries,
                  std::uint16_t unknown_id, MutableIds ids, UnknownCounter& unknown) {
  const auto id_of = [formula](std::uint32_t color) {
    return rgb_id(formula, unpacked_color(color));
  };
  const auto lookup = [&](std::uint32_t color) {
    const std::optional<std::uint32_t> id = id_of(color);
    return id && *id < entries.size() ? entries[*id] : kUnknown | unknown_id;
  };
  const auto found = [&](std::uint32_t color) {
    const std::optional<std::uint32_t> id = id_of(color);
    return id ? FoundValue{FoundValue::Kind::id, *id} : color_found(color);
  };
  return map_colors(rgb, lookup, found, ids, unknown);
}

Entry map_red(ConstPixels rgb, const NarrowTable& table, MutableIds ids, UnknownCounter& unknown) {
  return map_reds<std::uint8_t>(
      rgb, table.entries.data(), plain_samples(table),
      [&](std::uint8_t sample) { return table.found[sample]; }, ids, unknown);
}

Entry map_wide_red(ConstIds rgb, const std::vector<Entry>& entries, MutableIds ids,
                   UnknownCounter& unknown) {
  return map_reds<std::uint16_t>(
      rgb, entries.data(), 0,
      [](std::uint16_t sample) {
        return FoundValue{FoundValue::Kind::id, sample};
      },
      ids, unknown);
}

Entry threshold_rgb(ConstPixels rgb, LumaThreshold threshold,
                    const std::array<std::uint16_t, 2>& class_ids, MutableIds ids) {
  bool differ = false, lit = false;
  std::uint8_t any = 0;
  for (int y = 0; y < ids.height; ++y) {
    const std::uint8_t* at = rgb.row(y);
    std::uint16_t* out = ids.row(y);
    for (int x = 0; x < ids.width; ++x, at += 3) {
      const bool reached = threshold.reached(at[0], at[1], at[2]);
      out[x] = reached ? class_ids[1] : class_ids[0];
      lit |= reached;
      any = static_cast<std::uint8_t>(any | at[0] | at[1] | at[2]);
      differ |= channels_differ(at[0], at[1], at[2]);
    }
  }
  return (differ ? kChannelsDiffer : 0) | (lit ? kLit : 0) | (!lit && any != 0 ? kDim : 0);
}

}  // namespace hotpack::labels
