// The Loader and plain loops in one process, for loader_compare.py: each on request for some
// seconds, so that programs can take turns.
//
//   loader_speed serve PACK BATCH        answers lines on stdin, see serve()
//   loader_speed order PACK BATCH        the samples of the first batch, one per line
//   loader_speed first PACK BATCH        CLOCK_MONOTONIC in ns when the first batch of image and
//                                        label was there
//   loader_speed plain-first LIST        the same for a program that copies what LIST says: lines
//                                        `offset bytes path`
//   loader_speed steady PACK BATCH       memory, threads and descriptors after epochs, early breaks
//                                        and more epochs
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "loader_ceiling.h"

namespace {

using namespace hotpack;

constexpr unsigned kSlots = 3;
constexpr std::uint64_t kSeed = 7;
constexpr float kMean[] = {0.485F, 0.456F, 0.406F};
constexpr float kStd[] = {0.229F, 0.224F, 0.225F};

template <class T>
T must(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::cerr << result.error().describe() << "\n";
  std::exit(1);
}
void must(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.error().describe() << "\n";
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// ---- what is measured

struct Work {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual Work work(double seconds) = 0;
};

enum class Form { packed, plain, training };

LoaderOptions options_for(Form form, std::uint64_t batch, unsigned threads) {
  LoaderOptions options;
  options.global_batch_size = batch;
  options.seed = kSeed;
  options.threads = threads;
  options.prefetch_batches = kSlots;
  if (form == Form::packed) options.content = BatchContent::packed;
  if (form != Form::training) return options;
  options.image = {
      ElementType::f32, AxisOrder::channels_first, {kMean, kMean + 3}, {kStd, kStd + 3}};
  options.label.form = LabelForm::one_hot;
  options.label.dtype = ElementType::f32;
  options.label.layout = AxisOrder::channels_first;
  return options;
}

std::uint64_t bytes_of(const Batch& batch) {
  return batch.image().bytes.size() + batch.label().bytes.size();
}

// From the second epoch on.
class SteadyLoader : public Contestant {
 public:
  SteadyLoader(const Dataset& dataset, const LoaderOptions& options)
      : loader_(must(Loader::open(dataset, options))) {
    while (must(loader_.next())) continue;
  }
  // Microseconds of this thread for a batch, the median: taking it and letting it go. `pause`:
  // seconds of other work between two batches.
  double processor(std::size_t batches, double pause) {
    std::vector<double> spent;
    while (spent.size() < batches) {
      for (const double resumed = now() + pause; now() < resumed;) continue;
      const double began = thread_seconds();
      if (!must(loader_.next())) continue;  // the end of an epoch
      spent.push_back((thread_seconds() - began) * 1e6);
    }
    std::ranges::sort(spent);
    return spent[batches / 2];
  }
  // The clock starts when a batch has just come: what was read ahead in the pause is taken before.
  // Ends when the slots should be full again, so that the threads do not disturb who is next.
  Work work(double seconds) override {
    for (unsigned i = 0; i <= kSlots; ++i) next();
    Work done;
    unsigned batches = 0;
    const double began = now();
    do {
      const Batch batch = next();
      done.samples += batch.num_valid();
      done.bytes += bytes_of(batch);
      done.seconds = now() - began;
      ++batches;
    } while (done.seconds < seconds);
    std::this_thread::sleep_for(
        std::chrono::duration<double>(1.5 * (kSlots + 1) * done.seconds / batches));
    return done;
  }

 private:
  Batch next() {
    auto batch = must(loader_.next());
    while (!batch) batch = must(loader_.next());
    return std::move(*batch);
  }
  Loader loader_;
};

// One first epoch of a data set just opened, with its CRC check; the files are in memory.
class FirstEpoch : public Contestant {
 public:
  FirstEpoch(std::string pack, LoaderOptions options)
      : pack_(std::move(pack)), options_(std::move(options)) {}
  Work work(double) override {
    const Dataset dataset = must(Dataset::open(pack_));
    Loader loader = must(Loader::open(dataset, options_));
    Work done;
    const double began = now();
    while (const auto batch = must(loader.next())) {
      done.samples += batch->num_valid();
      done.bytes += bytes_of(*batch);
    }
    done.seconds = now() - began;
    return done;
  }

 private:
  std::string pack_;
  LoaderOptions options_;
};

// Records of epochs in the Loader's order, given to `row` with a place in `slots` batches of memory
// that are touched beforehand. Threads take rows in turn and never wait for each other.
class PlainLoop : public Contestant {
 public:
  using Row = std::function<void(const ImageView& image, const LabelView& label, std::byte* out)>;

  PlainLoop(const Dataset& dataset, std::uint64_t batch, unsigned threads, unsigned slots,
            std::uint64_t row_bytes, Row row)
      : threads_(threads), row_bytes_(row_bytes), row_(std::move(row)) {
    for (std::uint64_t number = 0; number < dataset.records(); ++number) {
      const Sample sample = must(dataset.sample(number));
      images_.push_back(must(sample.image()));
      labels_.push_back(must(sample.label()));
    }
    const std::uint64_t rows = dataset.records() / batch * batch;
    for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
      const EpochOrder order(dataset.records(), {Shuffle::full, kSeed}, epoch);
      for (std::uint64_t position = 0; position < rows; ++position)
        order_.push_back(order[position]);
    }
    rows_in_memory_ = batch * slots;
    // Memory as good as any: huge pages where the system has them.
    const std::size_t bytes = rows_in_memory_ * row_bytes;
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 1, bytes);
    memory_ = {static_cast<std::byte*>(memory),
               [bytes](std::byte* place) { ::munmap(place, bytes); }};
  }

