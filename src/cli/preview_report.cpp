#include "cli/preview_report.hpp"

#include "base/text.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

Json json_of_text(const std::string& text) {
  return text.empty() ? Json() : Json(format::with_valid_utf8(text));
}

Json counts_json(const preview::ClassCounts& counts, const std::vector<ClassInfo>& classes) {
  Json list = Json::array();
  for (std::size_t c = 0; c < counts.pixels.size(); ++c) {
    if (counts.pixels[c] > 0)
      list.push_back({{"id", c}, {"name", classes[c].name}, {"pixels", counts.pixels[c]}});
  }
  return list;
}

Json sample_json(const ShownSample& sample, const std::vector<ClassInfo>& classes) {
  Json json;
  json["number"] = sample.number;
  json["key"] = sample.key;
  json["remark"] = json_of_text(sample.remark);
  json["size"] = sample.size.width > 0 ? Json({sample.size.width, sample.size.height}) : Json();
  json["classes"] = counts_json(sample.counts, classes);
  json["ignored"] = sample.counts.without_class;
  json["problem"] = json_of_text(sample.problem);
  return json;
}

Json entry_json(const preview::LegendEntry& entry) {
  Json json;
  json["id"] = entry.class_id ? Json(*entry.class_id) : Json();
  json["name"] = entry.name;
  json["color"] = entry.class_id ? Json(entry.color) : Json();
  json["share"] = entry.share;
  return json;
}

}  // namespace

std::string preview_text(const PreviewReport& report) {
  const std::string samples =
      number_text(report.shown.size()) + " of " + counted_text(report.samples, "sample");
  std::string text;
  if (!report.sheet.empty())
    text = report.sheet + ": " + samples + ", " + std::to_string(report.size.width) + "x" +
           std::to_string(report.size.height) + " pixels\n";
  if (!report.page.empty()) text += report.page + ": " + samples + "\n";
  return text;
}

std::string preview_json(const PreviewReport& report, const std::vector<ClassInfo>& classes) {
  Json json;
  json["source"] = format::with_valid_utf8(report.source);
  json["sheet"] = json_of_text(report.sheet);
  json["page"] = json_of_text(report.page);
  json["size"] = report.sheet.empty() ? Json() : Json({report.size.width, report.size.height});
  json["columns"] = report.sheet.empty() ? Json() : Json(report.columns);
  json["samples_total"] = report.samples;
  json["samples"] = Json::array();
  for (const ShownSample& sample : report.shown)
    json["samples"].push_back(sample_json(sample, classes));
  json["legend"] = Json::array();
  if (report.legend) {
    for (const preview::LegendEntry& entry : report.legend->entries)
      json["legend"].push_back(entry_json(entry));
  }
  json["legend_heading"] = report.legend ? Json(report.legend->heading) : Json();
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::cli
