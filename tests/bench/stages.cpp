// Each stage of packing by itself, next to its ceiling: what the program at the limit does for the
// same stage, or a copy.
//
//   stages INPUTS [--benchmark_…]     INPUTS: the folder that bench_inputs.stage_inputs() makes
//
// Benchmarks are named STAGE/hotpack and STAGE/ceiling. The environment variable
// HOTPACK_BENCH_SLOWER=STAGE makes hotpack's part of that stage 10 % slower, to prove that
// compare_stages.py notices it. scripts/bench builds and runs this program.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <zstd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/pixels.hpp"
#include "codecs/decoder.hpp"
#include "format/sums.hpp"
#include "geometry/resample.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "labels/one_hot.hpp"
#include "limit/decode.hpp"
#include "limit/labels.hpp"
#include "limit/resize.hpp"
#include "limit/sums.hpp"
#include "pack/channel_sums.hpp"
#include "pack/record_label.hpp"
#include "writer/frame_compressor.hpp"

namespace {

using namespace hotpack;

constexpr int kSide = 512;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;

template <class T>
T check(Result<T> result) {
  return std::move(result).value();
}

// ---- inputs ----

class InputFile {
 public:
  explicit InputFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    size_ = bytes_.size();
    if (size_ == 0) throw std::runtime_error("cannot read " + path);
    bytes_.resize(size_ + limit::kSlack);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(bytes_.data(), size_));
  }
  [[nodiscard]] limit::File plain() const {
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), size_};
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::vector<char> bytes_;
  std::size_t size_ = 0;
};

struct Inputs {
  explicit Inputs(const std::string& folder)
      : photo(folder + "/photo.png"),
        ids(folder + "/ids.png"),
        mask(folder + "/mask.png"),
        jpeg(folder + "/photo.jpg"),
        camera(folder + "/camera.jpg"),
        picked(folder + "/class.jpg"),
        classes(folder + "/classes.csv"),
        classes_path(folder + "/classes.csv") {}

  InputFile photo, ids, mask;  // 480x360: an image, and its label as gray ids and as colors
  InputFile jpeg;              // the same image
  InputFile camera;            // 4000x3000
  InputFile picked;            // about 500x375
  InputFile classes;
  std::string classes_path;
};

// Memory for `count` items and slack that lies alike in each run of this program, which would
// otherwise be fast in some runs and slow in others: in large pages, if the system has them.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) : count_(count) {
    constexpr std::size_t kLargePage = std::size_t{1} << 21;
    const std::size_t bytes =
        (count * sizeof(T) + limit::kSlack + kLargePage - 1) / kLargePage * kLargePage;
    items_.reset(static_cast<T*>(std::aligned_alloc(kLargePage, bytes)));
    if (!items_) throw std::bad_alloc();
    ::madvise(items_.get(), bytes, MADV_HUGEPAGE);
    std::memset(static_cast<void*>(items_.get()), 0, bytes);
  }
  [[nodiscard]] T* data() const { return items_.get(); }
  [[nodiscard]] std::span<T> items() const { return {items_.get(), count_}; }

 private:
  struct Free {
    void operator()(T* items) const { std::free(items); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> items_;
};

// A decoded image that stays valid, for both programs.
class Decoded {
 public:
  Decoded(const InputFile& file) {
    pixels = check(decoder_.decode_image(file.bytes(), {}));
    // The program at the limit reads beyond rows.
    image = limit::image_in(room_, pixels.width, pixels.height, pixels.channels);
    for (int y = 0; y < pixels.height; ++y)
      std::memcpy(image.row(y), pixels.row(y), image.row_samples());
  }
  ConstPixels pixels;
  limit::Image image;

 private:
  codecs::Decoder decoder_;
  limit::Room room_;
};

// ---- registration ----

using Work = std::function<void()>;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The same work, which takes 10 % longer: brief work is repeated in every tenth call, because
// reading the clock takes time, too; longer work is followed by waiting.
Work slowed(Work work) {
  constexpr double kBrief = 100e-6;
  work();
  const double began = processor_seconds();
  work();
  if (processor_seconds() - began < kBrief)
    return [work = std::move(work), count = 0]() mutable {
      work();
      if (++count % 10 == 0) work();
    };
  return [work = std::move(work)] {
    const double start = processor_seconds();
    work();
    const double end = start + 1.1 * (processor_seconds() - start);
    while (processor_seconds() < end) continue;
  };
}

void add(const std::string& name, std::size_t bytes, Work work) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) work();
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) *
                            static_cast<std::int64_t>(state.iterations()));
  });
}

// `bytes`: what one call writes, or reads if it writes nothing.
void add_stage(const std::string& stage, std::size_t bytes, const Work& hotpack,
               const Work& ceiling) {
  const char* const slower = std::getenv("HOTPACK_BENCH_SLOWER");
  add(stage + "/hotpack", bytes, slower != nullptr && slower == stage ? slowed(hotpack) : hotpack);
  add(stage + "/ceiling", bytes, ceiling);
}

