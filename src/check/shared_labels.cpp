#include "check/shared_labels.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "pack/mask_hashes.hpp"

namespace hotpack::pipeline {

void SharedLabels::add(SamplePlace place, std::uint64_t image,
                       const std::vector<LabelInspection>& labels) {
  if (labels.empty()) return;
  ++seen_;
  bool drawn = false;
  std::vector<std::uint64_t> contents;
  for (const LabelInspection& label : labels) {
    if (!label.decoded) return;
    drawn = drawn || label.classes.size() + (label.ignored > 0 ? 1 : 0) > 1;
    contents.push_back(label.ids_hash);
  }
  if (drawn) labels_.push_back({hash_of_hashes(contents), image, place});
}

void SharedLabels::finish(const std::function<std::string(SamplePlace)>& path_of,
                          const std::function<std::string_view(SamplePlace)>& original_of,
                          Diagnostics& diagnostics) {
  std::sort(labels_.begin(), labels_.end(), [](const Label& a, const Label& b) {
    return std::tie(a.content, a.place) < std::tie(b.content, b.place);
  });
  std::vector<std::pair<SamplePlace, SamplePlace>>
      pairs;  // a label, and the first label equal to it
  for (auto begin = labels_.begin(); begin != labels_.end();) {
    const auto end = std::find_if(
        begin, labels_.end(), [&](const Label& label) { return label.content != begin->content; });
    for (auto label = begin + 1; label != end; ++label)
      if (label->image != begin->image && original_of(label->place) != original_of(begin->place))
        pairs.emplace_back(label->place, begin->place);
    begin = end;
  }
  if (pairs.empty()) return;
  std::sort(pairs.begin(), pairs.end());  // examples come in the order of samples, not of hashes
  Occurrences same;
  for (const auto& [label, first] : pairs)
    same.add({path_of(label), "equal to '" + path_of(first) + "', the label of another image"});
  const std::string title = share_text(same.count, seen_, "label", "labels") +
                            (same.count == 1 ? " is the same as that of another image"
                                             : " are the same as those of other images");
  diagnostics.add(make_diagnostic("shared-label", Severity::warning, title, same, seen_,
                                  "one of the two labels was copied or saved under a wrong name. "
                                  "Compare both with their images"));
}

}  // namespace hotpack::pipeline
