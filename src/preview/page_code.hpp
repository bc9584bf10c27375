// The style and the script of an HTML page, and their hashes. The page's content security policy
// permits only a style and a script with these hashes. Only files of this folder include this
// header.
//
// A hash is the SHA-256 of the text between the tags. If you change the text,
// tests/property/preview_page_test.py fails and says what the hash must be.
#pragma once

#include <string_view>

namespace hotpack::preview {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
inline constexpr std::string_view kPageStyleHash =
    "sha256-wBFzehc+YUrP2AHw4hfNVgQWg2X7WIDSG9beyHjY6Sc=";
inline constexpr std::string_view kPageScriptHash =
    "sha256-AsW+GQaYHmiWR5esgpqru0Exic36mrwLsIDagy3hjjI=";

}  // namespace hotpack::preview
