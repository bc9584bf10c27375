#include "check/lenient_labels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.hpp"
#include "base/words.hpp"

namespace hotpack::pipeline {

namespace {

// The forms of label files, RGB and JPEG, that count as odd if at most half of the label files have
// them. A few odd files, such as one photo among a hundred id maps, must not decide how all labels
// are read.
constexpr std::array kOddForms = {&LabelForms::rgb, &LabelForms::jpeg};

bool is_odd(const LabelForms& forms, LabelForms::Form LabelForms::*form) {
  return (forms.*form).count > 0 && 2 * (forms.*form).count <= forms.total();
}

bool has_odd_forms(const LabelForms& forms) {
  return std::any_of(kOddForms.begin(), kOddForms.end(),
                     [&](auto form) { return is_odd(forms, form); });
}

LabelForms without_odd_forms(const LabelForms& forms) {
  LabelForms rest = forms;
  for (const auto form : kOddForms)
    if (is_odd(forms, form)) rest.*form = {};
  return rest;
}

Problem question_of(const PackOptions& options, const Error& error) {
  const bool class_file = !error.path.empty() &&
                          (error.path == options.label.classes || error.path == options.label.map);
  return {class_file ? ProblemKind::class_file : ProblemKind::open_question, error.path,
          error.message};
}

// Returns options that decode any labels, so that their values can be inspected without classes.
LabelOptions classless(const LabelOptions& asked) {
  LabelOptions options;
  options.kind = LabelKind::binary;
  options.threshold = asked.threshold;
  options.decodes_anything = true;
  return options;
}

class LenientResolver {
 public:
  LenientResolver(const PackOptions& options, std::span<SampleList* const> lists,
                  const LabelForms& forms, Observer& observer, ProblemLog& problems,
                  bool pixels_too)
      : asked_(options),
        lists_(lists),
        forms_(forms),
        observer_(observer),
        problems_(problems),
        pixels_too_(pixels_too) {}

  Result<LenientLabels> as_asked() { return attempt(asked_.label, forms_); }

  // Called if pack would ask a question about all labels (`error`). Tries to read the labels
  // without an answer, in this order:
  //   1. without the label files of an odd form
  //   2. with --unknown nearest, which JPEGs need
  //   3. without classes
  // An attempt may have to read all labels, so attempts that cannot help are skipped.
  Result<LenientLabels> without_answer(const Error& error) {
    Result<LenientLabels> read = error;
    if (has_odd_forms(forms_)) read = attempt(asked_.label, without_odd_forms(forms_));
    if (!read.ok() && forms_.jpeg.count > 0 && asked_.label.unknown == "error") {
      LabelOptions nearest = asked_.label;
      nearest.unknown = "nearest";
      read = attempt(nearest, forms_);
    }
    const bool classes_known = read.ok();
    if (!read.ok()) read = attempt(classless(asked_.label), forms_);
    if (!read.ok()) return error;
    read->classes_known = classes_known;
    read->question = question_of(asked_, error);
    return read;
  }

  // Reads the labels of class folders without the faulty class table (`error` says what is wrong
  // with the table). The classes then have the names of the folders.
  Result<LenientLabels> without_table(const Error& error) {
    Result<LenientLabels> read = attempt(LabelOptions{}, forms_);
    if (!read.ok()) return error;
    read->question = question_of(asked_, error);
    return read;
  }

  // Decides how labels are read from their headers alone, without counting classes. Headers are
  // enough to know whether pack would ask a question about JPEG labels.
  Result<LenientLabels> undecided() {
    LabelOptions numbered;
    numbered.kind = asked_.label.kind;
    numbered.class_count = 1;
    LabelForms uncolored = forms_;
    uncolored.rgb = {};  // only their pixels show whether they contain ids
    const Result<LenientLabels> as_numbered = attempt(numbered, uncolored);
    if (!as_numbered.ok() && as_numbered.error().code != ErrorCode::data)
      return as_numbered.error();
    HOTPACK_ASSIGN(LenientLabels read, attempt(classless(asked_.label), forms_));
    read.classes_known = false;
    if (!as_numbered.ok()) read.question = question_of(asked_, as_numbered.error());
    return read;
  }

 private:
  Result<LenientLabels> attempt(const LabelOptions& label, const LabelForms& forms) {
    PackOptions options = asked_;
    options.label = label;
    ProblemLog found;
    HOTPACK_ASSIGN(LabelSetup setup,
                   resolve_labels(options, lists_, forms, observer_, found, pixels_too_));
    problems_.append(found);
    return LenientLabels{std::move(setup), label, true, std::nullopt};
  }

  const PackOptions& asked_;
  std::span<SampleList* const> lists_;
  const LabelForms& forms_;
  Observer& observer_;
  ProblemLog& problems_;
  bool pixels_too_;
};

// True if resolving the labels would read all of them to find the number of classes.
bool counts_classes(const PackOptions& options, bool label_files) {
  const LabelOptions& label = options.label;
  const bool named = !label.classes.empty() || !label.preset.empty() || !label.map.empty() ||
                     label.class_count.has_value();
  return label_files && !named && label.kind != LabelKind::binary;
}

}  // namespace

Result<LenientLabels> resolve_labels_leniently(const PackOptions& options,
                                               std::span<SampleList* const> lists,
                                               const LabelForms& forms, bool headers_only,
                                               Observer& observer, ProblemLog& problems) {
  LenientResolver attempts(options, lists, forms, observer, problems, !headers_only);
  const bool label_files = std::any_of(
      lists.begin(), lists.end(), [](const SampleList* list) { return list->has_label_files; });
  if (headers_only && counts_classes(options, label_files)) return attempts.undecided();
  Result<LenientLabels> read = attempts.as_asked();
  if (read.ok() || read.error().code != ErrorCode::data) return read;
  const Error error = read.error();
  return label_files ? attempts.without_answer(error) : attempts.without_table(error);
}

}  // namespace hotpack::pipeline
