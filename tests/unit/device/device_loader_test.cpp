// The batches of a DeviceLoader: samples and bytes equal a host Loader's with the same options,
// for any threads, ranks, devices and residency; errors in the data come at their step.
#include "hotpack/device_loader.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device_runs.hpp"
#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"
#include "support/temp_folder.hpp"

namespace {

std::string unreadable;  // part of a path: reads of such files fail; empty: none fails

bool is_unreadable(int descriptor) {
  if (unreadable.empty()) return false;
  std::array<char, 4096> path{};
  const ssize_t length =
      ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size());
  return length > 0 &&
         std::string(path.data(), static_cast<std::size_t>(length)).find(unreadable) !=
             std::string::npos;
}

}  // namespace

// Replaces the C library's function.
extern "C" ssize_t pread(int descriptor, void* into, std::size_t bytes, off_t offset) {
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, void*, std::size_t, off_t)>(::dlsym(RTLD_NEXT, "pread"));
  if (!is_unreadable(descriptor)) return real(descriptor, into, bytes, offset);
  errno = EIO;
  return -1;
}

using namespace hotpack;
using namespace hotpack::test;

namespace fs = std::filesystem;

namespace {

constexpr std::array<Residency, 2> kPlaces{Residency::page, Residency::device};

FakeOptions random_order(std::uint64_t seed, int devices = 1) {
  return {.devices = devices, .schedule = Schedule::random, .seed = seed};
}

// Forms of image and label, by name, that the kernels support and labels of this form can have.
std::map<std::string, LoaderOptions> all_contents(const TinyForm& form) {
  const std::size_t channels = form.color == ImageColor::rgb ? 3 : 1;
  std::map<std::string, LoaderOptions> contents;
  auto& normalized = contents["f32 NCHW normalized, one-hot f32 NCHW"];
  normalized.image = {ElementType::f32, AxisOrder::channels_first,
                      std::vector<float>(channels, 0.485f), std::vector<float>(channels, 0.229f)};
  auto& half = contents["f16 NHWC, one-hot f16 NHWC with the ignored"];
  half.image.dtype = ElementType::f16;
  auto& bits = contents["bf16 NHWC, bits"];
  bits.image.dtype = ElementType::bf16;
  if (form.labeled) {
    normalized.label = {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_first, false, {}};
    half.label = {LabelForm::one_hot, ElementType::f16, AxisOrder::channels_last, true, {}};
    bits.label.form = LabelForm::bits;
  }
  if (form.multi) return contents;  // has no index form
  contents["u8 NHWC, index"] = {};
  auto& wide = contents["u8 NCHW, index i64"];
  wide.image.layout = AxisOrder::channels_first;
  if (form.labeled) wide.label.dtype = ElementType::i64;
  return contents;
}

// Takes whole epochs including their ends, and compares them with a host Loader's.
void check_epochs(FakeDriver& fake, const Dataset& dataset, const DeviceLoaderOptions& options,
                  const std::vector<BatchCopy>& wanted, std::uint64_t epochs) {
  Program program(fake, static_cast<int>(options.devices.size()));
  Streams streams;
  for (const int device : options.devices) streams.push_back(fake.stream(device));
  DeviceLoader loader = open_on(fake, dataset, options);
  REQUIRE(loader.steps_per_epoch() * epochs == wanted.size());
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    for (std::uint64_t step = 0; step < loader.steps_per_epoch(); ++step)
      program.download(next_batch(loader, streams), streams);
    REQUIRE(at_end_of_epoch(loader, streams));
  }
  for (std::size_t part = 0; part < streams.size(); ++part)
    program.synchronize(streams[part], options.devices[part]);
  check_batches(program, wanted);
}

void check_against_host(const Dataset& dataset, const DeviceLoaderOptions& options,
                        std::uint64_t epochs = 2) {
  FakeDriver fake(random_order(epochs, static_cast<int>(options.devices.size())));
  check_epochs(fake, dataset, options, host_batches(dataset, options.loader, epochs), epochs);
  check_nothing_left(fake);
}

