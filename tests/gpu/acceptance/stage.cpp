#include "gpu/acceptance/stage.hpp"

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
#include "bench/device_stage.hpp"
#include "bench/run.hpp"
#include "gpu/acceptance/batches.hpp"
#include "gpu/acceptance/kernels.hpp"
#include "gpu/acceptance/limits.hpp"
#include "gpu/acceptance/matrix_loop.hpp"
#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/meter.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::gpu {

namespace {

using hotpack::Residency;

constexpr std::uint64_t kLargeCopy = std::uint64_t{64} << 20;
constexpr double kFullBatch =
    16 << 20;                       // packed bytes from which on a batch should reach the target
constexpr double kLoadShare = 0.1;  // of the bus, for the interference
constexpr double kPaceKept = 0.9;   // of that; a slower loader disturbs less than it should
constexpr std::uint64_t kSteadySteps = 200;
constexpr double kLeastCycles = 10;  // of a consumer's steps, each round

constexpr double kPageTarget = 0.90, kEndToEndTarget = 0.90, kResidentTarget = 0.80,
                 kStallTarget = 0.01, kInterferenceTarget = 0.98;

std::string per_mille(double share) { return std::to_string(std::lround(1000 * share)) + " ‰"; }

std::string milliseconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f ms", seconds < 0.1 ? 2 : 0, 1000 * seconds);
  return text.data();
}

// Returns a row without a figure; the figure, the limit and the terms are added later.
AcceptanceRow at_least(std::string name, std::string unit, std::string limit_is, double target) {
  return {std::move(name),
          std::move(unit),
          0,
          0,
          std::move(limit_is),
          Goal::at_least,
          target,
          {},
          {},
          {},
          {}};
}

