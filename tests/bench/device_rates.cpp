// The benchmark of hotpack_gpu_check: rates of a device, next to their limits and targets.
#include "gpu/gpu.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "bench/device_stage.hpp"
#include "bench/measure.hpp"
#include "format/json.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

namespace {

using bench::Stage;
using format::Json;

constexpr double kPageTarget = 0.90, kDeviceTarget = 0.60, kFillTarget = 0.90;

class Bench {
 public:
  Bench(const BenchArguments& arguments, const std::string& pack)
      : arguments_(arguments), pack_(pack), dataset_(require(Dataset::open(pack))) {}

  void run() {
    measure_loaders();
    measure_fill();
    measure_kernels();
    report_["complete"] = true;
    write();
  }

 private:
  // `target` is the least ratio of value to limit.
  struct Limit {
    double value = 0;
    std::string name = {};
    std::optional<double> target = {};
  };

  void add(const std::string& name, const std::string& unit, double value, const Limit& limit) {
    Json row{{"name", name}, {"unit", unit}, {"value", value}};
    std::string end;
    if (!limit.name.empty()) {
      const double ratio = limit.value > 0 ? value / limit.value : 0;
      row.update({{"limit", limit.value}, {"limit_is", limit.name}, {"ratio", ratio}});
      end = std::to_string(ratio) + " of " + limit.name;
      if (limit.target) {
        const bool good = ratio >= *limit.target;
        row.update({{"target", *limit.target}, {"good", good}});
        end += (good ? ", target " : ", MISSED ") + std::to_string(*limit.target);
      }
    }
    const double shown = unit == "GB/s" ? value / 1e9 : unit == "us" ? value * 1e6 : value;
    std::printf("%-44s %12.2f %-10s %s\n", name.c_str(), shown, unit.c_str(), end.c_str());
    std::fflush(stdout);
    rows_.push_back(std::move(row));
    write();
  }

  void write() {
    if (arguments_.json.empty()) return;
    report_["rows"] = rows_;
    const std::string whole = arguments_.json + ".tmp";  // a killed run leaves a whole report
    std::ofstream file(whole, std::ios::binary);
    file << format::canonical_json(report_) << "\n";
    file.close();
    if (!file || std::rename(whole.c_str(), arguments_.json.c_str()) != 0)
      throw Failure("cannot write " + arguments_.json);
  }

  // The rows of `hotpack bench --device`.
  void measure_loaders() {
    bench::BenchOptions options;
    options.seconds = arguments_.seconds;
    options.batch = arguments_.batch;
    const bench::BenchReport found = require(bench::run_device_bench({&pack_, 1}, options, 0));
    report_.update({{"device", found.device->name},
                    {"real", found.device->real},
                    {"driver", found.device->driver_version},
                    {"kernels", found.device->kernels},
                    {"batch", found.batch},
                    {"packed_bytes", found.packed_bytes}});
    memory_ = found.device->memory_bandwidth;
    packed_ = static_cast<double>(found.packed_bytes);
    add("memory: copies, read + written", "GB/s", memory_, {});
    for (const bench::BenchRow& row : found.rows) {
      const std::string name = std::string(bench::stage_name(row.stage)) + ": " + row.work;
      if (row.stage == Stage::bus) bus_ = row.rate.bytes_per_second;
      if (row.limit.empty()) {
        add(name, "GB/s", row.rate.bytes_per_second, {});
        continue;
      }
      add(name, "samples/s", row.rate.samples_per_second, {});
      Limit limit{row.limit_bytes_per_second, row.limit, {}};
      if (row.stage == Stage::end_to_end) limit.target = kPageTarget;
      if (row.stage == Stage::resident) limit.target = kDeviceTarget;
      add(name + ", bytes", "GB/s", row.rate.bytes_per_second, limit);
    }
  }

  [[nodiscard]] DeviceLoader open(Residency residency, ElementType type, AxisOrder order,
                                  LabelForm form, std::uint64_t batch) const {
    DeviceLoaderOptions options;
    options.residency = residency;
    options.loader.global_batch_size = batch;
    options.loader.verify_checksums = VerifyChecksums::never;
    options.loader.image = {type, order, {}, {}};
    if (type != ElementType::u8) {
      options.loader.image.mean = {0.485F, 0.456F, 0.406F};
      options.loader.image.std = {0.229F, 0.224F, 0.225F};
    }
    options.loader.label = {form, type, order, false, {}};
    if (form == LabelForm::ids) options.loader.image = {};
    return require(DeviceLoader::open(dataset_, options));
  }