// The ranks of one run, each a DeviceLoader on the same device, stepped together.
class DeviceRanks {
 public:
  DeviceRanks(FakeDriver& fake, const Dataset& dataset, LoaderOptions options,
              std::uint64_t world_size, Residency residency = Residency::page)
      : program_(fake), streams_{fake.stream()} {
    options.world_size = world_size;
    for (options.rank = 0; options.rank < world_size; ++options.rank) {
      loaders_.push_back(open_on(fake, dataset, device_options(options, {0}, residency)));
    }
  }
  std::vector<Row> next() {
    std::vector<BatchCopy> parts;
    for (DeviceLoader& loader : loaders_) {
      auto batch = loader.next(streams_, kLong);
      REQUIRE(batch.ok());
      if (!*batch) continue;
      const Download& download = program_.download(**batch, streams_);
      program_.synchronize(streams_);
      parts.push_back(copy_of(download));
    }
    REQUIRE((parts.empty() || parts.size() == loaders_.size()));
    return joined(parts);
  }
  std::string state_text() {
    const std::string text = loaders_.front().state().text();
    for (const DeviceLoader& loader : loaders_) REQUIRE(loader.state().text() == text);
    return text;
  }
  void restore(const std::string& text) {
    const auto state = LoaderState::parse(text);
    REQUIRE(state.ok());
    for (DeviceLoader& loader : loaders_) REQUIRE(loader.restore(*state).ok());
  }

 private:
  Program program_;
  Streams streams_;
  std::vector<DeviceLoader> loaders_;
};

// The same with host Loaders.
class HostRanks {
 public:
  HostRanks(const Dataset& dataset, LoaderOptions options, std::uint64_t world_size) {
    options.world_size = world_size;
    for (options.rank = 0; options.rank < world_size; ++options.rank)
      loaders_.push_back(open_loader(dataset, options));
  }
  std::vector<Row> next() {
    std::vector<BatchCopy> parts;
    for (Loader& loader : loaders_) {
      auto batch = loader.next(kLong);
      REQUIRE(batch.ok());
      if (*batch) parts.push_back(copy_of(**batch));
    }
    return joined(parts);
  }
  std::string state_text() { return loaders_.front().state().text(); }
  void restore(const std::string& text) {
    for (Loader& loader : loaders_) REQUIRE(loader.restore(LoaderState::parse(text).value()).ok());
  }

 private:
  std::vector<Loader> loaders_;
};

LoaderOptions run_options(LastBatch last_batch, Shuffle shuffle) {
  LoaderOptions options = small_batches(4);
  options.seed = 11;
  options.last_batch = last_batch;
  options.shuffle = shuffle;
  options.block_samples = 3;
  options.window_blocks = 2;
  options.threads = 1;
  options.augment.horizontal_flip = 0.5;
  return options;
}

// Sets the last pixel of this record's label to a class that does not exist.
void store_foreign_id(const std::string& folder, const TinyForm& form, const TinyRecord& record) {
  const fs::path shard = fs::path(folder) / format::shard_file_name(0, 1);
  const Bytes label = stored_label(form, record);
  std::fstream file(shard, std::ios::binary | std::ios::in | std::ios::out);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto at = text.find(std::string(reinterpret_cast<const char*>(label.data()), label.size()));
  REQUIRE(at != std::string::npos);
  const std::size_t bytes = form.classes <= 255 ? 1 : 2;
  file.seekp(static_cast<std::streamoff>(at + label.size() - bytes));
  file.put(static_cast<char>(form.classes & 0xFF));
  if (bytes == 2) file.put(static_cast<char>(form.classes >> 8));
  REQUIRE(file.flush());
}

// ---- Faults

constexpr std::size_t kSamples = 16;
constexpr std::size_t kPerShard = 2;

// Eight shards of two records: in file order with batches of one, step and sample have the same
// number.
struct FaultyPack {
  TinyPack pack{TinyForm{}, kSamples, kPerShard};
};

DeviceLoaderOptions faulty_options(Residency residency,
                                   VerifyChecksums verify_checksums = VerifyChecksums::first_read) {
  LoaderOptions options = in_file_order(1);
  options.prefetch_batches = 2;
  options.verify_checksums = verify_checksums;
  return device_options(options, {0}, residency);
}

// A host Loader's error at this step.
Error host_error(const Dataset& dataset, const LoaderOptions& options, std::uint64_t step) {
  Loader loader = open_loader(dataset, options);
  REQUIRE(loader.seek(0, step).ok());
  return next_error(loader);
}

