#include "reader/findings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hotpack {

std::string VerifyFinding::describe() const {
  std::string where;
  if (record) where += "record " + std::to_string(*record) + (key.empty() ? "" : " (" + key + ")");
  if (offset)
    where += (where.empty() ? "" : ", ") + std::string("at byte ") + std::to_string(*offset);
  return file + ": " + (where.empty() ? "" : where + ": ") + text;
}

namespace reader {

void Findings::add(VerifyFinding finding) {
  ++count_;
  if (finding.code != ErrorCode::io) damaged_files_.insert(finding.file);
  if (kept_.size() < max_kept_) kept_.push_back(std::move(finding));
}

void Findings::add(const std::string& file, const Error& error) {
  add({file, {}, {}, error.offset, error.message, error.code});
}

void Findings::add(const std::string& file, std::string text, std::optional<std::uint64_t> offset) {
  add({file, {}, {}, offset, std::move(text), ErrorCode::damaged});
}

void Findings::merge(std::vector<Findings> parts) {
  std::vector<VerifyFinding> all;
  for (Findings& part : parts) {
    count_ += part.count_;
    damaged_files_.merge(part.damaged_files_);
    std::move(part.kept_.begin(), part.kept_.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(), [](const VerifyFinding& a, const VerifyFinding& b) {
    return a.record < b.record;
  });
  const std::size_t room = std::min(all.size(), max_kept_ - kept_.size());
  std::move(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(room),
            std::back_inserter(kept_));
}

}  // namespace reader

}  // namespace hotpack
