#include "pipeline/sample_list.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

namespace {

void sort_by_key(FileList& list) {
  std::sort(list.files.begin(), list.files.end(), [&](const FoundFile& a, const FoundFile& b) {
    const int order = list.key(a).compare(list.key(b));
    return order != 0 ? order < 0 : std::pair(list.text(a), a.root) < std::pair(list.text(b), b.root);
  });
}

// Keeps the first file of each key and reports the others.
void remove_duplicates(FileList& list, std::string_view what, ProblemLog& problems) {
  std::vector<FoundFile> unique;
  unique.reserve(list.files.size());
  for (const FoundFile& file : list.files) {
    if (!unique.empty() && list.key(unique.back()) == list.key(file)) {
      problems.add({ProblemKind::duplicate_key, list.path(file),
                    "has the key '" + std::string(list.key(file)) + "' of another " + std::string(what) + ", " + list.path(unique.back())});
    } else {
      unique.push_back(file);
    }
  }
  list.files = std::move(unique);
}

void drop_files(FileList& list) {
  list.files.clear();
  list.files.shrink_to_fit();
}

// Walks two sorted lists together.
class Pairing {
 public:
  Pairing(SampleList& list, bool skip_orphans, ProblemLog& problems, std::uint64_t& left_out)
      : list_(list), skip_orphans_(skip_orphans), problems_(problems), left_out_(left_out) {}

  void run() {
    auto image = list_.images.files.begin();
    auto label = list_.labels.files.begin();
    while (image != list_.images.files.end() || label != list_.labels.files.end()) {
      const int order = compare(image, label);
      if (order == 0) list_.samples.push_back({*image, *label, kNoClass});
      if (order < 0) orphan(ProblemKind::orphan_image, list_.images, *image, "no label has its key");
      if (order > 0) orphan(ProblemKind::orphan_label, list_.labels, *label, "no image has its key");
      if (order <= 0) ++image;
      if (order >= 0) ++label;
    }
  }

 private:
  using Place = std::vector<FoundFile>::const_iterator;

  [[nodiscard]] int compare(Place image, Place label) const {
    if (image == list_.images.files.end()) return 1;
    if (label == list_.labels.files.end()) return -1;
    return list_.images.key(*image).compare(list_.labels.key(*label));
  }

  void orphan(ProblemKind kind, const FileList& files, const FoundFile& file, std::string_view why) {
    if (skip_orphans_) {
      ++left_out_;
    } else {
      problems_.add({kind, files.path(file), std::string(why) + " '" + std::string(files.key(file)) + "'"});
    }
  }

  SampleList& list_;
  bool skip_orphans_;
  ProblemLog& problems_;
  std::uint64_t& left_out_;
};

}  // namespace

std::uint64_t SampleList::memory_bytes() const {
  return samples.capacity() * sizeof(Sample) + images.arena.memory_bytes() + labels.arena.memory_bytes();
}

SampleList pair_by_key(FileList images, FileList labels, bool skip_orphans, ProblemLog& problems, std::uint64_t& left_out) {
  SampleList list{std::move(images), std::move(labels), {}, true};
  sort_by_key(list.images);
  sort_by_key(list.labels);
  remove_duplicates(list.images, "image", problems);
  remove_duplicates(list.labels, "label", problems);
  list.samples.reserve(std::min(list.images.files.size(), list.labels.files.size()));
  Pairing(list, skip_orphans, problems, left_out).run();
  drop_files(list.images);
  drop_files(list.labels);
  return list;
}

SampleList images_alone(FileList images, ProblemLog& problems) {
  SampleList list{std::move(images), {}, {}, false};
  sort_by_key(list.images);
  remove_duplicates(list.images, "image", problems);
  list.samples.reserve(list.images.files.size());
  for (const FoundFile& file : list.images.files) list.samples.push_back({file, {}, kNoClass});
  drop_files(list.images);
  return list;
}

std::string_view class_folder_of(const SampleList& list, const Sample& sample) {
  const Root& root = list.images.roots[sample.image.root];
  const std::string_view below = list.images.text(sample.image).substr(root.key_prefix.size());
  return below.substr(0, below.find('/'));
}

}  // namespace hotpack::pipeline
