#include "codecs/jpeg_header.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
// jpeglib.h requires that size_t and FILE are declared before it.
#include <jpeglib.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/exif.hpp"

namespace hotpack::codecs {
namespace {

#ifdef D_ARITH_CODING_SUPPORTED
constexpr bool kReadsArithmetic = true;
#else
constexpr bool kReadsArithmetic = false;
#endif

namespace marker {
constexpr unsigned kTemporary = 0x01;
constexpr unsigned kFrame0 = 0xC0;  // C0…CF are frames, except for the next three
constexpr unsigned kHuffmanTables = 0xC4;
constexpr unsigned kExtensions = 0xC8;
constexpr unsigned kArithmeticTables = 0xCC;
constexpr unsigned kFrame15 = 0xCF;
constexpr unsigned kRestart0 = 0xD0;
constexpr unsigned kRestart7 = 0xD7;
constexpr unsigned kStart = 0xD8;
constexpr unsigned kEnd = 0xD9;
constexpr unsigned kScan = 0xDA;
constexpr unsigned kApp1 = 0xE1;
constexpr unsigned kApp2 = 0xE2;
constexpr unsigned kApp14 = 0xEE;
constexpr unsigned kJpegLsFrame = 0xF7;
}  // namespace marker

// The first bytes of segments, by which they are recognized.
constexpr std::string_view kIccMark("ICC_PROFILE\0", 12);
constexpr std::string_view kMpfMark("MPF\0", 4);
constexpr std::string_view kGainMapMark("urn:iso:std:iso:ts:21496:-1\0", 28);
constexpr std::string_view kXmpMark("http://ns.adobe.com/xap/1.0/\0", 29);
// The name space in the XMP text of images with a gain map.
constexpr std::string_view kGainMapNamespace("http://ns.adobe.com/hdr-gain-map/1.0/");

std::string_view as_text(std::span<const std::byte> payload) {
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

bool is_frame(unsigned code) {
  return code >= marker::kFrame0 && code <= marker::kFrame15 && code != marker::kHuffmanTables &&
         code != marker::kExtensions && code != marker::kArithmeticTables;
}

bool stands_alone(unsigned code) {
  return code == marker::kTemporary || (code >= marker::kRestart0 && code <= marker::kRestart7);
}

// Fails if libjpeg may not decode this coding process. 0 is baseline, 1 extended, 2 progressive; 9
// and 10 are 1 and 2 with arithmetic coding.
Status check_process(unsigned process) {
  constexpr const char* kAdvice = " is not supported; save it as a usual 8-bit JPEG or as PNG";
  switch (process) {
    case 0:
    case 1:
    case 2:
      return {};
    case 9:
    case 10:
      if (kReadsArithmetic) return {};
      return data_error(
          "arithmetic-coded JPEG is not supported by the JPEG library; save it as a usual JPEG or "
          "as PNG");
    case 3:
    case 11:
      return data_error(std::string("lossless JPEG") + kAdvice);
    default:
      return data_error(std::string("hierarchical JPEG") + kAdvice);
  }
}

struct Frame {
  unsigned process = 0;
  unsigned precision = 0;
  int width = 0;
  int height = 0;
  unsigned components = 0;
};

// Goes from marker to marker over a prefix of the file.
class HeaderWalk {
 public:
  HeaderWalk(std::span<const std::byte> bytes, bool complete)
      : bytes_(bytes), complete_(complete) {}

  Result<Probe> run() {
    for (;;) {
      HOTPACK_ASSIGN(const Step step, next());
      if (step == Step::scan_begins) return finish();
      if (step == Step::out_of_bytes) return give_up();
    }
  }

 private:
  enum class Step { go_on, scan_begins, out_of_bytes };

  [[nodiscard]] bool has(std::size_t count) const { return range_fits(at_, count, bytes_.size()); }
  [[nodiscard]] unsigned byte(std::size_t offset) const {
    return std::to_integer<unsigned>(bytes_[offset]);
  }
  [[nodiscard]] unsigned u16(std::size_t offset) const {
    return byte(offset) << 8 | byte(offset + 1);
  }

  // Returns the code of the next marker, or 0 if the bytes end before it. Skips what stands before
  // it as libjpeg does: fill bytes, and bytes that belong to no segment, which the decoder refuses
  // or accepts.
  unsigned next_marker() {
    while (has(1)) {
      const bool begins = byte(at_++) == 0xFF;
      while (begins && has(1) && byte(at_) == 0xFF) ++at_;
      if (begins && has(1) && byte(at_) != 0) return byte(at_++);
    }
    return 0;
  }

  // Skips one marker and its segment; reads the segments that matter.
  Result<Step> next() {
    const unsigned code = next_marker();
    if (code == 0) return Step::out_of_bytes;
    if (stands_alone(code)) return Step::go_on;
    if (code == marker::kStart) return damaged("it contains a second start marker (SOI)");
    if (code == marker::kEnd) return damaged("it ends before any image");
    if (code == marker::kScan) return scan();
    return segment(code);
  }

  Result<Step> scan() {
    if (!frame_) return damaged("a scan comes before the frame");
    constexpr std::size_t kToCount = 3;  // the length and the number of components
    if (!has(kToCount)) return Step::out_of_bytes;
    const bool progressive = frame_->process == 2 || frame_->process == 10;
    multi_pass_ = progressive || byte(at_ + 2) < frame_->components;
    return Step::scan_begins;
  }

  Result<Step> segment(unsigned code) {
    if (!has(2)) return Step::out_of_bytes;
    const std::size_t length = u16(at_);
    if (length < 2) return damaged("a segment is shorter than its own length field");
    if (code == marker::kJpegLsFrame)
      return data_error("JPEG-LS is not supported; save it as a usual 8-bit JPEG or as PNG");
    const bool matters =
        is_frame(code) || code == marker::kApp1 || code == marker::kApp2 || code == marker::kApp14;
    if (matters) {
      if (!has(length)) return Step::out_of_bytes;
      HOTPACK_TRY(read_segment(code, bytes_.subspan(at_ + 2, length - 2)));
    }
    at_ += length;
    return Step::go_on;
  }

  Status read_segment(unsigned code, std::span<const std::byte> payload) {
    if (is_frame(code)) return read_frame(code - marker::kFrame0, payload);
    if (code == marker::kApp1) read_app1(payload);
    if (code == marker::kApp2) read_app2(as_text(payload));
    if (code == marker::kApp14) read_adobe(payload);
    return {};
  }

  void read_app1(std::span<const std::byte> payload) {
    const std::string_view text = as_text(payload);
    if (text.starts_with(kXmpMark))
      more_images_ |= text.find(kGainMapNamespace) != std::string_view::npos;
    if (exif_seen_ || !is_exif_segment(payload)) return;
    exif_seen_ = true;
    orientation_ = exif_orientation(payload);
  }

  void read_app2(std::string_view text) {
    has_icc_ |= text.starts_with(kIccMark);
    more_images_ |= text.starts_with(kMpfMark) || text.starts_with(kGainMapMark);
  }

  Status read_frame(unsigned process, std::span<const std::byte> payload) {
    HOTPACK_TRY(check_process(process));
    if (frame_) return damaged("it has two frame headers (SOF)");
    if (payload.size() < 6) return damaged("the frame header is too short");
    const auto number = [&](std::size_t i) { return std::to_integer<unsigned>(payload[i]); };
    frame_ = Frame{.process = process,
                   .precision = number(0),
                   .width = static_cast<int>(number(3) << 8 | number(4)),
                   .height = static_cast<int>(number(1) << 8 | number(2)),
                   .components = number(5)};
    return {};
  }

  void read_adobe(std::span<const std::byte> payload) {
    if (payload.size() >= 12 && std::memcmp(payload.data(), "Adobe", 5) == 0)
      adobe_transform_ = std::to_integer<unsigned>(payload[11]);
  }

  Result<Probe> finish() const {
    HOTPACK_TRY(check_frame());
    HOTPACK_ASSIGN(const PixelKind kind, pixel_kind());
    return Probe{.info = {.format = FileFormat::jpeg,
                          .width = frame_->width,
                          .height = frame_->height,
                          .kind = kind,
                          .bit_depth = 8,
                          .orientation = orientation_,
                          .has_icc = has_icc_,
                          .more_images = more_images_,
                          .multi_pass = multi_pass_},
                 .need_more = false};
  }

  Status check_frame() const {
    if (frame_->precision != 8) {
      return data_error(std::to_string(frame_->precision) +
                        "-bit JPEG is not supported; save it as 8-bit JPEG or as PNG");
    }
    if (frame_->height == 0 && frame_->width > 0) {
      return data_error(
          "the JPEG gives its height only after its pixels (DNL), which is not supported; save it "
          "again as a usual JPEG or as PNG");
    }
    if (frame_->width == 0 || frame_->height == 0) {
      return data_error("the JPEG header gives a size of " + std::to_string(frame_->width) + "x" +
                        std::to_string(frame_->height));
    }
    return {};
  }

  Result<PixelKind> pixel_kind() const {
    switch (frame_->components) {
      case 1:
        return PixelKind::gray;
      case 3:
        return PixelKind::rgb;
      case 4:
        return adobe_transform_.value_or(0) == 0 ? PixelKind::cmyk : PixelKind::ycck;
      default:
        return data_error("JPEG with " + std::to_string(frame_->components) +
                          " channels is not supported; save it as RGB");
    }
  }

  Error damaged(const std::string& what) const {
    return data_error("the JPEG is damaged: " + what + " (near byte " + std::to_string(at_) + ")");
  }

  Result<Probe> give_up() const {
    if (complete_) return data_error("the JPEG is truncated: it ends inside its header");
    return Probe{.info = {}, .need_more = true};
  }

  std::span<const std::byte> bytes_;
  bool complete_;
  std::size_t at_ = 2;  // after FF D8
  std::optional<Frame> frame_;
  std::optional<unsigned> adobe_transform_;
  bool exif_seen_ = false;
  int orientation_ = 1;
  bool has_icc_ = false;
  bool more_images_ = false;
  bool multi_pass_ = false;
};

}  // namespace

Result<Probe> probe_jpeg(std::span<const std::byte> bytes, bool complete) {
  return HeaderWalk(bytes, complete).run();
}

}  // namespace hotpack::codecs
