// The memory that a residency needs, the limits of that memory, and texts about both.
//
// Values and free functions; thread-safe. Failure: code `usage` if memory does not suffice, with
// the bytes needed, the budget and what the user can do; `io` from the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cores.hpp"
#include "device/cargo.hpp"
#include "device/slot_layout.hpp"

namespace hotpack::device {

struct Budget {
  std::uint64_t bytes = 0;
  bool by_default = false;
  // true if the default is a share of what the cgroup's limit leaves, because the machine has more
  bool of_cgroup = false;
  std::uint64_t ranks = 1;  // ranks that share the default
};

struct Budgets {
  Budget pinned;
  std::vector<Budget> devices;  // one per part
};

// Returns the budgets that the options give. If they give none, the default is pinned_default() for
// pinned memory and half of each device's free memory.
[[nodiscard]] Result<Budgets> budgets_of(const CargoInputs& inputs);
// Returns the default limit for pinned memory: a quarter of the memory that this process may still
// take, divided by `ranks`. This function cannot know whether all ranks run on this machine, so it
// assumes that they do. If that is too little memory, the user gets a warning and can set a budget;
// if it were too much, the machine would stall.
[[nodiscard]] Budget pinned_default(const UsableMemory& usable, std::uint64_t ranks);

// The need for one kind of memory (pinned, or of one device), in bytes.
struct Need {
  std::uint64_t records = 0;  // for the packed records of the whole data set, on a device
  std::uint64_t rest = 0;     // for slots, or for packed batches and outputs
  [[nodiscard]] std::uint64_t bytes() const { return records + rest; }
};

struct Needs {
  Residency residency = Residency::page;
  Need pinned;
  std::vector<Need> devices;  // one per part
};

// Returns code `usage` if a sum is larger than any machine can hold.
[[nodiscard]] Result<Needs> needs_of(const CargoInputs& inputs, const SlotLayout& layout,
                                     Residency residency, std::uint64_t packed_bytes);

// A need that exceeds its budget, and both numbers.
struct Shortage {
  Residency residency = Residency::page;
  std::optional<int> device;  // ordinal; empty for pinned memory
  Need need;
  Budget budget;

  [[nodiscard]] Error refusal() const;       // the error if the user chose this residency
  [[nodiscard]] std::string clause() const;  // "exceed the device budget of 200 MB (device 0)"
};

// Returns the first shortage, devices before pinned memory; empty if everything fits.
[[nodiscard]] std::optional<Shortage> shortage_of(const CargoInputs& inputs, const Needs& needs,
                                                  const Budgets& budgets);

// Returns "fit the device budget of 200 MB"; names the smallest budget.
[[nodiscard]] std::string fit_clause(const Budgets& budgets);

[[nodiscard]] std::string bytes_text(std::uint64_t bytes);  // "812 bytes", "1.2 GB", "300 MB"

}  // namespace hotpack::device
