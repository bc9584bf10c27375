#include "bench/device_stage.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
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
#include "hotpack/device_loader.hpp"

namespace hotpack::bench {

namespace {

using hotpack::Residency;

constexpr double kWarmUpSeconds = 10;  // for each second a row
constexpr std::uint64_t kLargeCopy = std::uint64_t{64} << 20;
constexpr double kFullBatch = 16 << 20;  // packed bytes from which on a batch should reach the target
constexpr double kLoadShare = 0.1;       // of L, for the interference
constexpr double kPaceKept = 0.9;        // of that; a slower loader disturbs less than it should
constexpr std::uint64_t kSteadySteps = 200;

constexpr double kPinnedTarget = 0.95, kPageTarget = 0.90, kEndToEndTarget = 0.90, kResidentTarget = 0.80, kStallTarget = 0.01,
                 kInterferenceTarget = 0.98;

// A consumer that takes batches at a given pace beside other work.
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
    HOTPACK_TRY(begin_stage("a matrix product beside it"));
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
    HOTPACK_ASSIGN(Batches batches, Batches::open(dataset, setup_.loader_options(0, setup_.plain, SlotContent::packed, Check::always)));
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
    HOTPACK_ASSIGN(const auto memory, station_.context->memory());
    HOTPACK_ASSIGN(Turn copy, device_copies(station_, std::clamp<std::uint64_t>(memory.free / 8, 1 << 20, std::uint64_t{256} << 20)));
    HOTPACK_ASSIGN(Turn gather, gather_turn(dataset));
    const std::vector<Turn> turns{std::move(large), std::move(batch), std::move(copy), std::move(gather)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    report_.limits = {rates[0].bytes_per_second, rates[1].bytes_per_second, rates[2].bytes_per_second, rates[3].bytes_per_second};
    return {};
  }

