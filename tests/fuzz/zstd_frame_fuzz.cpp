// A record stored as a Zstandard frame: a size is trusted only if the frame can hold it.

#include <vector>

#include "fuzz/fuzz.hpp"
#include "reader/zstd_frame.hpp"

using namespace hotpack;

namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> frame = fuzz::bytes_of_input(data, size);
  const Result<std::uint64_t> told = reader::frame_content_bytes(frame);
  fuzz::require_told(told);
  const std::uint64_t wanted = told.ok() ? *told : 64;
  const Status checked = reader::check_frame(frame, wanted);
  fuzz::require(checked.ok() == !reader::find_frame_fault(frame, wanted),
                "both checks of a frame agree");
  const std::span<const std::byte> head = frame.first(std::min(frame.size(), reader::kFrameHead));
  if (checked.ok())
    fuzz::require(!reader::find_size_fault(head, frame.size(), wanted),
                  "a good frame has a good head");
  if (!checked.ok() || wanted > kMostBytes) return 0;
  std::vector<std::byte> content(static_cast<std::size_t>(wanted));
  fuzz::require_told(reader::decompress_frame(frame, content));
  return 0;
}