// The loader is at the step of `sample`: its error comes with every call, including next_into();
// later steps can be reached, and close() works.
// works.
Error check_error_at(DeviceLoader& loader, Program& program, const Streams& streams,
                     const TinyPack& pack, std::uint64_t sample) {
  const std::uint64_t epoch = loader.state().epoch;
  const auto buffers = program.buffers(loader);
  const Error error = next_error(loader, streams);
  CHECK(error.path == pack.shard_path(sample / kPerShard));
  CHECK(next_error(loader, streams).describe() == error.describe());
  const auto into = loader.next_into(buffers, streams);
  REQUIRE_FALSE(into.ok());
  CHECK(into.error().describe() == error.describe());
  CHECK(loader.state().samples == sample);
  const std::uint64_t behind = sample / kPerShard * kPerShard + kPerShard;
  REQUIRE(loader.seek(epoch, behind).ok());
  CHECK(next_batch(loader, streams).indices()[0] == static_cast<std::int64_t>(behind));
  REQUIRE(loader.seek(epoch, sample).ok());
  CHECK(next_error(loader, streams).describe() == error.describe());
  loader.close();
  CHECK(next_error(loader, streams).message == "the loader is closed; open another one");
  return error;
}

// Opens a loader on a pack whose record `sample` is faulty, or becomes so through `change`, and
// compares its error with the host's.
void check_fault(const Dataset& dataset, const TinyPack& pack, const DeviceLoaderOptions& options,
                 std::uint64_t sample, const std::function<void()>& change = {}) {
  FakeDriver fake(random_order(sample));
  {
    Program program(fake);
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, dataset, options);
    if (change) {
      skip(loader, streams, kSamples);
      REQUIRE(at_end_of_epoch(loader, streams));
      change();
    }
    skip(loader, streams, sample);
    const Error error = check_error_at(loader, program, streams, pack, sample);
    const Error host = host_error(dataset, options.loader, sample);
    CHECK(error.code == host.code);
    CHECK(error.message.substr(0, error.message.find(" [step")) ==
          host.message.substr(0, host.message.find(" [step")));
    CHECK_THAT(error.message, ContainsSubstring("[step " + std::to_string(sample) + " of epoch"));
  }
  fake.run_all();
  check_nothing_left(fake);
}

}  // namespace

TEST_CASE("epochs equal those of a host loader in every form and content") {
  std::uint64_t seed = 0;
  for (const auto& [form_name, form] : all_forms()) {
    const TinyPack pack(form, 7, 4);
    const Dataset dataset = pack.open();
    for (auto [content_name, options] : all_contents(form)) {
      options.global_batch_size = form.size ? 3 : 1;
      options.last_batch = LastBatch::pad;
      options.threads = 2;
      const auto wanted = host_batches(dataset, options, 2);
      for (const Residency residency : kPlaces) {
        CAPTURE(form_name, content_name, std::string(residency_name(residency)));
        FakeDriver fake(random_order(++seed));
        check_epochs(fake, dataset, device_options(options, {0}, residency), wanted, 2);
        check_nothing_left(fake);
      }
    }
  }
}

TEST_CASE("augmentation equals a host loader's for every residency") {
  const std::array<const char*, 5> forms{"bits", "mixed", "chw", "index-300", "zstd"};
  for (const char* const name : forms) {
    const TinyPack pack(all_forms().at(name), 7, 4);
    const Dataset dataset = pack.open();
    for (int kind = 0; kind < 4; ++kind) {
      LoaderOptions options = small_batches(3);
      options.augment.horizontal_flip = options.augment.vertical_flip = 0.5;
      if (kind == 0) options.augment.crop = Crop{{4, 3}, true};
      if (kind == 1) options.augment.crop = Crop{{9, 8}, false};  // larger than records: padded
      if (kind == 2) options.augment.resized_crop = ResizedCrop{{5, 4}};
      if (kind == 3) options.pad_to = PixelSize{24, 24};
      for (const Residency residency : kPlaces) {
        CAPTURE(name, kind, std::string(residency_name(residency)));
        check_against_host(dataset, device_options(options, {0}, residency), 2);
      }
    }
  }
}

TEST_CASE("sizes whose pixels are no multiple of 16") {
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 7}, Extent{7, 1}, Extent{17, 15}, Extent{31, 33}, Extent{65, 3}}) {
    TinyForm form;
    form.size = size;
    const TinyPack pack(form, 5, 5);
    for (auto [name, options] : all_contents(form)) {
      CAPTURE(size.width, size.height, name);
      options.global_batch_size = 2;
      check_against_host(pack.open(), device_options(options), 1);
    }
  }
}

