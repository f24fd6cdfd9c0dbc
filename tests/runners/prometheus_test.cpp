#include "runners/http/prometheus.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

constexpr std::string_view kMetrics =
    "# HELP vllm:generation_tokens Count.\n# TYPE vllm:generation_tokens counter\n"
    "vllm:generation_tokens_total{engine=\"0\",model_name=\"a}b \\\" c\"} 120.0\n"
    "vllm:generation_tokens_total{engine=\"1\"} 1.5e2 1700000000\n"
    "vllm:generation_tokens_created{engine=\"0\"} 1.7e9\n"
    "vllm:cache_config_info{block_size=\"16\",gpu_block_size=\"99\",num_gpu_blocks=\"30972\"} 1\n"
    "nan NaN\ninf +Inf\nbare 7\r\nbroken{x=\"1\nplus +3\nnothing\n";

TEST(Prometheus, SumsTheSeriesOfAName) {
  EXPECT_EQ(series_sum(kMetrics, "vllm:generation_tokens"), 270);
  EXPECT_EQ(series_sum(kMetrics, "vllm:generation_tokens_total"), 270);
  EXPECT_EQ(series_sum(kMetrics, "bare"), 7);
  EXPECT_EQ(series_sum(kMetrics, "plus"), 3);
}

TEST(Prometheus, HasNothingForNamesThatAreNotThere) {
  EXPECT_FALSE(series_sum(kMetrics, "vllm:generation").has_value());
  EXPECT_FALSE(series_sum(kMetrics, "").has_value());
  EXPECT_FALSE(series_sum(kMetrics, "nothing").has_value());
  EXPECT_FALSE(series_sum(kMetrics, "broken").has_value());
  EXPECT_FALSE(series_sum(kMetrics, "nan").has_value());
  EXPECT_FALSE(series_sum(kMetrics, "inf").has_value());
}

TEST(Prometheus, ReadsLabels) {
  EXPECT_EQ(series_label(kMetrics, "vllm:cache_config_info", "num_gpu_blocks"), "30972");
  EXPECT_EQ(series_labels(kMetrics, "vllm:generation_tokens").at(1).second, "a}b \\\" c");
  EXPECT_EQ(series_labels(kMetrics, "vllm:cache_config_info").size(), 3u);
  EXPECT_TRUE(series_labels(kMetrics, "bare").empty());
  EXPECT_EQ(series_label(kMetrics, "vllm:cache_config_info", "block_size"), "16");
  EXPECT_FALSE(series_label(kMetrics, "vllm:cache_config_info", "blocks").has_value());
}

}  // namespace
}  // namespace bench
