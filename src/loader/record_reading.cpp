#include "loader/record_reading.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "reader/changed_file.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::loader {

using reader::FrameFault;
using reader::RecordFault;

namespace {

std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

void grow(std::vector<std::uint8_t>& scratch, std::size_t size_bytes) {
  if (scratch.size() < size_bytes) scratch.resize(size_bytes);
}

}  // namespace

RecordReading::RecordReading(const reader::ShardFile& file, std::uint64_t index, bool check,
                             bool by_calls, RecordScratch& scratch, RecordUser user)
    : file_(file),
      index_(index),
      check_(check),
      by_calls_(by_calls),
      scratch_(scratch),
      user_(user) {
  image_.field = &file.image();
  image_.scratch = &scratch.image;
  if (file.label().payload != nullptr) label_.field = &file.label();
  label_.scratch = &scratch.label;
}

void RecordReading::operator()() noexcept {
  if (stage_ == Stage::find) {
    if (!find()) return;
    stage_ = Stage::check;
    if (by_calls_) return;
  }
  if (stage_ == Stage::check) {
    if (!check()) return;
    stage_ = Stage::unpack;
    if (!has_room()) return;
  }
  if (!unpack_part(image_) || !unpack_part(label_)) return;
  record_.image.bytes = image_.content;
  record_.label.bytes = label_.content;
  user_.use(user_.context, record_);
  stage_ = Stage::done;
}

bool RecordReading::failed(const RecordFault& fault) noexcept {
  if (fault) fault_ = fault;
  return static_cast<bool>(fault);
}

bool RecordReading::find() noexcept {
  if (failed(file_.find_key(index_, record_.key)) ||
      failed(file_.find_image_shape(index_, record_.image.shape)) ||
      failed(file_.find_label_shape(index_, record_.label.shape))) {
    return false;
  }
  return find_part(image_, record_.image.shape.size_bytes()) &&
         find_part(label_, record_.label.shape.size_bytes());
}

bool RecordReading::find_part(Part& part, std::uint64_t size_bytes) noexcept {
  if (part.field == nullptr) return true;
  part.size_bytes = size_bytes;
  return !failed(file_.find_record(*part.field, index_, size_bytes, part.stored));
}

bool RecordReading::check() noexcept { return check_part(image_) && check_part(label_); }

bool RecordReading::check_part(Part& part) noexcept {
  if (part.field == nullptr) return true;
  if (check_ && failed(file_.compare_stored(*part.field, index_, part.stored))) return false;
  if (!part.field->compressed) {
    part.content = as_u8(part.stored.bytes);
    return true;
  }
  const FrameFault frame = reader::find_frame_fault(part.stored.bytes, part.size_bytes);
  return !frame || !failed({RecordFault::Kind::bad_frame, part.field, part.stored.offset, 0, 0,
                            false, frame});
}

bool RecordReading::unpack_part(Part& part) noexcept {
  if (part.field == nullptr || !part.field->compressed) return true;
  const std::span<std::uint8_t> into = std::span(*part.scratch).first(part.size_bytes);
  if (const FrameFault frame =
          reader::unpack_frame(part.stored.bytes, std::as_writable_bytes(into))) {
    return !failed(
        {RecordFault::Kind::bad_frame, part.field, part.stored.offset, 0, 0, false, frame});
  }
  part.content = into;
  return !check_ || !failed(file_.compare_content(*part.field, index_, std::as_bytes(into),
                                                  part.stored.offset));
}

// Returns true if the scratch memory has room for the decompressed record. It is enlarged only for
// a frame that passed its checks.
bool RecordReading::has_room() const noexcept {
  const auto fits = [](const Part& part) {
    return part.field == nullptr || !part.field->compressed ||
           part.scratch->size() >= part.size_bytes;
  };
  return fits(image_) && fits(label_);
}

Status RecordReading::provide(OpenFiles& files, std::size_t shard) {
  if (stage_ == Stage::check) return fetch(files, shard);
  make_room();
  return {};
}

void RecordReading::make_room() {
  for (const Part* part : {&image_, &label_}) {
    if (part->field != nullptr && part->field->compressed) grow(*part->scratch, part->size_bytes);
  }
}

Status RecordReading::fetch(OpenFiles& files, std::size_t shard) {
  HOTPACK_ASSIGN(const auto opened, files.open(shard, file_));
  const std::size_t image_frame = image_.field->compressed ? image_.stored.bytes.size() : 0;
  const std::size_t label_frame =
      label_.field != nullptr && label_.field->compressed ? label_.stored.bytes.size() : 0;
  grow(scratch_.frame, image_frame + label_frame);
  const std::span frames(scratch_.frame);
  HOTPACK_TRY(fetch_part(*opened, image_, frames.first(image_frame)));
  return fetch_part(*opened, label_, frames.subspan(image_frame, label_frame));
}

// Reads one field (image or label) of the record with system calls: a compressed field into
// `frame_room`, an uncompressed one directly into the scratch memory.
Status RecordReading::fetch_part(const File& opened, Part& part,
                                 std::span<std::uint8_t> frame_room) {
  if (part.field == nullptr) return {};
  if (!part.field->compressed) grow(*part.scratch, part.size_bytes);
  const auto into = std::as_writable_bytes(
      part.field->compressed ? frame_room : std::span(*part.scratch).first(part.size_bytes));
  HOTPACK_TRY(reader::read_exactly(opened, file_.identity(), part.stored.offset, into));
  part.stored.bytes = into;
  return {};
}

}  // namespace hotpack::loader
