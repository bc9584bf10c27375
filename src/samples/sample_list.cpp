#include "samples/sample_list.hpp"

#include <malloc.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

// Sorts by key, keeps the first file of each key and reports the others.
void sort_unique(FileList& list, std::string_view what, ProblemLog& problems) {
  sort_by_key(list);
  std::size_t kept = 0;
  for (const FoundFile& file : list.files) {
    if (kept == 0 || list.key(list.files[kept - 1]) != list.key(file)) {
      list.files[kept++] = file;
      continue;
    }
    const FoundFile& first = list.files[kept - 1];
    const bool twins = file.root == first.root && list.stem(file) == list.stem(first);
    problems.add({twins ? ProblemKind::twin_file : ProblemKind::duplicate_key, list.path(file),
                  "has the same key '" + std::string(list.key(file)) + "' as the " +
                      std::string(what) + " " + quoted_text(list.path(first))});
  }
  list.files.resize(kept);
}

// Takes the files out of a list, one after the other, and releases their memory in a few steps:
// samples are made of files, and a plan of millions of samples should not need both at once.
class FileDrain {
 public:
  explicit FileDrain(FileList& list) : list_(list), step_(std::max(kMany, list.files.size() / 8)) {}

  [[nodiscard]] bool empty() const { return next_ == list_.files.size(); }
  [[nodiscard]] std::string_view key() const { return list_.key(list_.files[next_]); }
  FoundFile take() {
    const FoundFile file = list_.files[next_++];
    if (next_ == step_ || empty()) release();
    return file;
  }

 private:
  static constexpr std::size_t kMany = 65536;

  void release() {
    const auto taken = static_cast<std::ptrdiff_t>(next_);
    list_.files = std::vector(list_.files.begin() + taken, list_.files.end());
#ifdef __GLIBC__
    // Otherwise the freed memory stays with the process, between other blocks.
    if (next_ >= kMany) ::malloc_trim(0);
#endif
    next_ = 0;
  }

  FileList& list_;
  const std::size_t step_;
  std::size_t next_ = 0;
};

Sample sample_of(const FoundFile& image) {
  Sample sample;
  sample.image = image;
  return sample;
}

// Precondition: `names` are sorted and contain the name once.
std::uint32_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) -
                                    names.begin());
}

class Pairer {
 public:
  Pairer(SampleList& list, const Pairing& pairing, ProblemLog& problems)
      : list_(list), pairing_(pairing), problems_(problems) {}

  // Goes through both lists, sorted by key, together. Returns how many files were left out.
  std::uint64_t run() {
    const bool several = pairing_.merges || pairing_.pattern != nullptr;
    if (pairing_.pattern != nullptr) collect_names();
    std::vector<FoundFile> lone_images, lone_labels;
    FileDrain images(list_.images), labels(list_.labels);
    while (!images.empty() || !labels.empty()) {
      const int order = images.empty()   ? 1
                        : labels.empty() ? -1
                                         : images.key().compare(labels.key());
      if (order < 0) lone_images.push_back(images.take());
      if (order > 0) lone_labels.push_back(labels.take());
      if (order != 0) continue;
      list_.samples.push_back(sample_of(images.take()));
      if (several)
        add_masks(list_.samples.back(), labels);
      else
        list_.samples.back().label = labels.take();
    }
    if (pairing_.skip_orphans) return lone_images.size() + lone_labels.size();
    report(ProblemKind::orphan_image, list_.images, lone_images, list_.labels, lone_labels);
    report(ProblemKind::orphan_label, list_.labels, lone_labels, list_.images, lone_images);
    return 0;
  }

