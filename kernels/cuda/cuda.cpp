#include "kernels/cuda/cuda.h"

#include "harness/error.h"
#include "harness/format.h"

namespace bench::cuda {

void check(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  const std::string message =
      format("{}: {}: {}", what, cudaGetErrorName(error), cudaGetErrorString(error));
  cudaGetLastError();  // an error that the next call would else be blamed for
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(message);
  fail(message);
}

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}
Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}
void Stream::synchronise() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

Event::Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
Event::~Event() {
  if (event_ != nullptr) cudaEventDestroy(event_);
}
void Event::record(cudaStream_t stream) const {
  check(cudaEventRecord(event_, stream), "cudaEventRecord");
}
void Event::record_in_graph(cudaStream_t stream) const {
  check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal), "cudaEventRecord");
}
Seconds Event::since(const Event& start) const {
  check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
  return Seconds{double{milliseconds} * 1e-3};
}

void Graph::begin(cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

void Graph::abandon(cudaStream_t stream) {
  cudaGraph_t recorded = nullptr;
  cudaStreamEndCapture(stream, &recorded);
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  cudaGetLastError();
}

Graph Graph::end(cudaStream_t stream) {
  cudaGraph_t recorded = nullptr;
  check(cudaStreamEndCapture(stream, &recorded), "cudaStreamEndCapture");
  cudaGraphExec_t graph = nullptr;
  const cudaError_t error = cudaGraphInstantiate(&graph, recorded, 0);
  cudaGraphDestroy(recorded);
  check(error, "cudaGraphInstantiate");
  return Graph(graph);
}

Graph::~Graph() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
}
void Graph::launch(cudaStream_t stream) const {
  check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
}

}  // namespace bench::cuda
