#include "preview/page.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/checksum.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "preview/page_code.hpp"

namespace hotpack::preview {

namespace {

constexpr std::size_t kMostHeld = 8;  // classes named in a cell
constexpr int kSmallImage = 200;      // images with a smaller longest side are enlarged unsmoothed

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  std::string html("<");
  html.append(name)
      .append(attributes.empty() ? "" : " ")
      .append(attributes)
      .append(">")
      .append(content);
  return html.append("</").append(name).append(">");
}

std::string data_url(std::span<const std::byte> png) {
  return "data:image/png;base64," + base64(png);
}

std::string swatch(RgbColor color) {
  return R"(<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill=")" +
         color_text(color) + R"("/></svg>)";
}

// ---- head

std::string policy() {
  return "default-src 'none'; img-src data:; style-src '" + std::string(kPageStyleHash) +
         "'; script-src '" + std::string(kPageScriptHash) +
         "'; base-uri 'none'; form-action 'none'";
}

std::string head(const Page& page) {
  std::string html =
      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n";
  html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy() + "\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += element("title", "", escaped(page.title)) + "\n";
  return html + element("style", "", kPageStyle) + "\n</head>\n";
}

std::string facts_list(const Page& page) {
  std::string html = "<ul class=\"facts\">\n";
  for (const auto& [name, value] : page.facts)
    html += element("li", "", escaped(name) + ": " + element("bdi", "", escaped(value))) + "\n";
  return html + "</ul>\n";
}

// ---- controls

bool has_labels(const Page& page) {
  return std::any_of(page.cells.begin(), page.cells.end(),
                     [](const PageCell& cell) { return !cell.label.empty(); });
}

bool holds(const PageCell& cell, std::size_t class_id) {
  return class_id < cell.counts.pixels.size() && cell.counts.pixels[class_id] > 0;
}

std::string class_choice(const Page& page) {
  std::string options = "<option value=\"\">all</option>";
  for (std::size_t c = 0; c < page.classes.size(); ++c) {
    const auto samples = std::count_if(page.cells.begin(), page.cells.end(),
                                       [c](const PageCell& cell) { return holds(cell, c); });
    if (samples == 0) continue;
    options += element("option", "value=\"" + std::to_string(c) + "\"",
                       escaped(page.classes[c].name) + " (" + std::to_string(samples) + ")");
  }
  return "<label>class <select id=\"class\">" + options + "</select></label>\n";
}

std::string view_choice() {
  std::string html = "<fieldset aria-label=\"what is shown\">";
  for (const std::string_view view : {"both", "image", "label"})
    html += "<label><input type=\"radio\" name=\"view\" value=\"" + std::string(view) + "\"" +
            (view == "both" ? " checked" : "") + ">" + std::string(view) + "</label>";
  return html + "</fieldset>\n";
}

std::string controls(const Page& page) {
  std::string html = "<div class=\"controls\" id=\"controls\" role=\"search\" hidden>\n";
  html +=
      "<label>key <input type=\"search\" id=\"text\" placeholder=\"part of a key\" "
      "autocomplete=\"off\" spellcheck=\"false\"></label>\n";
  if (!page.classes.empty()) html += class_choice(page);
  if (has_labels(page)) html += view_choice();
  return html + "<span class=\"count\" id=\"count\" role=\"status\"></span>\n</div>\n";
}

// ---- cells

// Returns the ids of the classes in a cell, the one with the most pixels first.
std::vector<std::size_t> held_classes(const PageCell& cell) {
  std::vector<std::size_t> held;
  for (std::size_t c = 0; c < cell.counts.pixels.size(); ++c)
    if (holds(cell, c)) held.push_back(c);
  std::stable_sort(held.begin(), held.end(), [&](std::size_t a, std::size_t b) {
    return cell.counts.pixels[a] > cell.counts.pixels[b];
  });
  return held;
}

std::string held_list(const Page& page, const PageCell& cell,
                      const std::vector<std::size_t>& held) {
  if (held.empty()) return {};
  std::uint64_t all = 0;
  for (const std::size_t c : held) all += cell.counts.pixels[c];
  std::string html = "<ul class=\"held\">";
  for (std::size_t i = 0; i < std::min(held.size(), kMostHeld); ++i) {
    const std::size_t c = held[i];
    const double share = static_cast<double>(cell.counts.pixels[c]) / static_cast<double>(all);
    html += "<li>" + swatch(page.colors[c]) + element("bdi", "", escaped(page.classes[c].name));
    if (!cell.label.empty())
      html += " " + element("span", "class=\"share\"", escaped(class_share_text(share)));
    html += "</li>";
  }
  if (held.size() > kMostHeld)
    html += "<li class=\"share\">and " + std::to_string(held.size() - kMostHeld) + " more</li>";
  return html + "</ul>";
}

