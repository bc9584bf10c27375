#include "device/resident_lanes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.hpp"

namespace hotpack::device {

namespace {

using Contexts = std::vector<std::shared_ptr<const Context>>;

// Copies records to the devices through two buffers: one is filled while the other is copied.
class CopyLane final : public Lane {
 public:
  static Result<std::unique_ptr<Lane>> make(ResidentSet& set, const Contexts& contexts,
                                            std::uint64_t buffer_bytes) {
    auto lane = std::make_unique<CopyLane>(set);
    for (PinnedMemory& buffer : lane->buffers_) {
      HOTPACK_ASSIGN(buffer, PinnedMemory::take(contexts.front(), buffer_bytes));
    }
    for (const auto& context : contexts) HOTPACK_TRY(lane->add_device(context));
    return std::unique_ptr<Lane>(std::move(lane));
  }
  explicit CopyLane(ResidentSet& set) : set_(set) {}
  ~CopyLane() override { (void)finish(); }

  Result<std::byte*> room(const Chunk&) override {
    turn_ = 1 - turn_;
    for (const Way& way : ways_) {
      const CurrentContext current(*way.context);
      HOTPACK_TRY(current.status());
      HOTPACK_TRY(
          HOTPACK_DRIVER(way.context->driver(), EventSynchronize, way.copied[turn_].handle()));
    }
    return buffers_[turn_].data();
  }

  Status written(const Chunk& chunk) override {
    for (std::size_t device = 0; device < ways_.size() && chunk.bytes > 0; ++device) {
      const Way& way = ways_[device];
      const CurrentContext current(*way.context);
      HOTPACK_TRY(current.status());
      const Pointer to = set_.devices[device].address() + chunk.begin;
      HOTPACK_TRY(HOTPACK_DRIVER(way.context->driver(), MemcpyHtoDAsync, to, buffers_[turn_].data(),
                                 chunk.bytes, way.stream.handle()));
      HOTPACK_TRY(way.copied[turn_].record(way.stream.handle()));
    }
    return {};
  }

  Status finish() override {
    Status first;
    for (const Way& way : ways_) {
      const CurrentContext current(*way.context);
      Status ended = current.status().ok() ? way.stream.synchronize() : current.status();
      if (first.ok()) first = std::move(ended);
    }
    return first;
  }

 private:
  // The stream to one device, and the events of its copies.
  struct Way {
    std::shared_ptr<const Context> context;
    Stream stream;
    std::array<Event, 2> copied;  // one per buffer
  };

  Status add_device(const std::shared_ptr<const Context>& context) {
    const CurrentContext current(*context);
    HOTPACK_TRY(current.status());
    Way way{context, {}, {}};
    HOTPACK_ASSIGN(way.stream, Stream::create(context));
    for (Event& event : way.copied) {
      HOTPACK_ASSIGN(event,
                     Event::create(context, kEventBlockingSync));  // a thread waits for it asleep
    }
    ways_.push_back(std::move(way));
    return {};
  }

  ResidentSet& set_;
  std::array<PinnedMemory, 2> buffers_;
  std::vector<Way> ways_;
  std::size_t turn_ = 0;
};

// How many lanes there are, and how large their chunks. The two buffers of every lane must fit the
// budget. If they do not, chunks become smaller, but not smaller than the largest record; if that
// is not enough, there are fewer lanes.
struct LaneSizes {
  std::uint64_t chunk_bytes = 0;
  unsigned lanes = 1;
};

LaneSizes lane_sizes(const RecordBlocks& blocks, const LoadOptions& options) {
  const std::uint64_t least = std::max<std::uint64_t>(blocks.largest(), 1);
  const std::uint64_t wanted =
      std::min(std::max(options.chunk_bytes, least), std::max(blocks.total_bytes(), least));
  const unsigned most = std::max(1u, options.threads);
  const std::uint64_t chunk = std::clamp(options.buffer_budget_bytes / 2 / most, least, wanted);
  const std::uint64_t fit = std::max<std::uint64_t>(1, options.buffer_budget_bytes / 2 / chunk);
  const std::uint64_t useful =
      std::max<std::uint64_t>(1, (blocks.total_bytes() + chunk - 1) / chunk);
  return {chunk, static_cast<unsigned>(std::min<std::uint64_t>({most, fit, useful}))};
}

Status add_copy_lanes(ResidentMemory& memory, const Contexts& contexts, LaneSizes sizes) {
  while (memory.lanes.size() < sizes.lanes) {
    auto lane = CopyLane::make(*memory.set, contexts, sizes.chunk_bytes);
    if (!lane.ok() && !memory.lanes.empty())
      return {};  // without memory for more lanes, use those that exist
    HOTPACK_ASSIGN(auto made, std::move(lane));
    memory.lanes.push_back(std::move(made));
  }
  return {};
}

}  // namespace

Result<ResidentMemory> take_resident(std::shared_ptr<const RecordBlocks> blocks,
                                     const Contexts& contexts, const LoadOptions& options) {
  const std::uint64_t bytes = blocks->total_bytes();
  ResidentMemory memory{std::make_shared<ResidentSet>(std::move(blocks)), 0, {}};
  const LaneSizes sizes = lane_sizes(*memory.set->blocks, options);
  memory.chunk_bytes = sizes.chunk_bytes;
  for (const auto& context : contexts) {
    HOTPACK_ASSIGN(DeviceMemory device, DeviceMemory::take(context, bytes));
    memory.set->devices.push_back(std::move(device));
  }
  HOTPACK_TRY(add_copy_lanes(memory, contexts, sizes));
  return memory;
}

}  // namespace hotpack::device