TEST_CASE("class counts of any size and ignored pixels and ids beyond the classes") {
  std::uint64_t seed = 0;
  for (const int classes : {1, 2, 7, 8, 9, 16, 17, 255, 256}) {
    for (const LabelStorage storage :
         {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
      TinyForm form;
      form.storage = storage;
      form.classes = classes;
      auto records = tiny_records(form, 5);
      records[1].labels.front().clear();  // ignored
      const TempFolder folder;
      write_pack(folder.path(), form, records, records.size());
      if (storage == LabelStorage::index) store_foreign_id(folder.path(), form, records[1]);
      const Dataset dataset = Dataset::open(folder.path()).value();
      for (auto [name, options] : all_contents(form)) {
        if (options.label.form == LabelForm::ids && !options.label.dtype && classes > 255)
          options.label.dtype = ElementType::u16;
        options.global_batch_size = 2;
        options.last_batch = LastBatch::pad;
        options.verify_checksums = VerifyChecksums::never;
        const auto wanted = host_batches(dataset, options, 1);
        for (const Residency residency : kPlaces) {
          CAPTURE(classes, static_cast<int>(storage), name, std::string(residency_name(residency)));
          FakeDriver fake(random_order(++seed));
          check_epochs(fake, dataset, device_options(options, {0}, residency), wanted, 1);
          check_nothing_left(fake);
        }
      }
    }
  }
}

TEST_CASE("threads and ranks and devices and residencies give the same batches") {
  const TinyPack pack(square_form(), 53, 9);
  const Dataset dataset = pack.open();
  LoaderOptions options = small_batches(24);
  options.last_batch = LastBatch::wrap;
  options.augment.horizontal_flip = 0.5;
  std::uint64_t seed = 0;
  for (options.world_size = 1; options.world_size <= 8; options.world_size *= 2) {
    for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
      options.threads = 1;
      const auto wanted = host_batches(dataset, options, 1);
      for (const unsigned threads : {1u, 2u, 16u}) {
        for (int devices = 1; devices <= 3; ++devices) {
          options.threads = threads;
          std::vector<int> ordinals;
          for (int device = devices; device-- > 0;)
            ordinals.push_back(device);  // any order will do
          for (const Residency residency : kPlaces) {
            CAPTURE(options.world_size, options.rank, threads, devices,
                    std::string(residency_name(residency)));
            FakeDriver fake(random_order(++seed, devices));
            check_epochs(fake, dataset, device_options(options, ordinals, residency), wanted, 1);
            check_nothing_left(fake);
          }
        }
      }
    }
  }
}

TEST_CASE("part d of rank r of w has the rows of rank r D plus d of w D") {
  const TinyPack pack(square_form(), 29, 9);
  const Dataset dataset = pack.open();
  LoaderOptions options = small_batches(13);
  options.last_batch = LastBatch::pad;
  for (const std::uint64_t world_size : {1u, 2u, 4u}) {
    for (std::uint64_t rank = 0; rank < world_size; ++rank) {
      for (std::uint64_t devices = 1; devices <= 3; ++devices) {
        CAPTURE(world_size, rank, devices);
        options.world_size = world_size;
        options.rank = rank;
        std::vector<int> ordinals;
        for (std::uint64_t device = 0; device < devices; ++device)
          ordinals.push_back(static_cast<int>(device));
        FakeDriver fake(random_order(rank, static_cast<int>(devices)));
        Streams streams;
        for (const int device : ordinals) streams.push_back(fake.stream(device));
        {
          {
            DeviceLoader loader = open_on(fake, dataset, device_options(options, ordinals));
            skip(loader, streams, 2);
            // the last batch: 3 of 13 rows have samples
            const DeviceBatch batch = next_batch(loader, streams);
            LoaderOptions split = options;
            split.world_size = world_size * devices;
            for (std::uint64_t part = 0; part < devices; ++part) {
              split.rank = rank * devices + part;
              const auto wanted = expected_samples(29, split, 0, 2);
              const DevicePart& ours = batch.parts().at(part);
              CHECK(ours.device == static_cast<int>(part));
              CHECK(ours.batch_size == wanted.size());
              CHECK(loader.batch_size(part) == wanted.size());
              const auto first =
                  batch.indices().begin() + static_cast<std::ptrdiff_t>(ours.first_row);
              CHECK(std::vector(first, first + static_cast<std::ptrdiff_t>(ours.batch_size)) ==
                    wanted);
              CHECK(ours.num_valid ==
                    static_cast<std::size_t>(std::count_if(wanted.begin(), wanted.end(),
                                                           [](std::int64_t s) { return s >= 0; })));
            }
          }
          check_nothing_left(fake);
        }
        fake.run_all();
        check_nothing_left(fake);
      }
    }
  }
}