  Work work(double seconds) override {
    std::vector<std::uint64_t> rows(threads_ * 8);  // 8: a cache line each
    std::vector<std::thread> crew;
    const double began = now();
    for (unsigned thread = 1; thread < threads_; ++thread)
      crew.emplace_back([&, thread] { rows[thread * 8] = work_alone(thread, began + seconds); });
    rows[0] = work_alone(0, began + seconds);
    for (std::thread& each : crew) each.join();
    Work done;
    done.seconds = now() - began;
    for (const std::uint64_t count : rows) done.samples += count;
    done.bytes = done.samples * row_bytes_;
    return done;
  }

 private:
  static constexpr std::uint64_t kEpochs = 4;

  std::uint64_t work_alone(unsigned thread, double until) {
    std::uint64_t rows = 0;
    for (std::uint64_t at = thread; now() < until; at += threads_, ++rows) {
      const std::uint64_t sample = order_[at % order_.size()];
      row_(images_[sample], labels_[sample], memory_.get() + at % rows_in_memory_ * row_bytes_);
    }
    return rows;
  }

  unsigned threads_;
  std::uint64_t row_bytes_;
  Row row_;
  std::vector<ImageView> images_;
  std::vector<LabelView> labels_;
  std::vector<std::uint64_t> order_;
  std::uint64_t rows_in_memory_ = 1;
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory_;
};

void copy_row(const ImageView& image, const LabelView& label, std::byte* out) {
  std::memcpy(out, image.bytes.data(), image.bytes.size());
  std::memcpy(out + image.bytes.size(), label.bytes.data(), label.bytes.size());
}

void expand_row(const ceiling_entry& entry, const ImageView& image, const LabelView& label,
                std::byte* out) {
  ceiling_row row{};
  row.image = image.bytes.data();
  row.label = label.bytes.data();
  row.label_is_bits = label.shape.storage == LabelStorage::bits ? 1 : 0;
  row.pixels = label.shape.vectors();
  row.classes = static_cast<int>(label.shape.class_count);
  row.mean = kMean;
  row.std = kStd;
  row.image_out = reinterpret_cast<float*>(out);
  row.label_out = row.image_out + 3 * row.pixels;
  entry.loop(&row);
}

