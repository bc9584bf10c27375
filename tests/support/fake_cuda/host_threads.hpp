// The bodies of all kernels, by the names that kernels.cu gives them.
#pragma once

#include "device/kernels/image.hpp"
#include "device/kernels/label.hpp"
#include "support/fake_cuda/host_kernels.hpp"

namespace hotpack::test {

struct HostThread {
  const char* name;
  void (*run)(const device::KernelArgs& args, const device::ThreadPlace& place);
  HostKernel launch;
};

template <auto kBody>
constexpr HostThread host_thread(const char* name) {
  return {name, kBody, [](const void* args, const LaunchSize& size) {
            run_threads(size, [&](const device::ThreadPlace& place) {
              kBody(*static_cast<const device::KernelArgs*>(args), place);
            });
          }};
}

template <class T>
using Ids = device::LabelRow<device::LabelKind::ids, T>;
template <class T>
using OneHot = device::LabelRow<device::LabelKind::one_hot, T>;

inline constexpr HostThread kHostThreads[] = {
    host_thread<device::expand<device::ImageRow<device::AsU8>, false>>("hotpack_image_u8_last"),
    host_thread<device::expand<device::ImageRow<device::AsU8>, true>>("hotpack_image_u8_first"),
    host_thread<device::expand<device::ImageRow<device::AsF16>, false>>("hotpack_image_f16_last"),
    host_thread<device::expand<device::ImageRow<device::AsF16>, true>>("hotpack_image_f16_first"),
    host_thread<device::expand<device::ImageRow<device::AsBf16>, false>>("hotpack_image_bf16_last"),
    host_thread<device::expand<device::ImageRow<device::AsBf16>, true>>("hotpack_image_bf16_first"),
    host_thread<device::expand<device::ImageRow<device::AsF32>, false>>("hotpack_image_f32_last"),
    host_thread<device::expand<device::ImageRow<device::AsF32>, true>>("hotpack_image_f32_first"),
    host_thread<device::expand<Ids<std::uint8_t>, true>>("hotpack_label_ids_u8"),
    host_thread<device::expand<Ids<std::uint16_t>, true>>("hotpack_label_ids_u16"),
    host_thread<device::expand<Ids<std::uint32_t>, true>>("hotpack_label_ids_i32"),
    host_thread<device::expand<Ids<std::uint64_t>, true>>("hotpack_label_ids_i64"),
    host_thread<device::expand<device::LabelRow<device::LabelKind::bits, std::uint8_t>, false>>(
        "hotpack_label_bits"),
    host_thread<device::expand<OneHot<std::uint8_t>, false>>("hotpack_label_one_hot_b8_last"),
    host_thread<device::expand<OneHot<std::uint8_t>, true>>("hotpack_label_one_hot_b8_first"),
    host_thread<device::expand<OneHot<std::uint16_t>, false>>("hotpack_label_one_hot_b16_last"),
    host_thread<device::expand<OneHot<std::uint16_t>, true>>("hotpack_label_one_hot_b16_first"),
    host_thread<device::expand<OneHot<std::uint32_t>, false>>("hotpack_label_one_hot_b32_last"),
    host_thread<device::expand<OneHot<std::uint32_t>, true>>("hotpack_label_one_hot_b32_first"),
};

}  // namespace hotpack::test
