#include "samples/sample_list.hpp"

#include <malloc.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

bool differ_in_extension(const FileList& list, const FoundFile& a, const FoundFile& b) {
  return a.root == b.root && list.stem(a) == list.stem(b);
}

// Keeps the first file of each key and reports the others.
void remove_duplicates(FileList& list, std::string_view what, ProblemLog& problems) {
  std::size_t kept = 0;
  for (const FoundFile& file : list.files) {
    if (kept > 0 && list.key(list.files[kept - 1]) == list.key(file)) {
      const FoundFile& first = list.files[kept - 1];
      problems.add({differ_in_extension(list, file, first) ? ProblemKind::twin_file
                                                           : ProblemKind::duplicate_key,
                    list.path(file),
                    "has the same key '" + std::string(list.key(file)) + "' as the " +
                        std::string(what) + " " + quoted_text(list.path(first))});
    } else {
      list.files[kept++] = file;
    }
  }
  list.files.resize(kept);
}

// Takes the files out of a list, one after the other, and releases their memory in a few steps:
// samples are made of files, and a plan of millions of samples should not need both at once.
class FileDrain {
 public:
  explicit FileDrain(FileList& list) : list_(list), step_(std::max(kMany, list.files.size() / 8)) {}
  ~FileDrain() {
    const bool many = list_.files.size() >= kMany;
    release_files(list_);
    if (many) give_back();
  }
  FileDrain(const FileDrain&) = delete;
  FileDrain& operator=(const FileDrain&) = delete;

  [[nodiscard]] bool empty() const { return next_ == list_.files.size(); }
  [[nodiscard]] const FoundFile& front() const { return list_.files[next_]; }
  [[nodiscard]] std::string_view key() const { return list_.key(front()); }
  FoundFile take() {
    const FoundFile file = list_.files[next_++];
    if (next_ == step_) release();
    return file;
  }

 private:
  static constexpr std::size_t kMany = 65536;

  void release() {
    list_.files =
        std::vector(list_.files.begin() + static_cast<std::ptrdiff_t>(next_), list_.files.end());
    next_ = 0;
    give_back();
  }
  // Otherwise the freed memory stays with the process, between other blocks.
  static void give_back() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
  }

  FileList& list_;
  const std::size_t step_;
  std::size_t next_ = 0;
};

// Counts or reports files without a partner.
struct Orphans {
  bool skip;
  ProblemLog& problems;
  std::uint64_t& left_out;
  KeyFolding given = {};  // --fold

  using Files = std::vector<FoundFile>;

  // Reports each file without a partner; with `skip`, only counts these files. If a file of the
  // other kind has a similar key, the report names that file.
  void tell(const FileList& image_files, const Files& images, const FileList& label_files,
            const Files& labels) const {
    if (skip) {
      left_out += images.size() + labels.size();
      return;
    }
    const Alike alike_labels = alike(label_files, labels),
                alike_images = alike(image_files, images);
    for (const FoundFile& image : images)
      add(ProblemKind::orphan_image, image_files, image, "no label has its key", alike_labels,
          label_files);
    for (const FoundFile& label : labels)
      add(ProblemKind::orphan_label, label_files, label, "no image has its key", alike_images,
          image_files);
  }

 private:
  static constexpr KeyFolding kAll{true, true, true};
  using Alike = std::unordered_map<std::string, const FoundFile*>;

  static Alike alike(const FileList& files, const Files& orphans) {
    Alike by_key;
    for (const FoundFile& file : orphans) by_key.try_emplace(folded(files.key(file), kAll), &file);
    return by_key;
  }

  void add_advice(Problem& problem, std::string_view key, const FileList& other_files,
                  const FoundFile& other) const {
    std::optional<FoldingAdvice> advice = folding_advice(key, other_files.key(other), given);
    if (!advice) return;
    problem.detail += "; the key of " + quoted_text(other_files.path(other)) + " differs in " +
                      advice->difference + (given.any() ? ": use " : ": add ") + advice->option;
    problem.option = std::move(advice->option);
  }

