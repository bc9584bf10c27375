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
                 {Stage::slots, "later epochs", 1, {9500, 9.96e9}, "memcpy", 10e9},
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
        "batches of 32 samples: 32.0 MiB packed, 480.0 MiB training-ready; 3 slots; 2 cores, avx512; medians of 5 rounds\n"
        "\n"
        "                threads  samples/s  GB/s  ceiling  of it   ceiling is\n"
        "cold disk to slots\n"
        "  shuffled            2      1,000  1.05     2.10   50 %   plain read\n"
        "page cache to slots\n"
        "  later epochs        1      9,500  9.96    10.00  100 %   memcpy\n"
        "end to end: page cache to training-ready batches\n"
        "  f32                 1        500  7.50    15.00   50 %   fill\n"
        "  f32                 2        505  7.60    15.00   51 %   fill\n"
        "\n"
        "threads = 1: the fewest whose end-to-end rate, 500 samples/s, is within 3 % of the best, 505. With it the first batch\n"
        "comes 12 ms after opening, and a consumer whose step takes 1.2 times a batch's time waits 0.4 % of its time\n"
        "note: something was cut\n");
}

TEST_CASE("a bench as JSON has the same figures in bytes and seconds") {
  const std::string text = cli::bench_json(small_report());
  REQUIRE(text.back() == '\n');
  const auto json = format::parse_json(text);
  REQUIRE(json.ok());
  CHECK((*json)["report"] == "hotpack-bench/1");
  CHECK((*json)["packs"] == format::Json::array({"packed/train"}));
  CHECK((*json)["batch_bytes"] == format::Json({{"packed", 32 << 20}, {"output", 480 << 20}}));
  REQUIRE((*json)["rows"].size() == 4);
  CHECK((*json)["rows"][1] == format::Json({{"stage", "slots"},
                                            {"what", "later epochs"},
                                            {"threads", 1},
                                            {"samples_per_second", 9500.0},
                                            {"bytes_per_second", 9'960'000'000},
                                            {"ceiling", "memcpy"},
                                            {"ceiling_bytes_per_second", 10'000'000'000},
                                            {"share", 0.996}}));
  CHECK((*json)["recommended_threads"] == 1);
  CHECK((*json)["first_batch_seconds"].get<double>() == Approx(0.0123));
  CHECK((*json)["stall_share"].get<double>() == Approx(0.004));
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
