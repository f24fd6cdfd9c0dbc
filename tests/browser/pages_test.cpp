#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "dashboards/report.h"
#include "dashboards/trace_page.h"
#include "results/trace/read_trace.h"
#include "tests/browser/webdriver.h"
#include "tests/dashboards/compared.h"
#include "tests/dashboards/live.h"
#include "tests/dashboards/nights.h"
#include "tests/dashboards/quickstart.h"

namespace bench::testing {
namespace {

// One browser for all tests: it takes seconds to start. With BENCH_SCREENSHOTS=FOLDER, each page is
// also kept as a picture at three widths, to be looked at.
class Pages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Browser::missing().empty()) return;
    const char* keep = std::getenv("BENCH_SCREENSHOTS");
    folder() = keep != nullptr ? std::filesystem::path(keep)
                               : std::filesystem::temp_directory_path() /
                                     ("bench_pages_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder());
    browser_ = new Browser;
  }
  static void TearDownTestSuite() {
    delete browser_;
    browser_ = nullptr;
    if (!folder().empty() && std::getenv("BENCH_SCREENSHOTS") == nullptr)
      std::filesystem::remove_all(folder());
  }

  void SetUp() override {
    const std::string missing = Browser::missing();
    if (!missing.empty()) GTEST_SKIP() << "skipped: " << missing;
    browser().resize(1280, 900);
  }

  static std::filesystem::path& folder() {
    static std::filesystem::path path;
    return path;
  }
  static Browser& browser() { return *browser_; }

  // Writes the page and opens it at the fragment. Returns its URL.
  static std::string open(const std::string& name, const std::string& html,
                          const std::string& fragment = "") {
    const std::filesystem::path file = folder() / (name + ".html");
    std::ofstream(file, std::ios::binary) << html;
    const std::string url = "file://" + file.string();
    browser().open("about:blank");
    browser().open(url + fragment);
    return url;
  }
  static std::string text(const std::string& expression) {
    const nlohmann::json value = browser().run("return String(" + expression + ")");
    return value.get<std::string>();
  }
  static std::string shown_rows() {
    return text(
        "[...document.querySelectorAll('tr.case:not(.out)')].map(r => r.querySelector('td > b')"
        ".parentElement).map(c => c.textContent + ' ' + c.nextElementSibling.textContent)"
        ".join('; ')");
  }

 private:
  static inline Browser* browser_ = nullptr;
};

