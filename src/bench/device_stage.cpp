#include "bench/device_stage.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "bench/batches.hpp"
#include "bench/device_batches.hpp"
#include "bench/device_ceilings.hpp"
#include "bench/device_kernels.hpp"
#include "bench/device_meter.hpp"
#include "bench/matrix_loop.hpp"
#include "bench/measure.hpp"
#include "bench/records.hpp"
#include "bench/setup.hpp"
#include "device/cargo.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::bench {

namespace {

using hotpack::Residency;

constexpr double kWarmUpSeconds = 10;  // for each second per row
constexpr std::uint64_t kLargeCopy = std::uint64_t{64} << 20;
constexpr double kFullBatch = 16 << 20;  // packed bytes from which on a batch should reach the target
constexpr double kLoadShare = 0.1;       // of L, for the interference
constexpr double kPaceKept = 0.9;        // of that; a slower loader disturbs less than it should
constexpr std::uint64_t kSteadySteps = 200;
constexpr double kLeastCycles = 10;  // of a consumer's steps, each round

constexpr double kPinnedTarget = 0.95, kPageTarget = 0.90, kEndToEndTarget = 0.90, kResidentTarget = 0.80, kStallTarget = 0.01,
                 kInterferenceTarget = 0.98;

std::string per_mille(double share) { return std::to_string(std::lround(1000 * share)) + " ‰"; }

std::string milliseconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f ms", seconds < 0.1 ? 2 : 0, 1000 * seconds);
  return text.data();
}

// A row that is to have its figure, limit and terms.
DeviceRow at_least(std::string name, std::string unit, std::string limit_is, double target) {
  return {std::move(name), std::move(unit), 0, 0, std::move(limit_is), Goal::at_least, target, {}, {}, {}, {}};
}

// A consumer that takes batches at a given pace next to other work.
class PacedConsumer {
 public:
  PacedConsumer(DeviceBatches& batches, device::StreamHandle stream, double batches_per_second)
      : thread_([this, &batches, stream, batches_per_second] { consume(batches, stream, batches_per_second); }) {}
  ~PacedConsumer() { static_cast<void>(stop()); }
  PacedConsumer(const PacedConsumer&) = delete;
  PacedConsumer& operator=(const PacedConsumer&) = delete;

  Status stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    return status_;
  }

  // Of the pace that was asked for, after stop().
  [[nodiscard]] double share_of_pace() const { return share_; }

 private:
  void consume(DeviceBatches& batches, device::StreamHandle stream, double batches_per_second) {
    const auto began = std::chrono::steady_clock::now();
    for (std::uint64_t number = 1; !stopped_; ++number) {
      auto batch = batches.next(stream);
      if (!batch.ok()) {
        status_ = std::move(batch).error();
        return;
      }
      const std::chrono::duration<double> due(static_cast<double>(number) / batches_per_second);
      std::this_thread::sleep_until(began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due));
      share_ = due / std::chrono::duration<double>(std::chrono::steady_clock::now() - began);
    }
  }

  std::atomic<bool> stopped_{false};
  Status status_;
  double share_ = 0;
  std::thread thread_;
};

class DeviceRun {
 public:
  DeviceRun(Setup setup, const BenchOptions& options, Station station)
      : setup_(std::move(setup)), options_(options), station_(std::move(station)) {
    half_ = setup_.training;
    half_.image.type = ElementType::f16;
    half_.name = "f16";
    if (setup_.schema.label) {
      half_.label.type = ElementType::f16;
      half_.name += " + one-hot f16";
    }
  }

