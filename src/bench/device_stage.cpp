#include "bench/device_stage.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "bench/batches.hpp"
#include "bench/cuda_bandwidth.hpp"
#include "bench/measure.hpp"
#include "bench/run.hpp"
#include "bench/setup.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::bench {

namespace {

using hotpack::Residency;

Outputs half_outputs(const Setup& setup) {
  Outputs half = setup.training;
  half.image.dtype = ElementType::f16;
  half.name = "f16";
  if (!setup.schema.label) return half;
  half.label.dtype = ElementType::f16;
  half.name += " + one-hot f16";
  return half;
}

// The batches of a DeviceLoader that delivers epoch after epoch on the default stream. If an epoch
// has more than `steps` steps, the loader repeats the first `steps` steps of the first epoch.
class DeviceBatches {
 public:
  DeviceBatches(DeviceLoader loader, unsigned prefetch, std::uint64_t steps)
      : loader_(std::move(loader)),
        // two slots per batch, packed batches on the device, and batches whose work is queued
        ahead_(4 * prefetch),
        steps_(steps < loader_.steps_per_epoch() ? steps : UINT64_MAX) {}

  // Takes batches for about `seconds`, at least one. Work.bytes counts the bytes of the tensors.
  // The host's clock is exact enough although the device works later: when the measurement begins
  // and when it ends, the loader is the same number of batches ahead of the device.
  Result<Work> take(double seconds) {
    for (unsigned batch = 0; batch <= ahead_; ++batch) HOTPACK_TRY(next());
    Work work;
    const double began = now_seconds();
    do {
      HOTPACK_ASSIGN(const DeviceBatch batch, next());
      work.samples += batch.num_valid();
      work.bytes += batch.image().bytes + batch.label().bytes;
      work.seconds = now_seconds() - began;
    } while (work.seconds < seconds);
    return work;
  }

 private:
  Result<DeviceBatch> next() {
    if (taken_ == steps_) {
      HOTPACK_TRY(loader_.seek(0, 0));
      taken_ = 0;
    }
    std::optional<DeviceBatch> batch;
    while (!batch) {  // empty at the end of an epoch
      HOTPACK_ASSIGN(batch, loader_.next(nullptr));
    }
    ++taken_;
    return std::move(*batch);
  }

  DeviceLoader loader_;
  unsigned ahead_;       // batches that may be read or queued before the device is done with one
  std::uint64_t steps_;  // of an epoch that are used
  std::uint64_t taken_ = 0;
};

struct Limit {
  std::string name;
  double samples_per_second = 0;
};

class DeviceRun {
 public:
  DeviceRun(Setup setup, const BenchOptions& options, int ordinal)
      : setup_(std::move(setup)),
        options_(options),
        ordinal_(ordinal),
        forms_{half_outputs(setup_), setup_.training} {}

  Result<BenchReport> measure() {
    HOTPACK_ASSIGN(const CudaInfo info, cuda_info());
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    describe_setup(setup_, dataset, report_);
    describe_device(info);
    HOTPACK_TRY(check_device(dataset));
    HOTPACK_TRY(begin_stage(options_, "reading into memory"));
    HOTPACK_TRY(warm_up_records(dataset));
    HOTPACK_TRY(begin_stage(options_, "the bus"));
    HOTPACK_TRY(measure_bus());
    HOTPACK_TRY(begin_stage(options_, "gathering"));
    HOTPACK_TRY(measure_gathering(dataset));
    HOTPACK_TRY(begin_stage(options_, "end to end"));
    for (const Outputs& form : forms_) HOTPACK_TRY(measure_end_to_end(dataset, form));
    HOTPACK_TRY(begin_stage(options_, "records on the device"));
    HOTPACK_TRY(measure_resident(dataset));
    return std::move(report_);
  }

 private:
  void describe_device(const CudaInfo& info) {
    BenchDevice device;
    device.ordinal = ordinal_;
    for (const CudaDevice& found : info.devices) {
      if (found.ordinal != ordinal_) continue;
      device.name = found.name;
      device.major = found.major;
      device.minor = found.minor;
      device.memory_bytes = found.memory_bytes;
    }
    device.real = is_real_device(device.name);
    device.driver_version = info.driver_version;
    device.kernels = info.kernels;
    report_.device = std::move(device);
    if (!report_.device->real)
      report_.notes.emplace_back(
          "this device is a stand-in without a GPU: its figures mean nothing");
  }

  // Fails before anything is measured if the device cannot be used.
  Status check_device(const Dataset& dataset) {
    HOTPACK_ASSIGN(const DeviceLoader loader,
                   DeviceLoader::open(dataset, options_of(Residency::page, setup_.training)));
    report_.output_bytes = loader.image_batch_bytes() + loader.label_batch_bytes();
    threads_ = loader.threads();
    return {};
  }

  Status warm_up_records(const Dataset& dataset) {
    HOTPACK_ASSIGN(warm_, warm_up(setup_, dataset));
    describe_warm_up(warm_, report_);
    packed_ = warm_.packed_batch_bytes / static_cast<double>(setup_.batch);
    return {};
  }

