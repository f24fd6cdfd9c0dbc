#include "kernels/cuda/nccl.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "harness/error.h"
#include "harness/format.h"

// Where the build found one: the library of a Python wheel is on no search path.
#ifndef BENCH_NCCL_LIBRARY
#define BENCH_NCCL_LIBRARY ""
#endif

namespace bench::cuda {
namespace {

constexpr int kOldest = 21100;  // 2.11: captured and uncaptured collectives may be mixed

std::string version_text(int version) {
  return format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void* open_library() {
  const char* named = std::getenv("BENCH_NCCL");
  for (const char* path : {named, "libnccl.so.2", BENCH_NCCL_LIBRARY}) {
    if (path == nullptr || *path == '\0') continue;
    if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

// version 0: there is no library, or one without the functions of every NCCL 2.
Nccl load() {
  Nccl n;
  void* library = open_library();
  if (library == nullptr) return n;
  find(library, "ncclGetVersion", n.get_version);
  find(library, "ncclGetUniqueId", n.get_unique_id);
  find(library, "ncclCommInitRank", n.comm_init_rank);
  find(library, "ncclCommDestroy", n.comm_destroy);
  find(library, "ncclCommAbort", n.comm_abort);
  find(library, "ncclAllReduce", n.all_reduce);
  find(library, "ncclSend", n.send);
  find(library, "ncclRecv", n.receive);
  find(library, "ncclGroupStart", n.group_start);
  find(library, "ncclGroupEnd", n.group_end);
  find(library, "ncclGetErrorString", n.error_text);
  find(library, "ncclGetLastError", n.last_error);
  if (n.get_version == nullptr || n.get_version(&n.version) != 0) n.version = 0;
  return n;
}

const Nccl& loaded() {
  static const Nccl kNccl = load();
  return kNccl;
}

}  // namespace

const Nccl& Nccl::get() {
  const std::string obstacle = nccl_obstacle(loaded().version);
  if (!obstacle.empty()) fail(obstacle);
  return loaded();
}

void Nccl::check(int result, const char* what) const {
  if (result == 0) return;
  const char* more = last_error == nullptr ? nullptr : last_error(nullptr);
  fail(format("{}: {}{}{}", what, error_text(result), more == nullptr || *more == '\0' ? "" : ": ",
              more == nullptr ? "" : more));
}

std::string nccl_version() {
  return loaded().version == 0 ? std::string() : version_text(loaded().version);
}

std::string nccl_obstacle(int version) {
  if (version == 0) {
    return "several GPUs need NCCL, and libnccl.so.2 was not found: name it in BENCH_NCCL, or "
           "measure one GPU with --set gpus=1";
  }
  if (version < kOldest) {
    return format(
        "NCCL {} is too old for collectives in CUDA graphs: {} or later is needed, or "
        "--set gpus=1",
        version_text(version), version_text(kOldest));
  }
  return {};
}

std::vector<LinkFact> nccl_variables() {
  std::vector<LinkFact> facts;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with("NCCL_") || equals == std::string_view::npos) continue;
    facts.push_back({.name = std::string(text.substr(0, equals)),
                     .value = std::string(text.substr(equals + 1))});
  }
  std::ranges::sort(facts, {}, &LinkFact::name);
  return facts;
}

}  // namespace bench::cuda
