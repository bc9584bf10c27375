#include "bench/device_report.hpp"

#include <algorithm>

namespace hotpack::bench {

namespace {

double quotient(double value, double by) { return by > 0 ? value / by : 0; }

}  // namespace

double bus_bound(const DeviceLimits& limits, const SampleBytes& sample) { return quotient(limits.copy, sample.packed); }

double memory_bound(const DeviceLimits& limits, const SampleBytes& sample) {
  return quotient(limits.device_copy, 2 * sample.packed + sample.output);
}

double end_to_end_bound(const DeviceLimits& limits, const SampleBytes& sample) {
  return std::min(bus_bound(limits, sample), memory_bound(limits, sample));
}

double resident_bound(const DeviceLimits& limits, const SampleBytes& sample) {
  return quotient(limits.device_copy * sample.output, sample.packed + sample.output);
}

double gathered_bound(const DeviceLimits& limits, unsigned threads) { return std::min(limits.copy, threads * limits.gather); }

double DeviceRow::ratio() const { return quotient(value, limit); }

bool DeviceRow::reached() const {
  if (!measured()) return false;
  if (goal == Goal::equal) return value == limit;
  return goal == Goal::at_least ? ratio() >= target : ratio() <= target;
}

bool is_real_device(const std::string& name) { return name.find("no GPU") == std::string::npos; }

}  // namespace hotpack::bench
