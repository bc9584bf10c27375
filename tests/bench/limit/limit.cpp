// The program at the limit: what hotpack's packing costs at least. It makes the records of a pack
// with everything that was found to be fast, and leaves out everything else: options, checks of
// damaged files, pairing by name, resuming. scripts/bench times it next to hotpack.
//
//   limit LABELS IMAGES FOLDER WIDTHxHEIGHT OUT [OPTION…]
//     LABELS   index    FOLDER has gray ids
//              bits, one_hot   FOLDER has RGB masks, colored as --classes FILE says (`name,r,g,b`)
//              class    the class is the rank of the image's folder; FOLDER is ignored
//     --class-count N   of gray ids
//     --threads N       (default: 1)
//     --scale           JPEGs are decoded at 1/2 … 1/8 of their size, at least twice the target
//     --bare            without sums, class counts and hashes of files
//
// OUT: all images, then all labels, then the CRC-32C of each record. Pairs by position. Prints the
// seconds that the work took: on the clock, and of the processor.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "limit/decode.hpp"
#include "limit/image.hpp"
#include "limit/labels.hpp"
#include "limit/resize.hpp"
#include "limit/sums.hpp"

namespace limit {
namespace {

struct Job {
  std::string kind, out;
  std::vector<std::string> images, labels;
  std::vector<std::uint8_t> classes;  // of images, by folder
  int width = 0, height = 0, threads = 1;
  std::string colors;
  std::size_t class_count = 0;
  bool scale = false, bare = false;

