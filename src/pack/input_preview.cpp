#include "pack/input_preview.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/placement.hpp"
#include "pack/plan.hpp"
#include "pack/prepared_inputs.hpp"
#include "samples/sample_list.hpp"
#include "settings/arena.hpp"
#include "settings/memory_budget.hpp"

namespace hotpack::pipeline {

namespace {

// A split with its plan and worker.
struct PreviewSplit {
  Split& split;
  std::uint64_t first = 0;  // number of its first sample
  std::optional<Plan> plan;
  std::optional<SampleWorker> worker;

  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key) const {
    const auto& samples = split.list.samples;
    const auto found = std::find_if(samples.begin(), samples.end(), [&](const Sample& each) {
      return split.list.key(each) == key;
    });
    return found == samples.end()
               ? std::nullopt
               : std::optional(first + static_cast<std::uint64_t>(found - samples.begin()));
  }
};

// Returns the options without shuffling, so that samples are in the order of keys.
PackOptions in_key_order(PackOptions options) {
  options.shard.shuffle_seed.reset();
  return options;
}

}  // namespace

class InputPreview::Impl {
 public:
  Impl(const PackOptions& options, Observer& observer)
      : inputs_(in_key_order(options), observer),
        observer_(observer),
        budget_(options.run.max_memory, 1) {}

  Status open() {
    HOTPACK_TRY(discover());
    if (observer_.stop_requested()) return {};
    HOTPACK_TRY(inputs_.probe_headers());
    if (observer_.stop_requested()) return {};
    for (const HeaderProbe& headers : inputs_.headers()) problems_.append(headers.problems);
    HOTPACK_ASSIGN(LabelSetup setup, inputs_.resolve_labels(problems_));
    setup_.emplace(std::move(setup));
    if (observer_.stop_requested()) return {};
    if (!setup_->explanation.empty()) observer_.message(Level::info, setup_->explanation);
    HOTPACK_TRY(plan());
    report_problems();
    return {};
  }

  // Returns the split of a sample.
  [[nodiscard]] PreviewSplit& split_of(std::uint64_t number) {
    const auto after = std::find_if(splits_.begin(), splits_.end(),
                                    [&](const PreviewSplit& each) { return each.first > number; });
    return *std::prev(after);
  }
  [[nodiscard]] const Sample& sample(std::uint64_t number) {
    const PreviewSplit& shown = split_of(number);
    return shown.split.list.samples[static_cast<std::size_t>(number - shown.first)];
  }

  // Returns the worker of a sample's split. Frees what the others hold of large images, because the
  // worker would wait for that memory.
  [[nodiscard]] SampleWorker& worker_for(std::uint64_t number) {
    PreviewSplit& shown = split_of(number);
    for (PreviewSplit& other : splits_)
      if (&other != &shown) other.worker->free_large();
    return *shown.worker;
  }

  [[nodiscard]] Extent record_size(std::uint64_t number) {
    const Extent size = sample(number).size;
    return size == Extent{} ? size : record_extent(inputs_.resolved().record, size);
  }

  [[nodiscard]] std::vector<std::uint64_t> find(std::string_view key) const {
    std::vector<std::uint64_t> numbers;
    for (const PreviewSplit& shown : splits_) {
      const std::string& name = shown.split.name;
      if (const auto number = shown.find(key)) numbers.push_back(*number);
      if (name.empty() || !key.starts_with(name + "/")) continue;
      if (const auto number = shown.find(key.substr(name.size() + 1))) numbers.push_back(*number);
    }
    return numbers;
  }

  [[nodiscard]] bool has_splits() const { return splits_.size() > 1; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] const Schema& schema() const { return schema_; }

 private:
  Status discover() {
    HOTPACK_TRY(inputs_.discover(problems_));
    if (observer_.stop_requested()) return {};
    inputs_.announce();
    std::erase_if(inputs_.splits(), [](const Split& split) { return split.list.samples.empty(); });
    if (inputs_.splits().empty())
      return data_error("there is no sample to preview:\n" + problems_.text());
    return {};
  }

  Status plan() {
    const PackOptions& options = inputs_.resolved();
    for (Split& split : inputs_.splits()) {
      PreviewSplit& shown = splits_.emplace_back(PreviewSplit{split, samples_, {}, {}});
      SampleList& list = split.list;
      cut_into_tiles(options.record, list);
      const LabelSetup& setup = setup_of(list, *setup_);
      HOTPACK_ASSIGN(shown.plan, make_plan(options, setup, list));
      shown.worker.emplace(options, setup, *shown.plan, list, &budget_);
      samples_ += list.samples.size();
    }
    const auto labeled = std::find_if(splits_.begin(), splits_.end(), [](const PreviewSplit& each) {
      return each.plan->schema.label;
    });
    schema_ = (labeled == splits_.end() ? splits_.front() : *labeled).plan->schema;
    return {};
  }

  void report_problems() {
    if (problems_.count() == 0) return;
    observer_.message(Level::warning,
                      std::to_string(problems_.count()) +
                          (problems_.count() == 1 ? " problem" : " problems") +
                          " in the inputs; `hotpack check` with the same options lists them");
  }

  PreparedInputs inputs_;
  Observer& observer_;
  MemoryBudget budget_;  // destroyed after the workers
  ProblemLog problems_;
  std::list<PreviewSplit> splits_;  // a list, because workers hold references into it
  std::optional<LabelSetup> setup_;
  Schema schema_;
  std::uint64_t samples_ = 0;
};

InputPreview::InputPreview(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InputPreview::~InputPreview() = default;

Result<std::unique_ptr<InputPreview>> InputPreview::open(const PackOptions& options,
                                                         Observer& observer) {
  auto impl = std::make_unique<Impl>(options, observer);
  HOTPACK_TRY(with_threads(options.run.threads, [&] { return impl->open(); }));
  return std::unique_ptr<InputPreview>(new InputPreview(std::move(impl)));
}

const Schema& InputPreview::schema() const { return impl_->schema(); }
std::uint64_t InputPreview::samples() const { return impl_->samples(); }
std::string_view InputPreview::key(std::uint64_t number) const {
  return impl_->split_of(number).split.list.key(impl_->sample(number));
}
std::string_view InputPreview::split(std::uint64_t number) const {
  return impl_->split_of(number).split.name;
}
bool InputPreview::has_splits() const { return impl_->has_splits(); }
Extent InputPreview::record_size(std::uint64_t number) const { return impl_->record_size(number); }
std::vector<std::uint64_t> InputPreview::find(std::string_view key) const {
  return impl_->find(key);
}

Result<std::optional<Problem>> InputPreview::record_of(std::uint64_t number, PackedSample& out) {
  out.sums = format::Sums(schema().image.channels(), schema().label ? schema().class_count() : 0);
  return impl_->worker_for(number).process(impl_->sample(number), out);
}

}  // namespace hotpack::pipeline