// ---- serve

// Contestants by name, made when first asked for.
class Arena {
 public:
  Arena(std::string pack, std::uint64_t batch)
      : pack_(std::move(pack)), batch_(batch), dataset_(must(Dataset::open(pack_))) {}

  Contestant& contestant(const std::string& name) {
    std::unique_ptr<Contestant>& found = contestants_[name];
    if (!found) found = make(name);
    return *found;
  }

 private:
  std::unique_ptr<Contestant> make(const std::string& name) const {
    std::istringstream words(name);
    std::string kind, what;
    unsigned threads = 1;
    words >> kind >> threads >> std::ws;
    std::getline(words, what);
    if (kind == "loader")
      return std::make_unique<SteadyLoader>(dataset_, options_for(form(what), batch_, threads));
    if (kind == "first-epoch")
      return std::make_unique<FirstEpoch>(pack_, options_for(form(what), batch_, threads));
    if (kind == "memcpy") return memcpy_loop(threads, what == "ring" ? kSlots : 1);
    if (kind == "loop") return expanding_loop(threads, static_cast<std::size_t>(std::stoul(what)));
    std::cerr << "unknown: " << name << "\n";
    std::exit(2);
  }

  static Form form(const std::string& what) {
    return what == "packed" ? Form::packed : what == "plain" ? Form::plain : Form::training;
  }

  [[nodiscard]] std::unique_ptr<Contestant> memcpy_loop(unsigned threads, unsigned slots) const {
    const Sample sample = must(dataset_.sample(0));
    const std::uint64_t bytes =
        sample.image_shape().size_bytes() + sample.label_shape().size_bytes();
    return std::make_unique<PlainLoop>(dataset_, batch_, threads, slots, bytes, copy_row);
  }

  [[nodiscard]] std::unique_ptr<Contestant> expanding_loop(unsigned threads,
                                                           std::size_t number) const {
    const ceiling_entry& entry = ceiling_loops[number];
    const LabelShape label = must(dataset_.sample(0)).label_shape();
    const std::uint64_t bytes = label.vectors() * (3 + label.class_count) * sizeof(float);
    const auto row = [&entry](const ImageView& image, const LabelView& of_image, std::byte* out) {
      expand_row(entry, image, of_image, out);
    };
    return std::make_unique<PlainLoop>(dataset_, batch_, threads, 1, bytes, row);
  }

  std::string pack_;
  std::uint64_t batch_;
  Dataset dataset_;
  std::map<std::string, std::unique_ptr<Contestant>> contestants_;
};

// A line `SECONDS KIND THREADS WHAT` is answered with `SAMPLES BYTES SECONDS`; `loops` with the
// names of the plain loops; `cpu BATCHES PAUSE loader THREADS WHAT` with the processor time of the
// consuming thread a batch in microseconds. KIND and WHAT:
//   loader packed|plain|training        the Loader from the second epoch on: records, u8 + ids, f32
//                                       + one-hot f32
//   first-epoch packed|plain|training   its first epoch
//   memcpy one|ring                     into one batch of memory, or as many as the Loader has
//                                       slots
//   loop NUMBER                         plain loop to f32 + one-hot f32, into one batch of memory
int serve(const std::string& pack, std::uint64_t batch) {
  Arena arena(pack, batch);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("cpu ")) {
      std::istringstream words(line.substr(4));
      std::size_t batches = 0;
      double pause = 0;
      std::string name;
      words >> batches >> pause >> std::ws;
      std::getline(words, name);
      std::cout << dynamic_cast<SteadyLoader&>(arena.contestant(name)).processor(batches, pause);
    } else if (line == "loops") {
      for (std::size_t i = 0; i < ceiling_loop_count; ++i)
        std::cout << (i == 0 ? "" : "; ") << ceiling_loops[i].name;
    } else {
      const std::size_t space = line.find(' ');
      const Work done = arena.contestant(line.substr(space + 1)).work(std::stod(line));
      std::cout << done.samples << " " << done.bytes << " " << done.seconds;
    }
    std::cout << std::endl;
  }
  return 0;
}

