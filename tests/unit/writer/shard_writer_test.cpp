#include "writer/shard_writer.hpp"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "format/schema_json.hpp"
#include "hotpack/verify.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"
#include "writer/frame_compressor.hpp"

using namespace hotpack;
using namespace hotpack::test;
using namespace hotpack::writer;

namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kName = "shard-00000-of-00001.safetensors";

// Records of several pages in total, so that gaps and fillers occur everywhere.
TinyForm form_of(LabelStorage storage = LabelStorage::bits) {
  TinyForm form;
  form.storage = storage;
  form.size = Extent{33, 21};
  return form;
}

std::map<std::string, TinyForm> fixed_forms() {
  std::map<std::string, TinyForm> forms;
  forms["bits"] = form_of();
  forms["onehot"] = form_of(LabelStorage::one_hot);
  forms["index"] = form_of(LabelStorage::index);
  forms["index of 300 classes"] = form_of(LabelStorage::index);
  forms["index of 300 classes"].classes = 300;
  forms["gray chw"] = form_of();
  forms["gray chw"].color = ImageColor::gray;
  forms["gray chw"].layout = AxisOrder::channels_first;
  forms["sample label"] = form_of();
  forms["sample label"].scope = LabelScope::image;
  forms["unlabeled"] = form_of();
  forms["unlabeled"].labeled = false;
  return forms;
}

std::map<std::string, TinyForm> mixed_forms() {
  std::map<std::string, TinyForm> forms;
  for (const auto& [name, fixed] : fixed_forms()) {
    forms["mixed sizes: " + name] = fixed;
    forms["mixed sizes: " + name].size.reset();
  }
  return forms;
}

std::map<std::string, TinyForm> compressed_forms() {
  std::map<std::string, TinyForm> forms;
  for (const auto& [name, plain] : fixed_forms()) {
    TinyForm form = plain;
    form.image_zstd = true;
    forms["zstd image: " + name] = form;
    if (!plain.labeled) continue;
    form.label_zstd = true;
    forms["zstd: " + name] = form;
    form.image_zstd = false;
    forms["zstd label: " + name] = form;
  }
  return forms;
}

// A worker's result for one record.
struct Packed {
  format::RecordEntry entry;
  format::Sums sums;
  Bytes image, label;  // uncompressed
  Bytes stored_image, stored_label;
};

Bytes frame_of(const Bytes& record) {
  FrameCompressor compressor(1);
  Bytes frame;
  REQUIRE(compressor.compress(record, frame).ok());
  return frame;
}

Packed packed(const TinyForm& form, const TinyRecord& record) {
  Packed result;
  result.image = result.stored_image = stored_image(form, record);
  result.label = result.stored_label = stored_label(form, record);
  if (form.image_zstd) result.stored_image = frame_of(result.image);
  if (form.label_zstd) result.stored_label = frame_of(result.label);
  result.sums = make_shard(form, {record}, tiny_plan({record})).sums;
  format::RecordEntry& entry = result.entry;
  entry.key = record.key;
  const bool label_file = form.labeled && form.scope == LabelScope::pixel;
  entry.source_hash = {xxh3_64(bytes_of(record.key)),
                       label_file ? xxh3_64(bytes_of(record.key + " label")) : 0};
  entry.source_size = {record.source.width, record.source.height};
  entry.source_region = {record.region.x, record.region.y, record.region.width,
                         record.region.height};
  entry.image_crc = crc32c(result.image);
  entry.label_crc = crc32c(result.label);
  entry.image_stored = result.stored_image.size();
  entry.label_stored = result.stored_label.size();
  entry.image_frame_crc = crc32c(result.stored_image);
  entry.label_frame_crc = crc32c(result.stored_label);
  const auto channels = form.color == ImageColor::rgb ? 3 : 1;
  entry.image_shape = {record.size.height, record.size.width, channels};
  if (form.layout == AxisOrder::channels_first)
    entry.image_shape = {channels, record.size.height, record.size.width};
  const Schema schema = tiny_schema(form);
  if (form.labeled)
    entry.label_shape = {record.size.height, record.size.width,
                         static_cast<std::int32_t>(format::label_depth(schema))};
  return result;
}

