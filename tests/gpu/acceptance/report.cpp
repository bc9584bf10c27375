#include "gpu/acceptance/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace hotpack::gpu {

namespace {

double quotient(double value, double by) { return by > 0 ? value / by : 0; }

constexpr double kFullCopies = 0.95;  // of the bus; batches whose copies reach less are small

// Returns a number with three significant digits.
std::string figure(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
  return text.data();
}

std::string gigabytes(double bytes_per_second) { return figure(bytes_per_second / 1e9) + " GB/s"; }

// "12,345 samples/s".
std::string samples(double per_second) {
  std::string text = figure(per_second);
  for (std::size_t groups = per_second >= 1000 ? (text.size() - 1) / 3 : 0, group = 1;
       group <= groups; ++group)
    text.insert(text.size() - 4 * group + 1, ",");
  return text + " samples/s";
}

std::string binary(double bytes) {
  return bytes < 1 << 20 ? figure(bytes / 1024) + " KiB" : figure(bytes / (1 << 20)) + " MiB";
}

std::string small_copies(const Bandwidths& limits) {
  const double share = quotient(limits.bus_in_batches, limits.bus);
  if (share == 0 || share >= kFullCopies) return "";
  return "; copies as small as a batch reach " + figure(100 * share) + " % of that";
}

}  // namespace

double bus_bound(const Bandwidths& limits, const SampleBytes& sample) {
  return quotient(limits.bus, sample.packed);
}

double memory_bound(const Bandwidths& limits, const SampleBytes& sample) {
  return quotient(limits.memory, 2 * sample.packed + sample.output);
}

double end_to_end_bound(const Bandwidths& limits, const SampleBytes& sample) {
  return std::min(bus_bound(limits, sample), memory_bound(limits, sample));
}

double resident_bound(const Bandwidths& limits, const SampleBytes& sample) {
  return quotient(limits.memory * sample.output, sample.packed + sample.output);
}

double gathered_bound(const Bandwidths& limits, unsigned threads) {
  return std::min(limits.bus, threads * limits.gather);
}

std::string gathering_sentence(const Bandwidths& limits, unsigned threads) {
  const double gathered = threads * limits.gather;
  const std::string bus = "carries " + gigabytes(limits.bus);
  const std::string work =
      (threads == 1 ? "1 thread gathers " : std::to_string(threads) + " threads gather ") +
      gigabytes(gathered);
  if (gathered < limits.bus) return "the threads: " + work + ", the bus " + bus;
  return "the bus, which " + bus + "; " + work + small_copies(limits);
}

std::string end_to_end_sentence(const Bandwidths& limits, const SampleBytes& sample) {
  const double bus = bus_bound(limits, sample), memory = memory_bound(limits, sample);
  if (bus > memory)
    return "the device's memory, which allows " + samples(memory) + "; the bus carries " +
           samples(bus);
  return "the bus, which carries " + samples(bus) + "; the device's memory allows " +
         samples(memory) + small_copies(limits);
}

std::string resident_sentence(const Bandwidths& limits, const SampleBytes& sample) {
  return "the device's memory, which moves " + gigabytes(limits.memory) + ": of a sample " +
         binary(sample.packed) + " are read and " + binary(sample.output) + " written";
}

double AcceptanceRow::ratio() const { return quotient(value, limit); }

bool AcceptanceRow::reached() const {
  if (!measured() || !flaw.empty()) return false;
  if (goal == Goal::equal) return value == limit;
  return goal == Goal::at_least ? ratio() >= target : ratio() <= target;
}

}  // namespace hotpack::gpu
