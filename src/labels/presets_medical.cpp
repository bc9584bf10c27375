// Masks of eyes and bowels.
#include <array>

#include "base/words.hpp"
#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<std::string_view, 2> kVessels{"background", "vessel"};
constexpr std::array<std::string_view, 2> kPolyps{"background", "polyp"};
constexpr std::array<std::string_view, 3> kRefuge{"background", "optic cup", "optic disc"};

// Makes a preset for masks of vessels. They contain the values 0 and 255 or, if they were
// converted, 0 and 1. Any other value is unknown.
Preset vessels(std::string name, std::string about, std::string label_suffix) {
  Preset preset = preset_of(std::move(name), std::move(about), named_table(kVessels));
  preset.map = "0,0\n1,1\n255,1\n";
  preset.label_suffix = std::move(label_suffix);
  return preset;
}

}  // namespace

std::vector<Preset> medical_presets() {
  Preset refuge = preset_of("refuge", "REFUGE: background (255), optic cup (0), optic disc (128)",
                            named_table(kRefuge));
  refuge.map = "255,0\n0,1\n128,2\n";

  Preset kvasir = preset_of("kvasir", "Kvasir-SEG: polyps by brightness, since its masks are JPEGs",
                            named_table(kPolyps));
  kvasir.kind = LabelKind::binary;
  return {
      vessels("drive", "DRIVE vessels, masks of 0 and 1 or 255 named …_manual1", "_manual1"),
      vessels("chase", "CHASE_DB1 vessels by the first observer, masks named …_1stHO", "_1stHO"),
      vessels("stare", "STARE vessels by the first observer, masks named ….ah", ".ah"),
      vessels("hrf", "HRF vessels, masks named like the images", ""),
      refuge,
      kvasir};
}

}  // namespace hotpack::labels