TEST_CASE("every last_batch equals the host's for all remainders N mod G") {
  struct Case {
    std::size_t records;
    std::uint64_t global_batch_size;
  };
  for (const Case& c : {Case{12, 4}, Case{13, 4}, Case{15, 4}, Case{3, 4}, Case{1, 4}, Case{5, 1},
                        Case{1, 1}, Case{4, 4}}) {
    const TinyPack pack(square_form(), c.records, 5);
    const Dataset dataset = pack.open();
    for (const LastBatch last_batch : {LastBatch::drop, LastBatch::pad, LastBatch::wrap}) {
      LoaderOptions options = small_batches(c.global_batch_size);
      options.last_batch = last_batch;
      CAPTURE(c.records, c.global_batch_size, std::string(last_batch_name(last_batch)));
      if (last_batch == LastBatch::drop && c.records < c.global_batch_size) {
        const FakeDriver fake;
        CHECK(open_error(fake, dataset, device_options(options)).message ==
              refusal_of(dataset, options));
        check_nothing_left(fake);
        continue;
      }
      check_against_host(dataset, device_options(options, {0}, kPlaces[c.records % 2]));
    }
  }
}

TEST_CASE("an empty data set is refused as a host loader does") {
  const TinyPack pack({}, 0, 5);
  const FakeDriver fake;
  CHECK(open_error(fake, pack.open(), {}).message == refusal_of(pack.open(), {}));
  check_nothing_left(fake);
}

TEST_CASE("more devices than rows are refused with the reason") {
  const TinyPack pack;
  const FakeDriver fake({.devices = 3});
  const Error error = open_error(fake, pack.open(), device_options(small_batches(2), {0, 1, 2}));
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("each of the 3 devices counts as a rank"));
  check_nothing_left(fake);
}

TEST_CASE("epochs differ and none follows the last") {
  const TinyPack pack({}, 12, 5);
  LoaderOptions options = small_batches(12);
  options.epoch = kMaxEpoch;
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(options));
    const auto samples = [&](std::uint64_t epoch) {
      REQUIRE(loader.seek(epoch).ok());
      const DeviceBatch batch = next_batch(loader, streams);
      return std::vector(batch.indices().begin(), batch.indices().end());
    };
    CHECK(samples(0) != samples(1));
    CHECK(samples(0) == samples(0));
    CHECK(samples(kMaxEpoch) == expected_samples(12, options, kMaxEpoch, 0));
    CHECK(at_end_of_epoch(loader, streams));
    CHECK(loader.state().epoch == kMaxEpoch);  // which can be resumed
    const Error error = next_error(loader, streams);
    CHECK(error.code == ErrorCode::usage);
    CHECK_THAT(error.message, ContainsSubstring("there is no epoch after 4294967295"));
    CHECK(samples(1) == expected_samples(12, options, 1, 0));
  }
  check_nothing_left(fake);
}

TEST_CASE("seek to any step and to the end of an epoch and not beyond") {
  const TinyPack pack({}, 12, 5);
  const LoaderOptions options = small_batches(4);
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(options));
    REQUIRE(loader.seek(5, 2).ok());
    CHECK(next_batch(loader, streams).indices()[0] == expected_samples(12, options, 5, 2)[0]);
    REQUIRE(loader.seek(5, 3).ok());
    CHECK(loader.state().samples == 12);
    CHECK(at_end_of_epoch(loader, streams));
    CHECK(loader.state().epoch == 6);
    CHECK(loader.state().samples == 0);
    CHECK(next_batch(loader, streams).epoch() == 6);
    const Status beyond = loader.seek(5, 4);
    REQUIRE_FALSE(beyond.ok());
    CHECK_THAT(beyond.error().message, ContainsSubstring("no step 4 of epoch 5"));
    CHECK(next_batch(loader, streams).step() == 1);  // a refused seek changes nothing
  }
  check_nothing_left(fake);
}

