// Draws packs and options of loaders, for tests that compare the batches of two loaders.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

#include "hotpack/loader.hpp"
#include "support/forms.hpp"

namespace hotpack::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  float number() { return std::uniform_real_distribution<float>(-1, 1)(random_); }

 private:
  std::mt19937_64 random_;
};

// Sizes for wide and narrow loads and stores; numbers of classes at the bounds of bytes and words.
inline TinyForm draw_form(Dice& dice) {
  const auto forms = all_forms();
  TinyForm form = std::next(forms.begin(), static_cast<int>(dice.below(forms.size())))->second;
  if (form.classes == 3) form.classes = dice.of({1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 255, 256});
  if (form.size)
    form.size = dice.of({Extent{6, 5}, Extent{1, 1}, Extent{17, 1}, Extent{1, 33}, Extent{31, 29},
                         Extent{16, 8}, Extent{12, 4}, Extent{32, 24}});
  return form;
}

inline void draw_image(Dice& dice, const TinyForm& form, ImageOutput& image) {
  image.dtype = dice.of({ElementType::u8, ElementType::f32, ElementType::f16, ElementType::bf16});
  image.layout = dice.of({AxisOrder::channels_first, AxisOrder::channels_last});
  if (image.dtype == ElementType::u8 || dice.one_in(3)) return;
  for (int c = 0; c < (form.color == ImageColor::rgb ? 3 : 1); ++c) {
    image.mean.push_back(dice.number());
    image.std.push_back(dice.number() + 1e-3f);
  }
}

inline void draw_label(Dice& dice, const TinyForm& form, LabelOutput& label) {
  if (!form.labeled) return;
  label.form = dice.of({LabelForm::ids, LabelForm::one_hot, LabelForm::bits});
  if (form.multi && label.form == LabelForm::ids) label.form = LabelForm::one_hot;
  if (label.form == LabelForm::ids) {
    const bool is_wide = form.classes > 255;
    label.dtype =
        is_wide ? dice.of({ElementType::u16, ElementType::i32, ElementType::i64})
                : dice.of({ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64});
    if (dice.one_in(2)) label.ignore_index = is_wide ? 500 : 251;
  }
  if (label.form != LabelForm::one_hot) return;
  label.dtype = dice.of({ElementType::u8, ElementType::f32, ElementType::f16, ElementType::bf16});
  label.layout = dice.of({AxisOrder::channels_first, AxisOrder::channels_last});
  label.ignore_channel = dice.one_in(2);
}

// A crop, a resampled crop or padding of some size, or none.
inline void draw_windows(Dice& dice, const TinyForm& form, LoaderOptions& options) {
  options.augment.horizontal_flip = dice.of({0.0, 0.5, 1.0});
  options.augment.vertical_flip = dice.of({0.0, 0.5});
  const auto side = [&dice] { return static_cast<std::int64_t>(1 + dice.below(12)); };
  switch (dice.below(5)) {
    case 0:
      options.augment.crop = Crop{{side(), side()}, dice.one_in(2)};
      break;
    case 1:
      options.augment.resized_crop = ResizedCrop{{side(), side()}, 0.05};
      break;
    case 2:
      // half the size of the record: the mean of four pixels
      if (form.size)
        options.augment.resized_crop =
            ResizedCrop{{form.size->width / 2, form.size->height / 2}, 1, 1, 0.25, 4};
      break;
    case 3:
      options.pad_to = PixelSize{16 + side(), 16 + side()};
      break;
    default:
      break;
  }
  const bool one_size =
      form.size || options.augment.crop || options.augment.resized_crop || options.pad_to;
  options.world_size = dice.of({1U, 1U, 2U, 3U});
  options.rank = dice.below(options.world_size);
  options.global_batch_size = one_size ? options.world_size + dice.below(6) : options.world_size;
}

inline LoaderOptions draw_options(Dice& dice, const TinyForm& form) {
  LoaderOptions options;
  draw_image(dice, form, options.image);
  draw_label(dice, form, options.label);
  draw_windows(dice, form, options);
  options.seed = dice.below(100);
  options.shuffle = dice.of({Shuffle::full, Shuffle::block, Shuffle::none});
  options.block_samples = 3;
  options.window_blocks = 2;
  options.last_batch = dice.of({LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep});
  options.threads = dice.of({1U, 2U, 5U});
  options.prefetch_batches = static_cast<unsigned>(2 + dice.below(3));
  options.verify_checksums = dice.of({VerifyChecksums::first_read, VerifyChecksums::always});
  options.access = dice.of({FileAccess::map, FileAccess::read});
  return options;
}

}  // namespace hotpack::test
