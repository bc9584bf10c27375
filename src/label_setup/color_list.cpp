#include "label_setup/color_list.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/try.hpp"
#include "codecs/decoder.hpp"
#include "label_setup/first_failure.hpp"
#include "label_setup/label_room.hpp"
#include "label_setup/source_file.hpp"
#include "labels/packed_color.hpp"
#include "labels/presets.hpp"
#include "settings/ticker.hpp"

namespace hotpack::pipeline {

namespace {

// The first place of a color, in an order that does not depend on threads.
struct Sighting {
  SamplePlace sample;
  PixelPlace pixel;
};

struct Seen {
  std::uint64_t pixels = 0, labels = 0;
  Sighting first;
};

using Colors = std::unordered_map<std::uint32_t, Seen>;

void add(Colors& colors, std::uint32_t color, const Seen& more) {
  const auto [at, added] = colors.try_emplace(color, more);
  if (added) return;
  Seen& seen = at->second;
  seen.pixels += more.pixels;
  seen.labels += more.labels;
  if (more.first.sample < seen.first.sample) seen.first = more.first;
}

// Keeps only the kMostColors smallest colors. A color that is among the smallest of all labels is
// also among the smallest of any part of the labels. So no thread drops such a color, and its
// counts are complete.
void drop_excess(Colors& colors) {
  if (colors.size() <= ColorList::kMostColors) return;
  std::vector<std::uint32_t> values;
  values.reserve(colors.size());
  for (const auto& [color, seen] : colors) values.push_back(color);
  const auto first_dropped = values.begin() + static_cast<std::ptrdiff_t>(ColorList::kMostColors);
  std::nth_element(values.begin(), first_dropped, values.end());
  std::for_each(first_dropped, values.end(), [&](std::uint32_t color) { colors.erase(color); });
}

void add(Colors& colors, const Colors& more) {
  for (const auto& [color, seen] : more) add(colors, color, seen);
  if (colors.size() > 2 * ColorList::kMostColors) drop_excess(colors);
}

// The findings of one thread.
struct Finder {
  explicit Finder(bool of_ids) : ids(of_ids) {}

  codecs::Decoder decoder;
  SourceReader reader;
  Colors colors;
  std::uint64_t labels = 0, crowded = 0;
  bool ids;

  Status look_at(const SampleList& list, SamplePlace place, const RecordOptions& options,
                 MemoryBudget& budget) {
    const Sample& at = list.samples[place.sample];
    const std::string path = list.label_path(at);
    HOTPACK_ASSIGN(const std::span<const std::byte> file, reader.read(path, at.label.bytes));
    HOTPACK_ASSIGN(LabelRoom room, LabelRoom::take(budget, reader, file, options, path));
    const Result<RawLabel> label =
        room.decoder(decoder).decode_label(file, options.max_pixels, options.lenient);
    if (!label.ok() && label.error().code == ErrorCode::io) return label.error();
    if (!label.ok() || label->lossy) return {};
    if (ids ? label->samples.data == nullptr : label->rgb.data == nullptr) return {};
    ++labels;
    const std::optional<Colors> found = values_of(*label, {place, {}});
    if (!found) ++crowded;
    if (!found) return {};
    add(colors, *found);
    return {};
  }

  std::optional<Colors> values_of(const RawLabel& label, Sighting sighting) const {
    if (ids)
      return values_of(
          label.width, label.height,
          [&](int x, int y) -> std::uint32_t { return label.samples.row(y)[x]; }, sighting);
    const auto color = [&](int x, int y) {
      const std::uint8_t* const at =
          label.rgb.row(y) + std::size_t{3} * static_cast<std::size_t>(x);
      return labels::packed_color({at[0], at[1], at[2]});
    };
    return values_of(label.width, label.height, color, sighting);
  }

  // Absent if there are more than kMostInALabel values.
  template <class At>
  static std::optional<Colors> values_of(int width, int height, At at, Sighting sighting) {
    Colors found;
    Seen* last = nullptr;
    std::uint32_t last_value = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const std::uint32_t value = at(x, y);
        if (last == nullptr || value != last_value) {
          sighting.pixel = {x, y};
          last = &found.try_emplace(value, Seen{0, 1, sighting}).first->second;
          last_value = value;
          if (found.size() > ColorList::kMostInALabel) return std::nullopt;
        }
        ++last->pixels;
      }
    }
    return found;
  }
};

std::vector<ListedColor> listed(const Colors& colors, std::span<const SampleList* const> lists,
                                bool ids) {
  std::vector<ListedColor> all;
  for (const auto& [color, seen] : colors) {
    const SampleList& list = *lists[seen.first.sample.list];
    all.push_back({labels::unpacked_color(color), color, seen.pixels, seen.labels,
                   list.label_path(list.samples[seen.first.sample.sample]), seen.first.pixel});
  }
  std::sort(all.begin(), all.end(), [ids](const ListedColor& a, const ListedColor& b) {
    return ids ? a.id < b.id : std::tie(b.pixels, a.color) < std::tie(a.pixels, b.color);
  });
  return all;
}

