// The C library with any order of calls: an input is a program of calls with handles, NULLs,
// short structs and odd numbers. A call may only return a status, and every pointer that it
// returns must be valid as long as its handle.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "fuzz/tiny_packs.hpp"
#include "hotpack/hotpack.h"

using namespace hotpack;

namespace {

constexpr std::size_t kHandles = 3;
constexpr std::size_t kMostCalls = 48;
constexpr std::size_t kBufferBytes = 4096;

// The packs that programs open, and folders that are not packs.
class Folders {
 public:
  Folders() {
    for (const auto& form : fuzz::tiny_forms()) {
      const std::string folder = root_.path() + "/" + std::to_string(paths_.size());
      std::filesystem::create_directory(folder);
      (void)test::write_pack(folder, form, test::tiny_records(form, 5), 2);
      paths_.push_back(folder);
    }
    paths_.push_back(root_.path());
    paths_.push_back("/nowhere");
    paths_.emplace_back();
  }
  [[nodiscard]] const char* at(std::size_t i) const { return paths_[i % paths_.size()].c_str(); }

 private:
  fuzz::MemoryFolder root_;
  std::vector<std::string> paths_;
};

void require_status(hotpack_status status) {
  fuzz::require(std::strcmp(hotpack_status_name(status), "unknown status") != 0,
                "a call gives a known status");
}

void require_text(const char* text) {
  fuzz::require(text != nullptr, "a text is never NULL");
  fuzz::require(std::strlen(text) < 100000, "a text ends");
}

// Runs one program.
class Program {
 public:
  Program(const std::uint8_t* data, std::size_t size)
      : pieces_(data, size), buffer_(kBufferBytes) {}
  ~Program() {
    for (auto*& batch : batches_) hotpack_batch_release(batch);
    for (auto*& loader : loaders_) hotpack_loader_close(loader);
    for (auto*& dataset : datasets_) hotpack_dataset_close(dataset);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void run() {
    for (std::size_t i = 0; i < kMostCalls && !pieces_.empty(); ++i) {
      const std::uint8_t kind = pieces_.byte();
      if (kind % 3 == 0) {
        call_dataset(kind / 3);
      } else if (kind % 3 == 1) {
        call_loader(kind / 3);
      } else {
        call_batch(kind / 3);
      }
    }
  }

 private:
  // A handle of a kind: one of three places; NULL if it is empty.
  template <class Handle>
  Handle*& pick(Handle* (&handles)[kHandles]) {
    return handles[pieces_.byte() % kHandles];
  }
  std::uint64_t number() {
    constexpr std::uint64_t kOdd[] = {0,  1,          2,          3,          4,          5,
                                      31, 0x7FFFFFFF, 0xFFFFFFFF, 1ULL << 32, 1ULL << 62, ~0ULL};
    return kOdd[pieces_.byte() % std::size(kOdd)];
  }
  std::int64_t signed_number() {
    return static_cast<std::int64_t>(pieces_.byte() % 4 == 0 ? ~number() : number());
  }
  double real() {
    const double odd[] = {0,
                          1,
                          0.5,
                          -1,
                          1e308,
                          -0.0,
                          std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity()};
    return odd[pieces_.byte() % std::size(odd)];
  }
  // Usually the size of the struct.
  template <class Struct>
  Struct* shaped(Struct& info) {
    const std::uint8_t choice = pieces_.byte();
    if (choice == 0) return nullptr;
    info.struct_size = choice < 200 ? sizeof(Struct) : choice % (sizeof(Struct) + 1);
    return &info;
  }
  void* room() { return pieces_.byte() == 0 ? nullptr : buffer_.data(); }
  std::size_t room_bytes() {
    const std::size_t choice = pieces_.byte();
    return choice < 128 ? kBufferBytes : choice - 128;
  }

  void open_dataset() {
    auto*& dataset = pick(datasets_);
    hotpack_dataset_close(dataset);
    dataset = nullptr;
    const std::uint8_t first = pieces_.byte(), count = pieces_.byte() % 4;
    if (count == 0)
      return require_status(
          hotpack_dataset_open(first == 255 ? nullptr : folders().at(first), &dataset));
    const char* paths[] = {folders().at(first),
                           folders().at(pieces_.byte() % 2 == 0 ? first : first + 1u), nullptr};
    require_status(hotpack_dataset_open_many(first == 255 ? nullptr : paths, count, &dataset));
  }

  void call_dataset(unsigned kind) {
    auto*& dataset = pick(datasets_);
    hotpack_dataset_info info{};
    hotpack_class_statistics statistics{};
    hotpack_sample_info sample{};
    std::uint64_t found = 0;
    switch (kind % 22) {
      case 0:
      case 1:
      case 2:
        return open_dataset();
      case 3:
        hotpack_dataset_close(dataset);
        dataset = nullptr;
        return;
      case 4:
        return require_text(hotpack_dataset_error(dataset));
      case 5:
        return require_status(hotpack_dataset_describe(dataset, shaped(info)));
      case 6:
        (void)hotpack_dataset_records(dataset);
        (void)hotpack_dataset_classes(dataset);
        return;
      case 7:
        return require_text(hotpack_dataset_class_name(dataset, number()));
      case 8:
        return require_status(
            hotpack_dataset_class_color(dataset, number(), static_cast<std::uint8_t*>(room())));
      case 9: {
        double values[8];
        double* mean = pieces_.byte() == 0 ? nullptr : values;
        return require_status(
            hotpack_dataset_mean_std(dataset, mean, values + 4, pieces_.byte() % 5));
      }
      case 10:
        return require_status(
            hotpack_dataset_class_statistics(dataset, number(), shaped(statistics)));
      case 11:
        return require_status(
            hotpack_dataset_ignored_pixels(dataset, pieces_.byte() == 0 ? nullptr : &found));
      case 12:
        return require_status(hotpack_dataset_sample(dataset, number(), shaped(sample)));
      case 13:
        return find_key(dataset);
      case 14:
        return require_status(hotpack_dataset_read_image(dataset, number(), room(), room_bytes()));
      case 16:
        return make_subset();
      case 17:
        return read_batch(dataset);
      case 18:
        return read_keys(dataset);
      case 19:
        return describe_classes(dataset);
      case 20:
        return verify();
      case 21:
        return require_error_info(
            [&](hotpack_error_info* into) { return hotpack_dataset_error_info(dataset, into); });
      default:
        return require_status(hotpack_dataset_read_label(dataset, number(), room(), room_bytes()));
    }
  }

  // Every text of an error is valid.
  template <class Describe>
  void require_error_info(const Describe& describe) {
    hotpack_error_info info{};
    require_status(describe(shaped(info)));
    info.struct_size = sizeof info;
    if (describe(&info) != HOTPACK_OK) return;
    require_status(info.status);
    for (const char* text : {info.message, info.path, info.key, info.option}) require_text(text);
  }

  // Numbers of samples; some do not exist. Fills at most four.
  std::size_t numbers(std::uint64_t* into) {
    const std::size_t count = pieces_.byte() % 5;
    for (std::size_t i = 0; i < count; ++i) into[i] = number();
    return count;
  }

  void make_subset() {
    std::uint64_t chosen[4];
    const std::size_t count = numbers(chosen);
    hotpack_dataset* subset = nullptr;
    require_status(hotpack_dataset_subset(pick(datasets_), pieces_.byte() == 0 ? nullptr : chosen,
                                          count, &subset));
    auto*& dataset = pick(datasets_);
    hotpack_dataset_close(dataset);
    dataset = subset;
    require_text(hotpack_dataset_fingerprint(dataset));
  }

  void read_batch(const hotpack_dataset* dataset) {
    std::uint64_t chosen[4];
    const std::size_t count = numbers(chosen);
    hotpack_read_options options{};
    require_status(hotpack_read_options_init(&options, sizeof options));
    options.threads = 1;
    options.image_dtype = pieces_.byte() % 9;
    options.label_form = pieces_.byte() % 4;
    options.pad_width = options.pad_height = pieces_.byte() % 16;
    hotpack_batch_info info{};
    require_status(
        hotpack_dataset_read_batch_shapes(dataset, chosen, count, shaped(options), shaped(info)));
    options.struct_size = sizeof options;
    std::int64_t indices[4];
    hotpack_crop crops[4];
    hotpack_batch_buffers buffers{};
    buffers.image = room();
    buffers.image_bytes = room_bytes();
    buffers.label = buffers.image == nullptr ? nullptr : second_.data();
    buffers.label_bytes = kBufferBytes;
    buffers.indices = indices, buffers.crops = crops;
    const hotpack_batch_buffers* given = shaped(buffers);
    require_status(
        hotpack_dataset_read_batch(dataset, chosen, count, &options, given, shaped(info)));
  }

  void read_keys(const hotpack_dataset* dataset) {
    std::uint64_t offsets[8];
    std::size_t length = 0;
    const std::uint64_t first = number(), count = pieces_.byte() % 9;
    char* keys = static_cast<char*>(room());
    const hotpack_status status =
        hotpack_dataset_keys(dataset, first, count, keys, room_bytes(), &length, offsets);
    require_status(status);
    if (status != HOTPACK_OK || keys == nullptr) return;
    for (std::uint64_t i = 0; i < count; ++i) require_text(keys + offsets[i]);
  }

  void describe_classes(const hotpack_dataset* dataset) {
    hotpack_label_source source{};
    hotpack_geometry_info geometry{};
    const std::uint64_t id = number();
    (void)hotpack_dataset_class_sources(dataset, id);
    (void)hotpack_dataset_ignored_sources(dataset);
    require_status(hotpack_dataset_class_source(dataset, id, number(), shaped(source)));
    require_status(hotpack_dataset_ignored_source(dataset, number(), shaped(source)));
    require_status(hotpack_dataset_geometry(dataset, shaped(geometry)));
    geometry.struct_size = sizeof geometry;
    if (hotpack_dataset_geometry(dataset, &geometry) == HOTPACK_OK) require_text(geometry.fit);
  }

  void verify() {
    hotpack_verify_options options{};
    require_status(hotpack_verify_options_init(&options, sizeof options));
    options.threads = 1;
    options.max_findings = pieces_.byte() % 3;
    hotpack_verify_report* report = nullptr;
    require_status(hotpack_verify_dataset(folders().at(pieces_.byte()), shaped(options), &report));
    hotpack_verify_report_info info{};
    hotpack_verify_finding_info finding{};
    require_status(hotpack_verify_report_describe(report, shaped(info)));
    require_status(hotpack_verify_report_finding(report, number(), shaped(finding)));
    require_text(hotpack_verify_report_damaged_file(report, number()));
    require_text(hotpack_verify_report_note(report, number()));
    require_text(hotpack_verify_report_error(report));
    hotpack_verify_report_close(report);
  }

  void find_key(const hotpack_dataset* dataset) {
    std::size_t length = 0;
    std::uint64_t found = 0;
    const std::uint64_t wanted = number();
    char* key = static_cast<char*>(room());
    const hotpack_status told = hotpack_dataset_key(dataset, wanted, key, room_bytes(),
                                                    pieces_.byte() == 0 ? nullptr : &length);
    require_status(told);
    const bool has_key = told == HOTPACK_OK && key != nullptr;
    const hotpack_status status = hotpack_dataset_find(dataset, has_key ? key : nullptr, &found);
    require_status(status);
    if (has_key) fuzz::require(status == HOTPACK_OK, "a key that a sample has is found");
  }

  // Fields that determine allocations and waits stay small.
  void set_options(hotpack_loader_options& options) {
    for (int changes = pieces_.byte() % 6; changes > 0; --changes) set_option(options);
    options.memory_budget_bytes = 1 << 20;
    options.threads = options.threads % 3;
    options.timeout_ms = pieces_.byte() % 4;
    if (options.timeout_ms == 0) options.timeout_ms = 5;
  }

  void set_option(hotpack_loader_options& options) {
    static const float kMean[] = {0.5f, 0.5f, 0.5f};
    const auto choice = static_cast<std::int32_t>(pieces_.byte() % 9) - 1;
    std::int32_t* const enums[] = {&options.last_batch,
                                   &options.shuffle,
                                   &options.image_dtype,
                                   &options.image_layout,
                                   &options.label_form,
                                   &options.label_dtype,
                                   &options.label_layout,
                                   &options.label_ignore_channel,
                                   &options.label_has_ignore_index,
                                   &options.content,
                                   &options.crop,
                                   &options.verify_checksums,
                                   &options.access,
                                   &options.reserved};
    std::uint64_t* const counts[] = {
        &options.global_batch_size, &options.seed,          &options.epoch,        &options.rank,
        &options.world_size,        &options.block_samples, &options.window_blocks};
    std::int64_t* const sizes[] = {&options.label_ignore_index, &options.crop_width,
                                   &options.crop_height, &options.pad_width, &options.pad_height};
    double* const reals[] = {&options.horizontal_flip, &options.vertical_flip, &options.min_area,
                             &options.max_area,        &options.min_ratio,     &options.max_ratio};
    const std::uint8_t field = pieces_.byte();
    switch (field % 8) {
      case 0:
      case 1:
      case 2:
        *enums[field / 8u % std::size(enums)] = choice;
        return;
      case 3:
        *counts[field / 8u % std::size(counts)] = number();
        return;
      case 4:
        *sizes[field / 8u % std::size(sizes)] = signed_number();
        return;
      case 5:
        *reals[field / 8u % std::size(reals)] = real();
        return;
      case 6:
        options.image_mean = choice == 0 ? nullptr : kMean;
        options.image_std = choice == 1 ? nullptr : kMean;
        options.image_channels = choice == 2 ? 1 : 3;
        return;
      default:
        options.prefetch_batches = static_cast<std::uint32_t>(choice);
        options.resume = choice > 4 ? state_.c_str() : nullptr;
    }
  }

  void open_loader() {
    auto*& loader = pick(loaders_);
    hotpack_loader_close(loader);
    loader = nullptr;
    hotpack_loader_options options{};
    require_status(hotpack_loader_options_init(&options, sizeof options));
    options.global_batch_size = 2;
    set_options(options);
    if (pieces_.byte() == 0) options.struct_size = number() % (sizeof options + 1);
    require_status(hotpack_loader_open(pick(datasets_), &options, &loader));
  }

  void call_loader(unsigned kind) {
    auto*& loader = pick(loaders_);
    switch (kind % 19) {
      case 0:
      case 1:
      case 2:
        return open_loader();
      case 3:
        hotpack_loader_close(loader);
        loader = nullptr;
        return;
      case 4:
        return require_text(hotpack_loader_error(loader));
      case 5:
        (void)hotpack_loader_steps_per_epoch(loader);
        (void)hotpack_loader_batch_size(loader);
        (void)hotpack_loader_threads(loader);
        (void)hotpack_loader_image_batch_bytes(loader);
        (void)hotpack_loader_label_batch_bytes(loader);
        (void)hotpack_loader_slot_bytes(loader);
        return require_text(hotpack_loader_fingerprint(loader));
      case 6:
      case 7:
      case 8:
      case 9:
        return take_batch(loader);
      case 10:
        return copy_batch(loader);
      case 11:
        return require_status(hotpack_loader_seek(loader, number(), number()));
      case 12:
        return save_state(loader);
      case 13:
        return require_status(
            hotpack_loader_restore(loader, pieces_.byte() == 0 ? nullptr : state_.c_str()));
      case 14:
        return hotpack_loader_cancel(loader);
      case 16:
        return require_status(hotpack_loader_begin_epoch(loader, number()));
      case 17: {
        std::uint64_t epoch = 0, step = 0;
        (void)hotpack_loader_slots(loader);
        (void)hotpack_loader_leased(loader);
        return require_status(
            hotpack_loader_position(loader, pieces_.byte() == 0 ? nullptr : &epoch, &step));
      }
      case 18:
        return require_error_info(
            [&](hotpack_error_info* into) { return hotpack_loader_error_info(loader, into); });
      default:
        return init_options();
    }
  }

  void take_batch(hotpack_loader* loader) {
    auto*& batch = pick(batches_);
    hotpack_batch_release(batch);
    batch = nullptr;
    const hotpack_status status =
        hotpack_loader_next_timeout(loader, 1 + pieces_.byte() % 20, &batch);
    require_status(status);
    fuzz::require((status == HOTPACK_OK) == (batch != nullptr),
                  "a batch is given just where the status is OK");
  }

  void copy_batch(hotpack_loader* loader) {
    hotpack_batch_buffers buffers{};
    hotpack_batch_info info{};
    std::int64_t samples[64];
    hotpack_crop crops[64];
    const std::uint64_t rows = hotpack_loader_batch_size(loader);
    buffers.image = room();
    buffers.image_bytes = room_bytes();
    buffers.label = buffers.image == nullptr ? nullptr : second_.data();
    buffers.label_bytes = kBufferBytes;
    if (rows <= 64 && pieces_.byte() % 2 == 0) buffers.indices = samples, buffers.crops = crops;
    const hotpack_batch_buffers* given = shaped(buffers);
    require_status(hotpack_loader_next_into(loader, given, shaped(info)));
  }

  void save_state(hotpack_loader* loader) {
    char text[1024];
    std::size_t length = 0;
    const hotpack_status status =
        hotpack_loader_state(loader, text, room_bytes() % sizeof text, &length);
    require_status(status);
    if (status == HOTPACK_OK) state_.assign(text, length);
  }

  void init_options() {
    hotpack_loader_options options{};
    const std::size_t size =
        pieces_.byte() % 2 == 0 ? sizeof options : number() % (sizeof options + 1);
    const std::vector<std::uint8_t> behind(sizeof options - size, 0xA5);
    std::memset(reinterpret_cast<std::uint8_t*>(&options) + size, 0xA5, behind.size());
    require_status(hotpack_loader_options_init(pieces_.byte() == 0 ? nullptr : &options, size));
    const auto* end = reinterpret_cast<const std::uint8_t*>(&options) + size;
    fuzz::require(std::equal(behind.begin(), behind.end(), end),
                  "nothing is written behind a struct's size");
  }

  void call_batch(unsigned kind) {
    auto*& batch = pick(batches_);
    hotpack_batch_info info{};
    switch (kind % 7) {
      case 0:
        hotpack_batch_release(batch);
        batch = nullptr;
        return;
      case 1:
        return require_status(hotpack_batch_describe(batch, shaped(info)));
      case 2:
        return require_text(hotpack_batch_key(batch, number()));
      case 3:
        require_status(hotpack_batch_describe(batch, nullptr));
        return;
      case 6:
        return share(batch);
      default:
        return touch(batch);
    }
  }

  void share(const hotpack_batch* batch) {
    hotpack_batch* copy = nullptr;
    require_status(hotpack_batch_share(batch, &copy));
    fuzz::require((batch == nullptr) == (copy == nullptr), "a batch gives a second handle");
    auto*& place = pick(batches_);
    hotpack_batch_release(place);
    place = copy;
  }

  // Reads every byte of a batch.
  static void touch(const hotpack_batch* batch) {
    hotpack_batch_info info{};
    info.struct_size = sizeof info;
    if (hotpack_batch_describe(batch, &info) != HOTPACK_OK) return;
    const std::int64_t* samples = hotpack_batch_indices(batch);
    const hotpack_crop* crops = hotpack_batch_crops(batch);
    volatile std::uint64_t sum = 0;
    for (const hotpack_field* field : {&info.image, &info.label})
      for (std::uint64_t i = 0; i < field->bytes; ++i)
        sum = sum + static_cast<const std::uint8_t*>(field->data)[i];
    for (std::uint64_t row = 0; row < info.batch_size; ++row) {
      fuzz::require((samples[row] >= 0) == (row < info.num_valid),
                    "rows that hold a sample are the first ones");
      sum = sum + static_cast<std::uint64_t>(crops[row].width);
      require_text(hotpack_batch_key(batch, row));
    }
  }

  static const Folders& folders() {
    static const Folders made;
    return made;
  }

  fuzz::Pieces pieces_;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> second_ = std::vector<std::uint8_t>(kBufferBytes);
  std::string state_ = "{}";
  hotpack_dataset* datasets_[kHandles] = {};
  hotpack_loader* loaders_[kHandles] = {};
  hotpack_batch* batches_[kHandles] = {};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Program(data, size).run();
  return 0;
}
