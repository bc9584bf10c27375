#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "hotpack/expand.hpp"

namespace hotpack {

namespace {

constexpr const char* kInstead = "; set mean and std yourself, or leave both empty";

Result<float> channel_mean(const Statistics& statistics, std::size_t channel) {
  const auto& mean = statistics.mean[channel];
  if (mean) return static_cast<float>(*mean);
  return usage_error("channel " + std::to_string(channel) +
                     " of the pack has no mean, because it has no pixel" + kInstead);
}

Result<float> channel_deviation(const Statistics& statistics, std::size_t channel) {
  const auto& deviation = statistics.std[channel];
  if (deviation && static_cast<float>(*deviation) > 0) return static_cast<float>(*deviation);
  return usage_error("channel " + std::to_string(channel) +
                     " of the pack has no standard deviation above 0" + kInstead);
}

}  // namespace

Result<ImageOutput> ImageOutput::normalized(const Statistics& statistics, ElementType dtype,
                                            AxisOrder layout) {
  if (dtype != ElementType::f32 && dtype != ElementType::f16 && dtype != ElementType::bf16)
    return usage_error("a normalized image needs a float type: f32, f16 or bf16, not " +
                       std::string(element_name(dtype)));
  ImageOutput output{dtype, layout, {}, {}};
  for (std::size_t channel = 0; channel < statistics.mean.size(); ++channel) {
    HOTPACK_ASSIGN(const float mean, channel_mean(statistics, channel));
    HOTPACK_ASSIGN(const float deviation, channel_deviation(statistics, channel));
    output.mean.push_back(mean);
    output.std.push_back(deviation);
  }
  return output;
}

}  // namespace hotpack