 private:
  // Reports files without a partner. If a file of the other kind has a similar key, the report
  // names that file.
  void report(ProblemKind kind, const FileList& list, const std::vector<FoundFile>& files,
              const FileList& other_list, const std::vector<FoundFile>& others) {
    const FoldedKeys alike(other_list, others, {true, true, true});
    const std::string why =
        kind == ProblemKind::orphan_image ? "no label has its key '" : "no image has its key '";
    for (const FoundFile& file : files) {
      const std::string_view key = list.key(file);
      Problem problem{kind, list.path(file), why + std::string(key) + "'"};
      const FoundFile* const other = alike.find(key);
      std::optional<FoldingAdvice> advice;
      if (other != nullptr) advice = folding_advice(key, other_list.key(*other), pairing_.folding);
      if (advice) {
        problem.detail += "; the key of " + quoted_text(other_list.path(*other)) + " differs in " +
                          advice->difference + (pairing_.folding.any() ? ": use " : ": add ") +
                          advice->option;
        problem.option = std::move(advice->option);
      }
      problems_.add(std::move(problem));
    }
  }

  // Returns the class of a mask. It is the class in the match of the pattern that also gave the
  // mask its key. (--split folder may have removed the first part of the key since then.)
  [[nodiscard]] std::string_view name_of(const FoundFile& mask) const {
    const std::string key = folded(list_.labels.key(mask), pairing_.folding);
    const auto ways = pairing_.pattern->matches(list_.labels, mask);  // failures are reported
    for (const NamePattern::Match& match : ways.value_or({})) {
      const std::string whole = folded(
          list_.labels.roots[mask.root].key_prefix + std::string(match.key), pairing_.folding);
      if (key == whole || key == std::string_view(whole).substr(whole.find('/') + 1))
        return match.name;
    }
    return {};
  }

  void collect_names() {
    std::set<std::string, std::less<>> names;
    for (const FoundFile& mask : list_.labels.files)
      if (const std::string_view name = name_of(mask); !names.contains(name)) names.emplace(name);
    list_.mask_names.assign(names.begin(), names.end());
  }

  void add_masks(Sample& sample, FileDrain& masks) {
    sample.first_mask = static_cast<std::uint32_t>(list_.masks.size());
    while (!masks.empty() && masks.key() == list_.key(sample)) {
      const FoundFile mask = masks.take();
      const std::uint32_t name = pairing_.merges ? 0 : index_of(list_.mask_names, name_of(mask));
      list_.masks.push_back({mask, name, kNoClass});
    }
    if (!pairing_.merges) sort_by_name(sample.first_mask);
    sample.mask_count = static_cast<std::uint32_t>(list_.masks.size()) - sample.first_mask;
  }

  // Sorts the masks of a sample by class. Keeps the first of two masks with the same class, and
  // reports the other, unless the pattern unites them.
  void sort_by_name(std::size_t first) {
    std::stable_sort(list_.masks.begin() + static_cast<std::ptrdiff_t>(first), list_.masks.end(),
                     [](const Mask& a, const Mask& b) { return a.name < b.name; });
    if (pairing_.pattern->has_star_in_name()) return;
    std::size_t kept = first;
    for (std::size_t i = first; i < list_.masks.size(); ++i) {
      const Mask& mask = list_.masks[i];
      if (kept == first || list_.masks[kept - 1].name != mask.name)
        list_.masks[kept++] = mask;
      else
        problems_.add({ProblemKind::duplicate_key, list_.mask_path(mask),
                       "is a mask of class '" + list_.mask_names[mask.name] +
                           "' for the same image as " +
                           quoted_text(list_.mask_path(list_.masks[kept - 1]))});
    }
    list_.masks.resize(kept);
  }

  SampleList& list_;
  const Pairing& pairing_;
  ProblemLog& problems_;
};

}  // namespace

std::uint64_t SampleList::memory_bytes() const {
  return samples.size() * sizeof(Sample) + masks.size() * sizeof(Mask) +
         images.arena.memory_bytes() + labels.arena.memory_bytes();
}

SampleList pair_files(FileList images, FileList labels, const Pairing& pairing,
                      ProblemLog& problems, std::uint64_t& left_out) {
  SampleList list;
  list.images = std::move(images);
  list.labels = std::move(labels);
  list.has_label_files = !pairing.merges && pairing.pattern == nullptr;
  list.merges_masks = pairing.merges;
  sort_unique(list.images, "image", problems);
  if (list.has_label_files)
    sort_unique(list.labels, "label", problems);
  else
    sort_by_key(list.labels);
  list.samples.reserve(std::min(list.images.files.size(), list.labels.files.size()));
  left_out += Pairer(list, pairing, problems).run();
  return list;
}

