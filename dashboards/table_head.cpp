#include "dashboards/table_head.h"

#include <string>

namespace bench {

void open_table(const char* classes, const char* caption, std::span<const TableColumn> columns,
                Html& page) {
  page.open("div", {{"class", "scroll"}}).open("table", {{"class", classes}});
  page.element("caption", caption).open("thead").open("tr");
  for (const TableColumn& column : columns) {
    page.open("th", {{"scope", "col"},
                     {"class", column.css},
                     {"data-filter", column.filter},
                     {"title", column.help}});
    page.text(column.title).close();
  }
  page.close().close().line().open("tbody").line();
}

}  // namespace bench