// Keeps what the stages use until the program ends.
class Keeper {
 public:
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    kept_.push_back(made);
    return *made;
  }

 private:
  std::deque<std::shared_ptr<void>> kept_;
};

Work copy(Keeper& keeper, std::size_t bytes) {
  auto& from = keeper.make<Memory<char>>(bytes);
  auto& to = keeper.make<Memory<char>>(bytes);
  return [&from, &to, bytes] {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  };
}

// ---- stages ----

void add_decoding(const Inputs& inputs, Keeper& keeper) {
  auto& decoder = keeper.make<codecs::Decoder>();
  auto& limit = keeper.make<limit::Decoder>();
  const std::size_t bytes = std::size_t{480} * 360;
  const auto image = [&](const InputFile& file) {
    return [&] { benchmark::DoNotOptimize(check(decoder.decode_image(file.bytes(), {}))); };
  };
  const auto label = [&](const InputFile& file) {
    return
        [&] { benchmark::DoNotOptimize(check(decoder.decode_label(file.bytes(), kPixels)).width); };
  };
  const auto png = [&](const InputFile& file, limit::Inflater inflater) {
    return [&, inflater] { benchmark::DoNotOptimize(limit.png(file.plain(), inflater)); };
  };
  add_stage("png_photo", 3 * bytes, image(inputs.photo), png(inputs.photo, limit::Inflater::isal));
  add_stage("png_ids", bytes, label(inputs.ids), png(inputs.ids, limit::Inflater::libdeflate));
  add_stage("png_mask", 3 * bytes, label(inputs.mask),
            png(inputs.mask, limit::Inflater::libdeflate));
  add_stage("jpeg", 3 * bytes, image(inputs.jpeg),
            [&] { benchmark::DoNotOptimize(limit.jpeg(inputs.jpeg.plain(), {})); });
}

void add_resizing(const Inputs& inputs, Keeper& keeper) {
  auto& resampler = keeper.make<geometry::Resampler>();
  auto& limit = keeper.make<limit::Resizer>();
  auto& record = keeper.make<Memory<std::uint8_t>>(3 * kPixels);
  const auto add_filter = [&](const std::string& stage, const Decoded& image, int side,
                              ImageFilter filter) {
    const MutablePixels out{record.data(), side, side, 3, 3 * static_cast<std::size_t>(side)};
    add_stage(
        stage, out.row_bytes * static_cast<std::size_t>(side),
        [=, &resampler, &image] {
          constexpr std::array<std::uint8_t, 3> kBlack{};
          if (!resampler.place(image.pixels, {0, 0, side, side}, filter, kBlack.data(), out).ok())
            std::abort();
        },
        [=, &limit, &image] { limit.resize(image.image, side, side, out.data); });
  };
  const Decoded& photo = keeper.make<Decoded>(inputs.photo);
  const Decoded& camera = keeper.make<Decoded>(inputs.camera);
  const Decoded& picked = keeper.make<Decoded>(inputs.picked);
  add_filter("resize_linear", photo, kSide, ImageFilter::linear);
  add_filter("resize_area_camera", camera, kSide, ImageFilter::area);
  add_filter("resize_area", picked, 224, ImageFilter::area);
  add_filter("resize_triangle", picked, 224, ImageFilter::triangle);  // its ceiling is area
}

// A label as the decoder gives it, and the ids of its pixels.
struct Label {
  Label(const InputFile& file, const labels::LabelDecoder& rules) {
    raw = check(decoder.decode_label(file.bytes(), kPixels));
    ids.emplace(static_cast<std::size_t>(raw.width) * static_cast<std::size_t>(raw.height));
    decode(rules);
  }
  [[nodiscard]] MutableIds plane() {
    return {ids->data(), raw.width, raw.height, 1, 2 * static_cast<std::size_t>(raw.width)};
  }
  void decode(const labels::LabelDecoder& rules) {
    if (!rules.decode(raw, plane(), report).ok()) std::abort();
  }
  codecs::Decoder decoder;
  RawLabel raw;
  std::optional<Memory<std::uint16_t>> ids;
  labels::DecodeReport report;
};

labels::LabelDecoder& decoder_of(Keeper& keeper, const labels::ClassTable& table, LabelKind kind) {
  labels::LabelRules rules;
  rules.kind = kind;
  rules.unknown.kind = labels::UnknownPolicy::Kind::ignore;
  return keeper.make<labels::LabelDecoder>(check(labels::LabelDecoder::create(table, rules)));
}