std::string image_of(const PageCell& cell) {
  const bool small = std::max(cell.shown.width, cell.shown.height) < kSmallImage;
  const std::string size = "\" width=\"" + std::to_string(cell.shown.width) + "\" height=\"" +
                           std::to_string(cell.shown.height) + "\">";
  std::string html = "<button type=\"button\" class=\"frame" +
                     std::string(cell.label.empty() ? "" : " pair") + (small ? " small" : "") +
                     "\" aria-label=\"" + escaped(cell.key) + ", larger\">";
  html += "<img class=\"image\" alt=\"\" src=\"" + data_url(cell.image) + size;
  if (!cell.label.empty())
    html += "<img class=\"label\" alt=\"\" src=\"" + data_url(cell.label) + size;
  return html + "</button>";
}

std::string cell_html(const Page& page, const PageCell& cell) {
  const std::vector<std::size_t> held = held_classes(cell);
  std::string ids;
  for (const std::size_t c : held) ids += (ids.empty() ? "" : " ") + std::to_string(c);
  std::string html = "<li class=\"cell\" data-classes=\"" + ids + "\">";
  html += cell.image.empty() ? element("p", "class=\"problem\" dir=\"auto\"", escaped(cell.problem))
                             : image_of(cell);
  html += "<div class=\"text\">" + element("bdi", "class=\"key\" dir=\"auto\"", escaped(cell.key));
  if (!cell.remark.empty())
    html += element("bdi", "class=\"remark\" dir=\"auto\"", escaped(cell.remark));
  return html + held_list(page, cell, held) + "</div></li>\n";
}

std::string cells_list(const Page& page) {
  std::string html = "<ul class=\"cells\">\n";
  for (const PageCell& cell : page.cells) html += cell_html(page, cell);
  return html + "</ul>\n";
}

constexpr std::string_view kLargerView = R"(<dialog id="large" aria-label="larger view">
<div class="bar-of-buttons"><bdi class="key" dir="auto"></bdi><button type="button" id="before">← previous</button><button type="button" id="after">next →</button><button type="button" id="close">close</button></div>
<div class="large"></div>
</dialog>
)";

// ---- histogram

// Returns the length of a bar. The largest share has a bar of length 100.
std::string bar_length(double share, double largest) {
  std::array<char, 32> text{};
  const double length = largest > 0 ? 100 * share / largest : 0;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), length, std::chars_format::fixed, 2)
              .ptr};
}

std::string bar(const LegendEntry& entry, double largest) {
  return R"(<td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width=")" +
         bar_length(entry.share, largest) + R"(" height="10" fill=")" +
         (entry.class_id ? color_text(entry.color) : "#888888") +
         R"(" stroke="currentColor" stroke-width=".3"/></svg></td>)";
}

std::string class_row(const LegendEntry& entry, double largest,
                      const std::vector<std::uint64_t>& samples) {
  std::string html =
      "<tr>" + element("td", "class=\"n\"", entry.class_id ? std::to_string(*entry.class_id) : "");
  const std::string name =
      (entry.class_id ? swatch(entry.color) : "") + element("bdi", "", escaped(entry.name));
  html += element("td", "class=\"name\"", element("div", "", name));
  html += element("td", "class=\"n\"", escaped(class_share_text(entry.share)));
  if (!samples.empty())
    html += element("td", "class=\"n\"",
                    entry.class_id ? std::to_string(samples[*entry.class_id]) : "");
  return html + bar(entry, largest) + "</tr>\n";
}

std::string histogram(const Page& page) {
  const auto& entries = page.legend.entries;
  if (entries.empty()) return {};
  double largest = 0;
  for (const LegendEntry& entry : entries) largest = std::max(largest, entry.share);
  std::string html =
      element("h2", "", escaped(page.legend.heading)) +
      "\n<div class=\"wide\">\n<table>\n<tr><th class=\"n id\">id</th><th>class</th>";
  html += "<th class=\"n shares\">share</th>" +
          std::string(page.samples.empty() ? "" : "<th class=\"n samples\">samples</th>") +
          "<th class=\"bar\"></th></tr>\n";
  for (const LegendEntry& entry : entries) html += class_row(entry, largest, page.samples);
  html += "</table>\n</div>\n";
  if (page.legend.left_out > 0)
    html += element("p", "", left_out_text(page.legend.left_out)) + "\n";
  return html;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [character, bytes] = first_character(text);
    if (is_deceptive(character))
      out += "‹" + name_of_character(character) + "›";
    else if (character == U'&')
      out += "&amp;";
    else if (character == U'<')
      out += "&lt;";
    else if (character == U'>')
      out += "&gt;";
    else if (character == U'"')
      out += "&quot;";
    else if (character == U'\'')
      out += "&#39;";
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

std::string html_page(const Page& page) {
  std::string html(kPageMark);
  html += "<html lang=\"en\">\n" + head(page) + "<body data-view=\"both\">\n";
  html += element("h1", "", element("bdi", "", escaped(page.title))) + "\n" + facts_list(page) +
          controls(page) + cells_list(page);
  html += histogram(page);
  html += kLargerView;
  return html + element("script", "", kPageScript) + "\n</body>\n</html>\n";
}

bool is_page(std::span<const std::byte> first_bytes) {
  const auto mark = bytes_of(kPageMark);
  return first_bytes.size() >= mark.size() &&
         std::equal(mark.begin(), mark.end(), first_bytes.begin());
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < have ? std::to_integer<unsigned>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= have ? kDigits[group >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

}  // namespace hotpack::preview
