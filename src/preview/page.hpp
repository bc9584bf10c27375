// Samples as one HTML page that needs nothing else: a cell for each with its images, key and
// classes, and a histogram of the classes.
//
// The page filters its cells by class and by text, shows image, label or both, and a larger view of
// each; without scripts it shows all cells. A policy inside it forbids everything but its own
// style, its own script and images that it holds.
//
// Pure functions; thread-safe. Whatever text it is given is escaped: names of files and classes
// cannot become markup, and marks that change the direction of text, control characters and faulty
// bytes are written as ‹U+202E›.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotpack/schema.hpp"
#include "preview/legend.hpp"
#include "preview/page_cells.hpp"

namespace hotpack::preview {

struct Page {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, in this order
  std::span<const PageCell> cells;
  std::span<const ClassInfo> classes;
  std::span<const RgbColor> colors;    // by class id
  Legend legend;                       // the histogram's bars; no entries: none
  std::vector<std::uint64_t> samples;  // samples that hold a class, by class id; empty: not shown
};

[[nodiscard]] std::string html_page(const Page& page);

// True if html_page() made the file with these first bytes. Reads kPageMark.size() bytes.
[[nodiscard]] bool is_page(std::span<const std::byte> first_bytes);
inline constexpr std::string_view kPageMark = "<!DOCTYPE html>\n<!-- hotpack preview -->\n";

// Text between tags, or in an attribute with quotes around it.
[[nodiscard]] std::string escaped(std::string_view text);

// RFC 4648.
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace hotpack::preview
