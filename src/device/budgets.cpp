#include "device/budgets.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {

namespace {

constexpr std::uint64_t kExactBytes = 10000;  // smaller numbers are shown to the byte

Result<Budget> device_budget(const CargoInputs& inputs, const Context& context) {
  if (inputs.device_budget_bytes) return Budget{.bytes = *inputs.device_budget_bytes};
  HOTPACK_ASSIGN(const Context::Memory memory, context.memory());
  return Budget{.bytes = memory.free / 2, .by_default = true};
}

std::string pinned_default_text(const Budget& budget) {
  const std::string of =
      budget.of_cgroup ? "what the cgroup's memory limit leaves" : "the available memory";
  return "a quarter of " + of +
         (budget.ranks > 1 ? ", divided by the world of " + std::to_string(budget.ranks) : "");
}

std::string budget_text(const Shortage& shortage) {
  std::string text = std::to_string(shortage.budget.bytes);
  if (!shortage.budget.by_default) return text;
  return text + ", by default " +
         (shortage.device ? std::string("half of the free memory of the device")
                          : pinned_default_text(shortage.budget));
}

// Returns where a small default budget comes from, as words for a sentence, such as " (a quarter of
// what the cgroup's limit leaves)". Returns "" if only this machine's memory determines the
// default.
std::string origin_text(const Budget& budget) {
  return budget.of_cgroup || budget.ranks > 1 ? " (" + pinned_default_text(budget) + ")" : "";
}

std::string ways_out(const Shortage& shortage) {
  if (!shortage.device)
    return "use a smaller batch, a smaller prefetch_batches or a larger pinned_budget_bytes";
  if (shortage.need.rest > shortage.budget.bytes || shortage.need.records == 0) {
    return "use a smaller batch, a smaller prefetch_batches, fewer outputs or a larger "
           "device_budget_bytes";
  }
  return "use residency page or auto, or a larger device_budget_bytes";
}

const char* rest_name(const Shortage& shortage) {
  return shortage.device ? "packed batches and outputs" : "slots";
}

std::optional<Shortage> beyond(Residency residency, std::optional<int> device, const Need& need,
                               const Budget& budget) {
  if (need.bytes() <= budget.bytes) return std::nullopt;
  return Shortage{residency, device, need, budget};
}

}  // namespace

Budget pinned_default(const UsableMemory& usable, std::uint64_t ranks) {
  return {usable.bytes / 4 / ranks, true, usable.of_cgroup, ranks};
}

Result<Budgets> budgets_of(const CargoInputs& inputs) {
  Budgets budgets;
  budgets.pinned = inputs.pinned_budget_bytes
                       ? Budget{.bytes = *inputs.pinned_budget_bytes}
                       : pinned_default(usable_memory(""), inputs.world_size);
  for (const auto& context : inputs.contexts) {
    HOTPACK_ASSIGN(const Budget budget, device_budget(inputs, *context));
    budgets.devices.push_back(budget);
  }
  return budgets;
}

Result<Needs> needs_of(const CargoInputs& inputs, const SlotLayout& layout, Residency residency,
                       std::uint64_t packed_bytes) {
  const auto sum = [packed_bytes](bool records, std::optional<std::uint64_t> rest) -> Result<Need> {
    const Need need{records ? packed_bytes : 0, rest.value_or(0)};
    if (rest && checked_add(need.records, need.rest)) return need;
    return usage_error(
        "a batch of these sizes has more bytes than a machine can hold; use a smaller batch");
  };
  Needs needs{residency, {}, {}};
  HOTPACK_ASSIGN(needs.pinned, sum(false, checked_mul(inputs.slots, layout.slot_bytes())));
  for (std::size_t part = 0; part < layout.parts().size(); ++part) {
    const auto staged = checked_mul(inputs.slots, layout.part(part).staged);
    const auto rest = staged ? checked_add(*staged, inputs.output_bytes[part]) : staged;
    HOTPACK_ASSIGN(const Need need, sum(residency == Residency::device, rest));
    needs.devices.push_back(need);
  }
  return needs;
}

std::optional<Shortage> shortage_of(const CargoInputs& inputs, const Needs& needs,
                                    const Budgets& budgets) {
  for (std::size_t part = 0; part < needs.devices.size(); ++part) {
    const int ordinal = inputs.contexts[part]->ordinal();
    if (auto shortage =
            beyond(needs.residency, ordinal, needs.devices[part], budgets.devices[part]))
      return shortage;
  }
  return beyond(needs.residency, std::nullopt, needs.pinned, budgets.pinned);
}

Error Shortage::refusal() const {
  const std::string where = device ? "on device " + std::to_string(*device) : "of pinned memory";
  const std::string rest = std::to_string(need.rest) + " of " + rest_name(*this);
  const std::string what = need.records == 0
                               ? std::string("all of ") + rest_name(*this)
                               : std::to_string(need.records) + " of packed records, " + rest;
  return usage_error("residency " + std::string(residency_name(residency)) + " needs " +
                     std::to_string(need.bytes()) + " bytes " + where + " (" + what +
                     "), but the budget is " + budget_text(*this) + "; " + ways_out(*this));
}

std::string Shortage::clause() const {
  const std::string with = need.records > budget.bytes ? ""
                                                       : "with " + bytes_text(need.rest) + " of " +
                                                             std::string(rest_name(*this)) + " ";
  return with + "exceed the " + (device ? "device" : "pinned") + " budget of " +
         bytes_text(budget.bytes) +
         (device ? " (device " + std::to_string(*device) + ")" : origin_text(budget));
}

std::string fit_clause(const Budgets& budgets) {
  const auto smaller = [](const Budget& a, const Budget& b) { return a.bytes < b.bytes; };
  const auto least = std::min_element(budgets.devices.begin(), budgets.devices.end(), smaller);
  return "fit the device budget of " + bytes_text(least->bytes);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < kExactBytes) return std::to_string(bytes) + " bytes";
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text.data();
}

}  // namespace hotpack::device