// A shard's planned samples in order; absent ones are skipped.
using Slots = std::vector<std::optional<TinyRecord>>;

struct Written {
  TempFolder folder;
  Schema schema;
  FinishedShard finished;
};

std::vector<TinyRecord> kept_of(const Slots& slots) {
  std::vector<TinyRecord> kept;
  for (const auto& slot : slots)
    if (slot) kept.push_back(*slot);
  return kept;
}

// The shard as the test code builds it, without the writer.
TinyShard expected_shard(const TinyForm& form, const Slots& slots) {
  const auto kept = kept_of(slots);
  const std::uint64_t skipped = slots.size() - kept.size();
  return make_shard(form, kept, tiny_plan(kept, 1, skipped), skipped);
}

ShardSpec spec_of(const std::string& folder, const TinyForm& form, const Schema& schema,
                  const Slots& slots) {
  ShardSpec spec;
  spec.folder = folder;
  spec.schema = &schema;
  spec.metadata = expected_shard(form, slots).metadata;
  spec.planned.records = slots.size();
  for (std::size_t i = 0; i < slots.size(); ++i)
    spec.planned.key_bytes += slots[i] ? slots[i]->key.size() : 9 + i;
  spec.planned.image_zstd = form.image_zstd;
  spec.planned.label_zstd = form.label_zstd;
  const auto kept = kept_of(slots);
  if (form.size || kept.empty()) return spec;
  // for records of different sizes the total payload is planned too
  for (const auto& slot : slots) {
    const TinyRecord& record = slot ? *slot : kept.front();
    spec.planned.image_stored_bytes += stored_image(form, record).size();
    if (form.labeled) spec.planned.label_stored_bytes += stored_label(form, record).size();
  }
  return spec;
}

// The planned place of each slot's payload. A skipped record's place is as large as that of the
// first record.
std::vector<PayloadPlace> places_of(const std::vector<std::optional<Packed>>& samples) {
  std::vector<PayloadPlace> places;
  PayloadPlace next;
  for (const auto& sample : samples) {
    const auto first = std::find_if(samples.begin(), samples.end(),
                                    [](const auto& one) { return one.has_value(); });
    if (first != samples.end()) {
      const Packed& sized = sample ? *sample : **first;
      next.image_bytes = sized.image.size();
      next.label_bytes = sized.label.size();
    }
    places.push_back(next);
    next.image_offset += next.image_bytes;
    next.label_offset += next.label_bytes;
  }
  return places;
}

// Payloads first and in reverse order, as from workers that finish in any order.
void write_payloads(ShardWriter& writer, const std::vector<std::optional<Packed>>& samples) {
  if (!writer.places_payload()) return;
  const std::vector<PayloadPlace> places = places_of(samples);
  for (std::size_t slot = samples.size(); slot-- > 0;)
    if (samples[slot])
      REQUIRE(writer.write_payload(places[slot], samples[slot]->image, samples[slot]->label).ok());
}

void add_all(ShardWriter& writer, const std::vector<std::optional<Packed>>& samples) {
  const std::vector<PayloadPlace> places = places_of(samples);
  for (std::size_t slot = 0; slot < samples.size(); ++slot) {
    if (samples[slot]) {
      const Packed& sample = *samples[slot];
      REQUIRE(writer
                  .add(places[slot], sample.entry, sample.sums, sample.stored_image,
                       sample.stored_label)
                  .ok());
    } else {
      writer.skip();
    }
  }
}

std::vector<std::optional<Packed>> packed_slots(const TinyForm& form, const Slots& slots) {
  std::vector<std::optional<Packed>> samples;
  for (const auto& slot : slots)
    samples.push_back(slot ? std::optional(packed(form, *slot)) : std::nullopt);
  return samples;
}

void write_shard(const TinyForm& form, const Slots& slots, Written& out) {
  out.schema = tiny_schema(form);
  const auto writer =
      ShardWriter::create(spec_of(out.folder.path(), form, out.schema, slots)).value();
  const auto samples = packed_slots(form, slots);
  write_payloads(*writer, samples);
  add_all(*writer, samples);
  out.finished = writer->commit().value();
}

