#include "codecs/png_session.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace hotpack::codecs {

PngSession::PngSession(std::span<const std::byte> file) : unread_(file) {
  png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, this, on_error, on_warning, this,
                                  on_allocate, on_free);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
}

PngSession::~PngSession() { png_destroy_read_struct(&png_, &info_, nullptr); }

std::span<const png_color> PngSession::palette() const {
  png_colorp colors = nullptr;
  int count = 0;
  if (png_get_PLTE(png_, info_, &colors, &count) == 0) return {};
  return {colors, static_cast<std::size_t>(count)};
}

std::span<const png_byte> PngSession::palette_alpha() const {
  png_bytep alpha = nullptr;
  int count = 0;
  if (png_get_tRNS(png_, info_, &alpha, &count, nullptr) == 0 || alpha == nullptr) return {};
  return {alpha, static_cast<std::size_t>(count)};
}

void PngSession::set_chunk_policy(Transparency transparency) {
  static constexpr png_byte kTransparency[] = {'t', 'R', 'N', 'S', '\0'};
  png_set_crc_action(
      png_, PNG_CRC_ERROR_QUIT,
      transparency == Transparency::wanted ? PNG_CRC_WARN_DISCARD : PNG_CRC_QUIET_USE);
  // skip all ancillary chunks that libpng knows, except tRNS
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  if (transparency == Transparency::dropped)
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kTransparency, 1);
}

void PngSession::read_header(const ImageInfo& info, Transparency transparency) {
  png_set_read_fn(png_, this, on_read);
  png_set_user_limits(png_, kMaxSide, kMaxSide);
  set_chunk_policy(transparency);
  png_set_check_for_invalid_index(png_, 0);  // the caller handles an index beyond PLTE
  png_read_info(png_, info_);
  const bool as_probed = png_get_image_width(png_, info_) == static_cast<png_uint_32>(info.width) &&
                         png_get_image_height(png_, info_) == static_cast<png_uint_32>(info.height);
  if (!as_probed) on_error(png_, "its header contradicts itself");
  const bool alpha_channel = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0;
  const bool alpha_lost =
      info.has_alpha && !alpha_channel && png_get_valid(png_, info_, PNG_INFO_tRNS) == 0;
  if (transparency == Transparency::wanted && alpha_lost)
    on_error(png_, "its transparency (tRNS) is malformed");
}

void PngSession::settle_layout() {
  passes_ = png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  row_bytes_ = png_get_rowbytes(png_, info_);
}

void PngSession::read_passes(png_bytep rows, std::size_t row_bytes) {
  for (int pass = 0; pass < passes_; ++pass) {
    for (int y = 0; y < height_; ++y)
      png_read_row(png_, rows + static_cast<std::size_t>(y) * row_bytes, nullptr);
  }
}

Error PngSession::failure() const {
  return memory_lacked_ ? out_of_memory()
                        : data_error("the PNG is damaged or truncated: " + std::string(message_));
}

Error PngSession::out_of_memory() {
  return {ErrorCode::io, "not enough memory to read the PNG; use fewer jobs (-j)", {}, {}};
}

void PngSession::on_error(png_structp png, png_const_charp text) {
  auto& session = *static_cast<PngSession*>(png_get_error_ptr(png));
  std::snprintf(session.message_, sizeof session.message_, "%s", text);
  png_longjmp(png, 1);
}

// Turns one warning of libpng into an error: a wrong zlib checksum of the pixels, of which libpng
// only warns. Its other warnings do not concern pixels.
void PngSession::on_warning(png_structp png, png_const_charp text) {
  if (std::strstr(text, "incorrect data check") != nullptr) on_error(png, text);
}

// Allocates memory for libpng and remembers if there was none, because libpng and zlib report a
// lack of memory in many ways.
png_voidp PngSession::on_allocate(png_structp png, png_alloc_size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) static_cast<PngSession*>(png_get_mem_ptr(png))->memory_lacked_ = true;
  return memory;
}

void PngSession::on_free(png_structp, png_voidp memory) { std::free(memory); }

void PngSession::on_read(png_structp png, png_bytep into, std::size_t size) {
  auto& session = *static_cast<PngSession*>(png_get_io_ptr(png));
  if (size > session.unread_.size()) on_error(png, "the file ends too early");
  std::memcpy(into, session.unread_.data(), size);
  session.unread_ = session.unread_.subspan(size);
}

}  // namespace hotpack::codecs
