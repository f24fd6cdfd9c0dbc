#include "results/secrets.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bench {
namespace {

TEST(Secrets, MasksTheValueOfWhatIsNamedLikeASecret) {
  EXPECT_EQ(masked("serve --api-key abcdef123 --port 8000"), "serve --api-key *** --port 8000");
  EXPECT_EQ(masked("--api-key=abcdef123"), "--api-key=***");
  EXPECT_EQ(masked("[\"--hf-token\", \"hf_abcdef\", \"-v\"]"), "[\"--hf-token\", \"***\", \"-v\"]");
  EXPECT_EQ(masked("{\"password\": \"hunter22\", \"x\": 1}"), "{\"password\": \"***\", \"x\": 1}");
  EXPECT_EQ(masked("OPENAI_API_KEY=sk-12345678 bench run"), "OPENAI_API_KEY=*** bench run");
  EXPECT_EQ(masked("client_secret: xyzxyzxyz\nmodel: glm5"), "client_secret: ***\nmodel: glm5");
  EXPECT_EQ(masked("Authorization: Bearer abcdef123"), "Authorization: Bearer ***");
}

TEST(Secrets, MasksCredentialsInUrls) {
  EXPECT_EQ(masked("http://me:hunter2@host:30000/v1?a=b@c"), "http://***@host:30000/v1?a=b@c");
  EXPECT_EQ(masked("see http://host/a@b and https://u@h"), "see http://host/a@b and https://***@h");
}

TEST(Secrets, MasksTheValuesOfSecretEnvironmentVariablesWhereverTheyStand) {
  setenv("BENCH_TEST_TOKEN", "open-sesame", 1);
  setenv("BENCH_TEST_KEYBOARD", "qwertyuiop", 1);
  EXPECT_EQ(masked("got open-sesame twice: open-sesame; qwertyuiop"),
            "got *** twice: ***; qwertyuiop");
  unsetenv("BENCH_TEST_TOKEN");
  unsetenv("BENCH_TEST_KEYBOARD");
}

TEST(Secrets, LeavesEverythingElse) {
  for (const char* text :
       {"pool_tokens: 495552, output_tokens: 256", "tokens_per_s=10.46131313", "--max-tokens 256",
        "api_key: ${BENCH_API_KEY}", "api_key_env: BENCH_API_KEY", "tokenizer: glm5-tokenizer",
        "a token was expected here: something", "--served-model glm-5", "", "password", "--api-key",
        "://@", "key: value123"}) {
    EXPECT_EQ(masked(text), text);
  }
}

}  // namespace
}  // namespace bench