TEST_CASE("a run resumes after any step with another world size on host or device") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  std::uint64_t seed = 0;
  for (const LastBatch last_batch : {LastBatch::drop, LastBatch::pad, LastBatch::wrap}) {
    for (const Shuffle shuffle : {Shuffle::full, Shuffle::block, Shuffle::none}) {
      const LoaderOptions options = run_options(last_batch, shuffle);
      FakeDriver fake(random_order(++seed));
      {
        DeviceRanks uninterrupted(fake, dataset, options, 2);
        HostRanks host(dataset, options, 2);
        const std::uint64_t calls = 2 * (open_loader(dataset, options).steps_per_epoch() + 1);
        std::vector<std::vector<Row>> whole;
        std::vector<std::string> states;
        for (std::uint64_t call = 0; call < calls; ++call) {
          CAPTURE(std::string(last_batch_name(last_batch)), std::string(shuffle_name(shuffle)),
                  call);
          states.push_back(uninterrupted.state_text());
          CHECK(host.state_text() == states.back());
          whole.push_back(uninterrupted.next());
          REQUIRE(host.next() == whole.back());
        }
        for (const std::uint64_t world_size : {1u, 3u, 4u}) {
          DeviceRanks other(fake, dataset, options, world_size, kPlaces.at(seed % kPlaces.size()));
          HostRanks other_host(dataset, options, world_size);
          for (std::uint64_t call = calls; call-- > 0;) {
            CAPTURE(std::string(last_batch_name(last_batch)), std::string(shuffle_name(shuffle)),
                    world_size, call);
            other.restore(states[call]);
            other_host.restore(states[call]);
            CHECK(other.state_text() == states[call]);
            REQUIRE(other.next() == whole[call]);
            REQUIRE(other_host.next() == whole[call]);
            if (call + 1 < calls) REQUIRE(other.next() == whole[call + 1]);
          }
        }
      }
      fake.run_all();
      check_nothing_left(fake);
    }
  }
}

TEST_CASE("the option resume does what restore does") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options = run_options(LastBatch::pad, Shuffle::full);
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader first = open_on(fake, dataset, device_options(options));
    for (int call = 0; call < 8; ++call) {
      CAPTURE(call);
      options.resume = first.state();
      DeviceLoader resumed = open_on(fake, dataset, device_options(options));
      CHECK(resumed.state() == first.state());
      auto theirs = first.next(streams, kLong), ours = resumed.next(streams, kLong);
      REQUIRE(theirs.ok());
      REQUIRE(ours.ok());
      REQUIRE(theirs->has_value() == ours->has_value());
      if (*theirs) CHECK((*theirs)->info().indices == (*ours)->info().indices);
      if (*theirs) CHECK((*theirs)->step() == (*ours)->step());
    }
    options.seed = 5;
    CHECK_THAT(open_error(fake, dataset, device_options(options)).message,
               ContainsSubstring("cannot resume") && ContainsSubstring("seed 11, the loader 5"));
  }
  check_nothing_left(fake);
}

TEST_CASE("a state of another run is refused without effect") {
  const TinyPack pack({}, 13, 5), other({}, 13, 5, 50);
  const LoaderOptions options = run_options(LastBatch::pad, Shuffle::full);
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(options));
    skip(loader, streams, 1);
    const LoaderState state = loader.state();
    LoaderState foreign = state;
    foreign.fingerprint = open_loader(other.open(), options).fingerprint();
    const Status refused = loader.restore(foreign);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK_THAT(refused.error().message, ContainsSubstring("another data set"));
    CHECK(loader.state() == state);
    CHECK(loader.fingerprint() == state.fingerprint);
    CHECK(next_batch(loader, streams).step() == 1);
  }
  check_nothing_left(fake);
}

TEST_CASE("the state counts what was handed out and not what lies ahead") {
  const TinyPack pack({}, 40, 20);
  DeviceLoaderOptions options = device_options(run_options(LastBatch::drop, Shuffle::full));
  options.loader.prefetch_batches = 6;
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), options);
    for (std::uint64_t step = 0; step < 10; ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the threads run ahead
      CHECK(loader.state().samples == step * 4);
      next_batch(loader, streams).release();
    }
    CHECK(loader.state().samples == 40);
    CHECK(at_end_of_epoch(loader, streams));
    CHECK(loader.state().samples == 0);
    CHECK(loader.state().epoch == 1);
  }
  check_nothing_left(fake);
}

