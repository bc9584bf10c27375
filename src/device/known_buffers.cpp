#include "device/known_buffers.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {

namespace {

// What the driver tells of an address; as it is here of one that is not the driver's.
struct Place {
  int kind = 0;
  int ordinal = 0;
  int managed = 0;  // the driver writes one byte or four
};

Result<Place> place_of(Pointer address, const Context& context) {
  const CurrentContext current(context);
  HOTPACK_TRY(current.status());
  Place place;
  std::array<int, 3> attributes{kPointerMemoryType, kPointerOrdinal, kPointerManaged};
  std::array<void*, 3> values{&place.kind, &place.ordinal, &place.managed};
  const int asked = context.api().PointerGetAttributes(attributes.size(), attributes.data(), values.data(), address);
  if (asked == code::kInvalidValue) return Place{};
  HOTPACK_TRY(context.driver().check("cuPointerGetAttributes", asked));
  return place;
}

}  // namespace

Status KnownBuffers::check(const std::string& which, const void* memory, const Context& context) {
  const Known buffer{reinterpret_cast<std::uintptr_t>(memory), context.ordinal()};
  if (remembered(buffer)) return {};
  HOTPACK_ASSIGN(const Place place, place_of(buffer.address, context));
  const bool of_a_device = place.kind == kMemoryDevice;
  if (place.managed != 0 || (of_a_device && place.ordinal == buffer.ordinal)) {
    remember(buffer);
    return {};
  }
  const std::string where = of_a_device ? "memory of device " + std::to_string(place.ordinal) : std::string("host memory");
  return usage_error(which + " is in " + where + "; it must be in memory of device " + std::to_string(buffer.ordinal));
}

bool KnownBuffers::remembered(const Known& buffer) {
  const std::lock_guard lock(mutex_);
  return std::find(known_.begin(), known_.end(), buffer) != known_.end();
}

void KnownBuffers::remember(const Known& buffer) {
  const std::lock_guard lock(mutex_);
  known_[oldest_] = buffer;
  oldest_ = (oldest_ + 1) % known_.size();
}

}  // namespace hotpack::device
