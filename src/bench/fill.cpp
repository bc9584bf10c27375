#include "bench/fill.hpp"

#include <cstring>

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fill.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::bench::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86

// Fills whole vectors and returns how many bytes it wrote.
std::size_t fill_vectors(std::uint8_t* out, std::size_t bytes, std::uint8_t value) {
  const hw::ScalableTag<std::uint8_t> tag;
  const auto filler = hw::Set(tag, value);
  std::size_t done = 0;
  for (; bytes - done >= hw::Lanes(tag); done += hw::Lanes(tag))
    hw::Stream(filler, tag, out + done);
  hwy::FlushStream();
  return done;
}

#else

std::size_t fill_vectors(std::uint8_t* /*out*/, std::size_t, std::uint8_t) { return 0; }

#endif

}  // namespace hotpack::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::bench {

HWY_EXPORT(fill_vectors);

void stream_fill(std::byte* out, std::size_t bytes, std::uint8_t value) {
  auto* const to = reinterpret_cast<std::uint8_t*>(out);
  const std::size_t written = HWY_DYNAMIC_DISPATCH(fill_vectors)(to, bytes, value);
  std::memset(to + written, value, bytes - written);
}

}  // namespace hotpack::bench
#endif