  Result<Turn> gather_turn(const Dataset& dataset) const {
    const LoaderOptions options = setup_.loader_options(0, setup_.plain, SlotContent::packed, Check::never);
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
    options.loader = setup_.loader_options(threads, outputs, SlotContent::expanded, Check::never);
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
  // What cannot be had on this machine becomes a row without a figure, and nothing here.
  Result<std::optional<Opened>> open(const Dataset& dataset, Residency residency, const Outputs& outputs, const DeviceRow& row) {
    auto batches = DeviceBatches::open(station_, dataset, options_of(residency, outputs), steps_);
    if (batches.ok()) {
      report_.threads = batches->loader().threads();
      return std::optional(Opened{std::make_shared<DeviceBatches>(std::move(batches).value())});
    }
    if (batches.error().code != ErrorCode::usage) return std::move(batches).error();
    add_missing(row, batches.error().message);
    return std::optional<Opened>();
  }

  void add_missing(DeviceRow row, const std::string& why) {
    row.missing = why;
    report_.rows.push_back(std::move(row));
  }

  Status measure_tier(const Dataset& dataset, Residency residency) {
    const bool pinned = residency == Residency::pinned;
    DeviceRow row{std::string(residency_name(residency)) + " tier: packed bytes",
                  "GB/s",
                  0,
                  0,
                  pinned ? "L" : "min(L, T·m)",
                  Goal::at_least,
                  pinned ? kPinnedTarget : kPageTarget,
                  {}};
    HOTPACK_ASSIGN(const auto opened, open(dataset, residency, setup_.plain, row));
    if (!opened) return {};
    HOTPACK_ASSIGN(Turn copies, bus_copies(station_, kLargeCopy));
    HOTPACK_ASSIGN(Turn gather, gather_turn(dataset));
    const std::vector<Turn> turns{opened->turn(), std::move(copies), std::move(gather)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    row.value = rates[0].samples_per_second * packed_;
    DeviceLimits limits = report_.limits;
    limits.copy = rates[1].bytes_per_second;
    limits.gather = rates[2].bytes_per_second;
    row.limit = pinned ? limits.copy : gathered_bound(limits, report_.threads);
    report_.rows.push_back(std::move(row));
    return {};
  }

  Status kernels(const Dataset& dataset) {
    const LoaderOptions options = setup_.loader_options(0, setup_.plain, SlotContent::packed, Check::never);
    HOTPACK_ASSIGN(const RecordList records,
                   RecordList::make(dataset, first_samples(setup_.records, options, setup_.batch), setup_.memory_bytes));
    return measure_kernels(station_, setup_, records, report_);
  }

  // A loader's rate, its limits taken in the same turns.
  struct Measured {
    Rate rate;
    SampleBytes sample;
    DeviceLimits limits;
  };
  Result<Measured> measure_loader(const Opened& opened) {
    HOTPACK_ASSIGN(Turn copies, bus_copies(station_, kLargeCopy));
    HOTPACK_ASSIGN(const auto memory, station_.context->memory());
    HOTPACK_ASSIGN(Turn inside, device_copies(station_, std::clamp<std::uint64_t>(memory.free / 8, 1 << 20, std::uint64_t{256} << 20)));
    const std::vector<Turn> turns{opened.turn(), std::move(copies), std::move(inside)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    Measured measured{rates[0], {packed_, 0}, report_.limits};
    if (rates[0].samples_per_second > 0) measured.sample.output = rates[0].bytes_per_second / rates[0].samples_per_second;
    measured.limits.copy = rates[1].bytes_per_second;
    measured.limits.device_copy = rates[2].bytes_per_second;
    return measured;
  }

  Status measure_end_to_end(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow row{"end to end: " + outputs.name, "samples/s", 0, 0, "min(L/i, B/(2i + o))", Goal::at_least, kEndToEndTarget, {}};
    HOTPACK_ASSIGN(const auto opened, open(dataset, Residency::page, outputs, row));
    if (!opened) return {};
    HOTPACK_ASSIGN(const Measured measured, measure_loader(*opened));
    row.value = measured.rate.samples_per_second;
    row.limit = end_to_end_bound(measured.limits, measured.sample);
    service_seconds_ = std::max(service_seconds_, static_cast<double>(setup_.batch) / std::max(row.value, 1e-9));
    report_.rows.push_back(std::move(row));
    return {};
  }

  Status measure_resident(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow row{"device tier: " + outputs.name, "GB/s", 0, 0, "B·o/(i + o)", Goal::at_least, kResidentTarget, {}};
    HOTPACK_ASSIGN(const auto opened, open(dataset, Residency::device, outputs, row));
    if (!opened) return {};
    HOTPACK_ASSIGN(const Measured measured, measure_loader(*opened));
    row.value = measured.rate.bytes_per_second;
    row.limit = resident_bound(measured.limits, measured.sample);
    report_.rows.push_back(std::move(row));
    return {};
  }

  Status measure_stall(const Dataset& dataset) {
    const double step_seconds = kStepOverService * service_seconds_;
    DeviceRow row{"stall of a step 1.2 times as long", "s", 0, 1, "a second of the consumer", Goal::at_most, kStallTarget, {}};
    HOTPACK_ASSIGN(const auto opened, open(dataset, Residency::page, setup_.training, row));
    if (!opened) return {};
    HOTPACK_ASSIGN(StepWork step, StepWork::make(station_, step_seconds));
    std::vector<double> host, stream, both;
    for (unsigned round = 0; round < setup_.rounds; ++round) {
      HOTPACK_ASSIGN(const Stall stall, opened->batches->stall(step, std::max(setup_.seconds / setup_.rounds, 10 * step_seconds)));
      host.push_back(stall.host);
      stream.push_back(stall.stream);
      both.push_back(stall.host + stall.stream);
    }
    row.value = median(both);
    report_.rows.push_back(std::move(row));
    report_.notes.push_back("stall: next() waited " + per_mille(median(host)) + ", the stream " + per_mille(median(stream)) +
                            " of the time; the row has both");
    return {};
  }

  static std::string per_mille(double share) { return std::to_string(std::lround(1000 * share)) + " ‰"; }

  Status measure_pinned(const Dataset& dataset) {
    DeviceRow row{"pinned bytes after step 3 and at the end", "MiB", 0, 0, "those after step 3", Goal::equal, 1, {}};
    HOTPACK_ASSIGN(const auto opened, open(dataset, Residency::page, setup_.plain, row));
    if (!opened) return {};
    HOTPACK_ASSIGN(const HeldBytes held, opened->batches->pinned(kSteadySteps));
    row.value = static_cast<double>(held.at_end);
    row.limit = static_cast<double>(held.after_step_3);
    report_.rows.push_back(std::move(row));
    return {};
  }

  Status measure_interference(const Dataset& dataset, const Outputs& outputs) {
    DeviceRow row{"matrix products beside a loader at 10 % of L: " + outputs.name,
                  "TFLOP/s",
                  0,
                  0,
                  "without the loader",
                  Goal::at_least,
                  kInterferenceTarget,
                  {}};
    auto matrices = MatrixLoop::open(station_);
    if (!matrices.ok()) {
      add_missing(std::move(row), matrices.error().message);
      return {};
    }
    HOTPACK_ASSIGN(const auto opened, open(dataset, Residency::page, outputs, row));
    if (!opened) return {};
    const double pace = kLoadShare * report_.limits.copy / std::max(1.0, report_.packed_batch_bytes);
    const Turn alone = [&](double seconds) { return matrices->run(seconds); };
    std::vector<double> paces;
    const Turn beside = [&](double seconds) -> Result<Work> {
      PacedConsumer consumer(*opened->batches, station_.stream.handle(), pace);
      auto work = matrices->run(seconds);
      HOTPACK_TRY(consumer.stop());
      HOTPACK_TRY(station_.stream.synchronize());
      paces.push_back(consumer.share_of_pace());
      return work;
    };
    const std::array turns{alone, beside};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, turns_of(turns));
    row.value = rates[1].bytes_per_second;
    row.limit = rates[0].bytes_per_second;
    add_interference(std::move(row), median(paces));
    return {};
  }

  void add_interference(DeviceRow row, double kept) {
    const std::string moved = "the loader moved " + per_mille(kLoadShare * kept) + " of L beside the matrix products";
    if (kept < kPaceKept) return add_missing(std::move(row), moved + ", not the " + per_mille(kLoadShare) + " that were asked of it");
    report_.notes.push_back(row.name + ": " + moved);
    report_.rows.push_back(std::move(row));
  }

  Setup setup_;
  const BenchOptions& options_;
  Station station_;
  Outputs half_;
  DeviceReport report_;
  std::uint64_t steps_ = UINT64_MAX;  // of an epoch to go through
  double packed_ = 0;                 // bytes of a sample
  double service_seconds_ = 0;        // of a batch, end to end
};

Result<DeviceReport> measure(std::span<const std::string> folders, const BenchOptions& options, int ordinal) {
  HOTPACK_ASSIGN(Station station, Station::open(ordinal));
  HOTPACK_ASSIGN(Setup setup, Setup::make(folders, options));
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
