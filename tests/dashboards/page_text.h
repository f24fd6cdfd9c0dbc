#pragma once

#include <string>

namespace bench::testing {

// Text that would run, load or break out if a page took it for markup.
inline const std::string kAttack =
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\" onload=\"";

std::size_t count(const std::string& text, const std::string& part);

// The text of every row and cell of the page's tables, one row a line.
std::string table_text(const std::string& html);

// Neither an address nor an element that makes a browser ask for anything.
void expect_loads_nothing(const std::string& html);

// The page has its one script and none of the elements in kAttack.
void expect_no_markup_of(const std::string& attack, const std::string& html);

}  // namespace bench::testing
