// The memory that a residency needs, its limits, and the sentences about them.
//
// Values and free functions; thread-safe. Failure: code `usage` if memory does not suffice, with
// bytes, budget and ways out; `io` from the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/cargo.hpp"
#include "device/slot_layout.hpp"

namespace hotpack::device {

struct Budget {
  std::uint64_t bytes = 0;
  bool by_default = false;
  // the cgroup's limit determines the default: it leaves less than the machine has
  bool of_cgroup = false;
  std::uint64_t ranks = 1;  // ranks that share the default
};

struct Budgets {
  Budget pinned;
  std::vector<Budget> devices;  // one per part
};

// The budgets of the options, or the defaults: pinned_default(), and half of the device's free
// memory.
[[nodiscard]] Result<Budgets> budgets_of(const CargoInputs& inputs);
// A quarter of the memory that this process may still take, divided by the number of ranks. They
// may be on this machine or on others, which nobody here can know: with too little memory a user
// gets a warning and can set a budget; with too much the machine would stall.
[[nodiscard]] Budget pinned_default(std::uint64_t available,
                                    std::optional<std::uint64_t> left_by_cgroup,
                                    std::uint64_t ranks);
// "MemAvailable" of such a file; empty if it has none.
[[nodiscard]] std::optional<std::uint64_t> available_memory(
    const std::string& meminfo = "/proc/meminfo");

// One kind of memory.
struct Need {
  std::uint64_t records = 0;  // of the whole data set
  std::uint64_t rest = 0;     // for slots, or for packed batches and outputs
  [[nodiscard]] std::uint64_t bytes() const { return records + rest; }
};

struct Needs {
  Residency residency = Residency::page;
  Need pinned;
  std::vector<Need> devices;  // one per part
};

// Code `usage` for sums that no machine can hold.
[[nodiscard]] Result<Needs> needs_of(const CargoInputs& inputs, const SlotLayout& layout,
                                     Residency residency, std::uint64_t packed_bytes);

// A need that exceeds its budget.
struct Shortage {
  Residency residency = Residency::page;
  std::optional<int> device;  // ordinal; empty for pinned memory
  Need need;
  Budget budget;

  [[nodiscard]] Error refusal() const;       // if the user chose this residency
  [[nodiscard]] std::string clause() const;  // "exceed the device budget of 200 MB (device 0)"
};

// The first shortage, devices before pinned memory; empty if everything fits.
[[nodiscard]] std::optional<Shortage> shortage_of(const CargoInputs& inputs, const Needs& needs,
                                                  const Budgets& budgets);

// "fit the device budget of 200 MB", for the smallest one.
[[nodiscard]] std::string fit_clause(Residency residency, const Budgets& budgets);

[[nodiscard]] std::string bytes_text(std::uint64_t bytes);  // "812 bytes", "1.2 GB", "300 MB"

}  // namespace hotpack::device
