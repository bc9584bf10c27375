#include "preview/page.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/checksum.hpp"

namespace hotpack::preview {

namespace {

constexpr std::string_view kHead = R"(<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
)";

constexpr std::string_view kStyle = R"(<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 1640px; padding: 0 1em; color: #141414; background: #fcfcfc }
img { max-width: 100%; border: 1px solid #ccc }
table { border-collapse: collapse }
td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: middle; overflow-wrap: anywhere }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.bar { width: 50vw; max-width: 700px }
td.bar div { height: 1em; min-width: 1px; border: 1px solid #141414 }
.ignored { background: repeating-linear-gradient(135deg, #282828 0 4px, #d7d7d7 4px 8px) }
</style>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string facts_table(const Page& page) {
  std::string html = "<table>\n";
  for (const auto& [name, value] : page.facts) html += "<tr><th>" + escaped(name) + "</th><td>" + escaped(value) + "</td></tr>\n";
  return html + "</table>\n";
}

std::string color_text(RgbColor color) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t sample : color) text += {kDigits[sample / 16], kDigits[sample % 16]};
  return text;
}

// Length of a bar, of 100 for the largest share.
std::string bar_length(double share, double largest) {
  std::array<char, 32> text{};
  const double length = largest > 0 ? 100 * share / largest : 0;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), length, std::chars_format::fixed, 2).ptr};
}

std::string class_row(const LegendEntry& entry, double largest, const std::vector<std::uint64_t>& samples) {
  const bool ignored = !entry.class_id;
  std::string html = "<tr><td class=\"n\">" + (ignored ? std::string() : std::to_string(*entry.class_id)) + "</td><td>" +
                     escaped(entry.name) + "</td><td class=\"n\">" + escaped(share_text(entry.share)) + "</td>";
  if (!samples.empty()) html += "<td class=\"n\">" + (ignored ? std::string() : std::to_string(samples[*entry.class_id])) + "</td>";
  html += "<td class=\"bar\"><div style=\"width:" + bar_length(entry.share, largest) + "%";
  return html + (ignored ? "\" class=\"ignored\"" : ";background:" + color_text(entry.color) + "\"") + "></div></td></tr>\n";
}

std::string histogram(const Page& page) {
  const auto& entries = page.legend.entries;
  if (entries.empty()) return {};
  const double largest =
      std::max_element(entries.begin(), entries.end(), [](const LegendEntry& a, const LegendEntry& b) { return a.share < b.share; })->share;
  std::string html =
      "<h2>" + escaped(page.legend.heading) + "</h2>\n<table>\n<tr><th class=\"n\">id</th><th>class</th><th class=\"n\">share</th>";
  if (!page.samples.empty()) html += "<th class=\"n\">samples</th>";
  html += "<th></th></tr>\n";
  for (const LegendEntry& entry : entries) html += class_row(entry, largest, page.samples);
  html += "</table>\n";
  if (page.legend.left_out > 0) html += "<p>" + std::to_string(page.legend.left_out) + " more classes with smaller shares</p>\n";
  return html;
}

}  // namespace

std::string html_page(const Page& page) {
  const std::string title = escaped(page.title);
  std::string html(kPageMark);
  html += kHead;
  html += "<title>" + title + "</title>\n";
  html += kStyle;
  html += "</head>\n<body>\n<h1>" + title + "</h1>\n" + facts_table(page);
  html += "<p><img alt=\"" + title + "\" src=\"data:image/png;base64," + base64(page.png) + "\"></p>\n";
  return html + histogram(page) + "</body>\n</html>\n";
}

bool is_page(std::span<const std::byte> first_bytes) {
  const auto mark = bytes_of(kPageMark);
  return first_bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), first_bytes.begin());
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < have ? std::to_integer<unsigned>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += i <= have ? kDigits[group >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

}  // namespace hotpack::preview
