// bench report: the page of one run, of two runs compared, or of all runs.

#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/compare_report_of.h"
#include "harness/app/paths.h"
#include "harness/app/report_of.h"
#include "harness/app/site_of.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

void check(const Arguments& arguments) {
  const bool site = arguments.has("site");
  if (site && arguments.has("compare"))
    fail_usage("bench report: --compare and --site are two reports: write one of them");
  if (site && arguments.positional(0))
    fail_usage("bench report --site: takes every run, and no RUN beside it");
  if (site && arguments.has("out"))
    fail_usage("bench report --site: writes a folder, DIR: leave out --out");
  if (!site && arguments.has("rebuild"))
    fail_usage("bench report --rebuild: only with --site DIR, whose pages are kept else");
}

void write_page(const Arguments& arguments, const std::filesystem::path& usual,
                const std::string& html) {
  const std::string file = arguments.get("out").value_or(usual.string());
  write_file(file, html);
  std::cout << file << '\n';
}

// Beside the database; here, where that is another's.
std::filesystem::path page_folder(const std::filesystem::path& database) {
  const std::filesystem::path folder = database.parent_path();
  const bool writable = why_not_written(folder.empty() ? "." : folder.string()).empty();
  return writable ? folder : std::filesystem::path();
}

Exit report(const Arguments& arguments) {
  check(arguments);
  const std::filesystem::path database = database_path(arguments.get("db").value_or(""));
  Store store(database.string(), Access::read);
  if (const auto folder = arguments.get("site")) {
    std::cout
        << write_site(store, {.folder = *folder, .rebuild = arguments.has("rebuild")}).string()
        << '\n';
    return Exit::ok;
  }
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const RunRecord run = load_run(store, number, LoadSamples::yes);
  const std::filesystem::path folder = page_folder(database);
  const auto base = arguments.get("compare");
  if (!base) {
    write_page(arguments, folder / format("{}-{}.html", run.info.name, number),
               report_html(report_of(run)));
    return Exit::ok;
  }
  const std::int64_t baseline = resolve_run(store, *base, run.info.name);
  if (baseline == number)
    fail_usage(format("bench report --compare: run {} is both sides", number));
  write_page(arguments, folder / format("{}-{}-against-{}.html", run.info.name, number, baseline),
             compare_html(compare_report_of(load_run(store, baseline, LoadSamples::yes), run)));
  return Exit::ok;
}

const Register<Command> kReportCommand{{
    .name = "report",
    .summary = "writes an HTML page of a run, of two runs compared, or of all; prints its name",
    .positionals = "[RUN]",
    .flags =
        {
            {"compare", "BASE", "the page of RUN (else the latest) against run BASE"},
            {"site", "DIR", "every run, with trends: an index in DIR and a page a run"},
            {"rebuild", "", "with --site: write again the pages that are there"},
            {"out", "FILE", "where to (else CONFIGURATION-RUN.html beside the database, or here)"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench report --compare pinned latest --out morning.html",
    .run = report,
}};

}  // namespace
}  // namespace bench
