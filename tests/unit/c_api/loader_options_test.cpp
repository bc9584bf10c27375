#include "c_api/loader_options.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "c_api/user_memory.hpp"
#include "hotpack/hotpack.h"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

namespace {

// The message of the refusal of changed defaults.
template <class Change>
std::string refusal(const Change& change) {
  hotpack_loader_options options = default_options();
  change(options);
  const auto read = loader_options(options);
  if (read.ok()) return "accepted";
  CHECK(read.error().code == ErrorCode::usage);
  return read.error().message;
}

template <class Change>
LoaderOptions accepted(const Change& change) {
  hotpack_loader_options options = default_options();
  change(options);
  return loader_options(options).value();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void* give_aligned(void* user, std::size_t bytes) {
  ++*static_cast<int*>(user);
  return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
}
void take_back(void* user, void* memory, std::size_t) {
  --*static_cast<int*>(user);
  std::free(memory);
}
alignas(64) std::byte odd_memory[128];
void* give_odd(void* user, std::size_t) {
  ++*static_cast<int*>(user);
  return odd_memory + 8;
}
void take_odd(void* user, void*, std::size_t) { --*static_cast<int*>(user); }
void* give_nothing(void*, std::size_t) { return nullptr; }

}  // namespace

TEST_CASE("an error names the option that is wrong") {
  const auto wrong = [](const auto& change) {
    hotpack_loader_options options = default_options();
    change(options);
    return loader_options(options).error().option;
  };
  CHECK(wrong([](auto& options) { options.shuffle = 9; }) == "shuffle");
  CHECK(wrong([](auto& options) { options.crop_width = 9; }) == "crop_width");
  CHECK(wrong([](auto& options) { options.timeout_ms = -1; }) == "timeout_ms");
}

TEST_CASE("loader options have the defaults of C++") {
  const LoaderOptions own;
  const LoaderOptions read = loader_options(default_options()).value();
  CHECK(read.global_batch_size == own.global_batch_size);
  CHECK(read.seed == own.seed);
  CHECK(read.epoch == own.epoch);
  CHECK(read.rank == own.rank);
  CHECK(read.world_size == own.world_size);
  CHECK(read.last_batch == own.last_batch);
  CHECK(read.shuffle == own.shuffle);
  CHECK(read.block_samples == own.block_samples);
  CHECK(read.window_blocks == own.window_blocks);
  CHECK(read.image == own.image);
  CHECK(read.label == own.label);
  CHECK(read.content == own.content);
  CHECK(read.augment == own.augment);
  CHECK(read.pad_to == own.pad_to);
  CHECK(read.threads == own.threads);
  CHECK(read.prefetch_batches == own.prefetch_batches);
  CHECK(read.verify_checksums == own.verify_checksums);
  CHECK(read.access == own.access);
  CHECK(read.timeout == own.timeout);
  CHECK(read.memory_budget_bytes == own.memory_budget_bytes);
  CHECK(read.allocator == nullptr);
  CHECK_FALSE(read.resume.has_value());
}

TEST_CASE("init writes the defaults within the given size") {
  hotpack_loader_options options;
  std::memset(&options, 0xEE, sizeof options);
  REQUIRE(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  const hotpack_loader_options expected = default_options();
  CHECK(std::memcmp(&options, &expected, sizeof options) == 0);

  std::memset(&options, 0xEE, sizeof options);
  REQUIRE(hotpack_loader_options_init(&options, offsetof(hotpack_loader_options, seed)) ==
          HOTPACK_OK);
  CHECK(options.struct_size == offsetof(hotpack_loader_options, seed));
  CHECK(options.global_batch_size == 0);
  CHECK(options.seed == 0xEEEEEEEEEEEEEEEE);

  CHECK(hotpack_loader_options_init(nullptr, sizeof options) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_options_init(&options, 0) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_options_init(&options, 1 << 20) == HOTPACK_ERROR_USAGE);
  std::memset(&options, 0xEE, sizeof options);
  CHECK(hotpack_loader_options_init(&options, offsetof(hotpack_loader_options, seed) + 1) ==
        HOTPACK_ERROR_USAGE);
  CHECK(options.struct_size == 0xEEEEEEEEEEEEEEEE);
}

TEST_CASE("order, ranks and resources are passed on") {
  const LoaderOptions read = accepted([](hotpack_loader_options& options) {
    options.global_batch_size = 12;
    options.seed = 7;
    options.epoch = 3;
    options.rank = 1;
    options.world_size = 2;
    options.last_batch = HOTPACK_LAST_BATCH_KEEP;
    options.shuffle = HOTPACK_SHUFFLE_BLOCK;
    options.block_samples = 64;
    options.window_blocks = 8;
    options.threads = 5;
    options.prefetch_batches = 9;
    options.verify_checksums = HOTPACK_VERIFY_NEVER;
    options.access = HOTPACK_ACCESS_READ;
    options.timeout_ms = 1500;
    options.memory_budget_bytes = 1 << 30;
  });
  CHECK(read.global_batch_size == 12);
  CHECK(read.seed == 7);
  CHECK(read.epoch == 3);
  CHECK(read.rank == 1);
  CHECK(read.world_size == 2);
  CHECK(read.last_batch == LastBatch::keep);
  CHECK(read.shuffle == Shuffle::block);
  CHECK(read.block_samples == 64);
  CHECK(read.window_blocks == 8);
  CHECK(read.threads == 5);
  CHECK(read.prefetch_batches == 9);
  CHECK(read.verify_checksums == VerifyChecksums::never);
  CHECK(read.access == FileAccess::read);
  CHECK(read.timeout == std::chrono::milliseconds(1500));
  CHECK(read.memory_budget_bytes == 1 << 30);
}

TEST_CASE("the form of batches is passed on") {
  const float mean[] = {0.1f, 0.2f, 0.3f}, std[] = {1, 2, 3};
  const LoaderOptions read = accepted([&](hotpack_loader_options& options) {
    options.image_dtype = HOTPACK_DTYPE_BF16;
    options.image_layout = HOTPACK_CHANNELS_FIRST;
    options.image_mean = mean;
    options.image_std = std;
    options.image_channels = 3;
    options.label_form = HOTPACK_FORM_ONE_HOT;
    options.label_dtype = HOTPACK_DTYPE_F16;
    options.label_layout = HOTPACK_CHANNELS_FIRST;
    options.label_ignore_channel = 1;
    options.content = HOTPACK_CONTENT_PACKED;
  });
  CHECK(read.image ==
        ImageOutput{ElementType::bf16, AxisOrder::channels_first, {0.1f, 0.2f, 0.3f}, {1, 2, 3}});
  CHECK(read.label == LabelOutput{LabelForm::one_hot, ElementType::f16, AxisOrder::channels_first,
                                  true, std::nullopt});
  CHECK(read.content == BatchContent::packed);
  for (const int index : {-1, 0}) {
    const auto ignoring = accepted([index](hotpack_loader_options& options) {
      options.label_has_ignore_index = 1;
      options.label_ignore_index = index;
    });
    CHECK(ignoring.label.ignore_index == index);
  }
}

TEST_CASE("augmentation is passed on") {
  const auto cropped = [](std::int32_t kind) {
    return accepted([kind](hotpack_loader_options& options) {
      options.horizontal_flip = 0.5;
      options.vertical_flip = 0.25;
      options.crop = kind;
      options.crop_width = 4;
      options.crop_height = 3;
      if (kind == HOTPACK_CROP_RESIZED) options.max_ratio = 2;
    });
  };
  const Augment random = cropped(HOTPACK_CROP_RANDOM).augment;
  CHECK(random.horizontal_flip == 0.5);
  CHECK(random.vertical_flip == 0.25);
  CHECK(random.crop == Crop{{4, 3}, true});
  CHECK_FALSE(random.resized_crop.has_value());
  CHECK(cropped(HOTPACK_CROP_CENTER).augment.crop == Crop{{4, 3}, false});
  CHECK(cropped(HOTPACK_CROP_RESIZED).augment.resized_crop ==
        ResizedCrop{{4, 3}, 0.08, 1, 0.75, 2});
  const auto padded = accepted([](hotpack_loader_options& options) {
    options.pad_width = 8;
    options.pad_height = 6;
  });
  CHECK(padded.pad_to == PixelSize{8, 6});
}

TEST_CASE("an unknown number is refused by its option's name") {
  using Options = hotpack_loader_options;
  CHECK(has(refusal([](Options& options) { options.last_batch = 4; }), "last_batch is 4"));
  CHECK(has(refusal([](Options& options) { options.shuffle = -1; }), "shuffle is -1"));
  CHECK(has(refusal([](Options& options) { options.image_dtype = 8; }), "image_dtype is 8"));
  CHECK(has(refusal([](Options& options) { options.image_layout = 2; }), "image_layout is 2"));
  CHECK(has(refusal([](Options& options) { options.label_form = 3; }), "label_form is 3"));
  CHECK(has(refusal([](Options& options) { options.label_dtype = 99; }), "label_dtype is 99"));
  CHECK(has(refusal([](Options& options) { options.label_layout = 2; }), "label_layout is 2"));
  CHECK(has(refusal([](Options& options) { options.label_ignore_channel = 2; }),
            "label_ignore_channel is 2"));
  CHECK(has(refusal([](Options& options) { options.label_has_ignore_index = 2; }),
            "label_has_ignore_index is 2"));
  CHECK(has(refusal([](Options& options) { options.content = 2; }), "content is 2"));
  CHECK(has(refusal([](Options& options) { options.crop = 4; }), "crop is 4"));
  CHECK(has(refusal([](Options& options) { options.verify_checksums = 3; }),
            "verify_checksums is 3"));
  CHECK(has(refusal([](Options& options) { options.access = 2; }), "access is 2"));
  CHECK(has(refusal([](Options& options) { options.timeout_ms = -1; }), "timeout_ms is -1"));
  CHECK(has(refusal([](Options& options) { options.reserved = 1; }), "reserved"));
}

TEST_CASE("halves of a pair are refused") {
  static const float numbers[] = {1, 2, 3};
  CHECK(has(refusal([](hotpack_loader_options& options) { options.image_mean = numbers; }),
            "one of image_mean and image_std is NULL"));
  const auto without_count = [](hotpack_loader_options& options) {
    options.image_mean = options.image_std = numbers;
  };
  CHECK(has(refusal(without_count), "image_channels is 0"));
  CHECK(has(refusal([](hotpack_loader_options& options) { options.allocate = give_nothing; }),
            "one of allocate and free is NULL"));
  CHECK(has(refusal([](hotpack_loader_options& options) { options.free = take_odd; }),
            "one of allocate and free is NULL"));
}

TEST_CASE("an option without the one that it belongs to is refused") {
  using Options = hotpack_loader_options;
  CHECK(has(refusal([](Options& options) { options.image_channels = 3; }),
            "image_channels is set without image_mean"));
  CHECK(has(refusal([](Options& options) { options.label_ignore_index = 9; }),
            "label_ignore_index is set without label_has_ignore_index"));
  CHECK(has(refusal([](Options& options) { options.crop_width = 4; }),
            "crop_width is set without crop"));
  CHECK(has(refusal([](Options& options) { options.crop_height = 4; }),
            "crop_height is set without crop"));
  CHECK(has(refusal([](Options& options) { options.pad_width = 4; }),
            "pad_width is set without pad_height"));
  CHECK(has(refusal([](Options& options) { options.pad_height = 4; }),
            "pad_height is set without pad_width"));
  CHECK(has(refusal([](Options& options) { options.allocator_user = &options; }),
            "allocator_user is set without allocate and free"));
  for (double Options::*bound :
       {&Options::min_area, &Options::max_area, &Options::min_ratio, &Options::max_ratio}) {
    const auto random_crop = [bound](Options& options) {
      options.crop = HOTPACK_CROP_RANDOM;
      options.crop_width = options.crop_height = 4;
      options.*bound = 0.9;
    };
    CHECK(has(refusal(random_crop), "is set without HOTPACK_CROP_RESIZED"));
    CHECK(has(refusal([bound](Options& options) { options.*bound = 0.9; }),
              "is set without HOTPACK_CROP_RESIZED"));
  }
}

TEST_CASE("a time beyond the clock becomes a long one") {
  CHECK(milliseconds(INT64_MAX).value() > std::chrono::hours(24 * 365));
  CHECK(milliseconds(INT64_MAX).value() < std::chrono::hours(24 * 365 * 50));
}

TEST_CASE("slot memory comes from and returns to the caller's functions") {
  int blocks = 0;
  const auto with = [&](hotpack_allocate_function allocate, hotpack_free_function free) {
    return accepted([&](hotpack_loader_options& options) {
      options.allocate = allocate;
      options.free = free;
      options.allocator_user = &blocks;
    });
  };
  {
    const auto allocator = with(give_aligned, take_back).allocator;
    std::byte* const memory = allocator->allocate(1000).value();
    CHECK(blocks == 1);
    allocator->release(memory, 1000);
    CHECK(blocks == 0);
  }
  CHECK(with(give_nothing, take_back).allocator->allocate(1000).error().code == ErrorCode::io);
  const auto odd = with(give_odd, take_odd).allocator->allocate(64);
  CHECK(odd.error().code == ErrorCode::usage);
  CHECK(blocks == 0);
}

TEST_CASE("the caller's functions are not called after the last holder") {
  int blocks = 0;
  const auto memory = std::make_shared<UserMemory>(give_aligned, take_back, &blocks);
  auto held = UserMemory::hold(memory);
  auto held_too = held;
  std::byte* const early = memory->allocate(64).value();
  std::byte* const late = memory->allocate(64).value();
  held.reset();
  memory->release(early, 64);
  CHECK(blocks == 1);
  held_too.reset();
  memory->release(late, 64);  // as a thread does that was left behind
  CHECK(blocks == 1);
  CHECK(memory->allocate(64).error().code == ErrorCode::usage);
  CHECK(blocks == 1);
  std::free(late);
}

TEST_CASE("a malformed resume text is refused") {
  const std::string refused =
      refusal([](hotpack_loader_options& options) { options.resume = "nonsense"; });
  CHECK(refused != "accepted");
}