Bytes file_bytes(const std::string& path) {
  Bytes bytes;
  REQUIRE(read_file(path, bytes).ok());
  return bytes;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

std::string findings_of(const std::string& path) {
  const auto report = verify_shard(path).value();
  std::string text;
  for (const VerifyFinding& finding : report.findings) text += finding.describe() + "\n";
  return text;
}

// The file equals the independent shard byte for byte, nothing lies next to it, and row and sums
// agree.
void check_written(const TinyForm& form, const Slots& slots) {
  Written written;
  write_shard(form, slots, written);
  const TinyShard expected = expected_shard(form, slots);
  const std::string path = written.folder / kName;
  CHECK((file_bytes(path) == expected.bytes));  // too long to print
  CHECK(files_in(written.folder.path()) == 1);
  CHECK(findings_of(path) == "");
  const format::ShardRow& row = written.finished.row;
  CHECK(row.file == kName);
  CHECK(row.records == kept_of(slots).size());
  CHECK(row.bytes == expected.bytes.size());
  CHECK(row.sources == expected.metadata.sources);
  CHECK(written.finished.sums == expected.sums);
  const std::span<const std::byte> bytes(expected.bytes);
  const auto start = static_cast<std::size_t>(expected.layout.buffer_start());
  CHECK(row.digest ==
        format::shard_digest(
            bytes.first(start),
            bytes.subspan(start + static_cast<std::size_t>(expected.layout.tables_begin))));
}

Slots slots_of(const TinyForm& form, std::size_t count,
               const std::vector<std::size_t>& skipped = {}) {
  Slots slots;
  for (TinyRecord& record : tiny_records(form, count)) slots.emplace_back(std::move(record));
  for (const std::size_t slot : skipped) slots[slot].reset();
  return slots;
}

const std::vector<std::vector<std::size_t>> kSkips{{0},          {3},       {6},
                                                   {0, 1, 5, 6}, {1, 3, 5}, {0, 1, 2, 3, 4, 5, 6}};

}  // namespace

TEST_CASE("shards of fixed size equal those built without the writer") {
  for (const auto& [name, form] : fixed_forms()) {
    INFO(name);
    check_written(form, slots_of(form, 7));
  }
}

TEST_CASE("shards of mixed sizes equal those built without the writer") {
  for (const auto& [name, form] : mixed_forms()) {
    INFO(name);
    check_written(form, slots_of(form, 7));
  }
}

TEST_CASE("compressed shards equal those built without the writer") {
  for (const auto& [name, form] : compressed_forms()) {
    INFO(name);
    check_written(form, slots_of(form, 7));
  }
}

TEST_CASE("skipped samples leave only their number") {
  for (const auto& skipped : kSkips) {
    for (const auto& forms : {fixed_forms(), mixed_forms(), compressed_forms()}) {
      for (const auto& [name, form] : forms) {
        INFO(name << ", first skipped " << skipped.front() << " of " << skipped.size());
        check_written(form, slots_of(form, 7, skipped));
      }
    }
  }
}

TEST_CASE("records larger than a copy block move down completely") {
  TinyForm form = form_of(LabelStorage::index);
  form.size = Extent{701, 509};
  check_written(form, slots_of(form, 3, {0}));
}

TEST_CASE("a shard without planned samples is a file too") {
  check_written(form_of(), {});
  check_written(compressed_forms().at("zstd: bits"), {});
}

TEST_CASE("many threads may write payloads") {
  const TinyForm form = form_of();
  const Slots slots = slots_of(form, 16);
  const Schema schema = tiny_schema(form);
  const TempFolder folder;
  const auto writer = ShardWriter::create(spec_of(folder.path(), form, schema, slots)).value();
  const auto samples = packed_slots(form, slots);
  const std::vector<PayloadPlace> places = places_of(samples);
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t slot = t; slot < samples.size(); slot += good.size())
        good[t] +=
            writer->write_payload(places[slot], samples[slot]->image, samples[slot]->label).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == std::vector<int>{4, 4, 4, 4});
  add_all(*writer, samples);
  REQUIRE(writer->commit().ok());
  CHECK(file_bytes(folder / kName) == expected_shard(form, slots).bytes);
}

