#include "gpu/acceptance/report_text.hpp"

#include "format/json.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::gpu;

namespace {

AcceptanceReport small_report() {
  AcceptanceReport report;
  report.folders = {"packed/train"};
  report.samples = 1501;
  report.batch = 32;
  report.packed_batch_bytes = 32 << 20;
  report.name = "NVIDIA H100 80GB HBM3";
  report.major = 9;
  report.memory_bytes = std::uint64_t{80} << 30;
  report.driver_version = 12080;
  report.kernels = "CUDA 13.0, sm_90 and PTX";
  report.threads = 8;
  report.rounds = 5;
  report.bandwidths = {55.1e9, 53.9e9, 2912e9, 12.3e9};
  const auto add = [&report](AcceptanceRow row, const std::string& limited_by) {
    row.limited_by = limited_by;
    report.rows.push_back(std::move(row));
  };
  add({"page tier: packed bytes",
       "GB/s",
       53e9,
       55e9,
       "bus",
       Goal::at_least,
       0.95,
       {},
       {},
       {},
       {{"bus_bandwidth", 55e9}}},
      "the bus");
  add({"end to end: f16",
       "samples/s",
       30000,
       52000,
       "min(bus/packed, memory/(2 packed + output))",
       Goal::at_least,
       0.9,
       {},
       {},
       {},
       {}},
      "the bus");
  add({"stall", "s", 0.002, 1, "one second", Goal::at_most, 0.01, {}, {}, {}, {}}, "nothing");
  add({"pinned bytes",
       "MiB",
       96 << 20,
       96 << 20,
       "those after step 3",
       Goal::equal,
       1,
       {},
       {},
       {},
       {}},
      "");
  add({"matrix products: u8",
       "TFLOP/s",
       0,
       0,
       "without",
       Goal::at_least,
       0.98,
       "there is no cuBLAS",
       {},
       {},
       {}},
      "");
  add({"matrix products: f16",
       "TFLOP/s",
       0,
       0,
       "without",
       Goal::at_least,
       0.98,
       "there is no cuBLAS",
       {},
       {},
       {}},
      "");
  report.notes = {"something was cut"};
  return report;
}

}  // namespace

TEST_CASE("a measurement of a device as a table") {
  CHECK(acceptance_text(small_report()) ==
        "packed/train: 1,501 samples; batches of 32 samples, 32.0 MiB packed; 8 threads; medians "
        "of 5 rounds\n"
        "device 0: NVIDIA H100 80GB HBM3, sm_90, 80.0 GiB; driver for CUDA 12.8; kernels: CUDA "
        "13.0, sm_90 and PTX\n"
        "bandwidths: bus 55.1 GB/s, from pinned memory to the device (53.9 GB/s in copies of one "
        "batch); memory 2912 GB/s,\n"
        "within the device; gather 12.3 GB/s, from the page cache to pinned memory by one thread; "
        "packed and output are bytes\n"
        "per sample\n"
        "\n"
        "                                     figure             limit  ratio  target            "
        "    limit is\n"
        "  page tier: packed bytes         53.0 GB/s         55.0 GB/s  0.964  ≥ 0.95  good      "
        "    bus\n"
        "  end to end: f16          30,000 samples/s  52,000 samples/s  0.577  ≥ 0.90  NOT "
        "REACHED   min(bus/packed, memory/(2 packed + "
        "output))\n"
        "  stall                            0.0020 s          1.0000 s  0.002  ≤ 0.01  good      "
        "    one second\n"
        "  pinned bytes                     96.0 MiB          96.0 MiB  1.000   equal  good      "
        "    those after step 3\n"
        "  matrix products: u8                     –                        –  ≥ 0.98  not "
        "measured\n"
        "  matrix products: f16                    –                        –  ≥ 0.98  not "
        "measured\n"
        "\n"
        "what limits each:\n"
        "page tier: packed bytes to end to end: f16: the bus\n"
        "stall: nothing\n"
        "not measured, matrix products: u8: there is no cuBLAS\n"
        "note: something was cut\n");
}

TEST_CASE("a measurement of a device as JSON has bytes and seconds") {
  const std::string text = acceptance_json(small_report());
  REQUIRE(text.back() == '\n');
  const auto json = format::parse_json(text);
  REQUIRE(json.ok());
  CHECK((*json)["report"] == "hotpack-gpu-acceptance/1");
  CHECK((*json)["device"]["name"] == "NVIDIA H100 80GB HBM3");
  CHECK((*json)["device"]["compute_capability"] == "9.0");
  CHECK((*json)["device"]["real"] == true);
  CHECK((*json)["bandwidths"]["memory"] == 2'912'000'000'000);
  REQUIRE((*json)["rows"].size() == 6);
  CHECK((*json)["rows"][0]["unit"] == "B/s");
  CHECK((*json)["rows"][0]["value"].get<double>() == Approx(53e9));
  CHECK((*json)["rows"][0]["ratio"].get<double>() == Approx(53.0 / 55).epsilon(0.001));
  CHECK((*json)["rows"][0]["good"] == true);
  CHECK((*json)["rows"][1]["good"] == false);
  CHECK((*json)["rows"][2]["goal"] == "at most");
  CHECK((*json)["rows"][0]["limited_by"] == "the bus");
  CHECK((*json)["rows"][0]["terms"]["bus_bandwidth"].get<double>() == Approx(55e9));
  CHECK((*json)["failed"].is_null());
}

TEST_CASE("a figure with a flaw is reported as not reached with its reason") {
  AcceptanceReport report = small_report();
  report.rows[0].flaw = "too slow";
  CHECK_THAT(acceptance_text(report),
             ContainsSubstring("does not count, page tier: packed bytes: too slow\n"));
  const auto json = format::parse_json(acceptance_json(report));
  REQUIRE(json.ok());
  CHECK((*json)["rows"][0]["good"] == false);
  CHECK((*json)["rows"][0]["flaw"] == "too slow");
}

TEST_CASE("a failed stage is reported in JSON next to the rows that stand") {
  AcceptanceReport report = small_report();
  report.failed = Error{ErrorCode::io, "cuEventRecord: an illegal address", {}, {}};
  const auto json = format::parse_json(acceptance_json(report));
  REQUIRE(json.ok());
  CHECK((*json)["failed"] == "cuEventRecord: an illegal address");
  CHECK((*json)["rows"].size() == 6);
}

TEST_CASE("what was not measured has a reason in JSON and no figure") {
  const auto json = format::parse_json(acceptance_json(small_report()));
  REQUIRE(json.ok());
  const auto& row = (*json)["rows"][4];
  CHECK(row["not_measured"] == "there is no cuBLAS");
  CHECK(row["good"].is_null());
  CHECK_FALSE(row.contains("value"));
  CHECK_FALSE(row.contains("ratio"));
}

TEST_CASE("names of devices cannot drive the terminal or break the JSON") {
  AcceptanceReport report = small_report();
  report.name = "GPU\x1b[2J\xff";
  CHECK_THAT(acceptance_text(report), !ContainsSubstring("\x1b"));
  CHECK(format::parse_json(acceptance_json(report)).ok());
}