  [[nodiscard]] std::size_t image_bytes() const {
    return 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

// Keeps its buffer from file to file.
class FileReader {
 public:
  File read(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::runtime_error("cannot open " + path);
    std::size_t size = 0;
    for (bool more = true; more;) {
      if (bytes_.size() < size + kStep) bytes_.resize(2 * bytes_.size() + kStep);
      const ssize_t got = ::read(file, bytes_.data() + size, bytes_.size() - size - kSlack);
      if (got < 0) throw std::runtime_error("cannot read " + path);
      size += static_cast<std::size_t>(got);
      more = size == bytes_.size() - kSlack;  // a shorter read ends a regular file
    }
    ::close(file);
    return {bytes_.data(), size};
  }

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 18;
  std::vector<std::uint8_t> bytes_;
};

void write_at(int file, const std::uint8_t* bytes, std::size_t size, std::size_t offset) {
  while (size > 0) {
    const ssize_t done = ::pwrite(file, bytes, size, static_cast<off_t>(offset));
    if (done <= 0) throw std::runtime_error("cannot write");
    bytes += done, offset += static_cast<std::size_t>(done), size -= static_cast<std::size_t>(done);
  }
}

struct Tables {
  std::uint32_t image_crc = 0, label_crc = 0;
  std::uint64_t image_hash = 0, label_hash = 0;
};

struct Output {
  int file;
  std::size_t label_bytes;
  std::vector<Tables> tables;  // of all samples
};

// A thread's work: runs of successive samples, each written at once.
class Worker {
 public:
  Worker(const Job& job, Output& output, Labeler& labeler)
      : job_(job), output_(output), labeler_(labeler) {}

  void pack(std::size_t first, std::size_t end) {
    const std::size_t image_bytes = job_.image_bytes(), label_bytes = output_.label_bytes;
    std::uint8_t* images = images_.reserve((end - first) * image_bytes);
    std::uint8_t* labels = labels_.reserve((end - first) * label_bytes);
    for (std::size_t i = first; i < end; ++i) {
      pack_image(i, images + (i - first) * image_bytes);
      pack_label(i, labels + (i - first) * label_bytes);
    }
    write_at(output_.file, images, (end - first) * image_bytes, first * image_bytes);
    write_at(output_.file, labels, (end - first) * label_bytes,
             job_.images.size() * image_bytes + first * label_bytes);
  }

 private:
  void pack_image(std::size_t i, std::uint8_t* record) {
    const File file = reader_.read(job_.images[i]);
    const Decoder::Target target =
        job_.scale ? Decoder::Target{job_.width, job_.height} : Decoder::Target{};
    const Image image =
        is_png(file) ? decoder_.png(file, Inflater::isal) : decoder_.jpeg(file, target);
    resizer_.resize(image, job_.width, job_.height, record);
    Tables& tables = output_.tables[i];
    tables.image_crc = crc32c(record, job_.image_bytes());
    if (job_.bare) return;
    tables.image_hash = file_hash(file.data(), file.size());
    add_channel_sums(record, job_.image_bytes(), sums_);
  }

  void pack_label(std::size_t i, std::uint8_t* record) {
    Tables& tables = output_.tables[i];
    if (!job_.labels.empty()) {
      const File file = reader_.read(job_.labels[i]);
      labeler_.convert(decoder_.png(file, Inflater::libdeflate), job_.width, job_.height, record,
                       counts_);
      if (!job_.bare) tables.label_hash = file_hash(file.data(), file.size());
    } else {
      record[0] = job_.classes[i];
    }
    tables.label_crc = crc32c(record, output_.label_bytes);
  }

  const Job& job_;
  Output& output_;
  Labeler& labeler_;
  FileReader reader_;
  Decoder decoder_;
  Resizer resizer_;
  ChannelSums sums_;
  std::array<std::uint64_t, 16> counts_{};
  Room images_, labels_;
};

std::vector<std::string> sorted_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::uint8_t> folder_ranks(const std::vector<std::string>& files) {
  std::vector<std::uint8_t> ranks;
  std::string folder;
  std::uint8_t rank = 0;
  for (const std::string& file : files) {
    std::string its = file.substr(0, file.rfind('/'));
    if (!ranks.empty() && its != folder) ++rank;
    folder = std::move(its);
    ranks.push_back(rank);
  }
  return ranks;
}

Storage storage_of(const std::string& kind) {
  return kind == "bits" ? Storage::bits : kind == "one_hot" ? Storage::one_hot : Storage::index;
}

// Calls work() in threads; rethrows the first failure.
template <class Work>
void run_threads(int count, const Work& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  for (int i = 1; i < count; ++i) threads.emplace_back(guarded);
  guarded();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

void pack(const Job& job) {
  const Labeler plan(
      job.kind == "index" || job.kind == "class" ? std::vector<Color>() : read_colors(job.colors),
      job.colors.empty() ? job.class_count : read_colors(job.colors).size(), storage_of(job.kind));
  const std::size_t count = job.images.size();
  const std::size_t pixels = job.image_bytes() / 3;
  Output output{::open(job.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
                job.kind == "class" ? 1 : pixels * plan.pixel_bytes(), std::vector<Tables>(count)};
  if (output.file < 0) throw std::runtime_error("cannot write " + job.out);
  constexpr std::size_t kRunBytes = std::size_t{1} << 18;
  const std::size_t run = std::clamp<std::size_t>(kRunBytes / job.image_bytes(), 1, 64);
  std::atomic<std::size_t> next = 0;
  run_threads(job.threads, [&] {
    Labeler labeler = Labeler(plan.colors(), plan.class_count(), storage_of(job.kind));
    Worker worker(job, output, labeler);
    for (std::size_t first; (first = next.fetch_add(run)) < count;)
      worker.pack(first, std::min(first + run, count));
  });
  write_at(output.file, reinterpret_cast<const std::uint8_t*>(output.tables.data()),
           count * sizeof(Tables), count * (job.image_bytes() + output.label_bytes));
  ::close(output.file);
}

Job read_job(const std::vector<std::string>& words) {
  if (words.size() < 5)
    throw std::runtime_error("usage: limit LABELS IMAGES FOLDER WxH OUT [OPTION…]");
  Job job;
  job.kind = words[0], job.out = words[4];
  job.images = sorted_files(words[1]);
  if (job.kind == "class") {
    job.classes = folder_ranks(job.images);
  } else {
    job.labels = sorted_files(words[2]);
    if (job.labels.size() != job.images.size()) throw std::runtime_error("images without labels");
  }
  if (std::sscanf(words[3].c_str(), "%dx%d", &job.width, &job.height) != 2)
    throw std::runtime_error("no size: " + words[3]);
  for (std::size_t i = 5; i < words.size(); ++i) {
    if (words[i] == "--scale") {
      job.scale = true;
    } else if (words[i] == "--bare") {
      job.bare = true;
    } else if (words[i] == "--classes") {
      job.colors = words.at(++i);
    } else if (words[i] == "--class-count") {
      job.class_count = std::stoul(words.at(++i));
    } else if (words[i] == "--threads") {
      job.threads = std::stoi(words.at(++i));
    } else {
      throw std::runtime_error("unknown option " + words[i]);
    }
  }
  return job;
}

}  // namespace
}  // namespace limit

int main(int argc, char** argv) try {
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t processor_began = std::clock();
  limit::pack(limit::read_job({argv + 1, argv + argc}));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  std::printf("%.6f %.6f\n", seconds.count(),
              static_cast<double>(std::clock() - processor_began) / CLOCKS_PER_SEC);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "limit: %s\n", failure.what());
  return 1;
}