  Result<DeviceReport> measure() {
    HOTPACK_TRY(describe());
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    HOTPACK_TRY(begin_stage("reading into memory"));
    HOTPACK_TRY(warm_up(dataset));
    HOTPACK_TRY(begin_stage("bus, device memory, one core"));
    HOTPACK_TRY(measure_limits(dataset));
    HOTPACK_TRY(begin_stage("packed records to the device"));
    HOTPACK_TRY(measure_tier(dataset, Residency::pinned));
    HOTPACK_TRY(measure_tier(dataset, Residency::page));
    HOTPACK_TRY(begin_stage("kernels"));
    HOTPACK_TRY(kernels(dataset));
    HOTPACK_TRY(begin_stage("end to end"));
    for (const Outputs* outputs : {&half_, &setup_.training}) HOTPACK_TRY(measure_end_to_end(dataset, *outputs));
    HOTPACK_TRY(begin_stage("records on the device"));
    for (const Outputs* outputs : {&half_, &setup_.training}) HOTPACK_TRY(measure_resident(dataset, *outputs));
    HOTPACK_TRY(begin_stage("a consumer"));
    HOTPACK_TRY(measure_stall(dataset));
    HOTPACK_TRY(measure_pinned(dataset));
    HOTPACK_TRY(begin_stage("a matrix product at the same time"));
    for (const Outputs* outputs : {&setup_.plain, &half_}) HOTPACK_TRY(measure_interference(dataset, *outputs));
    return std::move(report_);
  }

 private:
  Status begin_stage(const std::string& stage) const {
    if (!options_.progress || options_.progress(stage)) return {};
    return Error{ErrorCode::cancelled, "the measurement was stopped", {}, {}};
  }

  Status describe() {
    HOTPACK_ASSIGN(const CudaInfo info, cuda_info());
    report_.ordinal = station_.context->ordinal();
    for (const CudaDevice& device : info.devices) {
      if (device.ordinal != report_.ordinal) continue;
      report_.name = device.name;
      report_.major = device.major;
      report_.minor = device.minor;
      report_.memory_bytes = device.memory_bytes;
    }
    report_.real = is_real_device(report_.name);
    if (!report_.real) report_.notes.emplace_back("this device is a stand-in without a GPU: its figures mean nothing");
    report_.driver_version = info.driver_version;
    report_.kernels = info.kernels;
    report_.folders = setup_.folders;
    report_.samples = setup_.records;
    report_.batch = setup_.batch;
    report_.rounds = setup_.rounds;
    report_.notes.insert(report_.notes.end(), setup_.notes.begin(), setup_.notes.end());
    return {};
  }

