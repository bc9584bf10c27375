// Makes one HTML page from samples; the page needs no other file. It has a cell for each sample,
// with image, label, key and classes, and a histogram of the classes.
//
// The reader of the page can filter the cells by class and by text, choose between image, label and
// both, and open a larger view of a cell. Without scripts, the page shows all cells. A content
// security policy in the page permits only its own style, its own script and the images in it.
//
// Pure functions; thread-safe. All text is escaped: names of files and classes cannot become
// markup. Marks that change the direction of text, control characters and faulty bytes are written
// in the form ‹U+202E›.
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
  Legend legend;                       // the bars of the histogram; no entries: no histogram
  std::vector<std::uint64_t> samples;  // number of samples with each class id; empty: not shown
};

[[nodiscard]] std::string html_page(const Page& page);

// True if html_page() made the file with these first bytes. Reads kPageMark.size() bytes.
[[nodiscard]] bool is_page(std::span<const std::byte> first_bytes);
inline constexpr std::string_view kPageMark = "<!DOCTYPE html>\n<!-- hotpack preview -->\n";

// Escapes text that stands between tags, or in a quoted attribute.
[[nodiscard]] std::string escaped(std::string_view text);

// Encodes bytes as base64 (RFC 4648).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace hotpack::preview