TEST_CASE("a writer that is not committed leaves nothing") {
  for (const TinyForm& form : {form_of(), compressed_forms().at("zstd: bits")}) {
    const Slots slots = slots_of(form, 3);
    const Schema schema = tiny_schema(form);
    const TempFolder folder;
    {
      const auto writer = ShardWriter::create(spec_of(folder.path(), form, schema, slots)).value();
      const auto samples = packed_slots(form, slots);
      write_payloads(*writer, samples);
      add_all(*writer, samples);
      CHECK(files_in(folder.path()) == (form.image_zstd ? 2u : 1u));
      CHECK_FALSE(std::filesystem::exists(folder / kName));
    }
    CHECK(files_in(folder.path()) == 0);
  }
}

TEST_CASE("a shard whose temporary file another run removed ends whole") {
  const TinyForm form = form_of();
  const Slots slots = slots_of(form, 3);
  const Schema schema = tiny_schema(form);
  const Bytes expected = expected_shard(form, slots).bytes;
  for (const bool equal : {true, false}) {
    const TempFolder folder;
    const auto writer = ShardWriter::create(spec_of(folder.path(), form, schema, slots)).value();
    const auto samples = packed_slots(form, slots);
    write_payloads(*writer, samples);
    add_all(*writer, samples);
    std::filesystem::remove(std::filesystem::directory_iterator(folder.path())->path());
    std::string finished(reinterpret_cast<const char*>(expected.data()), expected.size());
    if (!equal) finished.back() ^= 1;
    folder.write(kName, finished);
    const FileIdentity before = identity_of(folder / kName).value();
    CHECK(writer->commit().value().row.bytes == expected.size());
    CHECK(file_bytes(folder / kName) == expected);
    CHECK((identity_of(folder / kName).value() == before) == equal);
    CHECK(files_in(folder.path()) == 1);
  }
}

TEST_CASE("until it is committed a shard reads as unfinished") {
  const TinyForm form = form_of();
  const Slots slots = slots_of(form, 3);
  const Schema schema = tiny_schema(form);
  const TempFolder folder;
  const auto writer = ShardWriter::create(spec_of(folder.path(), form, schema, slots)).value();
  write_payloads(*writer, packed_slots(form, slots));
  const std::string temporary = std::filesystem::directory_iterator(folder.path())->path().string();
  CHECK_FALSE(verify_shard(temporary).value().ok());
}

TEST_CASE("the name has the shard's number and the total") {
  const TinyForm form = form_of();
  const Slots slots = slots_of(form, 1);
  const Schema schema = tiny_schema(form);
  const TempFolder folder;
  ShardSpec spec = spec_of(folder.path(), form, schema, slots);
  spec.index = 12;
  spec.count = 345;
  const auto writer = ShardWriter::create(std::move(spec)).value();
  const auto samples = packed_slots(form, slots);
  write_payloads(*writer, samples);
  add_all(*writer, samples);
  CHECK(writer->commit().value().row.file == "shard-00012-of-00345.safetensors");
  CHECK(std::filesystem::exists(folder / "shard-00012-of-00345.safetensors"));
}

TEST_CASE("a folder that is missing is an I/O error") {
  const TinyForm form = form_of();
  const Schema schema = tiny_schema(form);
  const TempFolder folder;
  const auto writer =
      ShardWriter::create(spec_of(folder / "missing", form, schema, slots_of(form, 1)));
  REQUIRE_FALSE(writer.ok());
  CHECK(writer.error().code == ErrorCode::io);
}

TEST_CASE("a write that fails is an I/O error, and nothing is left") {
  const TinyForm form = form_of();
  const Slots slots = slots_of(form, 7);
  const Schema schema = tiny_schema(form);
  const TempFolder folder;
  {
    const auto writer = ShardWriter::create(spec_of(folder.path(), form, schema, slots)).value();
    const auto samples = packed_slots(form, slots);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{8192, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Status status =
        writer->write_payload(places_of(samples)[6], samples[6]->image, samples[6]->label);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::io);
    CHECK_FALSE(status.error().path.empty());
  }
  CHECK(files_in(folder.path()) == 0);
}
