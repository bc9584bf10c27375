#include "pipeline/id_scan.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "codecs/decoder.hpp"
#include "pipeline/source_file.hpp"
#include "pipeline/ticker.hpp"

namespace hotpack::pipeline {

namespace {

struct Scanner {
  codecs::Decoder decoder;
  SourceReader reader;
  IdScan found;

  Status look_at(const std::string& path, std::uint64_t bytes, std::uint64_t max_pixels) {
    Result<std::span<const std::byte>> file = reader.read(path, bytes);
    if (!file.ok()) return std::move(file).error();
    const Result<RawLabel> label = decoder.decode_label(*file, max_pixels);
    if (label.ok() && label->samples.data != nullptr) mark(*label);
    return {};
  }

  void mark(const RawLabel& label) {
    std::bitset<65536>& ids = label.bit_depth == 16 ? found.wide : found.narrow;
    for (int y = 0; y < label.height; ++y) {
      const std::uint16_t* const row = label.samples.row(y);
      int last = -1;
      for (int x = 0; x < label.width; ++x) {
        if (row[x] == last) continue;
        last = row[x];
        ids.set(row[x]);
      }
    }
  }
};

}  // namespace

Result<IdScan> scan_ids(const SampleList& list, std::uint64_t max_pixels, Observer& observer) {
  tbb::enumerable_thread_specific<Scanner> scanners;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::optional<Error> failure;
  Ticker ticker(observer, "reading labels", list.samples.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, list.samples.size(), 8), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end() && !stopped && !observer.stop_requested(); ++i) {
      const Sample& sample = list.samples[i];
      Status status = scanners.local().look_at(list.label_path(sample), sample.label.bytes, max_pixels);
      ticker.tick(sample.label.bytes);
      if (status.ok()) continue;
      stopped = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::move(status).error();
    }
  });
  if (failure) return *failure;
  IdScan all;
  for (const Scanner& scanner : scanners) {
    all.narrow |= scanner.found.narrow;
    all.wide |= scanner.found.wide;
  }
  return all;
}

std::string ids_text(const std::bitset<65536>& ids) {
  std::string text;
  for (std::size_t first = 0; first < ids.size(); ++first) {
    if (!ids[first]) continue;
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1]) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (last > first) text += (last == first + 1 ? ", " : "…") + std::to_string(last);
    first = last;
  }
  return text.empty() ? "none" : text;
}

}  // namespace hotpack::pipeline
