#pragma once

#include <cuda_runtime_api.h>

#include <string_view>
#include <utility>

#include "harness/units.h"

namespace bench::cuda {

// Throws Error with the call, and CUDA's name and text of the error; OutOfMemory for that error.
void check(cudaError_t error, std::string_view what);

// Of the kernel just launched.
inline void check_launch(std::string_view kernel) { check(cudaGetLastError(), kernel); }

// A stream of the current device that does not wait for the default one. Move-only.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronise() const;

 private:
  cudaStream_t stream_ = nullptr;
};

// A point in a stream's work whose time is kept. Move-only.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(cudaStream_t stream) const;
  // While a graph is captured: the graph records it, each time that it runs.
  void record_in_graph(cudaStream_t stream) const;
  // From `start` to this one; waits for this one.
  [[nodiscard]] Seconds since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Work of a stream, recorded once and started as one. Move-only.
class Graph {
 public:
  // Records what `enqueue` starts on the stream; nothing of it runs yet.
  template <typename Enqueue>
  static Graph record(cudaStream_t stream, const Enqueue& enqueue) {
    begin(stream);
    try {
      enqueue();
    } catch (...) {
      abandon(stream);
      throw;
    }
    return end(stream);
  }
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  explicit Graph(cudaGraphExec_t graph) : graph_(graph) {}
  static void begin(cudaStream_t stream);
  static void abandon(cudaStream_t stream);
  static Graph end(cudaStream_t stream);

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace bench::cuda
