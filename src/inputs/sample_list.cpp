#include "inputs/sample_list.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "inputs/fold.hpp"

namespace hotpack::pipeline {

namespace {

bool differ_in_extension(const FileList& list, const FoundFile& a, const FoundFile& b) {
  return a.root == b.root && list.stem(a) == list.stem(b);
}

// Keeps the first file of each key and reports the others.
void remove_duplicates(FileList& list, std::string_view what, ProblemLog& problems) {
  std::vector<FoundFile> unique;
  unique.reserve(list.files.size());
  for (const FoundFile& file : list.files) {
    if (!unique.empty() && list.key(unique.back()) == list.key(file)) {
      problems.add({differ_in_extension(list, file, unique.back()) ? ProblemKind::twin_file
                                                                   : ProblemKind::duplicate_key,
                    list.path(file),
                    "has the same key '" + std::string(list.key(file)) + "' as the " +
                        std::string(what) + " " + quoted_text(list.path(unique.back()))});
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

// Counts or reports files without a partner.
struct Orphans {
  bool skip;
  ProblemLog& problems;
  std::uint64_t& left_out;
  KeyFolding given = {};  // --fold

  using Files = std::vector<const FoundFile*>;

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
    for (const FoundFile* image : images)
      add(ProblemKind::orphan_image, image_files, *image, "no label has its key", alike_labels,
          label_files);
    for (const FoundFile* label : labels)
      add(ProblemKind::orphan_label, label_files, *label, "no image has its key", alike_images,
          image_files);
  }

 private:
  static constexpr KeyFolding kAll{true, true};
  using Alike = std::unordered_map<std::string, const FoundFile*>;

  static Alike alike(const FileList& files, const Files& orphans) {
    Alike by_key;
    for (const FoundFile* file : orphans) by_key.try_emplace(folded(files.key(*file), kAll), file);
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

using Place = std::vector<FoundFile>::const_iterator;

// Goes through two sorted lists together, and calls pair(image, label) for each key that both
// contain, with the first label of that key. `pair` must return the first label that does not
// belong to the image. Files without a partner go to `orphans`.
template <class Pair>
void pair_sorted(const FileList& images, const FileList& labels, const Orphans& orphans,
                 Pair pair) {
  Orphans::Files lone_images, lone_labels;
  Place image = images.files.begin();
  Place label = labels.files.begin();
  const auto compare = [&] {
    if (image == images.files.end()) return 1;
    if (label == labels.files.end()) return -1;
    return images.key(*image).compare(labels.key(*label));
  };
  while (image != images.files.end() || label != labels.files.end()) {
    const int order = compare();
    if (order < 0) lone_images.push_back(&*image++);
    if (order > 0) lone_labels.push_back(&*label++);
    if (order == 0) label = pair(*image++, label);
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
  MaskPairing(SampleList& list, const MaskPattern& pattern, Orphans orphans)
      : list_(list), pattern_(pattern), orphans_(orphans) {}

  void run() {
    collect_names();
    pair_sorted(list_.images, list_.labels, orphans_,
                [&](const FoundFile& image, Place mask) { return add_sample(image, mask); });
  }

 private:
  // Returns the class of a mask. It is the class in the match of the pattern that also gave the
  // mask its key. (--split folder may have removed the first part of the key since then.)
  [[nodiscard]] std::string_view name_of(const FoundFile& mask) const {
    const std::string_view key = list_.labels.key(mask);
    for (const MaskPattern::Match& match : pattern_.matches(list_.labels.stem(mask))) {
      const std::string whole = list_.labels.roots[mask.root].key_prefix + std::string(match.key);
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

  Place add_sample(const FoundFile& image, Place mask) {
    Sample sample = sample_of(image);
    sample.first_mask = static_cast<std::uint32_t>(list_.masks.size());
    for (; mask != list_.labels.files.end() && list_.labels.key(*mask) == list_.images.key(image);
         ++mask)
      list_.masks.push_back({*mask, index_of(list_.mask_names, name_of(*mask)), kNoClass});
    const auto first = list_.masks.begin() + sample.first_mask;
    std::stable_sort(first, list_.masks.end(),
                     [](const Mask& a, const Mask& b) { return a.name < b.name; });
    remove_repeated(sample.first_mask);
    sample.mask_count = static_cast<std::uint32_t>(list_.masks.size()) - sample.first_mask;
    list_.samples.push_back(sample);
    return mask;
  }

  // Keeps the first of two masks with the same class, and reports the other.
  void remove_repeated(std::size_t first) {
    std::size_t kept = first;
    for (std::size_t i = first; i < list_.masks.size(); ++i) {
      const Mask& mask = list_.masks[i];
      if (kept > first && list_.masks[kept - 1].name == mask.name) {
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
  const MaskPattern& pattern_;
  Orphans orphans_;
};

void copy_sample(const SampleList& from, const Sample& sample, SampleList& to) {
  Sample copy = sample;
  copy.image = copy_file(from.images, sample.image, to.images);
  if (sample.label.text_length > 0) copy.label = copy_source(from.labels, sample.label, to.labels);
  copy.first_mask = static_cast<std::uint32_t>(to.masks.size());
  for (const Mask& mask : from.masks_of(sample))
    to.masks.push_back({copy_source(from.labels, mask.file, to.labels), mask.name, mask.class_id});
  to.samples.push_back(copy);
}

}  // namespace

std::uint64_t SampleList::memory_bytes() const {
  return samples.capacity() * sizeof(Sample) + masks.capacity() * sizeof(Mask) +
         images.arena.memory_bytes() + labels.arena.memory_bytes();
}

SampleList pair_by_key(FileList images, FileList labels, bool skip_orphans, ProblemLog& problems,
                       std::uint64_t& left_out, KeyFolding given) {
  SampleList list{std::move(images), std::move(labels), {}, true, {}, {}, {}};
  sort_by_key(list.images);
  sort_by_key(list.labels);
  remove_duplicates(list.images, "image", problems);
  remove_duplicates(list.labels, "label", problems);
  list.samples.reserve(std::min(list.images.files.size(), list.labels.files.size()));
  pair_sorted(list.images, list.labels, Orphans{skip_orphans, problems, left_out, given},
              [&](const FoundFile& image, Place label) {
                list.samples.push_back(sample_of(image));
                list.samples.back().label = *label;
                return label + 1;
              });
  drop_files(list.images);
  drop_files(list.labels);
  return list;
}

SampleList pair_masks(FileList images, FileList masks, const MaskPattern& pattern,
                      bool skip_orphans, ProblemLog& problems, std::uint64_t& left_out) {
  SampleList list{std::move(images), std::move(masks), {}, false, {}, {}, {}};
  sort_by_key(list.images);
  sort_by_key(list.labels);
  remove_duplicates(list.images, "image", problems);
  MaskPairing(list, pattern, Orphans{skip_orphans, problems, left_out}).run();
  drop_files(list.images);
  drop_files(list.labels);
  return list;
}

SampleList images_alone(FileList images, ProblemLog& problems) {
  SampleList list{std::move(images), {}, {}, false, {}, {}, {}};
  sort_by_key(list.images);
  remove_duplicates(list.images, "image", problems);
  list.samples.reserve(list.images.files.size());
  for (const FoundFile& file : list.images.files) list.samples.push_back(sample_of(file));
  drop_files(list.images);
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

std::vector<SampleList> divide_samples(const SampleList& list,
                                       const std::vector<std::uint32_t>& part_of,
                                       std::size_t parts) {
  std::vector<SampleList> divided(parts);
  for (SampleList& part : divided) {
    part.images.roots = list.images.roots;
    part.labels.roots = list.labels.roots;
    part.has_label_files = list.has_label_files;
    part.mask_names = list.mask_names;
    part.class_names = list.class_names;
  }
  for (std::size_t i = 0; i < list.samples.size(); ++i)
    if (part_of[i] != kNoPart) copy_sample(list, list.samples[i], divided[part_of[i]]);
  return divided;
}

}  // namespace hotpack::pipeline