// A consumer that takes batches at a given pace next to other work.
class PacedConsumer {
 public:
  PacedConsumer(DeviceBatches& batches, device::StreamHandle stream, double batches_per_second)
      : thread_([this, &batches, stream, batches_per_second] {
          consume(batches, stream, batches_per_second);
        }) {}
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
      std::this_thread::sleep_until(
          began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due));
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
  DeviceRun(Setup setup, const BenchOptions& options, DeviceSession session)
      : setup_(std::move(setup)), options_(options), session_(std::move(session)) {
    half_ = setup_.training;
    half_.image.dtype = ElementType::f16;
    half_.name = "f16";
    if (setup_.schema.label) {
      half_.label.dtype = ElementType::f16;
      half_.name += " + one-hot f16";
    }
  }

  Result<AcceptanceReport> measure() {
    HOTPACK_TRY(describe());
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    HOTPACK_TRY(bench::begin_stage(options_, "reading into memory"));
    HOTPACK_TRY(warm_up_records(dataset));
    HOTPACK_TRY(bench::begin_stage(options_, "bus, device memory, one core"));
    HOTPACK_TRY(measure_limits(dataset));
    HOTPACK_TRY(bench::begin_stage(options_, "packed records to the device"));
    HOTPACK_TRY(measure_page(dataset));
    HOTPACK_TRY(bench::begin_stage(options_, "kernels"));
    HOTPACK_TRY(kernels(dataset));
    HOTPACK_TRY(bench::begin_stage(options_, "end to end"));
    for (const Outputs* outputs : {&half_, &setup_.training})
      HOTPACK_TRY(measure_end_to_end(dataset, *outputs));
    HOTPACK_TRY(bench::begin_stage(options_, "records on the device"));
    for (const Outputs* outputs : {&half_, &setup_.training})
      HOTPACK_TRY(measure_resident(dataset, *outputs));
    HOTPACK_TRY(bench::begin_stage(options_, "a consumer"));
    HOTPACK_TRY(measure_stall(dataset));
    HOTPACK_TRY(measure_pinned(dataset));
    HOTPACK_TRY(bench::begin_stage(options_, "a matrix product at the same time"));
    for (const Outputs* outputs : {&setup_.plain, &half_})
      HOTPACK_TRY(measure_interference(dataset, *outputs));
    return std::move(report_);
  }

 private:
  Status describe() {
    HOTPACK_ASSIGN(const CudaInfo info, cuda_info());
    report_.ordinal = session_.context->ordinal();
    for (const CudaDevice& device : info.devices) {
      if (device.ordinal != report_.ordinal) continue;
      report_.name = device.name;
      report_.major = device.major;
      report_.minor = device.minor;
      report_.memory_bytes = device.memory_bytes;
    }
    report_.real = bench::is_real_device(report_.name);
    if (!report_.real)
      report_.notes.emplace_back(
          "this device is a stand-in without a GPU: its figures mean nothing");
    report_.driver_version = info.driver_version;
    report_.kernels = info.kernels;
    report_.folders = setup_.folders;
    report_.samples = setup_.records;
    report_.batch = setup_.batch;
    report_.rounds = setup_.rounds;
    report_.notes.insert(report_.notes.end(), setup_.notes.begin(), setup_.notes.end());
    return {};
  }

  Status warm_up_records(const Dataset& dataset) {
    HOTPACK_ASSIGN(const bench::WarmUp warm, bench::warm_up(setup_, dataset));
    steps_ = warm.steps;
    report_.packed_batch_bytes = warm.packed_batch_bytes;
    packed_ = report_.packed_batch_bytes / static_cast<double>(setup_.batch);
    if (!warm.note.empty()) report_.notes.push_back(warm.note);
    if (report_.packed_batch_bytes < kFullBatch)
      report_.notes.emplace_back(
          "targets are for batches of 16 MiB of packed records or more; use a larger --batch");
    return {};
  }

  Status measure_limits(const Dataset& dataset) {
    HOTPACK_ASSIGN(Measurement large, bus_copies(session_, kLargeCopy));
    HOTPACK_ASSIGN(
        Measurement batch,
        bus_copies(session_, std::max<std::uint64_t>(
                                 1, static_cast<std::uint64_t>(report_.packed_batch_bytes))));
    HOTPACK_ASSIGN(Measurement copy, inside_copies());
    HOTPACK_ASSIGN(Measurement gather, gather_measurement(dataset));
    const std::vector<Measurement> turns{std::move(large), std::move(batch), std::move(copy),
                                         std::move(gather)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, rates_of(turns));
    report_.bandwidths = {rates[0].bytes_per_second, rates[1].bytes_per_second,
                          rates[2].bytes_per_second, rates[3].bytes_per_second};
    return {};
  }

  // Copies more bytes than a device's cache has.
  Result<Measurement> inside_copies() const {
    HOTPACK_ASSIGN(const auto memory, session_.context->memory());
    return device_copies(
        session_, std::clamp<std::uint64_t>(memory.free / 8, 1 << 20, std::uint64_t{256} << 20));
  }

  Result<Measurement> gather_measurement(const Dataset& dataset) const {
    const LoaderOptions options =
        setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
    const auto ring = static_cast<std::uint64_t>(setup_.slots * 1.1 * report_.packed_batch_bytes) +
                      (std::uint64_t{1} << 20);
    return gathered_records(session_, dataset,
                            first_samples(setup_.records, options, steps_ * setup_.batch), ring);
  }

  Result<std::vector<Rate>> rates_of(std::span<const Measurement> turns) const {
    return take_turns(turns, setup_.rounds, setup_.seconds / static_cast<double>(setup_.rounds));
  }

  // ---- loaders

  [[nodiscard]] DeviceLoaderOptions options_of(Residency residency, const Outputs& outputs) const {
    DeviceLoaderOptions options;
    const unsigned threads = options_.threads.empty() ? 0
                                                      : *std::max_element(options_.threads.begin(),
                                                                          options_.threads.end());
    options.loader =
        setup_.loader_options(threads, outputs, BatchContent::expanded, VerifyChecksums::never);
    options.devices = {session_.context->ordinal()};
    options.residency = residency;
    return options;
  }

  struct Opened {
    std::shared_ptr<DeviceBatches> batches;
    [[nodiscard]] Measurement turn() const {
      return [kept = batches](double seconds) { return kept->take(seconds); };
    }
  };
  // Measures a row. If that is not possible on this machine, or fails, the row has no figure.
  template <class Measure>
  Status add_row(AcceptanceRow row, Measure measure_it) {
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

  void add_missing(AcceptanceRow row, const std::string& why) {
    row.missing = why;
    report_.rows.push_back(std::move(row));
  }

  Result<Opened> open(const Dataset& dataset, Residency residency, const Outputs& outputs) {
    HOTPACK_ASSIGN(DeviceBatches batches,
                   DeviceBatches::open(session_, dataset, options_of(residency, outputs), steps_));
    report_.threads = batches.loader().threads();
    return Opened{std::make_shared<DeviceBatches>(std::move(batches))};
  }

  // ---- rows

  Status measure_page(const Dataset& dataset) {
    AcceptanceRow named =
        at_least("page tier: packed bytes", "GB/s", "min(bus, threads·gather)", kPageTarget);
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, setup_.plain));
      HOTPACK_ASSIGN(Measurement copies, bus_copies(session_, kLargeCopy));
      HOTPACK_ASSIGN(Measurement gather, gather_measurement(dataset));
      const std::vector<Measurement> turns{opened.turn(), std::move(copies), std::move(gather)};
      HOTPACK_ASSIGN(const std::vector<Rate> rates, rates_of(turns));
      Bandwidths bandwidths = report_.bandwidths;
      bandwidths.bus = rates[1].bytes_per_second;
      bandwidths.gather = rates[2].bytes_per_second;
      row.value = rates[0].samples_per_second * packed_;
      row.limit = gathered_bound(bandwidths, report_.threads);
      row.limited_by = gathering_sentence(bandwidths, report_.threads);
      row.terms = {{"bus_bandwidth", bandwidths.bus},
                   {"threads", report_.threads},
                   {"gather_bandwidth", bandwidths.gather}};
      return {};
    });
  }

  Status kernels(const Dataset& dataset) {
    const std::size_t before = report_.rows.size();
    Status done = [&]() -> Status {
      const LoaderOptions options =
          setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
      HOTPACK_ASSIGN(const RecordList records,
                     RecordList::make(dataset, first_samples(setup_.records, options, setup_.batch),
                                      setup_.memory_bytes));
      return measure_kernels(session_, setup_, records, report_);
    }();
    if (done.ok()) return {};
    const bool some = report_.rows.size() > before;
    return add_row(at_least(some ? "kernel: the others" : "kernel: all", "GB/s", "memory", 0),
                   [&](AcceptanceRow&) { return std::move(done); });
  }

  // A loader's rate, and its limits, which were measured in turn with it.
  struct Measured {
    Rate rate;
    SampleBytes sample;
    Bandwidths bandwidths;
  };
  Result<Measured> measure_loader(const Opened& opened) {
    HOTPACK_ASSIGN(Measurement copies, bus_copies(session_, kLargeCopy));
    HOTPACK_ASSIGN(Measurement inside, inside_copies());
    const std::vector<Measurement> turns{opened.turn(), std::move(copies), std::move(inside)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates, rates_of(turns));
    Measured measured{rates[0], {packed_, 0}, report_.bandwidths};
    if (rates[0].samples_per_second > 0)
      measured.sample.output = rates[0].bytes_per_second / rates[0].samples_per_second;
    measured.bandwidths.bus = rates[1].bytes_per_second;
    measured.bandwidths.memory = rates[2].bytes_per_second;
    return measured;
  }

  Status measure_end_to_end(const Dataset& dataset, const Outputs& outputs) {
    AcceptanceRow named = at_least("end to end: " + outputs.name, "samples/s",
                                   "min(bus/packed, memory/(2 packed + output))", kEndToEndTarget);
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, outputs));
      HOTPACK_ASSIGN(const Measured measured, measure_loader(opened));
      row.value = measured.rate.samples_per_second;
      row.limit = end_to_end_bound(measured.bandwidths, measured.sample);
      row.limited_by = end_to_end_sentence(measured.bandwidths, measured.sample);
      row.terms = {{"bus_bandwidth", measured.bandwidths.bus},
                   {"memory_bandwidth", measured.bandwidths.memory},
                   {"packed_bytes", measured.sample.packed},
                   {"output_bytes", measured.sample.output}};
      if (&outputs == &setup_.training)
        service_seconds_ = static_cast<double>(setup_.batch) / std::max(row.value, 1e-9);
      return {};
    });
  }

  Status measure_resident(const Dataset& dataset, const Outputs& outputs) {
    AcceptanceRow named = at_least("device tier: " + outputs.name, "GB/s",
                                   "memory·output/(packed + output)", kResidentTarget);
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::device, outputs));
      HOTPACK_ASSIGN(const Measured measured, measure_loader(opened));
      row.value = measured.rate.bytes_per_second;
      row.limit = resident_bound(measured.bandwidths, measured.sample);
      row.limited_by = resident_sentence(measured.bandwidths, measured.sample);
      row.terms = {{"memory_bandwidth", measured.bandwidths.memory},
                   {"packed_bytes", measured.sample.packed},
                   {"output_bytes", measured.sample.output}};
      return {};
    });
  }

  Status measure_stall(const Dataset& dataset) {
    AcceptanceRow named{"stall of a step 1.2 times as long",
                        "s",
                        0,
                        1,
                        "one second of the consumer",
                        Goal::at_most,
                        kStallTarget,
                        {},
                        {},
                        {},
                        {}};
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      if (service_seconds_ == 0)
        return usage_error(
            "the time of a batch is unknown, because the end-to-end rows have no figures");
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, setup_.training));
      HOTPACK_ASSIGN(StepWork step, StepWork::make(session_, kStepOverService * service_seconds_));
      std::vector<double> host, stream, waited, steps, kernels;
      for (unsigned round = 0; round < setup_.rounds; ++round) {
        const double seconds = std::max(setup_.seconds / setup_.rounds,
                                        kLeastCycles * kStepOverService * service_seconds_);
        HOTPACK_ASSIGN(const Stall stall, opened.batches->stall(step, service_seconds_, seconds));
        host.push_back(stall.host);
        stream.push_back(stall.stream);
        waited.push_back(
            std::max(stall.host, stall.stream));  // of a pause that both describe, once
        steps.push_back(stall.step_seconds);
        kernels.push_back(stall.kernel_seconds);
      }
      row.value = median(waited);
      row.limited_by = "a step takes " + milliseconds(median(steps)) + ", a batch's kernels " +
                       milliseconds(median(kernels)) + "; the next batch, which alone takes " +
                       milliseconds(service_seconds_) + ", must be there by then";
      row.terms = {{"step_seconds", median(steps)},
                   {"kernel_seconds", median(kernels)},
                   {"batch_seconds", service_seconds_},
                   {"host_share", median(host)},
                   {"stream_share", median(stream)}};
      return {};
    });
  }

  Status measure_pinned(const Dataset& dataset) {
    AcceptanceRow named{"pinned bytes after step 3 and at the end",
                        "MiB",
                        0,
                        0,
                        "those after step 3",
                        Goal::equal,
                        1,
                        {},
                        {},
                        {},
                        {}};
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, setup_.plain));
      HOTPACK_ASSIGN(const HeldBytes held, opened.batches->pinned(kSteadySteps));
      row.value = static_cast<double>(held.at_end);
      row.limit = static_cast<double>(held.after_step_3);
      row.limited_by = "nothing: " + std::to_string(setup_.slots) +
                       " slots are taken when the loader opens, and no more afterwards";
      row.terms = {{"steps", kSteadySteps}};
      return {};
    });
  }

  Status measure_interference(const Dataset& dataset, const Outputs& outputs) {
    AcceptanceRow named =
        at_least("matrix products next to a loader at 10 % of the bus: " + outputs.name, "TFLOP/s",
                 "without the loader", kInterferenceTarget);
    return add_row(std::move(named), [&](AcceptanceRow& row) -> Status {
      auto matrices = MatrixLoop::open(session_);
      if (!matrices.ok())
        return usage_error(
            matrices.error().message);  // whatever is wrong with cuBLAS is no failure of the loader
      HOTPACK_ASSIGN(const Opened opened, open(dataset, Residency::page, outputs));
      const double pace =
          kLoadShare * report_.bandwidths.bus / std::max(1.0, report_.packed_batch_bytes);
      const Measurement alone = [&](double seconds) { return matrices->run(seconds); };
      std::vector<double> paces;
      const Measurement during = [&](double seconds) -> Result<Work> {
        PacedConsumer consumer(*opened.batches, session_.stream.handle(), pace);
        auto work = matrices->run(seconds);
        HOTPACK_TRY(consumer.stop());
        HOTPACK_TRY(session_.stream.synchronize());
        paces.push_back(consumer.share_of_pace());
        return work;
      };
      const std::array turns{alone, during};
      HOTPACK_ASSIGN(const std::vector<Rate> rates, rates_of(turns));
      row.value = rates[1].bytes_per_second;
      row.limit = rates[0].bytes_per_second;
      const DeviceLoader& loader = opened.batches->loader();
      const auto output =
          static_cast<double>(loader.image_batch_bytes() + loader.label_batch_bytes());
      describe_interference(row, output / static_cast<double>(setup_.batch), median(paces));
      return {};
    });
  }

  void describe_interference(AcceptanceRow& row, double output, double kept) const {
    const std::string moved = "the loader moved " + per_mille(kLoadShare * kept) + " of the bus";
    if (kept < kPaceKept)
      row.flaw =
          moved + " during the matrix products, not the " + per_mille(kLoadShare) + " asked of it";
    const double pace = kLoadShare * kept * report_.bandwidths.bus / packed_;  // samples per second
    const double memory = pace * (2 * packed_ + output) / report_.bandwidths.memory;
    row.limited_by = "the device's memory and processors, which both use: " + moved +
                     ", which takes " + per_mille(memory) + " of its memory bandwidth";
    row.terms = {{"share_of_bus", kLoadShare * kept}, {"share_of_memory", memory}};
  }

  Setup setup_;
  const BenchOptions& options_;
  DeviceSession session_;
  Outputs half_;
  AcceptanceReport report_;
  std::uint64_t steps_ = UINT64_MAX;  // number of steps of an epoch to go through
  double packed_ = 0;                 // bytes of a sample
  double service_seconds_ = 0;        // seconds of a batch, end to end; the stall uses it
};

Result<AcceptanceReport> measure(std::span<const std::string> folders, const BenchOptions& options,
                                 int ordinal) {
  HOTPACK_ASSIGN(
      Setup setup,
      Setup::make(folders,
                  options));  // first, so that a missing folder is reported without a device too
  HOTPACK_ASSIGN(DeviceSession session, DeviceSession::open(ordinal));
  const auto context = session.context;
  const device::CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  return DeviceRun(std::move(setup), options, std::move(session)).measure();
}

}  // namespace

Result<AcceptanceReport> run_acceptance(std::span<const std::string> folders,
                                        const BenchOptions& options, int ordinal) {
  try {
    return measure(folders, options, ordinal);
  } catch (const std::exception& refused) {  // std::bad_alloc, std::system_error of a thread
    return bench::refused_by_system(refused);
  }
}

}  // namespace hotpack::gpu
