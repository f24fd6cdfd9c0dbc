#include "dashboards/page.h"

namespace bench {

std::string whole_page(const std::string& title, const std::string& body) {
  Html page;
  page.markup("<!DOCTYPE html>").line();
  page.open("html", {{"lang", "en"}}).line().open("head").line();
  page.empty("meta", {{"charset", "utf-8"}}).line();
  page.empty("meta", {{"http-equiv", "Content-Security-Policy"},
                      {"content",
                       "default-src 'none'; connect-src 'none'; style-src 'unsafe-inline'; "
                       "script-src 'unsafe-inline'; base-uri "
                       "'none'; form-action 'none'"}});
  page.line()
      .empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}})
      .line();
  page.element("title", title).line();
  page.open("style").markup(kReportCss).close().line();
  // Before the body: what scripts open is then never laid out while the page is read, which would
  // take more time than all else.
  page.open("script").markup("document.documentElement.classList.add('js')").close().line();
  page.close().line();
  page.open("body").line().markup(body).line();
  page.open("script").markup(kReportJs).close().line().close().close().line();
  return page.take();
}

}  // namespace bench