SampleList images_alone(FileList images, ProblemLog& problems) {
  SampleList list;
  list.images = std::move(images);
  sort_unique(list.images, "image", problems);
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

using Names = std::vector<std::string>;

// Adds names to sorted names.
void join_names(const Names& more, Names& names) {
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Changes an index into `from`, if it is one, to that of the same name in `to`.
void renumber(std::uint32_t& index, const Names& from, const Names& to) {
  if (index < from.size()) index = index_of(to, from[index]);
}

// Copies a file to another list, with a prefix before its text.
SourceFile moved(const FileList& from, const SourceFile& file, const std::string& prefix,
                 FileList& to) {
  SourceFile copy = file;
  copy.text = to.arena.add(prefix, from.text(file));
  copy.text_length = static_cast<std::uint16_t>(file.text_length + prefix.size());
  // The roots of the other list are the last.
  copy.root = static_cast<std::uint16_t>(to.roots.size() - from.roots.size() + file.root);
  return copy;
}

void add_roots(const FileList& from, const std::string& prefix, FileList& to) {
  for (const Root& root : from.roots) to.roots.push_back({root.folder, prefix + root.key_prefix});
}

}  // namespace

void append_samples(const SampleList& more, const std::string& prefix, SampleList& list) {
  const auto add_label = [&](const SourceFile& file) {
    return moved(more.labels, file, prefix, list.labels);
  };
  add_roots(more.images, prefix, list.images);
  add_roots(more.labels, prefix, list.labels);
  const Names classes = list.class_names, mask_names = list.mask_names;
  join_names(more.class_names, list.class_names);
  join_names(more.mask_names, list.mask_names);
  for (Sample& sample : list.samples) renumber(sample.class_name, classes, list.class_names);
  for (Mask& mask : list.masks) renumber(mask.name, mask_names, list.mask_names);
  list.has_label_files = more.has_label_files;
  list.merges_masks = more.merges_masks;
  for (Sample sample : more.samples) {
    const std::span<const Mask> own = more.masks_of(sample);
    FoundFile& image = sample.image;
    const std::string_view key = more.key(sample);
    const bool in_text = image.key == image.text;
    static_cast<SourceFile&>(image) = moved(more.images, image, prefix, list.images);
    image.key = in_text ? image.text : Uint48(list.images.arena.add(prefix, key));
    image.key_length = static_cast<std::uint16_t>(key.size() + prefix.size());
    if (sample.label.text_length > 0) sample.label = add_label(sample.label);
    renumber(sample.class_name, more.class_names, list.class_names);
    sample.first_mask = static_cast<std::uint32_t>(list.masks.size());
    for (Mask mask : own) {
      mask.file = add_label(mask.file);
      renumber(mask.name, more.mask_names, list.mask_names);
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
  for (const std::uint32_t part : part_of) ++counts[part];
  // The largest part stays where it is, so that memory for two lists is never needed.
  const auto largest =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::vector<Sample> samples = std::exchange(list.samples, {});
  const std::vector<Mask> masks = std::exchange(list.masks, {});
  std::vector<SampleList> divided(parts, list);
  for (std::size_t part = 0; part < parts; ++part)
    if (part != largest) divided[part].samples.reserve(counts[part]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (part_of[i] == largest)
      samples[kept++] = samples[i];
    else
      divided[part_of[i]].samples.push_back(samples[i]);
  samples.resize(kept);
  divided[largest].samples = std::move(samples);
  for (SampleList& part : divided)
    for (Sample& sample : part.samples) {
      const auto own = std::span(masks).subspan(sample.first_mask, sample.mask_count);
      sample.first_mask = static_cast<std::uint32_t>(part.masks.size());
      part.masks.insert(part.masks.end(), own.begin(), own.end());
    }
  return divided;
}

}  // namespace hotpack::pipeline
