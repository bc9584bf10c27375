#include "pack/look.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "inputs/sample_list.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/placement.hpp"
#include "pack/plan.hpp"
#include "pack/prepared_inputs.hpp"
#include "settings/arena.hpp"

namespace hotpack::pipeline {

namespace {

// A split with what its samples need to become records.
struct LookedSplit {
  Split& split;
  std::uint64_t first = 0;  // number of its first sample
  std::optional<Plan> plan;
  std::optional<SampleWorker> worker;

  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key) const {
    const auto& samples = split.list.samples;
    const auto found = std::find_if(samples.begin(), samples.end(), [&](const Sample& each) { return split.list.key(each) == key; });
    return found == samples.end() ? std::nullopt : std::optional(first + static_cast<std::uint64_t>(found - samples.begin()));
  }
};

// The order of a sheet is that of keys.
PackOptions in_key_order(PackOptions options) {
  options.shard.shuffle_seed.reset();
  return options;
}

}  // namespace

class Look::Impl {
 public:
  Impl(const PackOptions& options, Observer& observer) : inputs_(in_key_order(options), observer), observer_(observer) {}

  Status open() {
    HOTPACK_TRY(discover());
    HOTPACK_TRY(inputs_.probe_headers());
    if (observer_.stop_requested()) return {};
    for (const HeaderProbe& headers : inputs_.headers()) problems_.append(headers.problems);
    HOTPACK_ASSIGN(LabelSetup setup, inputs_.resolve_labels(problems_));
    setup_.emplace(std::move(setup));
    if (observer_.stop_requested()) return {};
    if (!setup_->explanation.empty()) observer_.message(Level::info, setup_->explanation);
    HOTPACK_TRY(plan());
    tell_problems();
    return {};
  }

  // The split of a sample.
  [[nodiscard]] LookedSplit& split_of(std::uint64_t number) {
    const auto after = std::find_if(splits_.begin(), splits_.end(), [&](const LookedSplit& each) { return each.first > number; });
    return *std::prev(after);
  }
  [[nodiscard]] const Sample& sample(std::uint64_t number) {
    const LookedSplit& looked = split_of(number);
    return looked.split.list.samples[static_cast<std::size_t>(number - looked.first)];
  }

  [[nodiscard]] Extent record_size(std::uint64_t number) {
    const Extent size = sample(number).size;
    return size == Extent{} ? size : record_extent(inputs_.resolved().record, size);
  }

  [[nodiscard]] std::vector<std::uint64_t> find(std::string_view key) const {
    std::vector<std::uint64_t> numbers;
    for (const LookedSplit& looked : splits_) {
      const std::string& name = looked.split.name;
      if (const auto number = looked.find(key)) numbers.push_back(*number);
      if (name.empty() || !key.starts_with(name + "/")) continue;
      if (const auto number = looked.find(key.substr(name.size() + 1))) numbers.push_back(*number);
    }
    return numbers;
  }

  [[nodiscard]] bool has_splits() const { return splits_.size() > 1; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] const Schema& schema() const { return schema_; }

 private:
  Status discover() {
    HOTPACK_TRY(inputs_.discover(problems_));
    inputs_.announce();
    std::erase_if(inputs_.splits(), [](const Split& split) { return split.list.samples.empty(); });
    if (inputs_.splits().empty()) return data_error("there is no sample to look at:\n" + problems_.text());
    return {};
  }

  Status plan() {
    const PackOptions& options = inputs_.resolved();
    for (Split& split : inputs_.splits()) {
      LookedSplit& looked = splits_.emplace_back(LookedSplit{split, samples_, {}, {}});
      SampleList& list = split.list;
      cut_into_tiles(options.record, list);
      const LabelSetup& setup = setup_of(list, *setup_);
      HOTPACK_ASSIGN(looked.plan, make_plan(options, setup, list));
      looked.worker.emplace(options, setup, *looked.plan, list);
      samples_ += list.samples.size();
    }
    const auto labelled = std::find_if(splits_.begin(), splits_.end(), [](const LookedSplit& each) { return each.plan->schema.label; });
    schema_ = (labelled == splits_.end() ? splits_.front() : *labelled).plan->schema;
    return {};
  }

  void tell_problems() {
    if (problems_.count() == 0) return;
    observer_.message(Level::warning, std::to_string(problems_.count()) + (problems_.count() == 1 ? " problem" : " problems") +
                                          " in the inputs; `hotpack check` with the same options tells them all");
  }

  PreparedInputs inputs_;
  Observer& observer_;
  ProblemLog problems_;
  std::list<LookedSplit> splits_;  // workers refer into them
  std::optional<LabelSetup> setup_;
  Schema schema_;
  std::uint64_t samples_ = 0;
};

Look::Look(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Look::~Look() = default;

Result<std::unique_ptr<Look>> Look::open(const PackOptions& options, Observer& observer) {
  auto impl = std::make_unique<Impl>(options, observer);
  HOTPACK_TRY(with_threads(options.run.threads, [&] { return impl->open(); }));
  return std::unique_ptr<Look>(new Look(std::move(impl)));
}

const Schema& Look::schema() const { return impl_->schema(); }
std::uint64_t Look::samples() const { return impl_->samples(); }
std::string_view Look::key(std::uint64_t number) const { return impl_->split_of(number).split.list.key(impl_->sample(number)); }
std::string_view Look::split(std::uint64_t number) const { return impl_->split_of(number).split.name; }
bool Look::has_splits() const { return impl_->has_splits(); }
Extent Look::record_size(std::uint64_t number) const { return impl_->record_size(number); }
std::vector<std::uint64_t> Look::find(std::string_view key) const { return impl_->find(key); }

Result<std::optional<Problem>> Look::record_of(std::uint64_t number, PackedSample& out) {
  out.sums = format::Sums(schema().image.channels(), schema().label ? schema().class_count() : 0);
  return impl_->split_of(number).worker->process(impl_->sample(number), out);
}

}  // namespace hotpack::pipeline