TEST_CASE("a wrong CRC fails its step for every residency") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  for (const Residency residency : kPlaces) {
    for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
      CAPTURE(std::string(residency_name(residency)), access == FileAccess::map);
      DeviceLoaderOptions options = faulty_options(residency);
      options.loader.access = access;
      check_fault(faulty.pack.open(), faulty.pack, options, 5);
    }
  }
}

TEST_CASE("a damaged compressed record fails its step for every residency") {
  const TinyPack pack(all_forms().at("zstd"), kSamples, kPerShard);
  pack.damage_first_frame(2);
  for (const Residency residency : kPlaces) {
    CAPTURE(std::string(residency_name(residency)));
    check_fault(pack.open(), pack, faulty_options(residency), 4);
  }
}

TEST_CASE("a shard truncated before opening fails its first step everywhere") {
  const FaultyPack faulty;
  fs::resize_file(faulty.pack.shard_path(4), fs::file_size(faulty.pack.shard_path(4)) - 1);
  for (const Residency residency : kPlaces) {
    CAPTURE(std::string(residency_name(residency)));
    check_fault(faulty.pack.open(), faulty.pack, faulty_options(residency), 8);
  }
}

TEST_CASE("a shard cut short while it is mapped is an error at its step") {
  for (const VerifyChecksums verify_checksums :
       {VerifyChecksums::always, VerifyChecksums::first_read, VerifyChecksums::never}) {
    for (const std::uintmax_t left : {std::uintmax_t{0}, std::uintmax_t{4096}}) {
      CAPTURE(static_cast<int>(verify_checksums), left);
      const FaultyPack faulty;
      const Dataset dataset = faulty.pack.open();
      check_fault(dataset, faulty.pack, faulty_options(Residency::page, verify_checksums), 8,
                  [&] { fs::resize_file(faulty.pack.shard_path(4), left); });
    }
  }
}

TEST_CASE("an unreadable file fails its step for every residency") {
  for (const char* const form : {"bits", "zstd"}) {
    const TinyPack pack(all_forms().at(form), kSamples, kPerShard);
    for (const Residency residency : kPlaces) {
      for (const bool opened : {true, false}) {
        CAPTURE(form, std::string(residency_name(residency)), opened);
        const Dataset dataset = pack.open();
        DeviceLoaderOptions options = faulty_options(residency);
        options.loader.access = FileAccess::read;
        // now reads of records fail, otherwise those of the shard's beginning
        if (opened) (void)host_batches(dataset, options.loader);
        unreadable = "shard-00004";
        check_fault(dataset, pack, options, 8);
        CHECK_THAT(host_error(dataset, options.loader, 8).message,
                   ContainsSubstring("Input/output error"));
        unreadable.clear();
        check_against_host(dataset, options, 1);  // goes away with its cause
      }
    }
  }
}

TEST_CASE("resident records do not depend on later changes of files") {
  const FaultyPack faulty;
  const Dataset dataset = faulty.pack.open();
  const DeviceLoaderOptions options = faulty_options(Residency::device);
  const auto wanted = host_batches(dataset, options.loader, 2);
  FakeDriver fake;
  {
    Program program(fake);
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, dataset, options);
    for (std::size_t shard = 0; shard < kSamples / kPerShard; ++shard)
      fs::resize_file(faulty.pack.shard_path(shard), 0);
    for (std::size_t number = 0; number < wanted.size(); ++number) {
      if (number == wanted.size() / 2) REQUIRE(at_end_of_epoch(loader, streams));
      program.download(next_batch(loader, streams), streams);
    }
    program.synchronize(streams);
    check_batches(program, wanted);
  }
  check_nothing_left(fake);
}

TEST_CASE("a loader at an error does not work further") {
  const FaultyPack faulty;
  faulty.pack.damage_image(1);
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, faulty.pack.open(), faulty_options(Residency::page));
    skip(loader, streams, 1);
    const Error error = next_error(loader, streams);
    const std::clock_t before = std::clock();  // of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 0.03);
    CHECK(next_error(loader, streams).describe() == error.describe());
  }
  check_nothing_left(fake);
}

