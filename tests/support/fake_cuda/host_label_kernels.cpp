#include <array>
#include <cstdint>
#include <utility>

#include "device/kernels/label_body.hpp"
#include "support/fake_cuda/host_kernels.hpp"
#include "support/fake_cuda/run_threads.hpp"

namespace hotpack::test {

namespace {

using device::LabelArgs;
using device::ThreadPlace;

using LabelBody = void (*)(const LabelArgs& args, const ThreadPlace& place);

template <LabelBody kBody>
void run_label(const void* args, const device::LaunchSize& size) {
  const auto& given = *static_cast<const LabelArgs*>(args);
  run_threads(size, [&](const ThreadPlace& place) { kBody(given, place); });
}

constexpr std::array<std::pair<const char*, HostKernel>, 11> kKernels{{
    {"hotpack_label_index_u8", run_label<device::label_index_body<std::uint8_t>>},
    {"hotpack_label_index_u16", run_label<device::label_index_body<std::uint16_t>>},
    {"hotpack_label_index_i32", run_label<device::label_index_body<std::uint32_t>>},
    {"hotpack_label_index_i64", run_label<device::label_index_body<std::uint64_t>>},
    {"hotpack_label_bits", run_label<device::label_bits_body>},
    {"hotpack_label_one_hot_u8_last", run_label<device::label_one_hot_last_body<std::uint8_t>>},
    {"hotpack_label_one_hot_b16_last", run_label<device::label_one_hot_last_body<std::uint16_t>>},
    {"hotpack_label_one_hot_b32_last", run_label<device::label_one_hot_last_body<std::uint32_t>>},
    {"hotpack_label_one_hot_u8_first", run_label<device::label_one_hot_first_body<std::uint8_t>>},
    {"hotpack_label_one_hot_b16_first", run_label<device::label_one_hot_first_body<std::uint16_t>>},
    {"hotpack_label_one_hot_b32_first", run_label<device::label_one_hot_first_body<std::uint32_t>>},
}};

}  // namespace

HostKernel find_label_kernel(const std::string& name) {
  for (const auto& [known, kernel] : kKernels) {
    if (name == known) return kernel;
  }
  return nullptr;
}

}  // namespace hotpack::test