  [[nodiscard]] DeviceLoader open_half(Residency residency) const {
    return open(residency, ElementType::f16, AxisOrder::channels_first, LabelForm::one_hot,
                std::min<std::uint64_t>(arguments_.records, arguments_.batch));
  }

  void measure_fill() {
    const DeviceLoader loader = open_half(Residency::device);
    add("load of resident records", "GB/s",
        static_cast<double>(loader.residency().packed_bytes) / loader.statistics().load_seconds,
        {bus_, "bus", kFillTarget});
  }

  // Seconds that the work of one call takes on the stream, of many calls in a row.
  static double seconds_of(Stream stream, double at_least, const std::function<void()>& queue) {
    for (int warm = 0; warm < 8; ++warm) queue();
    CU(StreamSynchronize, stream);
    const double began = bench::now_seconds();
    double count = 0;
    do {
      for (int i = 0; i < 4; ++i, ++count) queue();
    } while (bench::now_seconds() - began < at_least);
    CU(StreamSynchronize, stream);
    return (bench::now_seconds() - began) / count;
  }

  // Takes batches of one field of resident records by next_into(). Batches are large, so that the
  // device, not the calls, takes the time.
  void measure_kernels() {
    for (const AxisOrder order : {AxisOrder::channels_first, AxisOrder::channels_last})
      for (const ElementType type :
           {ElementType::f16, ElementType::f32, ElementType::bf16, ElementType::u8})
        for (const bool image : {true, false})
          measure_kernel(type, order, LabelForm::one_hot, image);
    for (const ElementType type : {ElementType::u8, ElementType::i64})
      measure_kernel(type, AxisOrder::channels_last, LabelForm::ids, false);
  }

  void measure_kernel(ElementType type, AxisOrder order, LabelForm form, bool image) {
    DeviceLoader loader = open(Residency::device, type, order, form,
                               std::min<std::uint64_t>(arguments_.records, 256));
    const Memory memory(image ? loader.image_batch_bytes() : loader.label_batch_bytes());
    DeviceBuffers buffers;
    (image ? buffers.image : buffers.label) = memory.data();
    (image ? buffers.image_bytes : buffers.label_bytes) = memory.size();
    const UserStream stream;
    const double seconds = seconds_of(stream, arguments_.seconds / 4, [&] {
      while (!require(loader.next_into(buffers, stream, kLongest))) continue;
    });
    const double rows = static_cast<double>(loader.batch_size()),
                 pixels = static_cast<double>(arguments_.pack.size->width) *
                          static_cast<double>(arguments_.pack.size->height),
                 read = rows * pixels * (image ? 3 : 1);
    const std::string name = std::string("kernel: ") +
                             (image                    ? "image "
                              : form == LabelForm::ids ? "ids "
                                                       : "one-hot ") +
                             std::string(element_name(type)) +
                             (order == AxisOrder::channels_first ? " NCHW" : " NHWC");
    add(name, "GB/s", (read + static_cast<double>(memory.size())) / seconds,
        {memory_, "memory", {}});
    add(name + ", a batch", "us", seconds / rows * static_cast<double>(arguments_.batch),
        {packed_ / bus_, "the bus", {}});
  }

  const BenchArguments& arguments_;
  const std::string& pack_;
  Machine machine_;
  Dataset dataset_;
  Json report_{{"report", "hotpack-gpu-bench/1"}, {"complete", false}};
  Json rows_ = Json::array();
  double memory_ = 0, bus_ = 0;  // bytes per second
  double packed_ = 0;            // bytes of a batch
};

}  // namespace

void run_bench(const BenchArguments& arguments) {
  if (const auto reason = no_device()) throw Skip(*reason);
  const TempFolder folder;
  write_bench_pack(folder.path(), arguments);
  const std::string pack = folder.path();
  Bench(arguments, pack).run();
}

}  // namespace hotpack::gpu
