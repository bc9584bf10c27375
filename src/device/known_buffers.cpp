#include "device/known_buffers.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {

namespace {

// What the driver says about an address. The initial values are what is true for an address that
// the driver does not know. The driver writes the flags `managed` and `legacy_ipc` either as one
// byte or as four, so they are ints that start with 0.
struct Place {
  int kind = 0;
  int ordinal = 0;
  int managed = 0;
  // not 0 if cuMemAlloc made the memory; 0 for mapped memory and memory of a pool
  int legacy_ipc = 0;
  Pointer begin = 0;  // beginning of the memory
  std::size_t bytes = 0;

  // Returns the number of bytes from an address in the memory to its end, if known.
  [[nodiscard]] std::optional<std::uint64_t> bytes_from(Pointer address) const {
    const bool known =
        legacy_ipc != 0 && managed == 0 && address >= begin && address - begin < bytes;
    return known ? std::optional<std::uint64_t>(bytes - (address - begin)) : std::nullopt;
  }
};

Result<Place> place_of(Pointer address, const Context& context) {
  const CurrentContext current(context);
  HOTPACK_TRY(current.status());
  Place place;
  std::array<int, 6> attributes{kPointerMemoryType, kPointerOrdinal,    kPointerManaged,
                                kPointerLegacyIpc,  kPointerRangeStart, kPointerRangeSize};
  std::array<void*, 6> values{&place.kind,       &place.ordinal, &place.managed,
                              &place.legacy_ipc, &place.begin,   &place.bytes};
  const int asked = context.api().PointerGetAttributes(attributes.size(), attributes.data(),
                                                       values.data(), address);
  if (asked == code::kInvalidValue) return Place{};
  HOTPACK_TRY(context.driver().check("cuPointerGetAttributes", asked));
  return place;
}

}  // namespace

Status KnownBuffers::check(const std::string& which, const void* memory, std::uint64_t bytes,
                           const Context& context) {
  const Known buffer{reinterpret_cast<std::uintptr_t>(memory), context.ordinal(), bytes};
  if (remembered(buffer)) return {};
  HOTPACK_ASSIGN(const Place place, place_of(buffer.address, context));
  const bool of_a_device = place.kind == kMemoryDevice;
  if (place.managed == 0 && (!of_a_device || place.ordinal != buffer.ordinal)) {
    const std::string where = of_a_device ? "memory of device " + std::to_string(place.ordinal)
                                          : std::string("host memory");
    return usage_error(which + " is in " + where + "; it must be in memory of device " +
                       std::to_string(buffer.ordinal));
  }
  const auto left = place.bytes_from(buffer.address);
  if (left && bytes > *left) {
    return usage_error(which + " was passed with a size of " + std::to_string(bytes) +
                       " bytes, but its memory ends after " + std::to_string(*left));
  }
  remember(buffer);
  return {};
}

bool KnownBuffers::remembered(const Known& buffer) {
  const std::lock_guard lock(mutex_);
  return std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
    return known.address == buffer.address && known.ordinal == buffer.ordinal &&
           known.bytes >= buffer.bytes;
  });
}

void KnownBuffers::remember(const Known& buffer) {
  const std::lock_guard lock(mutex_);
  known_[oldest_] = buffer;
  oldest_ = (oldest_ + 1) % known_.size();
}

}  // namespace hotpack::device
