#include "dashboards/html.h"

#include <gtest/gtest.h>

#include "harness/error.h"

namespace bench {
namespace {

TEST(Html, EscapesTextAndAttributes) {
  Html page;
  page.element("p", "a < b & \"c\"", {{"title", "'</script>"}});
  EXPECT_EQ(page.take(), "<p title=\"&#39;&lt;/script&gt;\">a &lt; b &amp; &quot;c&quot;</p>");
}

TEST(Html, ReplacesWhatIsNoText) { EXPECT_EQ(escape_html(std::string("a\0b\xff", 4)), "a b?"); }

TEST(Html, LeavesOutEndTagsThatAreImplied) {
  Html page;
  page.open("ul").open("li").text("x").close().close();
  EXPECT_EQ(page.take(), "<ul><li>x</ul>");
}

TEST(Html, RefusesUnbalancedElements) {
  Html page;
  EXPECT_THROW(page.close(), Error);
  page.open("p");
  EXPECT_THROW(static_cast<void>(page.take()), Error);
}

TEST(Html, MakesIdsOfAnyText) {
  EXPECT_EQ(slug("context 4k, pool"), "context-4k-pool");
  EXPECT_EQ(slug("<\"x'>"), "x-");
}

}  // namespace
}  // namespace bench
