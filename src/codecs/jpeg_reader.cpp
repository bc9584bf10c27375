#include "codecs/jpeg_reader.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
// jpeglib.h requires that size_t and FILE are declared before it.
#include <jpeglib.h>

#include <jerror.h>

#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/sample_rows.hpp"

namespace hotpack::codecs {
namespace {

bool has_inks(PixelKind kind) { return kind == PixelKind::cmyk || kind == PixelKind::ycck; }
int channels_of(PixelKind kind) { return kind == PixelKind::gray ? 1 : has_inks(kind) ? 4 : 3; }

}  // namespace

namespace {

// A side of an image that is decoded at a fraction of its size, as libjpeg rounds it.
int divided(int side, int denominator) { return (side + denominator - 1) / denominator; }

}  // namespace

// Wraps libjpeg. On an error, libjpeg calls a callback that must not return, so the callback jumps
// out (longjmp). Therefore every call of libjpeg runs inside guarded(), where no object owns
// anything that a jump would leak.
class JpegReader::Decompressor {
 public:
  Decompressor() {
    state_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    state_.client_data = this;
    progress_.progress_monitor = on_progress;
  }
  ~Decompressor() { jpeg_destroy_decompress(&state_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Reads the header and prepares decoding: libjpeg will return rows in the given color space, of
  // the image at 1 / `denominator` of its size.
  [[nodiscard]] Status start(std::span<const std::byte> file, const ImageInfo& info,
                             J_COLOR_SPACE space, bool lenient, int denominator = 1) {
    lenient_ = lenient;
    return guarded([&] {
      create();
      jpeg_mem_src(&state_, reinterpret_cast<const unsigned char*>(file.data()),
                   static_cast<unsigned long>(file.size()));
      jpeg_read_header(&state_, TRUE);
      check_header(info);
      most_scans_ = most_scans(std::uint64_t{state_.image_width} * state_.image_height);
      state_.out_color_space = space;
      state_.scale_num = 1;
      state_.scale_denom = static_cast<unsigned>(denominator);
      state_.dct_method = JDCT_ISLOW;
      state_.do_fancy_upsampling = TRUE;
      jpeg_start_decompress(&state_);
      check_output(info, denominator);
    });
  }

  // Reads all rows into `image`, and the file to its end.
  [[nodiscard]] Status read_into(const MutablePixels& image) {
    return guarded([&] {
      while (state_.output_scanline < state_.output_height) read_some(image);
      finish();
    });
  }

  // Decodes all rows. Reads each row into `raw` and calls `convert(row, y)` with it. Reads the file
  // to its end. `convert` must not throw or own anything.
  template <class Convert>
  [[nodiscard]] Status read_through(Buffer& raw, const Convert& convert) {
    auto* row = raw.reserve_as<JSAMPLE>(std::size_t{state_.output_width} *
                                        static_cast<std::size_t>(state_.output_components));
    return guarded([&] {
      while (state_.output_scanline < state_.output_height) {
        const int y = static_cast<int>(state_.output_scanline);
        JSAMPROW rows[] = {row};
        if (jpeg_read_scanlines(&state_, rows, 1) == 1) convert(row, y);
      }
      finish();
    });
  }

  // Frees everything that libjpeg holds for this image, wherever reading stopped.
  // jpeg_abort_decompress would keep the image's tables, and the next image would use them if it
  // has none of its own.
  void reset() noexcept { jpeg_destroy_decompress(&state_); }

  // The warning of libjpeg while it decoded the file.
  [[nodiscard]] JpegFlaw flaw() const {
    if (doubtful_[0] != '\0') return {doubtful_, true};
    return {harmless_, false};
  }

 private:
  // The meaning of a warning of libjpeg for the pixels.
  enum class Loss {
    none,      // it concerns no pixel
    unlikely,  // libjpeg decodes all pixels nevertheless, as most programs do
    certain
  };
  using Text = char[JMSG_LENGTH_MAX];

  template <class Body>
  [[nodiscard]] Status guarded(const Body& body) {
    if (setjmp(jump_) != 0) return memory_lacked_ ? out_of_memory() : data_error(message_);
    body();
    return {};
  }

  static Error out_of_memory() {
    return {ErrorCode::io, "not enough memory to read the JPEG; use fewer jobs (-j)", {}, {}};
  }

  void create() {
    memory_lacked_ = false;
    harmless_[0] = doubtful_[0] = '\0';
    jpeg_create_decompress(&state_);  // clears all but err and client_data
    state_.progress = &progress_;
  }

  // Checks that libjpeg agrees with probe() about the size of the image.
  void check_header(const ImageInfo& info) {
    const bool as_probed = state_.image_width == static_cast<JDIMENSION>(info.width) &&
                           state_.image_height == static_cast<JDIMENSION>(info.height) &&
                           state_.num_components == channels_of(info.kind);
    if (!as_probed) fail("the JPEG is damaged: its header contradicts itself");
  }

  // Fails if libjpeg will return another size than the one for which buffers are made. Libraries
  // other than libjpeg-turbo may round fractions of a size in another way.
  void check_output(const ImageInfo& info, int denominator) {
    const bool as_planned =
        state_.output_width == static_cast<JDIMENSION>(divided(info.width, denominator)) &&
        state_.output_height == static_cast<JDIMENSION>(divided(info.height, denominator));
    if (!as_planned) fail("the JPEG library does not decode it at the planned size");
  }

  void read_some(const MutablePixels& image) {
    constexpr JDIMENSION kRowsACall = 8;  // libjpeg returns at most 4 at once
    std::array<JSAMPROW, kRowsACall> rows{};
    const JDIMENSION first = state_.output_scanline;
    const JDIMENSION count = std::min(kRowsACall, state_.output_height - first);
    for (JDIMENSION i = 0; i < count; ++i) rows[i] = image.row(static_cast<int>(first + i));
    jpeg_read_scanlines(&state_, rows.data(), count);
  }

  // Reads the file to its end, where libjpeg may warn again.
  void finish() {
    jpeg_finish_decompress(&state_);
    if (lenient_ || doubtful_[0] == '\0') return;
    std::snprintf(message_, sizeof message_,
                  "the JPEG is damaged: %s; all its rows can be decoded, and --lenient packs it",
                  doubtful_);
    std::longjmp(jump_, 1);
  }

  [[noreturn]] void fail(const char* text) {
    std::snprintf(message_, sizeof message_, "%s", text);
    std::longjmp(jump_, 1);
  }

  [[noreturn]] void fail_with_own_words() {
    char words[JMSG_LENGTH_MAX];
    errors_.format_message(reinterpret_cast<j_common_ptr>(&state_), words);
    memory_lacked_ = errors_.msg_code == JERR_OUT_OF_MEMORY;
    std::snprintf(message_, sizeof message_, "the JPEG is damaged or truncated: %s", words);
    std::longjmp(jump_, 1);
  }

  static Decompressor& of(j_common_ptr state) {
    return *static_cast<Decompressor*>(state->client_data);
  }

  static void on_error(j_common_ptr state) { of(state).fail_with_own_words(); }

  [[nodiscard]] Loss loss() const {
    constexpr int kEndOfImage = 0xD9, kFirstRestart = 0xD0, kLastRestart = 0xD7;
    switch (errors_.msg_code) {
      case JWRN_JFIF_MAJOR:
        return Loss::none;
      case JWRN_EXTRANEOUS_DATA: {
        const int next = errors_.msg_parm.i[1];
        if (next == kEndOfImage) return Loss::none;
        return next >= kFirstRestart && next <= kLastRestart ? Loss::certain : Loss::unlikely;
      }
      case JWRN_NOT_SEQUENTIAL:
      case JWRN_ADOBE_XFORM:
        return Loss::unlikely;
      default:
        return Loss::certain;
    }
  }

  // Keeps libjpeg's words about the first flaw of its kind.
  void keep_words(Text& flaw) {
    if (flaw[0] == '\0') errors_.format_message(reinterpret_cast<j_common_ptr>(&state_), flaw);
  }

  void warned() {
    const Loss found = loss();
    if (found == Loss::certain) fail_with_own_words();
    keep_words(found == Loss::none ? harmless_ : doubtful_);
  }

  // Levels below 0 are warnings; the others are traces.
  static void on_message(j_common_ptr state, int level) {
    if (level < 0) of(state).warned();
  }

  static void on_progress(j_common_ptr state) {
    Decompressor& self = of(state);
    if (self.state_.input_scan_number <= self.most_scans_) return;
    char text[224];
    std::snprintf(text, sizeof text,
                  "the JPEG has more than %d scans over %ux%u pixels, which no camera or program "
                  "makes; hotpack takes it for a decompression bomb; if it is "
                  "genuine, save it again as a usual JPEG or as PNG",
                  self.most_scans_, self.state_.image_width, self.state_.image_height);
    self.fail(text);
  }

  jpeg_decompress_struct state_{};
  int most_scans_ = kMaxScans;
  bool lenient_ = false;
  bool memory_lacked_ = false;
  Text harmless_ = {}, doubtful_ = {};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  char message_[JMSG_LENGTH_MAX + 128] = {};
};

namespace {

// Makes the decompressor ready for the next image, however this one ends.
template <class Decompressor>
class ResetAtExit {
 public:
  explicit ResetAtExit(Decompressor& decompressor) : decompressor_(decompressor) {}
  ~ResetAtExit() { decompressor_.reset(); }
  ResetAtExit(const ResetAtExit&) = delete;
  ResetAtExit& operator=(const ResetAtExit&) = delete;

 private:
  Decompressor& decompressor_;
};

// How to get the wanted pixels: the color space that libjpeg returns, and the function that
// converts each row, or null if no conversion is needed.
struct Conversion {
  J_COLOR_SPACE space;
  void (*convert)(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);
};

Conversion conversion_for(PixelKind kind, int channels) {
  if (has_inks(kind)) return {JCS_CMYK, channels == 3 ? inks_to_rgb : inks_to_gray};
  if (channels == 3) return {JCS_RGB, nullptr};
  if (kind == PixelKind::gray) return {JCS_GRAYSCALE, nullptr};
  return {JCS_RGB, rgb_to_gray};
}

RawLabel describe_label(const ImageInfo& info) {
  RawLabel label;
  label.width = info.width;
  label.height = info.height;
  label.lossy = true;
  label.form = std::string(pixel_kind_name(info.kind)) + " JPEG";
  return label;
}

}  // namespace

JpegReader::JpegReader() : decompressor_(std::make_unique<Decompressor>()) {}
JpegReader::~JpegReader() = default;

Result<ConstPixels> JpegReader::read_image(std::span<const std::byte> file, const ImageInfo& info,
                                           JpegImageForm form, PixelBuffers& buffers) {
  const ResetAtExit at_exit(*decompressor_);
  const Conversion conversion = conversion_for(info.kind, form.channels);
  HOTPACK_TRY(decompressor_->start(file, info, conversion.space, form.lenient, form.denominator));
  const MutablePixels image = buffers.image(divided(info.width, form.denominator),
                                            divided(info.height, form.denominator), form.channels);
  if (conversion.convert == nullptr) {
    HOTPACK_TRY(decompressor_->read_into(image));
  } else {
    HOTPACK_TRY(decompressor_->read_through(buffers.raw, [&](const JSAMPLE* row, int y) {
      conversion.convert(row, image.row(y), static_cast<std::size_t>(image.width));
    }));
  }
  flaw_ = decompressor_->flaw();
  return ConstPixels(image);
}

Result<RawLabel> JpegReader::read_label(std::span<const std::byte> file, const ImageInfo& info,
                                        bool lenient, PixelBuffers& buffers) {
  RawLabel label = describe_label(info);
  if (info.kind != PixelKind::gray) {
    HOTPACK_ASSIGN(label.rgb, read_image(file, info, {.lenient = lenient}, buffers));
    return label;
  }
  const ResetAtExit at_exit(*decompressor_);
  HOTPACK_TRY(decompressor_->start(file, info, JCS_GRAYSCALE, lenient));
  const MutableIds ids = buffers.ids(info.width, info.height);
  label.samples = ids;
  HOTPACK_TRY(decompressor_->read_through(buffers.raw, [&](const JSAMPLE* row, int y) {
    widen(row, ids.row(y), static_cast<std::size_t>(ids.width));
  }));
  flaw_ = decompressor_->flaw();
  return label;
}

}  // namespace hotpack::codecs