void add_labels(const Inputs& inputs, Keeper& keeper) {
  const auto table = check(labels::parse_class_file(inputs.classes.text(), inputs.classes_path));
  const std::size_t class_count = table.classes.size();
  const auto& by_id = decoder_of(keeper, table, LabelKind::index);
  const auto& by_color = decoder_of(keeper, table, LabelKind::color);
  auto& gray = keeper.make<Label>(inputs.ids, by_id);
  auto& colors = keeper.make<Label>(inputs.mask, by_color);
  const std::size_t source_bytes = gray.ids->items().size_bytes();
  auto& limit = keeper.make<limit::Labeler>(limit::read_colors(inputs.classes_path), class_count,
                                            limit::Storage::index);
  auto& limit_ids = keeper.make<Memory<std::uint8_t>>(kPixels);
  auto& mask = keeper.make<Decoded>(inputs.mask);
  auto& ids = keeper.make<Decoded>(inputs.ids);
  // The ids as a gray image, which Decoded replicates to three channels.
  auto& gray_ids = keeper.make<limit::Image>();
  auto& gray_room = keeper.make<limit::Room>();
  gray_ids = limit::image_in(gray_room, ids.image.width, ids.image.height, 1);
  for (int y = 0; y < gray_ids.height; ++y)
    for (int x = 0; x < gray_ids.width; ++x) gray_ids.row(y)[x] = ids.image.row(y)[3 * x];

  add_stage(
      "map_ids", source_bytes, [&] { gray.decode(by_id); }, copy(keeper, source_bytes));
  add_stage(
      "map_colors", source_bytes, [&] { colors.decode(by_color); },
      [&] {
        for (int y = 0; y < mask.image.height; ++y)
          limit.ids_of_colors(mask.image.row(y), mask.image.width, limit_ids.data());
        benchmark::ClobberMemory();
      });

  const auto add_storage = [&](const std::string& stage, LabelStorage storage,
                               limit::Storage limit_storage) {
    const auto bytes =
        static_cast<std::size_t>(labels::encoded_bytes(storage, kPixels, class_count));
    auto& record = keeper.make<pipeline::RecordLabel>(storage, class_count, LabelFilter::nearest,
                                                      labels::kIgnored);
    auto& labeler =
        keeper.make<limit::Labeler>(std::vector<limit::Color>(), class_count, limit_storage);
    auto& limit_record = keeper.make<Memory<std::uint8_t>>(bytes);
    auto& counts = keeper.make<std::array<std::uint64_t, 16>>();
    add_stage(
        stage, bytes,
        [&gray, &record] {
          record.make(gray.plane(), {0, 0, kSide, kSide}, {kSide, kSide});
          benchmark::DoNotOptimize(record.crc());
        },
        [&, bytes] {
          labeler.convert(gray_ids, kSide, kSide, limit_record.data(), counts);
          benchmark::DoNotOptimize(limit::crc32c(limit_record.data(), bytes));
        });
  };
  add_storage("label_index", LabelStorage::index, limit::Storage::index);
  add_storage("label_bits", LabelStorage::bits, limit::Storage::bits);
  add_storage("label_one_hot", LabelStorage::one_hot, limit::Storage::one_hot);
}

void add_sums(const Inputs& inputs, Keeper& keeper) {
  auto& record = keeper.make<Memory<std::uint8_t>>(3 * kPixels);
  const Decoded& photo = keeper.make<Decoded>(inputs.photo);
  keeper.make<limit::Resizer>().resize(photo.image, kSide, kSide, record.data());
  const ConstPixels image{record.data(), kSide, kSide, 3, 3 * std::size_t{kSide}};
  constexpr std::size_t bytes = 3 * kPixels;
  add_stage(
      "channel_sums", bytes,
      [image] {
        format::Sums sums(3, 0);
        pipeline::add_channel_sums(image, {0, 0, kSide, kSide}, sums);
        benchmark::DoNotOptimize(sums.pixels_counted);
      },
      [image] {
        limit::ChannelSums sums;
        limit::add_channel_sums(image.data, bytes, sums);
        benchmark::DoNotOptimize(sums);
      });
  const std::span<const std::byte> all(reinterpret_cast<const std::byte*>(record.data()), bytes);
  add_stage(
      "crc32c", bytes, [all] { benchmark::DoNotOptimize(crc32c(all)); },
      [image] { benchmark::DoNotOptimize(limit::crc32c(image.data, bytes)); });
  const std::span<const std::byte> file = inputs.photo.bytes();
  add_stage(
      "source_hash", file.size(), [file] { benchmark::DoNotOptimize(xxh3_64(file)); },
      copy(keeper, file.size()));

  auto& compressor = keeper.make<writer::FrameCompressor>(1);
  auto& frame = keeper.make<std::vector<std::byte>>();
  auto& room = keeper.make<std::vector<char>>(ZSTD_compressBound(bytes));
  const std::shared_ptr<ZSTD_CCtx> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  add_stage(
      "zstd_image", bytes,
      [all, &compressor, &frame] {
        if (!compressor.compress(all, frame).ok()) std::abort();
      },
      [all, context, &room] {
        ZSTD_compressCCtx(context.get(), room.data(), room.size(), all.data(), all.size(), 1);
      });
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) throw std::runtime_error("usage: stages INPUTS [--benchmark_…]");
  const Inputs inputs(argv[1]);
  Keeper keeper;
  add_decoding(inputs, keeper);
  add_resizing(inputs, keeper);
  add_labels(inputs, keeper);
  add_sums(inputs, keeper);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "stages: %s\n", failure.what());
  return 1;
}
