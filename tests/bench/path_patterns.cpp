// Matching of paths by expressions as --pair-regex and --group do it, next to std::regex.
//
//   path_patterns [PATHS] [ROUNDS]     how many paths (default: 1,000,000), and how many rounds, of
//                                      which the fastest counts (default: 3)
//
// Prints a line for each expression: ns per path of both, and their ratio. Fails if one captures
// other text than the other. scripts/bench builds and runs this program.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "files/path_pattern.hpp"

namespace {

using hotpack::pipeline::PathPattern;

// An expression, and what comes before and behind a number in the paths that it matches.
struct Case {
  const char* title;
  const char* expression;
  const char* before;
  const char* behind;
};
constexpr std::array<Case, 5> kCases{{
    {"frames of sequences", R"(^(.*)/rgb_([0-9]+)\.jpg$)", "creek/rgb_", ".jpg"},
    {"Cityscapes", R"(^(.+)_leftImg8bit\.png$)", "aachen/aachen_000000_", "_leftImg8bit.png"},
    {"KITTI", R"(^(um|umm|uu)_(?:road_|lane_)?([0-9]+)\.png$)", "umm_road_", ".png"},
    {"the last number", R"(^(?:.*[^0-9])?0*([0-9]+)[^0-9]*\.[^.]+$)", "day 1/Image_", "_mask.png"},
    {"the first folder", R"([^/]+)", "patient_0017/slice_", ".png"},
}};

std::vector<std::string> paths_of(const Case& one, std::size_t count) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, std::max<std::size_t>(number.size(), 8) - number.size(), '0');
    paths.push_back(one.before + number + one.behind);
  }
  return paths;
}

// The captures of all groups, joined as PathPattern::find_all() joins them.
std::string find_all(const std::regex& regex, const std::string& path) {
  std::smatch match;
  std::string all;
  if (!std::regex_search(path, match, regex)) return all;
  for (std::size_t i = 1; i < match.size(); ++i)
    if (match[i].matched) all += (all.empty() ? "" : "/") + match[i].str();
  return all;
}

// Nanoseconds per path, of the fastest round; `bytes` becomes the sum of the captured text.
template <class Find>
double measure(const std::vector<std::string>& paths, int rounds, Find find, std::size_t& bytes) {
  double least = 1e300;
  for (int round = 0; round < rounds; ++round) {
    bytes = 0;
    const auto began = std::chrono::steady_clock::now();
    for (const std::string& path : paths) bytes += find(path).size();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    least = std::min(least, took.count() / static_cast<double>(paths.size()));
  }
  return least;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t paths_each = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 3;
  bool equal = true;
  for (const Case& one : kCases) {
    const std::vector<std::string> paths = paths_of(one, paths_each);
    const auto pattern = PathPattern::compile(one.expression, "--pair-regex").value();
    const std::regex regex(one.expression, std::regex::ECMAScript | std::regex::optimize);
    std::size_t ours_bytes = 0, other_bytes = 0;
    const auto search = [&](const std::string& path) {
      return pattern.find_all(path).value().value_or("");
    };
    const double ours = measure(paths, rounds, search, ours_bytes);
    const auto search_std = [&](const std::string& path) { return find_all(regex, path); };
    const double other = measure(paths, rounds, search_std, other_bytes);
    for (std::size_t i = 0; i < paths.size(); i += paths.size() / 1000 + 1)
      equal = equal && search(paths[i]) == search_std(paths[i]);
    equal = equal && ours_bytes == other_bytes;
    std::printf("%-22s hotpack %6.0f ns   std::regex %6.0f ns   %5.1f times\n", one.title, ours,
                other, other / ours);
  }
  if (!equal) std::puts("the captured texts differ");
  return equal ? 0 : 1;
}