  // Reads every sample once, or what memory and time allow.
  Status warm_up(const Dataset& dataset) {
    HOTPACK_ASSIGN(Batches batches,
                   Batches::open(dataset, setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::always)));
    const std::uint64_t all = batches.loader().steps_per_epoch();
    const double until = now_seconds() + kWarmUpSeconds * std::max(setup_.seconds, 0.1);
    std::uint64_t steps = 0, bytes = 0;
    while (steps < all && bytes <= 2 * setup_.memory_bytes && now_seconds() < until) {
      HOTPACK_ASSIGN(const Batch batch, batches.next());
      ++steps;
      bytes += batch_bytes(batch);
    }
    steps_ = steps;
    report_.packed_batch_bytes = static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, steps));
    packed_ = report_.packed_batch_bytes / static_cast<double>(setup_.batch);
    if (steps < all)
      report_.notes.push_back("of the " + std::to_string(setup_.records) + " samples the first " + std::to_string(steps * setup_.batch) +
                              " of an epoch are used: more did not fit into half of the free memory, or took too long to read");
    if (report_.packed_batch_bytes < kFullBatch)
      report_.notes.emplace_back("targets are for batches of 16 MiB of packed records and more; a larger --batch brings them there");
    return {};
  }

  Status measure_limits(const Dataset& dataset) {
    HOTPACK_ASSIGN(Turn large, bus_copies(station_, kLargeCopy));
    HOTPACK_ASSIGN(Turn batch, bus_copies(station_, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(report_.packed_batch_bytes))));
    HOTPACK_ASSIGN(Turn copy, inside_copies());
    HOTPACK_ASSIGN(Turn gather, gather_turn(dataset));
    const std::vector<Turn> turns{std::move(large), std::move(batch), std::move(copy), std::move(gather)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    report_.limits = {rates[0].bytes_per_second, rates[1].bytes_per_second, rates[2].bytes_per_second, rates[3].bytes_per_second};
    return {};
  }

  // Of more bytes than a device's cache has.
  Result<Turn> inside_copies() const {
    HOTPACK_ASSIGN(const auto memory, station_.context->memory());
    return device_copies(station_, std::clamp<std::uint64_t>(memory.free / 8, 1 << 20, std::uint64_t{256} << 20));
  }

  Result<Turn> gather_turn(const Dataset& dataset) const {
    const LoaderOptions options = setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
    const auto ring = static_cast<std::uint64_t>(setup_.slots * 1.1 * report_.packed_batch_bytes) + (std::uint64_t{1} << 20);
    return gathered_records(station_, dataset, first_samples(setup_.records, options, steps_ * setup_.batch), ring);
  }

  Result<std::vector<Rate>> turns_of(std::span<const Turn> turns) const {
    return take_turns(turns, setup_.rounds, setup_.seconds / static_cast<double>(setup_.rounds));
  }

  // ---- loaders

  [[nodiscard]] DeviceLoaderOptions options_of(Residency residency, const Outputs& outputs) const {
    DeviceLoaderOptions options;
    const unsigned threads = options_.threads.empty() ? 0 : *std::max_element(options_.threads.begin(), options_.threads.end());
    options.loader = setup_.loader_options(threads, outputs, BatchContent::expanded, VerifyChecksums::never);
    options.devices = {station_.context->ordinal()};
    options.residency = residency;
    return options;
  }

  struct Opened {
    std::shared_ptr<DeviceBatches> batches;
    [[nodiscard]] Turn turn() const {
      return [kept = batches](double seconds) { return kept->take(seconds); };
    }
  };
  // What cannot be had on this machine, or fails, becomes a row without a figure.
  template <class Measure>
  Status add_row(DeviceRow row, Measure measure_it) {
    Status done = measure_it(row);
    if (done.ok()) {
      report_.rows.push_back(std::move(row));
      return {};
    }
    if (done.error().code == ErrorCode::cancelled) return done;
    if (done.error().code != ErrorCode::usage && !report_.failed) report_.failed = done.error();
    add_missing(std::move(row), done.error().describe());
    return {};
  }

  void add_missing(DeviceRow row, const std::string& why) {
    row.missing = why;
    report_.rows.push_back(std::move(row));
  }

  Result<Opened> open(const Dataset& dataset, Residency residency, const Outputs& outputs) {
    HOTPACK_ASSIGN(DeviceBatches batches, DeviceBatches::open(station_, dataset, options_of(residency, outputs), steps_));
    report_.threads = batches.loader().threads();
    return Opened{std::make_shared<DeviceBatches>(std::move(batches))};
  }

  // ---- rows

  Status measure_tier(const Dataset& dataset, Residency residency) {
    const bool pinned = residency == Residency::pinned;
    DeviceRow named = at_least(std::string(residency_name(residency)) + " tier: packed bytes", "GB/s", pinned ? "L" : "min(L, T·m)",
                               pinned ? kPinnedTarget : kPageTarget);
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, residency, setup_.plain));
      HOTPACK_ASSIGN(Turn copies, bus_copies(station_, kLargeCopy));
      HOTPACK_ASSIGN(Turn gather, gather_turn(dataset));
      std::vector<Turn> turns{opened.turn(), std::move(copies), std::move(gather)};
      if (pinned && packed_ >= static_cast<double>(device::kGatherBelowBytes)) {
        HOTPACK_ASSIGN(Turn records, bus_copies(station_, static_cast<std::uint64_t>(packed_)));
        turns.push_back(std::move(records));
      }
      HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
      DeviceLimits limits = report_.limits;
      limits.copy = rates[1].bytes_per_second;
      limits.gather = rates[2].bytes_per_second;
      if (rates.size() == 4) limits.copy_record = rates[3].bytes_per_second;
      row.value = rates[0].samples_per_second * packed_;
      row.limit = pinned ? limits.copy : gathered_bound(limits, report_.threads);
      row.limited_by = pinned ? bus_sentence(limits) : gathering_sentence(limits, report_.threads);
      row.terms = {{"L", limits.copy}};
      if (!pinned) row.terms.insert(row.terms.end(), {{"T", report_.threads}, {"m", limits.gather}});
      return {};
    });
  }

  Status kernels(const Dataset& dataset) {
    const std::size_t before = report_.rows.size();
    Status done = [&]() -> Status {
      const LoaderOptions options = setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
      HOTPACK_ASSIGN(const RecordList records,
                     RecordList::make(dataset, first_samples(setup_.records, options, setup_.batch), setup_.memory_bytes));
      return measure_kernels(station_, setup_, records, report_);
    }();
    if (done.ok()) return {};
    const bool some = report_.rows.size() > before;
    return add_row(at_least(some ? "kernel: the others" : "kernel: all", "GB/s", "B", 0), [&](DeviceRow&) { return std::move(done); });
  }

  // A loader's rate, its limits taken in the same turns.
  struct Measured {
    Rate rate;
    SampleBytes sample;
    DeviceLimits limits;
  };
  Result<Measured> measure_loader(const Opened& opened) {
    HOTPACK_ASSIGN(Turn copies, bus_copies(station_, kLargeCopy));
    HOTPACK_ASSIGN(Turn inside, inside_copies());
    const std::vector<Turn> turns{opened.turn(), std::move(copies), std::move(inside)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    Measured measured{rates[0], {packed_, 0}, report_.limits};
    if (rates[0].samples_per_second > 0) measured.sample.output = rates[0].bytes_per_second / rates[0].samples_per_second;
    measured.limits.copy = rates[1].bytes_per_second;
    measured.limits.device_copy = rates[2].bytes_per_second;
    return measured;
  }

  Status measure_end_to_end(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow named = at_least("end to end: " + outputs.name, "samples/s", "min(L/i, B/(2i + o))", kEndToEndTarget);
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, outputs));
      HOTPACK_ASSIGN(const Measured measured, measure_loader(opened));
      row.value = measured.rate.samples_per_second;
      row.limit = end_to_end_bound(measured.limits, measured.sample);
      row.limited_by = end_to_end_sentence(measured.limits, measured.sample);
      row.terms = {
          {"L", measured.limits.copy}, {"B", measured.limits.device_copy}, {"i", measured.sample.packed}, {"o", measured.sample.output}};
      if (&outputs == &setup_.training) service_seconds_ = static_cast<double>(setup_.batch) / std::max(row.value, 1e-9);
      return {};
    });
  }

  Status measure_resident(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow named = at_least("device tier: " + outputs.name, "GB/s", "B·o/(i + o)", kResidentTarget);
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::device, outputs));
      HOTPACK_ASSIGN(const Measured measured, measure_loader(opened));
      row.value = measured.rate.bytes_per_second;
      row.limit = resident_bound(measured.limits, measured.sample);
      row.limited_by = resident_sentence(measured.limits, measured.sample);
      row.terms = {{"B", measured.limits.device_copy}, {"i", measured.sample.packed}, {"o", measured.sample.output}};
      return {};
    });
  }

  Status measure_stall(const Dataset& dataset) {
    DeviceRow named{
        "stall of a step 1.2 times as long", "s", 0, 1, "a second of the consumer", Goal::at_most, kStallTarget, {}, {}, {}, {}};
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      if (service_seconds_ == 0) return usage_error("it is not known how long a batch takes: none came end to end");
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, setup_.training));
      HOTPACK_ASSIGN(StepWork step, StepWork::make(station_, kStepOverService * service_seconds_));
      std::vector<double> host, stream, waited, steps, kernels;
      for (unsigned round = 0; round < setup_.rounds; ++round) {
        const double seconds = std::max(setup_.seconds / setup_.rounds, kLeastCycles * kStepOverService * service_seconds_);
        HOTPACK_ASSIGN(const Stall stall, opened.batches->stall(step, service_seconds_, seconds));
        host.push_back(stall.host);
        stream.push_back(stall.stream);
        waited.push_back(std::max(stall.host, stall.stream));  // of a pause that both describe, once
        steps.push_back(stall.step_seconds);
        kernels.push_back(stall.kernel_seconds);
      }
      row.value = median(waited);
      row.limited_by = "a step takes " + milliseconds(median(steps)) + ", a batch's kernels " + milliseconds(median(kernels)) +
                       "; the next batch, which alone takes " + milliseconds(service_seconds_) + ", must be there by then";
      row.terms = {{"step_seconds", median(steps)},
                   {"kernel_seconds", median(kernels)},
                   {"batch_seconds", service_seconds_},
                   {"host_share", median(host)},
                   {"stream_share", median(stream)}};
      return {};
    });
  }

  Status measure_pinned(const Dataset& dataset) {
    DeviceRow named{"pinned bytes after step 3 and at the end", "MiB", 0, 0, "those after step 3", Goal::equal, 1, {}, {}, {}, {}};
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, setup_.plain));
      HOTPACK_ASSIGN(const HeldBytes held, opened.batches->pinned(kSteadySteps));
      row.value = static_cast<double>(held.at_end);
      row.limit = static_cast<double>(held.after_step_3);
      row.limited_by = "nothing: " + std::to_string(setup_.slots) + " slots are taken when the loader opens, and no more afterwards";
      row.terms = {{"steps", kSteadySteps}};
      return {};
    });
  }

  Status measure_interference(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow named = at_least("matrix products compared with a loader at 10 % of L: " + outputs.name, "TFLOP/s", "without the loader",
                               kInterferenceTarget);
    return add_row(std::move(named), [&](DeviceRow& row) -> Status {
      auto matrices = MatrixLoop::open(station_);
      if (!matrices.ok()) return usage_error(matrices.error().message);  // whatever is wrong with cuBLAS is no failure of the loader
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, outputs));
      const double pace = kLoadShare * report_.limits.copy / std::max(1.0, report_.packed_batch_bytes);
      const Turn alone = [&](double seconds) { return matrices->run(seconds); };
      std::vector<double> paces;
      const Turn during = [&](double seconds) -> Result<Work> {
        PacedConsumer consumer(*opened.batches, station_.stream.handle(), pace);
        auto work = matrices->run(seconds);
        HOTPACK_TRY(consumer.stop());
        HOTPACK_TRY(station_.stream.synchronize());
        paces.push_back(consumer.share_of_pace());
        return work;
      };
      const std::array turns{alone, during};
      HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
      row.value = rates[1].bytes_per_second;
      row.limit = rates[0].bytes_per_second;
      const DeviceLoader& loader = opened.batches->loader();
      const auto output = static_cast<double>(loader.image_batch_bytes() + loader.label_batch_bytes());
      describe_interference(row, output / static_cast<double>(setup_.batch), median(paces));
      return {};
    });
  }

  void describe_interference(DeviceRow& row, double output, double kept) const {
    const std::string moved = "the loader moved " + per_mille(kLoadShare * kept) + " of L";
    if (kept < kPaceKept) row.flaw = moved + " during the matrix products, not the " + per_mille(kLoadShare) + " asked of it";
    const double pace = kLoadShare * kept * report_.limits.copy / packed_;  // samples per second
    const double memory = pace * (2 * packed_ + output) / report_.limits.device_copy;
    row.limited_by = "the device's memory and processors, which both use: " + moved + ", which takes " + per_mille(memory) + " of B";
    row.terms = {{"share_of_L", kLoadShare * kept}, {"share_of_B", memory}};
  }

  Setup setup_;
  const BenchOptions& options_;
  Station station_;
  Outputs half_;
  DeviceReport report_;
  std::uint64_t steps_ = UINT64_MAX;  // of an epoch to go through
  double packed_ = 0;                 // bytes of a sample
  double service_seconds_ = 0;        // of a batch, end to end, as the stall has it
};

Result<DeviceReport> measure(std::span<const std::string> folders, const BenchOptions& options, int ordinal) {
  HOTPACK_ASSIGN(Setup setup, Setup::make(folders, options));  // first: a folder that is not there is reported without a device too
  HOTPACK_ASSIGN(Station station, Station::open(ordinal));
  const auto context = station.context;
  const device::CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  return DeviceRun(std::move(setup), options, std::move(station)).measure();
}

}  // namespace

Result<DeviceReport> run_device_bench(std::span<const std::string> folders, const BenchOptions& options, int ordinal) {
  try {
    return measure(folders, options, ordinal);
  } catch (const std::exception& refused) {  // std::bad_alloc, std::system_error of a thread
    return Error{ErrorCode::io,
                 std::string("the system does not give what the measurement needs: ") + refused.what() + "; a smaller --batch needs less",
                 {},
                 {}};
  }
}

}  // namespace hotpack::bench