std::size_t known_by(const labels::Preset& preset, const std::vector<ListedColor>& colors) {
  const auto knows = [&](const ListedColor& listed) {
    return std::any_of(preset.table.classes.begin(), preset.table.classes.end(),
                       [&](const ClassInfo& info) { return info.color == listed.color; });
  };
  return static_cast<std::size_t>(std::count_if(colors.begin(), colors.end(), knows));
}

// Finds the preset that knows most of the listed colors; if several know equally many, the one with
// the fewest classes. Too few known colors prove nothing, because black and red, for example, occur
// in many data sets.
void find_preset(ColorList& list) {
  constexpr std::size_t kFewest = 3;
  std::size_t classes = 0;
  for (const std::string_view name : labels::preset_names()) {
    const labels::Preset& preset = *labels::find_preset(name);
    const std::size_t known = known_by(preset, list.colors);
    if (known < kFewest || 10 * known < 9 * list.colors.size()) continue;
    if (known < list.known || (known == list.known && preset.table.classes.size() >= classes))
      continue;
    list.preset = name;
    list.known = known;
    classes = preset.table.classes.size();
  }
}

Result<ColorList> list_values(std::span<const SampleList* const> lists, const PackOptions& options,
                              std::size_t most, bool ids, Observer& observer) {
  std::size_t total = 0;
  for (const SampleList* list : lists)
    total += list->has_label_files ? std::min(most, list->samples.size()) : 0;
  tbb::enumerable_thread_specific<Finder> finders([ids] { return Finder(ids); });
  MemoryBudget budget(options.run.max_memory, options.run.threads);
  FirstFailure failure;
  Ticker ticker(observer, ids ? "listing ids" : "listing colors", total);
  for (std::size_t index = 0; index < lists.size(); ++index) {
    const SampleList& list = *lists[index];
    if (!list.has_label_files) continue;
    const std::size_t taken = std::min(most, list.samples.size());
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, taken),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i != range.end() && !observer.stop_requested(); ++i) {
            const SamplePlace place{index, i * list.samples.size() / taken};
            ticker.tick(list.samples[place.sample].label.bytes);
            if (failure.skips(place)) continue;
            Status status = finders.local().look_at(list, place, options.record, budget);
            if (!status.ok()) failure.add(place, std::move(status).error());
          }
        });
  }
  if (auto error = failure.error()) return *std::move(error);
  ColorList all;
  all.ids = ids;
  Colors colors;
  for (const Finder& finder : finders) {
    all.labels += finder.labels;
    all.crowded += finder.crowded;
    add(colors, finder.colors);
  }
  drop_excess(colors);
  all.colors = listed(colors, lists, ids);
  return all;
}

std::string map_skeleton(const ColorList& list) {
  std::string text = "old,new\n";
  for (const ListedColor& listed : list.colors)
    text += std::to_string(listed.id) + ",class_" + std::to_string(listed.id) + "\n";
  return text;
}

}  // namespace

std::string ColorList::preset_text() const {
  if (preset.empty()) return "";
  return std::to_string(known) + " of " + std::to_string(colors.size()) +
         " colors are those of --preset " + preset;
}

Result<ColorList> list_colors(std::span<const SampleList* const> lists, const PackOptions& options,
                              std::size_t most, Observer& observer) {
  HOTPACK_ASSIGN(ColorList list, list_values(lists, options, most, false, observer));
  find_preset(list);
  return list;
}

Result<ColorList> list_ids(std::span<const SampleList* const> lists, const PackOptions& options,
                           Observer& observer) {
  return list_values(lists, options, std::numeric_limits<std::size_t>::max(), true, observer);
}

bool needs_map(const ColorList& list) {
  return list.ids &&
         (list.colors.empty() || list.colors.back().id + std::size_t{1} != list.colors.size());
}

std::string skeleton_of_ids(std::size_t count) {
  std::string text = "id,name\n";
  for (std::size_t id = 0; id < count; ++id)
    text += std::to_string(id) + ",class_" + std::to_string(id) + "\n";
  return text;
}

std::string skeleton_of(const ColorList& list) {
  if (list.ids && !needs_map(list)) return skeleton_of_ids(list.colors.size());
  if (list.ids) return map_skeleton(list);
  std::string text = "name,r,g,b\n";
  for (std::size_t i = 0; i < list.colors.size(); ++i) {
    const auto [r, g, b] = list.colors[i].color;
    text += "color_" + std::to_string(i + 1) + "," + std::to_string(r) + "," + std::to_string(g) +
            "," + std::to_string(b) + "\n";
  }
  return text;
}

}  // namespace hotpack::pipeline
