#include "check/shared_labels.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "pack/mask_hashes.hpp"

namespace hotpack::pipeline {

void SharedLabels::add(SamplePlace place, std::uint64_t image, const std::vector<LabelInspection>& labels) {
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

void SharedLabels::finish(const std::function<std::string(SamplePlace)>& path_of, Findings& findings) {
  std::sort(labels_.begin(), labels_.end(),
            [](const Label& a, const Label& b) { return std::tie(a.content, a.place) < std::tie(b.content, b.place); });
  std::vector<std::pair<SamplePlace, SamplePlace>> pairs;  // a label, and the first one that it equals
  for (auto begin = labels_.begin(); begin != labels_.end();) {
    const auto end = std::find_if(begin, labels_.end(), [&](const Label& label) { return label.content != begin->content; });
    for (auto label = begin + 1; label != end; ++label)
      if (label->image != begin->image) pairs.emplace_back(label->place, begin->place);
    begin = end;
  }
  if (pairs.empty()) return;
  std::sort(pairs.begin(), pairs.end());  // the first examples are the first samples, not the smallest hashes
  Finding finding;
  finding.kind = "shared-label";
  finding.severity = Severity::warning;
  finding.count = pairs.size();
  finding.of = seen_;
  finding.title = share_text(pairs.size(), seen_, "label", "labels") +
                  (pairs.size() == 1 ? " is the same as that of another image" : " are the same as those of other images");
  for (const auto& [label, first] : pairs)
    finding.add_example({path_of(label), "the same label as " + path_of(first) + ", under another image"});
  finding.advice = "one of the two was copied, or saved under a wrong name: compare both with their images";
  findings.add(std::move(finding));
}

}  // namespace hotpack::pipeline