  Status measure_bus() {
    HOTPACK_ASSIGN(const auto driver, device::Driver::load());
    HOTPACK_ASSIGN(bandwidth_, measure_cuda_bandwidth(driver, ordinal_, setup_.seconds));
    report_.device->memory_bandwidth = bandwidth_.memory;
    report_.rows.push_back({Stage::bus,
                            "pinned memory to device",
                            1,
                            {bandwidth_.bus / packed_, bandwidth_.bus},
                            "",
                            0});
    return {};
  }

  // Measures only the loader's threads, which write into slots in host memory.
  Status measure_gathering(const Dataset& dataset) {
    const LoaderOptions options =
        setup_.loader_options(threads_, setup_.plain, BatchContent::packed, VerifyChecksums::never);
    HOTPACK_ASSIGN(Batches batches, Batches::open(dataset, options, warm_.steps));
    HOTPACK_ASSIGN(const Rate rate,
                   rate_of_turns([&](double seconds) { return batches.take(seconds); }));
    gathered_ = rate.bytes_per_second;
    report_.rows.push_back(
        {Stage::gather, "page cache to host memory", threads_, rate, "bus", bandwidth_.bus});
    return {};
  }

  Status measure_end_to_end(const Dataset& dataset, const Outputs& form) {
    HOTPACK_ASSIGN(const Rate rate, rate_of_loader(dataset, Residency::page, form));
    const double output = output_bytes(rate);
    const std::array limits{Limit{"bus", bandwidth_.bus / packed_},
                            Limit{"gather", gathered_ / packed_},
                            Limit{"device memory", bandwidth_.memory / (2 * packed_ + output)}};
    add_row(Stage::end_to_end, form, rate,
            *std::min_element(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
              return a.samples_per_second < b.samples_per_second;
            }));
    return {};
  }

  Status measure_resident(const Dataset& dataset) {
    for (const Outputs& form : forms_) {
      const auto rate = rate_of_loader(dataset, Residency::device, form);
      if (!rate.ok() && rate.error().code != ErrorCode::usage) return rate.error();
      if (!rate.ok()) {
        report_.notes.push_back("records on the device were not measured: " +
                                rate.error().describe());
        return {};
      }
      add_row(Stage::resident, form, *rate,
              {"device memory", bandwidth_.memory / (packed_ + output_bytes(*rate))});
    }
    return {};
  }

  void add_row(Stage stage, const Outputs& form, const Rate& rate, const Limit& limit) {
    report_.rows.push_back({stage, form.name, threads_, rate, limit.name,
                            limit.samples_per_second * output_bytes(rate)});
  }

  // Bytes of the tensors of one sample.
  static double output_bytes(const Rate& rate) {
    return rate.bytes_per_second / std::max(rate.samples_per_second, 1e-9);
  }

  Result<Rate> rate_of_loader(const Dataset& dataset, Residency residency,
                              const Outputs& form) const {
    const DeviceLoaderOptions options = options_of(residency, form);
    HOTPACK_ASSIGN(DeviceLoader loader, DeviceLoader::open(dataset, options));
    DeviceBatches batches(std::move(loader), options.loader.prefetch_batches, warm_.steps);
    return rate_of_turns([&](double seconds) { return batches.take(seconds); });
  }

  Result<Rate> rate_of_turns(const Measurement& measurement) const {
    HOTPACK_ASSIGN(const std::vector<Rate> rates,
                   take_turns({&measurement, 1}, setup_.rounds,
                              setup_.seconds / static_cast<double>(setup_.rounds)));
    return rates.front();
  }

  [[nodiscard]] DeviceLoaderOptions options_of(Residency residency, const Outputs& form) const {
    DeviceLoaderOptions options;
    const unsigned threads = options_.threads.empty() ? 0
                                                      : *std::max_element(options_.threads.begin(),
                                                                          options_.threads.end());
    options.loader =
        setup_.loader_options(threads, form, BatchContent::expanded, VerifyChecksums::never);
    options.device = ordinal_;
    options.residency = residency;
    return options;
  }

  Setup setup_;
  const BenchOptions& options_;
  int ordinal_;
  std::array<Outputs, 2> forms_;
  BenchReport report_;
  WarmUp warm_;
  CudaBandwidth bandwidth_;
  double packed_ = 0;    // stored bytes per sample
  double gathered_ = 0;  // bytes per second
  unsigned threads_ = 1;
};

}  // namespace

bool is_real_device(const std::string& name) { return name.find("no GPU") == std::string::npos; }

Result<BenchReport> run_device_bench(std::span<const std::string> folders,
                                     const BenchOptions& options, int ordinal) {
  try {
    HOTPACK_ASSIGN(
        Setup setup,
        Setup::make(folders,
                    options));  // first, so that a missing folder is also reported without a device
    return DeviceRun(std::move(setup), options, ordinal).measure();
  } catch (const std::exception&
               refused) {  // std::bad_alloc, or std::system_error if a thread cannot start
    return refused_by_system(refused);
  }
}

}  // namespace hotpack::bench