TEST_CASE("the good rows of a batch are correct after a failed row") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  for (const Residency residency : kPlaces) {
    DeviceLoaderOptions options = faulty_options(residency);
    options.loader.global_batch_size = 4;
    const Dataset dataset = faulty.pack.open();
    FakeDriver fake(random_order(3));
    {
      Program program(fake);
      const Streams streams{fake.stream()};
      DeviceLoader loader = open_on(fake, dataset, options);
      program.download(next_batch(loader, streams), streams);
      CHECK_THAT(next_error(loader, streams).message, ContainsSubstring("street/sample 0005"));
      REQUIRE(loader.seek(0, 2).ok());
      for (int number = 0; number < 2; ++number)
        program.download(next_batch(loader, streams), streams);
      program.synchronize(streams);
      for (std::size_t number = 0; number < 3; ++number) {
        const BatchCopy batch = copy_of(program.downloads()[number]);
        const std::int64_t first = number == 0 ? 0 : static_cast<std::int64_t>(4 + 4 * number);
        for (std::int64_t row = 0; row < 4; ++row) {
          REQUIRE(batch.rows[static_cast<std::size_t>(row)] ==
                  expected_row(dataset, options.loader, first + row));
        }
      }
    }
    check_nothing_left(fake);
  }
}

TEST_CASE("fields tell their shape and type and where they are") {
  const TinyPack pack;
  LoaderOptions options = in_file_order(5);
  options.image = {ElementType::f16, AxisOrder::channels_first, {}, {}};
  options.label = {LabelForm::one_hot, ElementType::f16, AxisOrder::channels_first, true, {}};
  FakeDriver fake({.devices = 2});
  {
    const Streams streams{fake.stream(1), fake.stream(0)};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(options, {1, 0}));
    CHECK(loader.devices() == 2);
    CHECK(loader.batch_size() == 5);
    CHECK(loader.batch_size(0) == 2);
    CHECK(loader.batch_size(1) == 3);
    CHECK(loader.batch_size(2) == 0);
    CHECK(loader.threads() == 1);
    CHECK(loader.image_batch_bytes(0) == 2 * 180);
    CHECK(loader.image_batch_bytes(1) == 3 * 180);
    CHECK(loader.label_batch_bytes(1) == 3 * 240);
    CHECK(loader.image_batch_bytes(2) == 0);
    DeviceBatch batch = next_batch(loader, streams);
    REQUIRE(batch.parts().size() == 2);
    CHECK(batch.parts()[0].device == 1);
    CHECK(batch.parts()[0].stream == streams[0]);
    CHECK(batch.parts()[1].first_row == 2);
    CHECK(batch.image(0).shape == std::vector<std::int64_t>{2, 3, 5, 6});
    CHECK(batch.label(1).shape == std::vector<std::int64_t>{3, 4, 5, 6});
    CHECK(batch.image(1).dtype == ElementType::f16);
    CHECK(batch.image(1).bytes == 3 * 180);
    CHECK(batch.image(2).data == nullptr);
    CHECK(batch.info().keys[4] == "street/sample 0004");
    batch.release();
    CHECK(batch.parts().empty());
    CHECK(batch.image().data == nullptr);
    CHECK(batch.batch_size() == 0);
  }
  check_nothing_left(fake);
}

TEST_CASE("an unlabeled set has no labels and fields can be skipped") {
  const TinyPack without(all_forms().at("unlabeled")), with;
  FakeDriver fake;
  {
    Program program(fake);
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, without.open(), device_options(in_file_order(4)));
    CHECK(loader.label_batch_bytes() == 0);
    CHECK(next_batch(loader, streams).label().data == nullptr);
    DeviceLoader labeled = open_on(fake, with.open(), device_options(in_file_order(4)));
    auto buffers = program.buffers(labeled);
    buffers[0].image = nullptr;
    buffers[0].image_bytes = 0;
    const auto info = labeled.next_into(buffers, streams);
    REQUIRE(info.ok());
    CHECK((*info)->parts[0].image.data == nullptr);
    CHECK((*info)->parts[0].image.bytes == 0);
    CHECK((*info)->parts[0].label.bytes == 4 * 30);
    const Download& download = program.download(**info, streams);
    program.synchronize(streams);
    for (std::size_t row = 0; row < 4; ++row) {
      CHECK(row_of(download.parts[0].label, row, 4) ==
            expected_row(with.open(), in_file_order(4), static_cast<std::int64_t>(row)).label);
    }
  }
  check_nothing_left(fake);
}