// ---- the first batch

int print_order(const std::string& pack, std::uint64_t batch) {
  const Dataset dataset = must(Dataset::open(pack));
  const EpochOrder order(dataset.records(), {Shuffle::full, kSeed}, 0);
  for (std::uint64_t position = 0; position < batch; ++position)
    std::cout << order[position] << "\n";
  return 0;
}

int print_moment() {
  std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
                   .count()
            << "\n";
  return 0;
}

int first_batch(const std::string& pack, std::uint64_t batch) {
  const Dataset dataset = must(Dataset::open(pack));
  Loader loader = must(Loader::open(dataset, options_for(Form::packed, batch, 0)));
  const auto first = must(loader.next());
  return first ? print_moment() : 1;
}

int plain_first_batch(const std::string& list) {
  std::ifstream lines(list);
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::string path;
  std::vector<std::vector<char>> records;
  while (lines >> offset >> bytes >> std::ws && std::getline(lines, path)) {
    records.emplace_back(bytes);
    const int file = ::open(path.c_str(), O_RDONLY);
    if (::pread(file, records.back().data(), bytes, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes))
      return 1;
    ::close(file);
  }
  return print_moment();
}

// ---- steady state

long status_value(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  return -1;
}

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator{}) -
         1;
}

// `anonymous_kib`: memory of the process's own; pages of mapped shards belong to the page cache.
void print_usage(const char* after, const Loader& loader) {
  std::printf(
      "{\"after\": \"%s\", \"anonymous_kib\": %ld, \"slots_kib\": %llu, \"file_kib\": %ld, "
      "\"threads\": %ld, \"descriptors\": %td}\n",
      after, status_value("RssAnon"), static_cast<unsigned long long>(loader.slot_bytes() / 1024),
      status_value("RssFile"), status_value("Threads"), descriptors());
}

void run_epochs(Loader& loader, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch)
    while (must(loader.next())) continue;
}

// Slots are handed out last in, first out: a quick consumer may not need all of them, and memory
// counts once it is touched.
void touch_all_slots(Loader& loader) {
  std::vector<Batch> held;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    if (auto batch = must(loader.next())) held.push_back(std::move(*batch));
  }
}

int steady(const std::string& pack, std::uint64_t batch) {
  const Dataset dataset = must(Dataset::open(pack));
  Loader loader = must(Loader::open(dataset, options_for(Form::plain, batch, 2)));
  touch_all_slots(loader);
  run_epochs(loader, 3);
  print_usage("3 epochs", loader);
  for (std::uint64_t number = 0; number < 1000; ++number) {
    must(loader.seek(number));
    for (std::uint64_t step = 0; step <= number % 3 && step < loader.steps_per_epoch(); ++step)
      must(loader.next());
  }
  print_usage("1000 early breaks", loader);
  must(loader.seek(0));
  run_epochs(loader, 100);
  print_usage("100 more epochs", loader);
  for (int number = 0; number < 100; ++number) {
    Loader another = must(Loader::open(dataset, options_for(Form::plain, batch, 2)));
    must(another.next());
  }
  print_usage("100 more loaders", loader);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const std::uint64_t batch = argc > 3 ? std::stoull(argv[3]) : 32;
  if (what == "serve") return serve(argv[2], batch);
  if (what == "order") return print_order(argv[2], batch);
  if (what == "first") return first_batch(argv[2], batch);
  if (what == "plain-first") return plain_first_batch(argv[2]);
  if (what == "steady") return steady(argv[2], batch);
  std::cerr << "usage: loader_speed serve|order|first|steady PACK BATCH, or plain-first LIST\n";
  return 2;
}
