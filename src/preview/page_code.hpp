// Style and script of a page, and their hashes, by which its policy knows them. Inside this room
// only.
//
// A hash is the SHA-256 of the text between the tags; tests/property/preview_page_test.py says what
// it must be after a change.
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
