#include "cli/report.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"

namespace hotpack::cli {

using format::Json;

void Report::line(std::string_view name, std::string_view text) {
  const std::size_t column = std::max(column_, name.size() + 1);
  text_.append(name).append(column - name.size(), ' ');
  for (const char c : text) {
    text_ += c;
    if (c == '\n') text_.append(column, ' ');
  }
  text_ += '\n';
}

Json utf8_list(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(format::with_valid_utf8(text));
  return list;
}

Json error_json(const Error& error, int exit, const std::string& option, Json problems) {
  Json json{{"type", "error"}, {"code", word_of(error.code)}, {"exit", exit}};
  json["message"] = format::with_valid_utf8(error.message);
  json["path"] = error.path.empty() ? Json() : Json(format::with_valid_utf8(error.path));
  json["offset"] = error.offset ? Json(*error.offset) : Json();
  json["option"] = option.empty() ? Json() : Json(format::with_valid_utf8(option));
  json["problems"] = std::move(problems);
  return json;
}

Report failed_pack(const std::string& folder, const Error& error) {
  Report report;
  report.member("pack", format::with_valid_utf8(folder));
  report.member("error", error_json(error, exit_code_of(error)));
  return report;
}

}  // namespace hotpack::cli
