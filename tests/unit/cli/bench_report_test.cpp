#include "cli/bench_report.hpp"

#include "format/json.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::bench;

namespace {

BenchReport small_report() {
  BenchReport report;
  report.folders = {"packed/train"};
  report.samples = 1501;
  report.measured = 1501;
  report.shards = 6;
  report.size_bytes = 3 << 20;
  report.batch = 32;
  report.slots = 3;
  report.rounds = 5;
  report.packed_bytes = 32 << 20;
  report.output_bytes = 480 << 20;
  report.processor = "avx512";
  report.cores = 2;
  report.rows = {{Stage::disk, "shuffled", 2, {1000, 1.05e9}, "plain read", 2.1e9},
                 {Stage::copies, "later epochs", 1, {9500, 9.96e9}, "memcpy", 10e9},
                 {Stage::end_to_end, "f32", 1, {500, 7.5e9}, "fill", 15e9},
                 {Stage::end_to_end, "f32", 2, {505, 7.6e9}, "fill", 15e9}};
  report.consumer = {0.0123, 0.004};
  report.recommended_threads = 1;
  report.notes = {"something was cut"};
  return report;
}

}  // namespace

TEST_CASE("a bench as a table") {
  CHECK(cli::bench_text(small_report()) ==
        "packed/train: 1,501 samples in 6 shards, 3.0 MiB\n"
        "batches of 32 samples: 32.0 MiB packed, 480.0 MiB training-ready; 3 slots; 2 cores, "
        "avx512; medians of 5 rounds\n"
        "\n"
        "                threads  samples/s  GB/s  limit  of it  limit is\n"
        "cold disk to batches, as stored\n"
        "  shuffled            2      1,000  1.05   2.10   50 %  plain read\n"
        "page cache to batches, as stored\n"
        "  later epochs        1      9,500  9.96  10.00  100 %  memcpy\n"
        "end to end: page cache to training-ready batches\n"
        "  f32                 1        500  7.50  15.00   50 %  fill\n"
        "  f32                 2        505  7.60  15.00   51 %  fill\n"
        "\n"
        "threads = 1: the fewest whose end-to-end rate, 500 samples/s, is within 3 % of the best, "
        "505. With it the first batch\n"
        "comes 12 ms after opening, and a consumer whose step takes 1.2 times a batch's time waits "
        "0.4 % of its time\n"
        "note: something was cut\n");
}

TEST_CASE("a bench as JSON has the same figures in bytes and seconds") {
  const std::string text = cli::bench_json(small_report());
  REQUIRE(text.back() == '\n');
  const auto json = format::parse_json(text);
  REQUIRE(json.ok());
  CHECK((*json)["report"] == "hotpack-bench/2");
  CHECK((*json)["packs"] == format::Json::array({"packed/train"}));
  CHECK((*json)["batch_bytes"] == format::Json({{"packed", 32 << 20}, {"output", 480 << 20}}));
  REQUIRE((*json)["rows"].size() == 4);
  CHECK((*json)["rows"][1] == format::Json({{"stage", "copies"},
                                            {"work", "later epochs"},
                                            {"threads", 1},
                                            {"samples_per_second", 9500.0},
                                            {"bytes_per_second", 9'960'000'000},
                                            {"limit", "memcpy"},
                                            {"limit_bytes_per_second", 10'000'000'000},
                                            {"share", 0.996}}));
  CHECK((*json)["device"].is_null());
  CHECK((*json)["recommended_threads"] == 1);
  CHECK((*json)["first_batch_seconds"].get<double>() == Approx(0.0123));
  CHECK((*json)["wait_share"].get<double>() == Approx(0.004));
  CHECK((*json)["notes"].size() == 1);
}

TEST_CASE("a bench without cold reads has no such rows") {
  BenchReport report = small_report();
  report.rows.erase(report.rows.begin());
  report.notes.clear();
  CHECK_THAT(cli::bench_text(report), !ContainsSubstring("cold disk"));
  CHECK_THAT(cli::bench_text(report), !ContainsSubstring("note:"));
}

TEST_CASE("names of packs cannot drive the terminal or break the JSON") {
  BenchReport report = small_report();
  report.folders = {"pa\x1b[2Jck", "\xff"};
  CHECK_THAT(cli::bench_text(report), ContainsSubstring("pa\\x1b[2Jck"));
  CHECK(format::parse_json(cli::bench_json(report)).ok());
}

namespace {

BenchReport device_report() {
  BenchReport report = small_report();
  report.device = {0,     "NVIDIA H100 80GB HBM3",    9,    0,     std::uint64_t{80} << 30,
                   12080, "CUDA 13.0, sm_90 and PTX", true, 2912e9};
  report.rows = {
      {Stage::bus, "pinned memory to device", 1, {52500, 55.1e9}, "", 0},
      {Stage::gather, "page cache to host memory", 8, {40000, 42e9}, "bus", 55.1e9},
      {Stage::end_to_end, "f16 + one-hot f16", 8, {39000, 307e9}, "gather", 315e9},
      {Stage::resident, "f16 + one-hot f16", 8, {280000, 2200e9}, "device memory", 2569e9}};
  report.notes.clear();
  return report;
}

}  // namespace

TEST_CASE("a bench of a device as a table") {
  CHECK(
      cli::bench_text(device_report()) ==
      "packed/train: 1,501 samples in 6 shards, 3.0 MiB\n"
      "batches of 32 samples: 32.0 MiB packed, 480.0 MiB training-ready; 3 slots; 2 cores, avx512; "
      "medians of 5 rounds\n"
      "device 0: NVIDIA H100 80GB HBM3, sm_90, 80.0 GiB, copies at 2912 GB/s; driver for CUDA "
      "12.8; kernels: CUDA 13.0, sm_90 and PTX\n"
      "\n"
      "                             threads  samples/s     GB/s    limit  of it  limit is\n"
      "bus\n"
      "  pinned memory to device          1     52,500    55.10        –      –\n"
      "gather\n"
      "  page cache to host memory        8     40,000    42.00    55.10   76 %  bus\n"
      "end to end: page cache to training-ready batches on the device\n"
      "  f16 + one-hot f16                8     39,000   307.00   315.00   97 %  gather\n"
      "resident: records in device memory to training-ready batches\n"
      "  f16 + one-hot f16                8    280,000  2200.00  2569.00   86 %  device memory\n");
}

TEST_CASE("a bench of a device as JSON describes device and limits") {
  const auto json = format::parse_json(cli::bench_json(device_report()));
  REQUIRE(json.ok());
  CHECK((*json)["device"] == format::Json({{"ordinal", 0},
                                           {"name", "NVIDIA H100 80GB HBM3"},
                                           {"compute_capability", "9.0"},
                                           {"memory_bytes", std::uint64_t{80} << 30},
                                           {"memory_bytes_per_second", 2'912'000'000'000},
                                           {"driver_version", 12080},
                                           {"kernels", "CUDA 13.0, sm_90 and PTX"},
                                           {"real", true}}));
  CHECK((*json)["rows"][0]["limit"].is_null());
  CHECK((*json)["rows"][0]["share"].is_null());
  CHECK((*json)["rows"][1]["limit"] == "bus");
  CHECK((*json)["rows"][3]["stage"] == "resident");
  CHECK_FALSE((*json).contains("recommended_threads"));
}

TEST_CASE("the name of a device cannot drive the terminal or break the JSON") {
  BenchReport report = device_report();
  report.device->name = "GPU\x1b[2J\xff";
  CHECK_THAT(cli::bench_text(report), !ContainsSubstring("\x1b"));
  CHECK(format::parse_json(cli::bench_json(report)).ok());
}
