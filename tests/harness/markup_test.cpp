#include "harness/markup.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Markup, EscapesWhatCouldEndATextOrAQuote) {
  EXPECT_EQ(escape_markup("</a> & \"b\" 'c'"), "&lt;/a&gt; &amp; &quot;b&quot; &#39;c&#39;");
  EXPECT_EQ(escape_markup("&amp;"), "&amp;amp;");
  EXPECT_EQ(escape_markup("tok/s µ"), "tok/s µ");
}

}  // namespace
}  // namespace bench
