// hotpack preview: draws samples and their labels on one image, from a pack or from inputs that are
// not packed yet.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/preview_choice.hpp"
#include "cli/preview_files.hpp"
#include "cli/preview_inputs.hpp"
#include "cli/preview_pack.hpp"
#include "cli/preview_report.hpp"
#include "cli/text.hpp"
#include "cli/whole_file.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "hotpack/dataset.hpp"
#include "preview/class_colors.hpp"
#include "preview/page.hpp"
#include "preview/sheet.hpp"
#include "preview/sheet_file.hpp"

namespace hotpack::cli {

namespace {

constexpr const char* kSheet = "Sheet";
constexpr std::size_t kUsualSamples = 12;
constexpr int kMostGridSide = 1000;

struct PreviewArguments {
  std::vector<std::string> paths;  // packs, or a data set to be packed
  PackArguments inputs;
  std::vector<const CLI::Option*> input_options;
  std::string sheet, page;
  PreviewChoice choice;
  Extent grid;  // columns and rows; 0x0: chosen automatically
  std::optional<int> cell_width;
  bool force = false;
};

// The result of drawing: a sheet, a page's cells, or both, and the values for the report.
struct Drawn {
  std::vector<std::byte> png;
  std::vector<preview::PageCell> cells;
  preview::ClassColors colors;
  PreviewReport report;
  std::optional<Statistics> statistics;
};

using Chosen = std::vector<ChosenSample>;

// Parses "4x3", columns and rows; absent for any other text.
std::optional<Extent> parse_grid(const std::string& text) {
  Extent grid;
  const char* const end = text.data() + text.size();
  const auto columns = std::from_chars(text.data(), end, grid.width);
  if (columns.ec != std::errc() || columns.ptr == end || *columns.ptr != 'x') return std::nullopt;
  const auto rows = std::from_chars(columns.ptr + 1, end, grid.height);
  const auto fits = [](int side) { return side >= 1 && side <= kMostGridSide; };
  if (rows.ec != std::errc() || rows.ptr != end || !fits(grid.width) || !fits(grid.height))
    return std::nullopt;
  return grid;
}

Status check_arguments(PreviewArguments& arguments) {
  if (arguments.sheet.empty() && arguments.page.empty())
    return usage_error("no output is given: add -o FILE.png, --html FILE.html, or both");
  if (!arguments.choice.keys.empty() && arguments.choice.class_name)
    return usage_error("--keys and --class each select the samples: leave one of the two out");
  if (!arguments.sheet.empty())
    HOTPACK_TRY(check_preview_path(arguments.sheet, sheet_kind(), arguments.force));
  if (!arguments.page.empty())
    HOTPACK_TRY(check_preview_path(arguments.page, page_kind(), arguments.force));
  const Extent grid = arguments.grid;
  arguments.choice.most =
      grid.width > 0 ? static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height)
                     : kUsualSamples;
  return {};
}

// Refuses options that say how to pack: the samples of a pack are packed already.
Status check_pack_options(const PreviewArguments& arguments, const std::string& pack) {
  for (const CLI::Option* option : arguments.input_options) {
    if (option->count() > 0)
      return usage_error(option->get_name() + " applies only to images before packing, but " +
                         quoted_text(pack) + " is a pack: leave the option or the pack out");
  }
  return {};
}

// Returns those of the packs below one folder that can be shown together: the packs with labels or,
// if no pack has labels, all. Warns about each pack that is left out, such as a test split.
std::vector<std::string> shown_together(std::vector<std::string> packs, Terminal& terminal) {
  std::vector<std::string> labeled, alone;
  for (const std::string& pack : packs) {
    const Result<Dataset> dataset = Dataset::open({pack});
    if (!dataset.ok()) return packs;  // PackSource::open() will report the error
    (dataset->schema().label ? labeled : alone).push_back(pack);
  }
  if (labeled.empty()) return packs;
  for (const std::string& pack : alone)
    terminal.warning(quoted_text(pack) +
                     " has no labels and is not shown next to the packs with labels; give this "
                     "pack alone to see it");
  return labeled;
}

Result<std::unique_ptr<PreviewSource>> open_pack(const PreviewArguments& arguments,
                                                 Terminal& terminal) {
  std::vector<std::string> packs;
  for (const std::string& path : arguments.paths) {
    std::vector<std::string> found = packs_at(path);
    if (found.empty()) found.push_back(path);  // PackSource::open() will report the error
    if (found.size() > 1) found = shown_together(std::move(found), terminal);
    packs.insert(packs.end(), found.begin(), found.end());
  }
  HOTPACK_ASSIGN(PackSource source, PackSource::open(packs));
  HOTPACK_TRY(check_pack_options(arguments, packs.front()));
  return std::unique_ptr<PreviewSource>(std::make_unique<PackSource>(std::move(source)));
}

// Opens packs or inputs. A single path that holds no pack is a data set whose layout is detected.
Result<std::unique_ptr<PreviewSource>> open_source(CommandContext& context,
                                                   PreviewArguments& arguments) {
  std::string& root = arguments.inputs.options.input.root;
  if (arguments.paths.size() == 1 && is_unpacked_folder(arguments.paths.front())) {
    root = arguments.paths.front();
  } else if (!arguments.paths.empty()) {
    return open_pack(arguments, context.terminal());
  }
  arguments.inputs.options.run.threads = context.jobs();
  return open_inputs(arguments.inputs.options, context.terminal());
}

bool labels_pixels(const Schema& schema) {
  return schema.label && schema.label->scope == LabelScope::pixel;
}

Result<preview::SheetLayout> layout_for(PreviewSource& source, const PreviewArguments& arguments,
                                        const Chosen& chosen) {
  preview::SheetRequest request;
  request.overlays = labels_pixels(source.schema());
  request.second_line = source.has_remarks() || (source.schema().label && !request.overlays);
  for (const ChosenSample& each : chosen) {
    HOTPACK_ASSIGN(const Extent size, source.size(each.number));
    request.images.push_back(size);
    request.second_line = request.second_line || !each.remark.empty();
  }
  request.classes = source.schema().classes.size();
  if (arguments.grid.width > 0) request.grid = arguments.grid;
  request.cell_width = arguments.cell_width;
  return preview::lay_out(request);
}

// The sheet and the page's cells that samples are drawn on.
struct Drawing {
  std::optional<preview::Sheet> sheet;
  std::optional<preview::PageCells> cells;
};

Result<ShownSample> draw_sample(PreviewSource& source, const ChosenSample& chosen,
                                Drawing& drawing) {
  HOTPACK_ASSIGN(preview::SheetSample sample, source.load(chosen.number));
  if (!chosen.remark.empty())
    sample.remark = chosen.remark + (sample.remark.empty() ? "" : " · " + sample.remark);
  preview::ClassCounts counts;
  if (drawing.sheet) {
    HOTPACK_ASSIGN(counts, drawing.sheet->add(sample));
  }
  if (drawing.cells) {
    HOTPACK_TRY(drawing.cells->add(sample));
    counts = drawing.cells->all().back().counts;
  }
  Extent size;
  if (sample.image)
    size = {static_cast<int>(sample.image->shape.width),
            static_cast<int>(sample.image->shape.height)};
  return ShownSample{chosen.number, std::move(sample.key), std::move(sample.remark),
                     size,          std::move(counts),     std::move(sample.problem)};
}

// Returns the shares of pixels of the classes: in the whole data set if its statistics are known,
// else in the samples that the sheet shows.
preview::ClassShares shares_of(const Schema& schema, const std::optional<Statistics>& statistics,
                               const std::vector<ShownSample>& shown) {
  const bool pixels_labeled = labels_pixels(schema);
  // If a pixel may have several classes, a pixel without a class is normal, not ignored.
  const bool shows_ignored = !pixels_labeled || !schema.label->multi;
  const std::string what = !pixels_labeled       ? "labeled samples"
                           : schema.label->multi ? "class pixels"
                                                 : "labeled pixels";
  if (statistics)
    return preview::shares_of_counts(statistics->pixels, shows_ignored ? statistics->ignored : 0,
                                     what + " of the data set");
  std::vector<std::uint64_t> pixels(schema.classes.size());
  std::uint64_t ignored = 0;
  for (const ShownSample& sample : shown) {
    for (std::size_t c = 0; c < sample.counts.pixels.size(); ++c)
      pixels[c] += sample.counts.pixels[c];
    ignored += sample.counts.without_class;
  }
  return preview::shares_of_counts(pixels, shows_ignored ? ignored : 0,
                                   what + (pixels_labeled ? " of the samples shown" : " shown"));
}

std::string title_of(const PreviewSource& source, std::size_t shown) {
  return source.name() + ": " + number_text(shown) + " of " +
         counted_text(source.samples(), "sample");
}

preview::ClassColors colors_for(const Schema& schema, Terminal& terminal) {
  preview::ClassColors colors = preview::class_colors(schema.classes);
  if (colors.replaced > 0)
    terminal.info(
        counted_text(colors.replaced, "class has", "classes have") +
        " a color other than in the class table, because the color in the table looks like that of "
        "an earlier class");
  return colors;
}

Result<Drawing> make_drawing(PreviewSource& source, const PreviewArguments& arguments,
                             const Chosen& chosen, Drawn& drawn) {
  const Schema& schema = source.schema();
  Drawing drawing;
  if (!arguments.sheet.empty()) {
    HOTPACK_ASSIGN(const preview::SheetLayout layout, layout_for(source, arguments, chosen));
    drawing.sheet.emplace(layout, title_of(source, chosen.size()), schema.classes,
                          drawn.colors.colors);
    drawn.report.columns = layout.columns;
  }
  if (!arguments.page.empty()) {
    HOTPACK_ASSIGN(const int side, preview::page_side(chosen.size()));
    drawing.cells.emplace(side, drawn.colors.colors);
  }
  return drawing;
}

Status finish_drawing(const PreviewSource& source, Drawing& drawing, Drawn& drawn) {
  const Schema& schema = source.schema();
  PreviewReport& report = drawn.report;
  if (schema.label) {
    HOTPACK_ASSIGN(drawn.statistics, source.statistics());
    report.legend = preview::make_legend(schema.classes, drawn.colors.colors,
                                         shares_of(schema, drawn.statistics, report.shown));
  }
  if (drawing.cells) drawn.cells = drawing.cells->all();
  if (!drawing.sheet) return {};
  if (report.legend) drawing.sheet->add_legend(*report.legend);
  HOTPACK_ASSIGN(drawn.png, preview::sheet_file(drawing.sheet->image()));
  report.size = drawing.sheet->size();
  return {};
}

Status draw(PreviewSource& source, const PreviewArguments& arguments, const Chosen& chosen,
            Terminal& terminal, Drawn& drawn) {
  drawn.colors = colors_for(source.schema(), terminal);
  HOTPACK_ASSIGN(Drawing drawing, make_drawing(source, arguments, chosen, drawn));
  pipeline::Progress progress{"drawing", 0, chosen.size(), 0, 0, 0};
  for (const ChosenSample& each : chosen) {
    if (terminal.stop_requested()) return {};
    HOTPACK_ASSIGN(ShownSample shown, draw_sample(source, each, drawing));
    drawn.report.shown.push_back(std::move(shown));
    ++progress.samples_done;
    terminal.progress(progress);
  }
  drawn.report.source = source.name();
  drawn.report.samples = source.samples();
  return finish_drawing(source, drawing, drawn);
}

std::vector<std::pair<std::string, std::string>> facts_of(const Schema& schema,
                                                          const PreviewReport& report) {
  std::vector<std::pair<std::string, std::string>> facts{{"samples", number_text(report.samples)}};
  const auto& size = schema.geometry.size;
  facts.emplace_back(
      "record size",
      size ? std::to_string((*size)[0]) + "x" + std::to_string((*size)[1]) : "sizes differ");
  facts.emplace_back("image", schema.image.color == ImageColor::rgb ? "RGB" : "gray");
  if (!schema.label) return facts;
  facts.emplace_back("classes", number_text(schema.classes.size()));
  facts.emplace_back(
      "label", std::string(labels_pixels(schema) ? "a class per pixel" : "a class per image") +
                   (schema.label->multi ? ", several allowed" : "") + ", stored as " +
                   std::string(word_of(schema.label->storage)));
  return facts;
}

std::string page_of(const PreviewSource& source, const Drawn& drawn) {
  preview::Page page;
  page.title = title_of(source, drawn.report.shown.size());
  page.facts = facts_of(source.schema(), drawn.report);
  page.cells = drawn.cells;
  page.classes = source.schema().classes;
  page.colors = drawn.colors.colors;
  if (drawn.report.legend) page.legend = *drawn.report.legend;
  if (drawn.statistics) page.samples = drawn.statistics->samples;
  return preview::html_page(page);
}

Status write_files(const PreviewSource& source, const PreviewArguments& arguments, Drawn& drawn) {
  const std::string_view png(reinterpret_cast<const char*>(drawn.png.data()), drawn.png.size());
  if (!arguments.sheet.empty()) HOTPACK_TRY(write_whole_file(arguments.sheet, png));
  if (!arguments.page.empty())
    HOTPACK_TRY(write_whole_file(arguments.page, page_of(source, drawn)));
  drawn.report.sheet = arguments.sheet;
  drawn.report.page = arguments.page;
  return {};
}

// Prints the report. Returns the exit code: 1 if some of the samples cannot be packed.
int report_end(CommandContext& context, const PreviewSource& source, const PreviewReport& report) {
  int code = kExitGood;
  for (const ShownSample& sample : report.shown) {
    if (sample.problem.empty()) continue;
    context.terminal().warning(sample.key + ": " + sample.problem);
    code = kExitData;
  }
  context.output().write(context.json() ? preview_json(report, source.schema().classes)
                                        : preview_text(report));
  return code;
}

Result<int> make_sheet(CommandContext& context, PreviewArguments& arguments) {
  HOTPACK_TRY(check_arguments(arguments));
  context.stop_on_signals();
  HOTPACK_ASSIGN(const std::unique_ptr<PreviewSource> source, open_source(context, arguments));
  Terminal& terminal = context.terminal();
  if (terminal.stop_requested()) return kExitGood;  // run_main() raises the signal again
  HOTPACK_ASSIGN(const Chosen chosen, choose_samples(*source, arguments.choice, terminal));
  if (terminal.stop_requested()) return kExitGood;
  if (chosen.size() > arguments.choice.most && arguments.grid.width > 0)
    return usage_error("--grid has room for " + counted_text(arguments.choice.most, "sample") +
                       ", but --keys names " + std::to_string(chosen.size()) +
                       ": choose a larger --grid, or fewer keys");
  if (chosen.empty()) return data_error("there is no sample to show", source->name());
  Drawn drawn;
  HOTPACK_TRY(draw(*source, arguments, chosen, terminal, drawn));
  terminal.finish_progress();
  if (terminal.stop_requested()) return kExitGood;
  HOTPACK_TRY(write_files(*source, arguments, drawn));
  return report_end(context, *source, drawn.report);
}

int run_preview(CommandContext& context, PreviewArguments& arguments) {
  const Result<int> code = make_sheet(context, arguments);
  context.terminal().finish_progress();
  return code.ok() ? *code : context.fail(code.error());
}

void add_sheet_options(CLI::App& command, PreviewArguments& arguments) {
  command
      .add_option("-o,--output", arguments.sheet,
                  "the sheet, a PNG file; replaces an existing sheet")
      ->option_text("FILE.png")
      ->group(kSheet);
  command
      .add_option("--html", arguments.page,
                  "the samples as one HTML page with larger views, a filter by class and key, and "
                  "a histogram of the classes")
      ->option_text("FILE.html")
      ->group(kSheet);
  command.add_option("--keys", arguments.choice.keys, "the samples with these keys; repeatable")
      ->option_text("K[,K…]")
      ->group(kSheet);
  command
      .add_option("--class", arguments.choice.class_name,
                  "the samples with the most pixels of this class; reads all labels")
      ->option_text("NAME|ID")
      ->group(kSheet);
  add_parsed<Extent>(command, "--grid", arguments.grid, parse_grid,
                     "columns and rows (default: 12 samples, or as many as --keys names)", "CxR",
                     kSheet);
  command
      .add_option("--width", arguments.cell_width,
                  "width of a sample with its label (default: for a sheet of 1600 pixels)")
      ->option_text("PIXELS")
      ->check(CLI::Range(preview::kLeastCellWidth, preview::kMostCellWidth))
      ->group(kSheet);
  command
      .add_flag("--force", arguments.force, "replace files that `hotpack preview` did not write")
      ->group(kSheet);
}

// Adds the input options of pack, except the argument ROOT: preview has the argument PACK instead.
void add_input_options(CLI::App& command, PreviewArguments& arguments) {
  const std::vector<CLI::Option*> before = command.get_options();
  add_sample_options(command, arguments.inputs);
  command.remove_option(command.get_option("ROOT"));
  for (const CLI::Option* option : command.get_options()) {
    if (std::find(before.begin(), before.end(), option) == before.end())
      arguments.input_options.push_back(option);
  }
}

void define_preview(CLI::App& command, CommandContext& context) {
  auto arguments = std::make_shared<PreviewArguments>();
  set_examples(command,
               "hotpack preview packed/train -o sheet.png\n"
               "hotpack preview packed/train -o cars.png --class Car --grid 3x2\n"
               "hotpack preview packed/train -o two.png --keys town/0001,town/0002 --width 1200\n"
               "hotpack preview --images train --labels train_labels --classes class_dict.csv "
               "--size 512x512 -o sheet.png   # before packing");
  command.add_option("PACK", arguments->paths,
                     "packs; or the folder of a data set that is not packed yet; or none, with the "
                     "input options of pack");
  add_sheet_options(command, *arguments);
  add_input_options(command, *arguments);
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.add_config_option(command);
  command.callback([&context, arguments] {
    context.set_action([&context, arguments] { return run_preview(context, *arguments); });
  });
}

}  // namespace

void add_preview_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "preview",
                      "Draws a contact sheet of samples and their labels, before or after packing",
                      define_preview);
}

}  // namespace hotpack::cli