  void add(ProblemKind kind, const FileList& files, const FoundFile& file, std::string_view why,
           const Alike& others, const FileList& other_files) const {
    Problem problem{kind, files.path(file),
                    std::string(why) + " '" + std::string(files.key(file)) + "'"};
    if (const auto other = others.find(folded(files.key(file), kAll)); other != others.end())
      add_advice(problem, files.key(file), other_files, *other->second);
    problems.add(std::move(problem));
  }
};

Sample sample_of(const FoundFile& image) {
  Sample sample;
  sample.image = image;
  return sample;
}

// Goes through two sorted lists together, takes their files, and calls pair(image, labels) for each
// key that both contain. `pair` must take the labels of the image, at least one. Files without a
// partner go to `orphans`.
template <class Pair>
void pair_sorted(FileList& images, FileList& labels, const Orphans& orphans, Pair pair) {
  Orphans::Files lone_images, lone_labels;
  FileDrain image(images), label(labels);
  const auto compare = [&] {
    if (image.empty()) return 1;
    if (label.empty()) return -1;
    return image.key().compare(label.key());
  };
  while (!image.empty() || !label.empty()) {
    const int order = compare();
    if (order < 0) lone_images.push_back(image.take());
    if (order > 0) lone_labels.push_back(label.take());
    if (order == 0) pair(image.take(), label);
  }
  orphans.tell(images, lone_images, labels, lone_labels);
}

// Precondition: `names` are sorted and contain the name once.
std::uint32_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) -
                                    names.begin());
}

class MaskPairing {
 public:
  // Without a pattern, masks are merged and have no names.
  MaskPairing(SampleList& list, const NamePattern* pattern, Orphans orphans)
      : list_(list), pattern_(pattern), orphans_(orphans) {}

  void run() {
    if (pattern_ != nullptr) collect_names();
    pair_sorted(list_.images, list_.labels, orphans_,
                [&](const FoundFile& image, FileDrain& masks) { add_sample(image, masks); });
  }

 private:
  // Returns the class of a mask. It is the class in the match of the pattern that also gave the
  // mask its key. (--split folder may have removed the first part of the key since then.)
  [[nodiscard]] std::string_view name_of(const FoundFile& mask) const {
    const std::string key = folded(list_.labels.key(mask), orphans_.given);
    const auto ways = pattern_->matches(list_.labels, mask);  // key_masks() has reported failures
    for (const NamePattern::Match& match : ways.value_or({})) {
      const std::string whole =
          folded(list_.labels.roots[mask.root].key_prefix + std::string(match.key), orphans_.given);
      if (key == whole || key == std::string_view(whole).substr(whole.find('/') + 1))
        return match.name;
    }
    return {};
  }

  void collect_names() {
    std::set<std::string, std::less<>> names;
    for (const FoundFile& mask : list_.labels.files)
      if (const std::string_view name = name_of(mask); names.find(name) == names.end())
        names.emplace(name);
    list_.mask_names.assign(names.begin(), names.end());
  }

  void add_sample(const FoundFile& image, FileDrain& masks) {
    Sample sample = sample_of(image);
    sample.first_mask = static_cast<std::uint32_t>(list_.masks.size());
    while (!masks.empty() && masks.key() == list_.images.key(image)) {
      const FoundFile mask = masks.take();
      const std::uint32_t name =
          pattern_ == nullptr ? 0 : index_of(list_.mask_names, name_of(mask));
      list_.masks.push_back({mask, name, kNoClass});
    }
    if (pattern_ != nullptr) sort_by_name(sample.first_mask);
    sample.mask_count = static_cast<std::uint32_t>(list_.masks.size()) - sample.first_mask;
    list_.samples.push_back(sample);
  }

  // Sorts the masks of a sample by class. Keeps the first of two masks with the same class, and
  // reports the other, unless the pattern unites them.
  void sort_by_name(std::size_t first) {
    std::stable_sort(list_.masks.begin() + static_cast<std::ptrdiff_t>(first), list_.masks.end(),
                     [](const Mask& a, const Mask& b) { return a.name < b.name; });
    std::size_t kept = first;
    for (std::size_t i = first; i < list_.masks.size(); ++i) {
      const Mask& mask = list_.masks[i];
      if (kept > first && list_.masks[kept - 1].name == mask.name &&
          !pattern_->has_star_in_name()) {
        orphans_.problems.add({ProblemKind::duplicate_key, list_.mask_path(mask),
                               "is a mask of class '" + list_.mask_names[mask.name] +
                                   "' for the same image as " +
                                   quoted_text(list_.mask_path(list_.masks[kept - 1]))});
      } else {
        list_.masks[kept++] = mask;
      }
    }
    list_.masks.resize(kept);
  }

