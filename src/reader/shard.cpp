#include "hotpack/shard.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "reader/record_fault.hpp"
#include "reader/record_flags.hpp"
#include "reader/shard_file.hpp"

namespace hotpack {

namespace {

using Flag = reader::RecordFlags::Flag;

// Returns the error with the record before its text, and advice after it. Looks the key up again
// under the fault guard, because the key in a Sample is a view of the file and cannot be read if
// the file has shrunk.
Error named(Error error, const reader::ShardFile& file, std::uint64_t index) {
  if (error.code == ErrorCode::damaged) error.message += reader::kDamageAdvice;
  return reader::name_record(std::move(error), index, file.readable_key(index));
}

Error no_label() { return usage_error("this data set has no label"); }

}  // namespace

Status Sample::look_up() {
  HOTPACK_ASSIGN(key_, file_->key(index_));
  HOTPACK_ASSIGN(source_, file_->source(index_));
  HOTPACK_ASSIGN(image_shape_, file_->image_shape(index_));
  HOTPACK_ASSIGN(label_shape_, file_->label_shape(index_));
  return {};
}

Result<std::string> Sample::copied_key() const {
  std::string key;
  if (Status copied = file_->copy_key(index_, key); !copied.ok())
    return named(std::move(copied).error(), *file_, index_);
  return key;
}

bool Sample::has_label() const { return file_->schema().label.has_value(); }

// Whether a read must check this part of the record now.
VerifyChecksums Sample::due(Part part, VerifyChecksums verify) const {
  if (verify != VerifyChecksums::first_read) return verify;
  const Flag own = part == Part::image ? Flag::image_checked : Flag::label_checked;
  const bool known =
      flags_ != nullptr && (flags_->has(Flag::checked, index_) || flags_->has(own, index_));
  return known ? VerifyChecksums::never : VerifyChecksums::always;
}

// Calls read(verify) and remembers that the part was checked.
template <class Read>
Result<std::span<const std::uint8_t>> Sample::checked(Part part, VerifyChecksums verify,
                                                      Read read) const {
  const VerifyChecksums now = due(part, verify);
  auto bytes = read(now);
  if (!bytes.ok()) return named(std::move(bytes).error(), *file_, index_);
  if (flags_ != nullptr && now == VerifyChecksums::always)
    flags_->set(part == Part::image ? Flag::image_checked : Flag::label_checked, index_);
  return std::span<const std::uint8_t>(*bytes);
}

Result<ImageView> Sample::image(VerifyChecksums verify) const {
  HOTPACK_ASSIGN(const auto bytes, checked(Part::image, verify, [&](VerifyChecksums now) {
                   return file_->view(file_->image(), index_, image_shape_.size_bytes(), now);
                 }));
  return ImageView{bytes, image_shape_};
}

Result<LabelView> Sample::label(VerifyChecksums verify) const {
  if (!has_label()) return no_label();
  HOTPACK_ASSIGN(const auto bytes, checked(Part::label, verify, [&](VerifyChecksums now) {
                   return file_->view(file_->label(), index_, label_shape_.size_bytes(), now);
                 }));
  return LabelView{bytes, label_shape_};
}

Result<ImageView> Sample::read_image(std::span<std::uint8_t> into, VerifyChecksums verify) const {
  HOTPACK_ASSIGN(const auto bytes, checked(Part::image, verify, [&](VerifyChecksums now) {
                   return file_->read(file_->image(), index_, image_shape_.size_bytes(), into, now);
                 }));
  return ImageView{bytes, image_shape_};
}

Result<LabelView> Sample::read_label(std::span<std::uint8_t> into, VerifyChecksums verify) const {
  if (!has_label()) return no_label();
  HOTPACK_ASSIGN(const auto bytes, checked(Part::label, verify, [&](VerifyChecksums now) {
                   return file_->read(file_->label(), index_, label_shape_.size_bytes(), into, now);
                 }));
  return LabelView{bytes, label_shape_};
}

Result<ImageView> Sample::load_image(std::vector<std::uint8_t>& scratch,
                                     VerifyChecksums verify) const {
  HOTPACK_ASSIGN(const auto bytes, checked(Part::image, verify, [&](VerifyChecksums now) {
                   return file_->load(file_->image(), index_, image_shape_.size_bytes(), scratch,
                                      now);
                 }));
  return ImageView{bytes, image_shape_};
}

Result<LabelView> Sample::load_label(std::vector<std::uint8_t>& scratch,
                                     VerifyChecksums verify) const {
  if (!has_label()) return no_label();
  HOTPACK_ASSIGN(const auto bytes, checked(Part::label, verify, [&](VerifyChecksums now) {
                   return file_->load(file_->label(), index_, label_shape_.size_bytes(), scratch,
                                      now);
                 }));
  return LabelView{bytes, label_shape_};
}

Result<ImageView> Sample::copy_image(std::vector<std::uint8_t>& scratch,
                                     VerifyChecksums verify) const {
  HOTPACK_ASSIGN(const auto bytes, checked(Part::image, verify, [&](VerifyChecksums now) {
                   return file_->copy(file_->image(), index_, image_shape_.size_bytes(), scratch,
                                      now);
                 }));
  return ImageView{bytes, image_shape_};
}

Result<LabelView> Sample::copy_label(std::vector<std::uint8_t>& scratch,
                                     VerifyChecksums verify) const {
  if (!has_label()) return no_label();
  HOTPACK_ASSIGN(const auto bytes, checked(Part::label, verify, [&](VerifyChecksums now) {
                   return file_->copy(file_->label(), index_, label_shape_.size_bytes(), scratch,
                                      now);
                 }));
  return LabelView{bytes, label_shape_};
}

Shard::Shard(std::unique_ptr<const reader::ShardFile> file) : file_(std::move(file)) {}
Shard::~Shard() = default;
Shard::Shard(Shard&&) noexcept = default;
Shard& Shard::operator=(Shard&&) noexcept = default;

Result<Shard> Shard::open(const std::string& path) {
  return or_out_of_memory([&]() -> Result<Shard> {
    HOTPACK_ASSIGN(auto file, reader::ShardFile::open_checked(path, reader::MapMode::mapped));
    return Shard(std::move(file));
  });
}

const std::string& Shard::path() const { return file_->path(); }
const Schema& Shard::schema() const { return file_->schema(); }
std::string_view Shard::schema_text() const { return file_->header().metadata.schema; }
std::uint64_t Shard::records() const { return file_->records(); }
std::uint64_t Shard::size_bytes() const { return file_->bytes().size(); }
bool Shard::image_compressed() const { return file_->image().compressed; }
bool Shard::label_compressed() const { return file_->label().compressed; }
bool Shard::aligned() const { return file_->header().aligned; }

Result<Sample> Shard::sample(std::uint64_t index) const {
  if (index >= records()) {
    return usage_error("there is no sample " + std::to_string(index) + "; " + path() + " has " +
                       std::to_string(records()) + ", counted from 0");
  }
  Sample sample(file_.get(), index);
  if (Status found = sample.look_up(); !found.ok())
    return named(std::move(found).error(), *file_, index);
  return sample;
}

}  // namespace hotpack
