// A sheet as one HTML page that needs nothing else: the picture inside it, facts, and a histogram of the classes.
//
// Pure functions; thread-safe. Whatever text it is given is escaped: names of files and classes cannot become markup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "preview/legend.hpp"

namespace hotpack::preview {

struct Page {
  std::string title;
  std::span<const std::byte> png;                          // of the sheet
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, in this order
  Legend legend;                                           // the histogram's bars; no entries: none
  std::vector<std::uint64_t> samples;                      // samples that hold a class, by class id; empty: not shown
};

[[nodiscard]] std::string html_page(const Page& page);

// Whether a file with these first bytes is one that html_page() made. Looks at kPageMark.size() bytes.
[[nodiscard]] bool is_page(std::span<const std::byte> first_bytes);
inline constexpr std::string_view kPageMark = "<!DOCTYPE html>\n<!-- hotpack preview -->\n";

// RFC 4648.
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace hotpack::preview