// Every kind of page.
std::vector<std::pair<std::string, std::string>> all_pages() {
  return {
      {"report", report_html(quickstart_report())},
      {"live", report_html(live_report())},
      {"compare", compare_html(compare_report())},
      {"site", site_html(ninety_nights())},
      {"trace", trace_html(analyse(
                    read_trace(std::string(BENCH_TRACES) + "/cast_eager.pt.trace.json.gz"), {}))}};
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(Pages, OpensFromDiskWithoutErrorsOrRequests) {
  for (const auto& [name, html] : all_pages()) {
    browser().requests();
    const std::string url = open(name, html);
    EXPECT_EQ(browser().console_errors(), std::vector<std::string>{}) << name;
    for (const std::string& asked : browser().requests())
      EXPECT_TRUE(asked == url || asked == "about:blank") << asked;
  }
}

TEST_F(Pages, SortsByKeyboardInThreeTurns) {
  open("sort", report_html(quickstart_report()));
  const std::string before = shown_rows();
  browser().run("document.querySelectorAll('th button')[2].focus()");
  const std::string sort = "document.querySelectorAll('th')[2].getAttribute('aria-sort')";
  browser().press(kEnter);
  EXPECT_EQ(text(sort), "ascending");
  EXPECT_EQ(text("document.querySelector('tr.case').cells[2].textContent"), "0.2757");
  browser().press(kSpace);
  EXPECT_EQ(text(sort), "descending");
  EXPECT_EQ(text("document.querySelector('tr.case').cells[2].textContent"), "206.9");
  EXPECT_EQ(text("document.querySelector('tr.case').nextElementSibling.className"), "detail");
  browser().press(kEnter);
  EXPECT_EQ(text(sort), "none");
  EXPECT_EQ(shown_rows(), before);
}

TEST_F(Pages, SortsWhatIsNoNumberLast) {
  open("sort_last", report_html(quickstart_report()), "#sort=2d");
  EXPECT_EQ(text("[...document.querySelectorAll('tr.case')].at(-1).cells[1].textContent"),
            "inplace_cast");
}

TEST_F(Pages, FiltersAndKeepsTheFilterInTheAddress) {
  const std::string html = report_html(quickstart_report());
  open("filter", html);
  browser().run("document.querySelector('input[type=search]').focus()");
  browser().press("pool_tokens 128k");
  EXPECT_EQ(text("document.querySelector('.filter output').textContent"), "3 of 30 cases shown");
  browser().run(
      "const s = document.querySelector('select[aria-label*=variant]'); s.value = 'native_fp8';"
      "s.dispatchEvent(new Event('input', {bubbles: true}))");
  EXPECT_EQ(shown_rows(), "pool_size pool_tokens 128k native_fp8");
  const std::string fragment = text("location.hash");
  open("filter_again", html, fragment);
  EXPECT_EQ(shown_rows(), "pool_size pool_tokens 128k native_fp8");
  browser().click(".filter button");
  EXPECT_EQ(text("document.querySelector('.filter output').textContent"), "30 of 30 cases shown");
  EXPECT_EQ(text("location.hash"), "");
}

TEST_F(Pages, OpensARowByKeyboardAndLinksToIt) {
  const std::string html = report_html(quickstart_report());
  open("row", html);
  browser().run("document.querySelectorAll('td button')[2].focus()");
  EXPECT_EQ(text("getComputedStyle(document.querySelectorAll('tr.detail')[2]).display"), "none");
  browser().press(kEnter);
  EXPECT_EQ(text("document.activeElement.getAttribute('aria-expanded')"), "true");
  EXPECT_EQ(text("getComputedStyle(document.querySelectorAll('tr.detail')[2]).display"),
            "table-row");
  const std::string fragment = text("location.hash");
  EXPECT_EQ(fragment.rfind("#case=single-stream-", 0), 0U) << fragment;
  open("row_again", html, fragment);
  EXPECT_EQ(text("document.querySelectorAll('tr.detail.open').length"), "1");
  EXPECT_EQ(text("(b => b.top >= 0 && b.bottom <= "
                 "innerHeight)(document.querySelector('tr.named').getBoundingClientRect())"),
            "true");
}

TEST_F(Pages, IgnoresAFragmentThatNamesNothing) {
  open("wrong", report_html(quickstart_report()),
       "#case=%22%3E&variant=nosuch&sort=99a&theme=pink");
  EXPECT_EQ(browser().console_errors(), std::vector<std::string>{});
  EXPECT_EQ(text("document.querySelector('.filter output').textContent"), "30 of 30 cases shown");
}

TEST_F(Pages, TogglesDark) {
  open("dark", report_html(quickstart_report()));
  const std::string colour = "getComputedStyle(document.body).backgroundColor";
  browser().click("nav button");
  const std::string light = text(colour);
  browser().click("nav button");
  EXPECT_EQ(text("document.documentElement.dataset.theme"), "dark");
  EXPECT_NE(text(colour), light);
}

TEST_F(Pages, TellsTheValuesOfAChart) {
  open("chart", report_html(quickstart_report()));
  browser().run("document.querySelector('#charts .plot').focus()");
  browser().press(kRight);
  EXPECT_EQ(text("document.querySelector('#charts .tip').textContent")
                .rfind("full_pool_cast, context 1k: 201.8 ms", 0),
            0U);
  browser().press(kEscape);
  EXPECT_EQ(text("document.querySelector('#charts .tip').textContent"), "");
  browser().run("document.querySelector('#charts .plot').scrollIntoView({block: 'center'})");
  browser().point_at("#charts .plot .pt");
  EXPECT_EQ(text("document.querySelector('#charts .tip').textContent")
                .rfind("full_pool_cast, context 1k", 0),
            0U);
}

TEST_F(Pages, ShowsEverythingWithoutScripts) {
  browser().allow_scripts(false);
  open("no_script", report_html(quickstart_report()));
  EXPECT_EQ(text("[...document.querySelectorAll('tr.detail')].filter(r => "
                 "r.getBoundingClientRect().height > 0).length"),
            "30");
  EXPECT_EQ(text("document.querySelectorAll('button').length"), "0");
  browser().allow_scripts(true);
}

TEST_F(Pages, ShowsHostileTextAsText) {
  const std::string attack =
      "</script><script>document.title='owned'</script><img src=x "
      "onerror=\"document.title='owned'\">";
  RunReport report = quickstart_report();
  report.run.notes = report.run.name = attack;
  for (Measurement& m : report.measurements) m.telemetry.other_processes = m.reason = attack;
  open("hostile", report_html(report));
  EXPECT_EQ(text("document.querySelectorAll('img').length"), "0");
  EXPECT_EQ(text("document.title"), "bench: " + attack);
}

TEST_F(Pages, OpensAtTheRegressedCaseOfAComparison) {
  open("compare", compare_html(compare_report()), "#verdict=regressed");
  EXPECT_EQ(shown_rows(), "single_stream context 16k, pool_tokens 495552 native_fp8");
  EXPECT_EQ(
      text("document.querySelector('.headline').textContent").rfind("1 of 27 cases regressed", 0),
      0U);
}

TEST_F(Pages, FollowsATileToTheCasesItCounts) {
  open("tiles", compare_html(compare_report()));
  browser().click(".tiles a");
  EXPECT_EQ(text("location.hash"), "#verdict=regressed");
  EXPECT_EQ(shown_rows(), "single_stream context 16k, pool_tokens 495552 native_fp8");
}

TEST_F(Pages, OpensTheTrendOfACase) {
  open("site", site_html(ninety_nights()), "#verdict=regressed&q=native");
  EXPECT_EQ(shown_rows(), "single_stream context 16k native_fp8");
  browser().click("tr.case:not(.out) td button");
  EXPECT_EQ(text("document.querySelectorAll('tr.detail.open .marker').length"), "1");
}

TEST_F(Pages, FollowsAChangeOfLevelToItsTrend) {
  open("site_change", site_html(ninety_nights()));
  browser().click(".changes a");
  EXPECT_EQ(text("document.querySelectorAll('tr.detail.open').length"), "1");
}

// Beside axe: what holds for every page and needs no library.
TEST_F(Pages, NamesEveryControlAndDrawing) {
  for (const auto& [name, html] : all_pages()) {
    open(name, html);
    EXPECT_EQ(text("[...document.querySelectorAll('button, input, select, a, svg[role=img], "
                   "[role=region], nav')].filter(e => !(e.getAttribute('aria-label') || "
                   "e.textContent.trim())).map(e => e.outerHTML).join('\\n')"),
              "")
        << name;
    EXPECT_EQ(text("[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => "
                   "all.indexOf(id) !== i).join(' ')"),
              "")
        << name;
    EXPECT_EQ(text("[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute("
                   "'href').slice(1)).filter(id => !id.includes('=') && "
                   "!document.getElementById(id)).join(' ')"),
              "")
        << name;
    EXPECT_EQ(text("[...document.querySelectorAll('thead th')].filter(h => h.scope !== 'col' || "
                   "!h.textContent).length"),
              "0")
        << name;
    EXPECT_EQ(text("[...document.querySelectorAll('.case .v')].filter(v => !v.dataset.s || "
                   "!v.textContent.trim()).length"),
              "0")
        << name << ": a verdict is a word and a shape";
  }
}

TEST_F(Pages, ReachesEveryControlByKeyboard) {
  open("tab", compare_html(compare_report()));
  const std::string controls =
      "[...document.querySelectorAll('button, input, select, a[href], .plot')]"
      ".filter(e => e.getClientRects().length)";
  EXPECT_EQ(text(controls + ".filter(e => e.tabIndex < 0).length"), "0");
  browser().run("document.querySelector('.tiles a').focus()");
  browser().press(kEnter);
  EXPECT_EQ(text("location.hash"), "#verdict=regressed");
}

TEST_F(Pages, PrintsToPdf) {
  for (const auto& [name, html] : all_pages()) {
    open(name, html);
    const std::string pdf = browser().print();
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    EXPECT_GT(pdf.size(), 20000U);
    if (const char* keep = std::getenv("BENCH_SCREENSHOTS")) {
      std::ofstream(std::filesystem::path(keep) / (name + ".pdf"), std::ios::binary) << pdf;
    }
  }
}

TEST_F(Pages, FitsEveryWidth) {
  for (const auto& [name, html] : all_pages()) {
    for (const int width : {400, 1280, 3840}) {
      browser().resize(width, 2000);
      open(name, html);
      EXPECT_LE(std::stoi(text("document.documentElement.scrollWidth")), width) << name;
      if (name != "trace") {  // names of kernels are wider than a telephone: its table scrolls
        EXPECT_LE(std::stoi(text(
                      "(s => s.scrollWidth - s.clientWidth)(document.querySelector('.scroll'))")),
                  0)
            << name << " " << width;
      }
      if (const char* keep = std::getenv("BENCH_SCREENSHOTS")) {
        browser().resize(
            width, std::min(5000, std::stoi(text("document.documentElement.scrollHeight")) + 200));
        const std::string file = name + "_" + std::to_string(width) + ".png";
        std::ofstream(std::filesystem::path(keep) / file, std::ios::binary)
            << browser().screenshot();
      }
    }
  }
}

TEST_F(Pages, HasNoFaultThatAxeFinds) {
  const char* file = std::getenv("BENCH_AXE");
  const std::string axe = file == nullptr ? "" : file_text(file);
  if (axe.empty()) GTEST_SKIP() << "BENCH_AXE names no axe.min.js";
  for (const auto& [name, html] : all_pages()) {
    for (const char* fragment : {"#theme=light", "#theme=dark"}) {
      browser().resize(fragment == std::string("#theme=dark") ? 400 : 1280, 900);
      open(name, html, fragment);
      browser().run("document.querySelectorAll('td button')[1]?.click()");
      browser().run(axe + "; window.axe = axe;");
      const nlohmann::json found = browser().run_async(
          "const done = arguments[arguments.length - 1];"
          "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map("
          "v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join(' "
          "| '))))");
      EXPECT_EQ(found, nlohmann::json::array()) << name << fragment << "\n" << found.dump(1);
    }
  }
}

TEST_F(Pages, StaysQuickWithFiveHundredCases) {
  open("large", report_html(large_report(500, 1000000)));
  EXPECT_EQ(browser().console_errors(), std::vector<std::string>{});
  EXPECT_EQ(text("document.querySelectorAll('tr.case').length"), "500");
  std::cout << "500 cases: interactive after "
            << text("Math.round(performance.getEntriesByType('navigation')[0].domInteractive)")
            << " ms, loaded after "
            << text("Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)")
            << " ms\n";
}

}  // namespace
}  // namespace bench::testing