  SampleList& list_;
  const NamePattern* pattern_;
  Orphans orphans_;
};

// Gives a part its own masks, in the order of its samples. `all` are those of the whole list.
void keep_own_masks(const std::vector<Mask>& all, SampleList& part) {
  for (Sample& sample : part.samples) {
    const auto masks = std::span(all).subspan(sample.first_mask, sample.mask_count);
    sample.first_mask = static_cast<std::uint32_t>(part.masks.size());
    part.masks.insert(part.masks.end(), masks.begin(), masks.end());
  }
}

}  // namespace

std::uint64_t SampleList::memory_bytes() const {
  return samples.size() * sizeof(Sample) + masks.size() * sizeof(Mask) +
         images.arena.memory_bytes() + labels.arena.memory_bytes();
}

SampleList pair_by_key(FileList images, FileList labels, bool skip_orphans, ProblemLog& problems,
                       std::uint64_t& left_out, KeyFolding given) {
  SampleList list{std::move(images), std::move(labels), {}, true, {}, {}, {}, false};
  sort_by_key(list.images);
  sort_by_key(list.labels);
  remove_duplicates(list.images, "image", problems);
  remove_duplicates(list.labels, "label", problems);
  list.samples.reserve(std::min(list.images.files.size(), list.labels.files.size()));
  pair_sorted(list.images, list.labels, Orphans{skip_orphans, problems, left_out, given},
              [&](const FoundFile& image, FileDrain& labels_left) {
                list.samples.push_back(sample_of(image));
                list.samples.back().label = labels_left.take();
              });
  return list;
}

namespace {

SampleList pair_several(FileList images, FileList masks, const NamePattern* pattern,
                        const Orphans& orphans) {
  SampleList list{std::move(images), std::move(masks), {}, false, {}, {}, {}, pattern == nullptr};
  sort_by_key(list.images);
  sort_by_key(list.labels);
  remove_duplicates(list.images, "image", orphans.problems);
  MaskPairing(list, pattern, orphans).run();
  return list;
}

}  // namespace

SampleList pair_masks(FileList images, FileList masks, const NamePattern& pattern,
                      bool skip_orphans, ProblemLog& problems, std::uint64_t& left_out,
                      KeyFolding given) {
  return pair_several(std::move(images), std::move(masks), &pattern,
                      {skip_orphans, problems, left_out, given});
}

SampleList pair_merged(FileList images, FileList masks, bool skip_orphans, ProblemLog& problems,
                       std::uint64_t& left_out, KeyFolding given) {
  return pair_several(std::move(images), std::move(masks), nullptr,
                      {skip_orphans, problems, left_out, given});
}

SampleList images_alone(FileList images, ProblemLog& problems) {
  SampleList list{std::move(images), {}, {}, false, {}, {}, {}, false};
  sort_by_key(list.images);
  remove_duplicates(list.images, "image", problems);
  list.samples.reserve(list.images.files.size());
  for (FileDrain images_left(list.images); !images_left.empty();)
    list.samples.push_back(sample_of(images_left.take()));
  return list;
}

SampleList images_by_folder(FileList images, ProblemLog& problems) {
  SampleList list = images_alone(std::move(images), problems);
  list.class_names = std::exchange(list.images.class_folders, {});
  for (Sample& sample : list.samples) {
    const std::string_view below = list.images.below(sample.image);
    sample.class_name = index_of(list.class_names, below.substr(0, below.find('/')));
  }
  return list;
}

