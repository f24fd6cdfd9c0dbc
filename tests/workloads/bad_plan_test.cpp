#include <gtest/gtest.h>

#include <string>

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

struct BadPlan {
  std::string text;
  std::string message;
};

TEST(BadPlan, IsRefusedWithItsPlaceAndWhatWouldBeRight) {
  const BadPlan files[] = {
      {"workloads: {}\n", "x.yaml:1:1: 'workloads:' is empty"},
      {"name: x\n", "x.yaml:1:1: there are no 'workloads:'"},
      {"workloads:\n  w: 5\n",
       "x.yaml:2:6: workload 'w': expected 'key: value' lines, got a single value"},
      {"workloads:\n", "x.yaml:1:1: workloads: expected 'key: value' lines, got nothing"},
      {"workloads: [a]\n", "x.yaml:1:12: workloads: expected 'key: value' lines, got a list"},
      {"nmae: x\nworkloads: {}\n", "x.yaml:1:1: unknown key 'nmae' (did you mean 'name'?)"},
      {"context: 4k\nworkloads: {}\n",
       "x.yaml:1:1: 'context' belongs under 'defaults:' or in a workload"},
      {std::string("name: [x]\n") + kWorkload,
       "x.yaml:1:7: name: expected a single value, got a list"},
      {std::string("name: a b\n") + kWorkload,
       "x.yaml:1:7: name 'a b': a name is made of letters, digits and '_-.'"},
      {"name: " + std::string(101, 'a') + "\n" + kWorkload,
       "x.yaml:1:7: name: longer than 100 bytes"},
      {"workloads:\n  a.b: {}\n",
       "x.yaml:2:3: workload 'a.b': a name is made of letters, digits and '_-'"},
      {"workloads:\n  w:\n    variants: [a]\n",
       "x.yaml:2:3: workload 'w' has no 'runner' (such as kernel or http)"},
      {"workloads:\n  w:\n    runner: kernal\n    variants: [a]\n",
       "x.yaml:3:13: no runner 'kernal' in this build (there are: fake, http, kernel)"},
      {"workloads:\n  w:\n    runner: kernel\n", "x.yaml:2:3: workload 'w' has no 'variants'"},
      {kWorkload + "    contxt: 4k\n",
       "x.yaml:6:5: unknown key 'contxt' (did you mean 'context'?)"},
      {kWorkload + "    batch_size: 4k\n",
       "x.yaml:6:5: unknown key 'batch_size' (did you mean 'concurrency'?)"},
      {kWorkload + "    context: 4x\n",
       "x.yaml:6:14: context: '4x' is not a count (write 495552, 4k, 1.5M)"},
      {kWorkload + "    context:\n", "x.yaml:6:5: context has no value"},
      {kWorkload + "    context: [4k]\n",
       "x.yaml:6:14: context: expected a single value, got a list"},
      {kWorkload + "    context: {a: 1}\n",
       "x.yaml:6:14: context: expected a single value, got a map"},
      {kWorkload + "    context: -5\n",
       "x.yaml:6:14: context: '-5' is not a count (write 495552, 4k, 1.5M)"},
      {kWorkload + "    context: 99G\n",
       "x.yaml:6:14: context: 101376M is out of range (1 to 128M)"},
      {kWorkload + "    context: 1.3\n", "x.yaml:6:14: context: '1.3' is not a whole number"},
      {kWorkload + "    placement: random\n",
       "x.yaml:6:16: placement: no choice 'random' (there are: scattered, contiguous)"},
      {kWorkload + "    k_scale: x\n", "x.yaml:6:14: k_scale: 'x' is not a number (write 1.5)"},
      {kWorkload + "    rest_of_step_ms: 31\n",
       "x.yaml:6:22: rest_of_step_ms needs a rest_of_step_source: where the figure comes from"},
      {kWorkload + "    rest_of_step_ms: 31 ms\n    rest_of_step_source: x\n",
       "x.yaml:6:22: rest_of_step_ms: '31 ms' is not a time (write 250us, 64.6ms, 1.5s, 20m, 2h)"},
      {kWorkload + "    replicates: 0\n", "x.yaml:6:17: replicates: 0 is out of range (1 to 1000)"},
      {kWorkload + "    deadline: 20\n",
       "x.yaml:6:15: deadline: '20' is not a time (write 250us, 64.6ms, 1.5s, 20m, 2h)"},
      {kWorkload + "    deadline: 20 parsecs\n",
       "x.yaml:6:15: deadline: '20 parsecs' is not a time (write 250us, 64.6ms, 1.5s, 20m, 2h)"},
      {kWorkload + "    sampling: {min_sample: 5}\n",
       "x.yaml:6:16: unknown key 'min_sample' (did you mean 'min_samples'?)"},
      {kWorkload + "    sampling: {min_samples: 50, max_samples: 5}\n",
       "x.yaml:6:15: min_samples 50 is more than max_samples 5"},
      {kWorkload + "    sampling: 5\n",
       "x.yaml:6:15: sampling: expected 'key: value' lines, got a single value"},
      {kWorkload + "    sampling: {relative_error: 200%}\n",
       "x.yaml:6:32: relative_error: 200% is out of range (0 to 1)"},
      {"workloads:\n  w: {runner: kernel, variants: [a, a]}\n",
       "x.yaml:2:34: variant 'a' is there twice"},
      {"workloads:\n  w: {runner: kernel, variants: []}\n",
       "x.yaml:2:33: variants: the list is empty"},
      {"workloads:\n  w: {runner: kernel, variants: [a b]}\n",
       "x.yaml:2:34: variant 'a b': a name is made of letters, digits and '_-./'"},
      {"workloads:\n  w: {runner: kernel, variants: [a, b], baseline: c}\n",
       "x.yaml:2:51: baseline 'c' is none of the variants of 'w' (did you mean 'a'?)"},
      {"workloads:\n  w: {runner: kernel, variants: [native_fp8, gather_cast], baseline: "
       "native_fp}\n",
       "x.yaml:2:70: baseline 'native_fp' is none of the variants of 'w' (did you mean "
       "'native_fp8'?)"},
      {kWorkload + "    sweep: {context: []}\n", "x.yaml:6:22: context: the list is empty"},
      {kWorkload + "    sweep: {contxt: [4k]}\n",
       "x.yaml:6:13: no parameter 'contxt' (did you mean 'context'?)"},
      {kWorkload + "    sweep: {context: [4k, 4096]}\n", "x.yaml:6:27: context 4k is there twice"},
      {kWorkload + "    sweep: {context: [4k, x]}\n",
       "x.yaml:6:27: context: 'x' is not a count (write 495552, 4k, 1.5M)"},
      {kWorkload + "    sweep: [4k]\n",
       "x.yaml:6:12: sweep: expected 'key: value' lines, got a list"},
      {kWorkload + "    sweep: {context: {a: 4k}}\n",
       "x.yaml:6:22: context: expected a list, got a map"},
      {kWorkload + "    sweep: {endpoint: [a, b]}\n",
       "x.yaml:6:13: 'endpoint' cannot be an axis: cases that differ only in it are the same"},
      {kWorkload + "    context: 4k\n    sweep: {context: [4k]}\n",
       "x.yaml:7:13: 'context' is an axis and has a value of its own in line 6"},
      {kWorkload + "    sweep: {context: [4k]}\n    zip: {context: [4k]}\n",
       "x.yaml:7:11: 'context' is an axis of both 'sweep' and 'zip'"},
      {kWorkload + "    zip: {context: [1k, 4k], pool_tokens: [64k]}\n",
       "x.yaml:6:30: 'pool_tokens' has 1 values and 'context' has 2: 'zip' pairs them one to one"},
      {kWorkload + "    zip: {context: [1k, 1k], pool_tokens: [64k, 64k]}\n",
       "x.yaml:6:25: context 1k, pool_tokens 64k is there twice"},
      {kWorkload + "    sweep: {context: [1k, 128k], pool_tokens: [64k]}\n",
       "x.yaml:6:48: 1 x 128k tokens need 131072 slots, pool_tokens has 65536 (or skip: [{context: "
       "128k, pool_tokens: 64k, reason: ...}])"},
      {kWorkload + "    pool_tokens: 64k\n    sweep: {context: [1k, 128k]}\n",
       "x.yaml:7:27: 1 x 128k tokens need 131072 slots, pool_tokens has 65536 (or skip: [{context: "
       "128k, reason: ...}])"},
      {kWorkload + "    pool_tokens: 64k\n    context: 128k\n",
       "x.yaml:6:18: 1 x 128k tokens need 131072 slots, pool_tokens has 65536"},
      {kWorkload + "    tensor_parallel: 7\n",
       "x.yaml:6:22: 64 heads cannot be shared by tensor_parallel 7"},
      {kWorkload + "    query_tokens: 5\n    context: 4\n",
       "x.yaml:6:19: query_tokens 5 is more than context 4, which includes them"},
      {kWorkload + "    skip: {context: 4k}\n",
       "x.yaml:6:11: skip: expected a list of rules, such as - {context: 64k, reason: does not "
       "fit}"},
      {kWorkload + "    sweep: {context: [1k, 4k]}\n    skip: [{context: 4k}]\n",
       "x.yaml:7:12: skip: a rule needs a 'reason'"},
      {kWorkload + "    sweep: {context: [1k, 4k]}\n    skip: [{context: 8k, reason: x}]\n",
       "x.yaml:7:22: skip: context 8k is not on the axis (there are: 1k, 4k)"},
      {kWorkload + "    sweep: {context: [1k, 4k]}\n    skip: [{pool_tokens: 8k, reason: x}]\n",
       "x.yaml:7:13: skip: 'pool_tokens' is no axis of this workload"},
      {kWorkload + "    sweep: {context: [1k, 4k]}\n    skip: [{reason: x}]\n",
       "x.yaml:7:12: skip: a rule needs an axis, such as context: 64k"},
      {"model: glm6\nworkloads:\n  w: {runner: kernel, variants: [a]}\n",
       "x.yaml:1:8: no model 'glm6' (did you mean 'glm5'?)"},
      {"model: mistral\nworkloads:\n  w: {runner: kernel, variants: [a]}\n",
       "x.yaml:1:8: no model 'mistral' (there are: deepseek-v2, deepseek-v2-lite, deepseek-v3, "
       "deepseek-v3.2, glm4.7-flash, glm5, glm5.2, glm5.3-flash, kimi-k2, kimi-k3, longcat-flash)"},
      {"model: ./none.yaml\nworkloads:\n  w: {runner: kernel, variants: [a]}\n",
       "x.yaml:1:8: model: no file './none.yaml'"},
      {"model: glm5.3-flash\nworkloads:\n  w: {runner: kernel, variants: [a]}\n",
       "x.yaml:1:8: model 'glm5.3-flash' does not give 'hidden' (--set hidden=...)"},
      {"model: glm5\nworkloads:\n  w: {runner: kernel, variants: [a], sweep: {model: [glm5, "
       "glm4.7-flash], tensor_parallel: [8]}}\n",
       "x.yaml:3:93: 20 heads cannot be shared by tensor_parallel 8 (or skip: [{model: "
       "glm4.7-flash, tensor_parallel: 8, reason: ...}])"},
      {"model: ${M}\nworkloads:\n  w: {runner: kernel, variants: [a]}\n",
       "x.yaml:1:8: model: variables are for endpoints and files; a case must be the same on every "
       "machine (use --set model=...)"},
      {kWorkload + "    context: ${M}\n",
       "x.yaml:6:14: context: variables are for endpoints and files; a case must be the same on "
       "every machine (use --set context=...)"},
      {kWorkload + "    endpoint: ${M\n",
       "x.yaml:6:15: '${M' is not a variable (write ${NAME} or ${NAME:-default})"},
      {kWorkload + "    endpoint: ${}\n",
       "x.yaml:6:15: '${}' is not a variable (write ${NAME} or ${NAME:-default})"},
      {kWorkload + "    endpoint: ${NOPE_X}\n",
       "x.yaml:6:15: environment variable NOPE_X is not set (export NOPE_X=..., or --set "
       "w.endpoint=...)"},
      {kWorkload + "    endpoint: localhost:30000\n",
       "x.yaml:6:15: endpoint: expected http://... or https://..."},
      {kWorkload + "    endpoint: http://user:secret@host/\n",
       "x.yaml:6:15: endpoint: holds a password (use api_key_env or api_key_file)"},
      {kWorkload + "    endpoint: http://\n", "x.yaml:6:15: endpoint: no host"},
      {kWorkload + "    endpoint: http://h\n    duration_s: 0\n",
       "x.yaml:7:17: duration_s 0 and requests 0 would never end"},
      {std::string("defaults: {sweep: {context: [4k]}}\n") + kWorkload,
       "x.yaml:1:12: 'sweep' belongs to a workload (not to 'defaults')"},
      {std::string("defaults: 5\n") + kWorkload,
       "x.yaml:1:11: defaults: expected 'key: value' lines, got a single value"},
      {kWorkload + "gates: {workload: w}\n",
       "x.yaml:6:8: gates: expected a list, such as - {workload: single_stream, metric: tpot_s, "
       "min_effect: 2%}"},
      {kWorkload + "gates: [{workload: v, metric: tpot_s}]\n",
       "x.yaml:6:20: no workload 'v' (did you mean 'w'?)"},
      {kWorkload + "gates: [{workload: w, metric: tpot}]\n",
       "x.yaml:6:31: no metric 'tpot' (did you mean 'tpot_s'?)"},
      {kWorkload + "gates: [{workload: w}]\n",
       "x.yaml:6:9: the gate names no 'metric' (such as tpot_s)"},
      {kWorkload + "gates: [{metric: tpot_s}]\n", "x.yaml:6:9: the gate names no 'workload'"},
      {kWorkload + "gates: [{workload: w, metric: tpot_s, min_efect: 2%}]\n",
       "x.yaml:6:39: unknown key 'min_efect' (did you mean 'min_effect'?)"},
      {kWorkload + "gates: [{workload: w, metric: tpot_s, relative_to: aa}]\n",
       "x.yaml:6:52: no variant 'aa' (did you mean 'a'?)"},
      {kWorkload + "gates: [5]\n",
       "x.yaml:6:9: gate: expected 'key: value' lines, got a single value"},
      {kWorkload + "keep: {samples: 30}\n",
       "x.yaml:6:17: samples: expected days or 'forever' (write 30d)"},
      {kWorkload + "keep: {sample: 30d}\n",
       "x.yaml:6:8: unknown key 'sample' (did you mean 'samples'?)"},
      {kWorkload + "keep: {samples: never}\n",
       "x.yaml:6:17: samples: expected days or 'forever' (write 30d)"},
      {kWorkload + "servers: {before: {ready: http://h}}\n",
       "x.yaml:6:11: server 'before' has no 'command'"},
      {kWorkload + "servers: {before: {command: [a]}}\n",
       "x.yaml:6:11: server 'before' has no 'ready' (a URL to ask)"},
      {kWorkload + "servers: {before: {command: [a], ready: h}}\n",
       "x.yaml:6:41: ready: expected http://... or https://..."},
      {kWorkload + "servers: {before: {command: [a], ready: http://h, stop_signal: FOO}}\n",
       "x.yaml:6:64: stop_signal: no choice 'FOO' (there are: TERM, INT, HUP, QUIT, KILL)"},
      {kWorkload + "servers: {before: {comand: [a], ready: http://h}}\n",
       "x.yaml:6:20: unknown key 'comand' (did you mean 'command'?)"},
      {kWorkload + "servers: {a b: {command: [a], ready: http://h}}\n",
       "x.yaml:6:11: server 'a b': a name is made of letters, digits and '_-'"},
      {kWorkload + "servers: {before: {command: [a], ready: http://h, environment: {A-B: 1}}}\n",
       "x.yaml:6:65: environment variable 'A-B': a name is made of letters, digits and '_'"},
  };
  for (const BadPlan& file : files) EXPECT_EQ(complaint(file.text), file.message) << file.text;
}

TEST(BadPlan, IsRefusedBeforeItsProductIsExpanded) {
  std::string values = "1";
  for (int value = 2; value <= 1000; ++value) values += ", " + std::to_string(value);
  const std::string big = kWorkload + "    sweep: {context: [" + values + "], concurrency: [" +
                          values + "], page_size: [" + values + "], query_tokens: [1, 2]}\n";
  EXPECT_EQ(complaint(big),
            "x.yaml:2:3: with workload 'w' there are more than 100000 cases in one file (drop axis "
            "values, or split the file)");
}

}  // namespace
}  // namespace bench
