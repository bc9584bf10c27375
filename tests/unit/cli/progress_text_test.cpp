#include "cli/progress_text.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace std::chrono_literals;

namespace {

ProgressFigures figures(std::uint64_t done, std::uint64_t total, double rate) {
  ProgressFigures made;
  made.counts = {"packing", done, total, 1288490189, 5000, 0};
  made.samples_per_second = rate;
  made.seconds = 12.3456;
  return made;
}

}  // namespace

TEST_CASE("the line shows counts, share, rate, bytes, time left and problems") {
  ProgressFigures shown = figures(1234, 12345, 345.4);
  shown.counts.problems = 3;
  CHECK(progress_line(shown) ==
        "packing 1,234/12,345, 9 %, 345 samples/s, 1.2 GiB read, 33 s left, 3 problems");
}

TEST_CASE("the line leaves out what is not known") {
  ProgressFigures shown = figures(12, 0, 0);
  shown.counts.bytes_in = 0;
  CHECK(progress_line(shown) == "packing 12");
  CHECK(progress_line(figures(0, 100, 0)) == "packing 0/100, 0 %, 1.2 GiB read");
  CHECK(progress_line(figures(100, 100, 50)) ==
        "packing 100/100, 100 %, 50 samples/s, 1.2 GiB read");
}

TEST_CASE("100 % appears only at the end, and short times have no tenths") {
  CHECK(figures(99'999, 100'000, 1).percent() == 99);
  CHECK(figures(100'000, 100'000, 1).percent() == 100);
  CHECK_THAT(progress_line(figures(99, 100, 3)), ContainsSubstring(", 1 s left"));
  CHECK_THAT(progress_line(figures(0, 650, 10)), ContainsSubstring(", 1 min 05 s left"));
}

TEST_CASE("programs get one object with all figures") {
  const auto object = nlohmann::json::parse(progress_json(figures(25, 100, 12.5)));
  CHECK(object.at("type") == "progress");
  CHECK(object.at("stage") == "packing");
  CHECK(object.at("samples_done") == 25);
  CHECK(object.at("samples_total") == 100);
  CHECK(object.at("bytes_in") == 1288490189);
  CHECK(object.at("bytes_out") == 5000);
  CHECK(object.at("problems") == 0);
  CHECK(object.at("seconds") == 12.346);
  CHECK(object.at("samples_per_second") == 12.5);
  CHECK(object.at("seconds_left") == 6.0);
  CHECK(nlohmann::json::parse(progress_json(figures(25, 0, 12.5))).at("seconds_left").is_null());
  CHECK(progress_json(figures(1, 2, 3)).find('\n') == std::string::npos);
}

TEST_CASE("messages are valid JSON whatever their bytes are") {
  const auto object =
      nlohmann::json::parse(message_json(pipeline::Level::warning, "a \"b\"\n\x1b"));
  CHECK(object.at("type") == "message");
  CHECK(object.at("level") == "warning");
  CHECK(object.at("text") == "a \"b\"\n\x1b");
  CHECK(nlohmann::json::parse(message_json(pipeline::Level::error, "bad \xff name")).at("text") ==
        "bad \uFFFD name");
}

TEST_CASE("the rate is that of the last seconds") {
  RateMeter meter;
  CHECK(meter.per_second() == 0);
  RateMeter::Clock::time_point now{};
  meter.restart(now, 1000);
  CHECK(meter.per_second() == 0);
  for (int i = 1; i <= 100; ++i) meter.update(now += 100ms, 1000 + static_cast<std::uint64_t>(i));
  CHECK(meter.per_second() == Approx(10));
  // Twice as fast from here on: the slow start leaves the window.
  for (int i = 1; i <= 600; ++i)
    meter.update(now += 100ms, 1100 + 2 * static_cast<std::uint64_t>(i));
  CHECK(meter.per_second() == Approx(20));
}

TEST_CASE("without a total, a line counts what was found so far") {
  ProgressFigures shown = figures(1234, 0, 345);
  shown.counts.stage = "listing files";
  shown.counts.bytes_in = 0;
  shown.counts.problems = 0;
  CHECK(progress_line(shown) == "listing files 1,234, 345/s");
  CHECK(nlohmann::json::parse(progress_json(shown)).at("samples_total") == 0);
}

TEST_CASE("a meter that was never restarted begins with its first update") {
  RateMeter meter;
  const RateMeter::Clock::time_point begin{};
  meter.update(begin, 10);
  meter.update(begin + 2s, 30);
  CHECK(meter.per_second() == Approx(10));
}