namespace {

// Adds names to sorted names. Returns the places of the added names, and sets those of the names
// that were there.
std::vector<std::uint32_t> join_names(const std::vector<std::string>& more,
                                      std::vector<std::string>& names,
                                      std::vector<std::uint32_t>& old_places) {
  const std::vector<std::string> old = names;
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto places_of = [&](const std::vector<std::string>& some) {
    std::vector<std::uint32_t> places;
    places.reserve(some.size());
    for (const std::string& name : some) places.push_back(index_of(names, name));
    return places;
  };
  old_places = places_of(old);
  return places_of(more);
}

// Copies files of one list to another, with a prefix before their texts and keys.
class FileMove {
 public:
  FileMove(const FileList& from, const std::string& prefix, FileList& to)
      : from_(from), prefix_(prefix), to_(to), first_root_(to.roots.size()) {
    for (const Root& root : from.roots) to.roots.push_back({root.folder, prefix + root.key_prefix});
  }

  SourceFile source(const SourceFile& file) {
    SourceFile moved = file;
    moved.text = to_.arena.add(prefix_, from_.text(file));
    moved.text_length = static_cast<std::uint16_t>(file.text_length + prefix_.size());
    moved.root = static_cast<std::uint16_t>(file.root + first_root_);
    return moved;
  }

  FoundFile found(const FoundFile& file) {
    FoundFile moved{source(file), {}, 0};
    moved.key =
        file.key == file.text ? moved.text : Uint48(to_.arena.add(prefix_, from_.key(file)));
    moved.key_length = static_cast<std::uint16_t>(file.key_length + prefix_.size());
    return moved;
  }

 private:
  const FileList& from_;
  const std::string& prefix_;
  FileList& to_;
  std::size_t first_root_;
};

}  // namespace

void append_samples(const SampleList& more, const std::string& prefix, SampleList& list) {
  FileMove images(more.images, prefix, list.images), labels(more.labels, prefix, list.labels);
  std::vector<std::uint32_t> old_classes, old_masks;
  const auto classes = join_names(more.class_names, list.class_names, old_classes);
  const auto masks = join_names(more.mask_names, list.mask_names, old_masks);
  for (Sample& sample : list.samples)
    if (sample.class_name != kNoClass) sample.class_name = old_classes[sample.class_name];
  for (Mask& mask : list.masks)
    if (!old_masks.empty()) mask.name = old_masks[mask.name];
  list.has_label_files = more.has_label_files;
  list.merges_masks = more.merges_masks;
  for (Sample sample : more.samples) {
    const std::span<const Mask> own = more.masks_of(sample);
    sample.image = images.found(sample.image);
    if (sample.label.text_length > 0) sample.label = labels.source(sample.label);
    if (sample.class_name != kNoClass) sample.class_name = classes[sample.class_name];
    sample.first_mask = static_cast<std::uint32_t>(list.masks.size());
    for (Mask mask : own) {
      mask.file = labels.source(mask.file);
      if (!masks.empty()) mask.name = masks[mask.name];
      list.masks.push_back(mask);
    }
    list.samples.push_back(sample);
  }
  std::sort(list.samples.begin(), list.samples.end(),
            [&](const Sample& a, const Sample& b) { return list.key(a) < list.key(b); });
}

std::vector<SampleList> divide_samples(SampleList list, const std::vector<std::uint32_t>& part_of,
                                       std::size_t parts) {
  std::vector<std::size_t> counts(parts);
  for (const std::uint32_t part : part_of)
    if (part != kNoPart) ++counts[part];
  // The largest part stays where it is, so that memory for two lists is never needed.
  const auto largest =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::vector<Sample> samples = std::exchange(list.samples, {});
  const std::vector<Mask> masks = std::exchange(list.masks, {});
  std::vector<SampleList> divided(parts, list);
  for (std::size_t part = 0; part < parts; ++part)
    if (part != largest) divided[part].samples.reserve(counts[part]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (part_of[i] == largest)
      samples[kept++] = samples[i];
    else if (part_of[i] != kNoPart)
      divided[part_of[i]].samples.push_back(samples[i]);
  }
  samples.resize(kept);
  divided[largest].samples = std::move(samples);
  if (!masks.empty())
    for (SampleList& part : divided) keep_own_masks(masks, part);
  return divided;
}

}  // namespace hotpack::pipeline
