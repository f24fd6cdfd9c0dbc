#include "results/trace/work.h"

#include <algorithm>
#include <charconv>

#include "results/trace/tensor.h"

namespace bench {
namespace {

std::int64_t number_at(std::string_view text, std::size_t at) {
  std::int64_t value = 0;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

// The number that follows `before` in the name; 0: none.
std::int64_t number_after(std::string_view name, std::string_view before) {
  const std::size_t at = name.find(before);
  return at == std::string_view::npos ? 0 : number_at(name, at + before.size());
}

// Of unrolled_elementwise_kernel<F, std::array<char*, 2ul>, 4, ...>: the 4.
std::int64_t unrolled_by(std::string_view name) {
  const std::size_t at = name.find("std::array<char*");
  const std::size_t end = at == std::string_view::npos ? at : name.find(">, ", at);
  return end == std::string_view::npos ? 0 : number_at(name, end + 3);
}

// The type in the last "lambda(T)": what the functor takes.
std::string functor_type(std::string_view name) {
  const std::size_t at = name.rfind("lambda(");
  const std::size_t end = at == std::string_view::npos ? at : name.find(')', at);
  if (end == std::string_view::npos) return {};
  return std::string(name.substr(at + 7, end - at - 7));
}

// Types that the name of a copy kernel gives away. direct_copy with LoadWithCast reads anything.
void copy_types(std::string_view name, Work& work) {
  if (name.find("float8_copy_kernel") != std::string_view::npos) {
    work.to = "c10::Float8_e4m3fn";
    work.from = functor_type(name);
  } else if (name.find("bfloat16_copy_kernel") != std::string_view::npos) {
    work.to = "c10::BFloat16";
    work.from = functor_type(name);
  } else if (name.find("direct_copy_kernel") != std::string_view::npos) {
    work.to = functor_type(name);
    if (name.find("LoadWithCast") == std::string_view::npos) work.from = work.to;
  }
}

void set_bytes(Work& work) {
  work.read_bytes = times(work.elements, bytes_of_type(work.from));
  work.written_bytes = times(work.elements, bytes_of_type(work.to));
}

// aten::copy_ has the target first, then the source, which may be broadcast.
Work copy_work(const std::vector<Tensor>& inputs) {
  Work work;
  if (inputs.empty()) return work;
  work.elements = inputs[0].elements();
  work.rows = inputs[0].rows();
  work.width = inputs[0].width();
  work.to = inputs[0].type;
  work.from = inputs.size() > 1 && !inputs[1].type.empty() ? inputs[1].type : work.to;
  if (bytes_of_type(work.from) == 0) work.from = work.to;
  set_bytes(work);
  if (inputs.size() > 1 && inputs[1].elements() > 0 && inputs[1].elements() < work.elements) {
    work.read_bytes = times(inputs[1].elements(), bytes_of_type(work.from));
  }
  return work;
}

std::size_t first_factor(std::string_view op) {
  return op == "aten::addmm" || op == "aten::baddbmm" ? 1 : 0;
}

bool is_gemm(std::string_view op) {
  return op == "aten::mm" || op == "aten::addmm" || op == "aten::bmm" || op == "aten::baddbmm" ||
         op == "aten::_scaled_mm" || op == "aten::linear" || op == "aten::matmul";
}

Work gemm_work(const std::vector<Tensor>& inputs, std::size_t first) {
  Work work;
  if (inputs.size() < first + 2) return work;
  const Tensor& a = inputs[first];
  const Tensor& b = inputs[first + 1];
  if (a.dims.size() < 2 || b.dims.size() < 2 || a.dims.back() <= 0) return work;
  work.elements = times(a.elements() / a.dims.back(), b.dims.back());
  work.rows = a.rows();
  work.from = a.type;
  work.to = a.type;
  work.read_bytes =
      times(a.elements(), bytes_of_type(a.type)) + times(b.elements(), bytes_of_type(b.type));
  work.written_bytes = times(work.elements, bytes_of_type(a.type));
  return work;
}

// Reads every input once, writes one tensor like the largest.
Work elementwise_work(const std::vector<Tensor>& inputs) {
  Work work;
  for (const Tensor& input : inputs) {
    work.read_bytes += times(input.elements(), bytes_of_type(input.type));
    if (input.elements() <= work.elements) continue;
    work.elements = input.elements();
    work.rows = input.rows();
    work.width = input.width();
    work.from = work.to = input.type;
  }
  work.written_bytes = times(work.elements, bytes_of_type(work.to));
  return work;
}

// One block fetches one row, 16 bytes a thread; the threads are rounded up to whole warps.
Work gather_work(std::string_view kernel, const LaunchShape& shape,
                 const std::vector<Tensor>& inputs) {
  Work work{.rows = shape.grid[0], .inferred = true};
  const std::int64_t vector_bytes = number_after(kernel, "vectorized_gather_kernel<");
  std::int64_t row_bytes = times(times(shape.grid[1], shape.block[0]), vector_bytes);
  if (!inputs.empty() && inputs[0].width() > 0) {
    work.from = work.to = inputs[0].type;
    work.width = inputs[0].width();
    row_bytes = times(work.width, bytes_of_type(work.from));
    work.elements = times(work.rows, work.width);
  }
  work.read_bytes = work.written_bytes = times(work.rows, row_bytes);
  return work;
}

// A copy within the device reads and writes; one to or from the host does either.
Work transfer_work(const LaunchText& launch, const std::vector<Tensor>& inputs) {
  const std::int64_t bytes = launch.shape.bytes;
  const bool within = launch.kernel.find("DtoD") != std::string_view::npos ||
                      launch.kernel.find("Device -> Device") != std::string_view::npos ||
                      launch.kernel.find("Device-to-Device") != std::string_view::npos;
  if (within && launch.op.name == "aten::copy_") {
    if (Work work = copy_work(inputs); work.written_bytes == bytes) return work;
  }
  Work work{.elements = bytes, .read_bytes = within ? bytes : 0, .written_bytes = bytes};
  if (within) work.from = work.to = "unsigned char";
  return work;
}

Work inferred_work(const LaunchText& launch) {
  Work work{.inferred = true};
  const std::int64_t each = elements_a_thread(launch.kernel, launch.newer_torch);
  work.elements = times(launch.shape.threads(), each);
  work.slack = work.elements > 0 ? times(launch.shape.threads_a_block(), each) - 1 : 0;
  copy_types(launch.kernel, work);
  set_bytes(work);
  return work;
}

}  // namespace

std::int64_t elements_a_thread(std::string_view kernel, bool newer_torch) {
  if (kernel.find("unrolled_elementwise_kernel<") != std::string_view::npos) {
    return std::max<std::int64_t>(unrolled_by(kernel), 4);
  }
  if (const auto vector = number_after(kernel, "vectorized_elementwise_kernel<"); vector > 0) {
    return std::max<std::int64_t>(vector, newer_torch ? 8 : 4);
  }
  const std::size_t at = kernel.find("elementwise_kernel<");  // <threads, values a thread, F>
  if (at == std::string_view::npos) return 0;
  const std::size_t comma = kernel.find(", ", at);
  return comma == std::string_view::npos ? 0 : number_at(kernel, comma + 2);
}

std::int64_t gemm_rows(const OperatorText& op) {
  if (op.name != "aten::mm" && op.name != "aten::addmm" && op.name != "aten::_scaled_mm") return 0;
  const auto inputs = read_tensors(op.dims, op.types);
  const std::size_t first = first_factor(op.name);
  return inputs.size() > first ? inputs[first].rows() : 0;
}

Work work_of(const LaunchText& launch) {
  const auto inputs = read_tensors(launch.op.dims, launch.op.types);
  if (launch.kind != TraceEventKind::kernel) return transfer_work(launch, inputs);
  if (launch.kernel.find("vectorized_gather_kernel<") != std::string_view::npos) {
    return gather_work(launch.kernel, launch.shape, inputs);
  }
  if (launch.op.name == "aten::copy_") return copy_work(inputs);
  if (is_gemm(launch.op.name)) {
    // The second kernel of a split product adds up what the first left.
    const bool second = launch.kernel.find("educe") != std::string_view::npos;
    return second ? Work{} : gemm_work(inputs, first_factor(launch.op.name));
  }
  if (!inputs.empty() && elements_a_thread(launch.kernel, true) > 0 &&
      launch.kernel.find("index") == std::string_view::npos) {
    return elementwise_work(inputs);
  }
  return inferred_work(launch);
}

}  // namespace bench
