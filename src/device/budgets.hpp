// How much memory a residency needs, what it may take, and the sentences about it.
//
// Values and free functions; thread-safe. Failure: code `usage` where memory is not enough, naming bytes, budget and ways out; `io` from
// the driver.
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
  bool of_cgroup = false;   // the default is of what the cgroup's limit leaves: less than the machine has
  std::uint64_t ranks = 1;  // that share the default
};

struct Budgets {
  Budget pinned;
  std::vector<Budget> devices;  // a part each
};

// Those of the options, else the defaults: pinned_default(), half of what is free on the device.
[[nodiscard]] Result<Budgets> budgets_of(const CargoInputs& inputs);
// A quarter of the memory that this process may still take, divided among the ranks. They may be processes of this machine or of others,
// which nobody here can tell: with too little a person is warned and can say how much, with too much the machine would stand still.
[[nodiscard]] Budget pinned_default(std::uint64_t available, std::optional<std::uint64_t> left_by_cgroup, std::uint64_t ranks);
// "MemAvailable" of such a file; nothing where it has none.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const std::string& meminfo = "/proc/meminfo");

// One kind of memory.
struct Need {
  std::uint64_t records = 0;  // of the whole data set
  std::uint64_t rest = 0;     // slots; or packed batches and outputs
  [[nodiscard]] std::uint64_t bytes() const { return records + rest; }
};

struct Needs {
  Residency residency = Residency::page;
  Need pinned;
  std::vector<Need> devices;  // a part each
};

// Code `usage` for sums that no machine can hold.
[[nodiscard]] Result<Needs> needs_of(const CargoInputs& inputs, const SlotLayout& layout, Residency residency, std::uint64_t packed_bytes);

// A need beyond its budget.
struct Shortage {
  Residency residency = Residency::page;
  std::optional<int> device;  // ordinal; none: pinned memory
  Need need;
  Budget budget;

  [[nodiscard]] Error refusal() const;       // for who asked for this residency
  [[nodiscard]] std::string clause() const;  // "exceed the device budget of 200 MB (device 0)"
};

// The first one, of devices before pinned memory; nothing where all fits.
[[nodiscard]] std::optional<Shortage> shortage_of(const CargoInputs& inputs, const Needs& needs, const Budgets& budgets);

// "fit the device budget of 200 MB", the smallest one.
[[nodiscard]] std::string fit_clause(Residency residency, const Budgets& budgets);

[[nodiscard]] std::string bytes_text(std::uint64_t bytes);  // "812 bytes", "1.2 GB", "300 MB"

}  // namespace hotpack::device
