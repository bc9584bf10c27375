#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/budgets.hpp"
#include "device/cargo.hpp"
#include "device/late_free.hpp"
#include "device/page_cargo.hpp"
#include "device/resident_cargo.hpp"
#include "device/resident_load.hpp"

namespace hotpack {

std::string_view residency_name(Residency residency) {
  switch (residency) {
    case Residency::page:
      return "page";
    case Residency::device:
      return "device";
    case Residency::automatic:
      return "auto";
  }
  return "unknown";
}

}  // namespace hotpack

namespace hotpack::device {

namespace {

// A residency that fits its budgets. The memory for it is allocated.
struct Candidate {
  Residency residency = Residency::page;
  SlotLayout layout;
  ResidentMemory memory;  // of resident records
};

class Chooser {
 public:
  Chooser(const CargoInputs& inputs, Budgets budgets, std::shared_ptr<const RecordBlocks> blocks)
      : inputs_(inputs), budgets_(std::move(budgets)), blocks_(std::move(blocks)) {}

  Result<Candidate> choose(ResidencyChoice& choice) {
    choice.packed_bytes = blocks_->total_bytes();
    choice.reason = "asked for";
    if (inputs_.asked != Residency::automatic) {
      choice.residency = inputs_.asked;
      return try_out(inputs_.asked);
    }
    HOTPACK_ASSIGN(Candidate candidate, choose_automatically());
    choice.residency = candidate.residency;
    choice.reason =
        "automatic: " + bytes_text(choice.packed_bytes) + " of packed records " + clause_;
    return candidate;
  }

 private:
  Result<Candidate> choose_automatically() {
    auto candidate = try_out(Residency::device);
    if (candidate.ok()) {
      clause_ = fit_clause(budgets_);
      return candidate;
    }
    clause_ = shortage_ ? shortage_->clause()
                        : "were refused by the driver (" + candidate.error().message + ")";
    return try_out(Residency::page);
  }

  // Allocates the memory for a residency. Sets shortage_ and fails if a budget does not suffice.
  Result<Candidate> try_out(Residency residency) {
    HOTPACK_ASSIGN(SlotLayout layout, SlotLayout::make(inputs_.parts, *blocks_, residency));
    HOTPACK_ASSIGN(const Needs needs, needs_of(inputs_, layout, residency, blocks_->total_bytes()));
    HOTPACK_TRY(look_for_shortage(needs));
    if (shortage_) return shortage_->refusal();
    Candidate candidate{residency, std::move(layout), {}};
    if (residency == Residency::page) return candidate;
    const LoadOptions options{.threads = inputs_.threads,
                              .buffer_budget_bytes = budgets_.pinned.bytes};
    HOTPACK_ASSIGN(candidate.memory, take_resident(blocks_, inputs_.contexts, options));
    return candidate;
  }

  // Sets shortage_ if a budget does not suffice, or clears it. Default budgets are shares of free
  // memory. So if one does not suffice, waits for memory that closed loaders free, computes the
  // defaults again, and checks again.
  Status look_for_shortage(const Needs& needs) {
    shortage_ = shortage_of(inputs_, needs, budgets_);
    if (!shortage_ || !shortage_->budget.by_default || late_count() == 0) return {};
    drain_late(kPatienceForMemory);
    HOTPACK_ASSIGN(budgets_, budgets_of(inputs_));
    shortage_ = shortage_of(inputs_, needs, budgets_);
    return {};
  }

  const CargoInputs& inputs_;
  Budgets budgets_;
  const std::shared_ptr<const RecordBlocks> blocks_;
  std::optional<Shortage> shortage_;
  std::string clause_;
};

void use_page(CargoInputs& inputs, Candidate candidate, std::shared_ptr<const RecordBlocks> blocks,
              LoadedCargo& loaded) {
  auto cargo = std::make_shared<PageCargo>(std::move(candidate.layout), inputs.form.output(),
                                           std::move(blocks), inputs.slots);
  loader::BatchFiller::Parts parts{std::move(inputs.source),
                                   std::move(inputs.form),
                                   inputs.plan,
                                   inputs.order,
                                   nullptr,
                                   0,
                                   cargo};
  loaded.filler = std::make_unique<loader::BatchFiller>(std::move(parts), inputs.threads);
  loaded.cargo = std::move(cargo);
}

Status use_resident(CargoInputs& inputs, Candidate candidate, LoadedCargo& loaded) {
  const auto begin = std::chrono::steady_clock::now();
  HOTPACK_ASSIGN(auto set, load_resident(std::move(candidate.memory), *inputs.source, inputs.form,
                                         inputs.progress));
  loaded.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t part = 0; part < set->devices.size(); ++part) {
    loaded.device_bytes[part] = set->devices[part].size();
    loaded.copied_bytes += set->devices[part].size();
  }
  auto cargo = std::make_shared<ResidentCargo>(std::move(candidate.layout), inputs.form.output(),
                                               std::move(set));
  ResidentFiller::Parts parts{std::move(inputs.source), std::move(inputs.form), inputs.plan,
                              inputs.order, cargo};
  loaded.filler = std::make_unique<ResidentFiller>(std::move(parts));
  loaded.cargo = std::move(cargo);
  return {};
}

}  // namespace

Result<LoadedCargo> load_cargo(CargoInputs inputs) {
  HOTPACK_ASSIGN(Budgets budgets, budgets_of(inputs));
  const auto blocks = std::make_shared<const RecordBlocks>(
      RecordBlocks::make(*inputs.source, inputs.form, inputs.threads));
  LoadedCargo loaded;
  loaded.device_bytes.resize(inputs.parts.size());
  HOTPACK_ASSIGN(Candidate candidate,
                 Chooser(inputs, std::move(budgets), blocks).choose(loaded.choice));
  if (candidate.residency == Residency::page) {
    use_page(inputs, std::move(candidate), blocks, loaded);
  } else {
    HOTPACK_TRY(use_resident(inputs, std::move(candidate), loaded));
  }
  return loaded;
}

}  // namespace hotpack::device
