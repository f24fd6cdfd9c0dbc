#include "kernels/cuda/executable.h"

#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/clock_probe.h"

namespace bench::cuda {
namespace {

// Launches that can be started again and again, with the time they take.
class Work {
 public:
  Work(CudaDevice& device, Launch launch, Communicator* ranks, std::function<void()> enqueue)
      : device_(device), ranks_(ranks), enqueue_(std::move(enqueue)) {
    if (launch != Launch::graph) return;
    graph_.emplace(Graph::record(device.stream(), [this] {
      if (ranks_ == nullptr) return enqueue_();
      ranks_->align();
      start_.record_in_graph(device_.stream());
      enqueue_();
      stop_.record_in_graph(device_.stream());
    }));
  }

  // Starts it between the two events.
  void start() const {
    if (graph_ && ranks_ != nullptr) return graph_->launch(device_.stream());
    if (ranks_ != nullptr) ranks_->align();
    start_.record(device_.stream());
    if (graph_) {
      graph_->launch(device_.stream());
    } else {
      enqueue_();
    }
    stop_.record(device_.stream());
  }
  // Of the last start(); waits for it.
  [[nodiscard]] Seconds time() const {
    if (ranks_ != nullptr) device_.synchronise();  // an event of a graph may hold its last time
    return stop_.since(start_);
  }

 private:
  CudaDevice& device_;
  Communicator* ranks_;
  std::function<void()> enqueue_;
  std::optional<Graph> graph_;
  Event start_, stop_;
};

class CudaExecutable : public Executable {
 public:
  CudaExecutable(CudaDevice& device, Pipeline pipeline, const StepShape& shape, Communicator* ranks)
      : device_(device),
        pipeline_(std::move(pipeline)),
        layers_(static_cast<int>(shape.layers)),
        launch_(shape.launch),
        ranks_(ranks),
        step_(device, launch_, ranks,
              [this] {
                for (int layer = 0; layer < layers_; ++layer) device_.run_layer(pipeline_, layer);
              }),
        clock_(device) {}

  Seconds run() override {
    clock_.read(0);
    step_.start();
    clock_.read(1);
    const Seconds time = step_.time();
    device_.synchronise();
    return time;
  }

  // Each stage in a pass of its own over all layers: between the stages of one layer, events would
  // cost as much as a short stage.
  std::vector<Seconds> run_stages() override {
    if (stages_.empty()) record_stages();
    std::vector<Seconds> times;
    for (const Work& stage : stages_) {
      stage.start();
      times.push_back(stage.time());
    }
    return times;
  }

  std::optional<double> clock_hz() override { return clock_.hz(); }

 private:
  void record_stages() {
    for (const StageCall& call : pipeline_) {
      stages_.emplace_back(device_, launch_, ranks_, [this, &call] {
        for (int layer = 0; layer < layers_; ++layer) call.enqueue(layer);
      });
    }
  }

  CudaDevice& device_;
  Pipeline pipeline_;
  int layers_;
  Launch launch_;
  Communicator* ranks_;
  Work step_;
  std::vector<Work> stages_;
  ClockProbe clock_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(CudaDevice& device, Pipeline pipeline,
                                            const StepShape& shape, Communicator* ranks) {
  return std::make_unique<CudaExecutable>(device, std::move(pipeline), shape, ranks);
}

}  // namespace bench::cuda
