#include "results/trace/waste.h"

#include <algorithm>
#include <array>
#include <map>

#include "harness/statistics.h"
#include "results/trace/tensor.h"

namespace bench {
namespace {

constexpr std::int64_t kLargeBytes = std::int64_t{16} << 20;  // below, caches may hold it
constexpr double kLeastShare = 0.01;                          // of the step
constexpr std::int64_t kMostRowsAToken = 128;  // [tokens x heads, ...] still follows the batch

// Rows of latent attention first, then of a few key/value heads of 128 and 64.
constexpr std::array<std::int64_t, 7> kWidths{576, 512, 1024, 2048, 256, 128, 64};

bool is_copy(const KernelClass& c) {
  if (c.kind == TraceEventKind::memcpy) return c.work.read_bytes > 0 && c.work.written_bytes > 0;
  return c.category == Category::cast_copy && c.work.elements > 0;
}

// Does the tensor grow with the tokens of the step?
bool follows_batch(const Work& work, const StepView& view) {
  std::vector<std::int64_t> tokens;
  for (const TraceStep& step : view.steps) {
    if (step.kind == view.kind && step.tokens > 0) tokens.push_back(step.tokens);
  }
  if (tokens.empty() || work.rows == 0) return false;
  std::ranges::sort(tokens);
  if (tokens.front() != tokens.back()) return false;  // it is the same in steps of other batches
  const std::int64_t n = tokens.front();
  return work.rows == n || (n >= 16 && work.rows % n == 0 && work.rows / n <= kMostRowsAToken);
}

// The classes that run next behind `copy` on the device, the most frequent one.
const KernelClass* follower(const StepView& view, std::uint32_t copy) {
  std::map<std::uint32_t, std::int64_t> next;
  for (std::size_t i = 0; i + 1 < view.activities.size(); ++i) {
    if (view.classes.of[i] == copy && view.in_step(i)) ++next[view.classes.of[i + 1]];
  }
  const auto most = std::ranges::max_element(next, {}, [](const auto& e) { return e.second; });
  return most == next.end() ? nullptr : &view.classes.all[most->first];
}

// Did a gather just before the copy fetch its rows? Then they are the active ones.
bool already_gathered(const StepView& view, std::uint32_t copy, const Work& work) {
  for (std::size_t i = 1; i < view.activities.size(); ++i) {
    if (view.classes.of[i] != copy || !view.in_step(i)) continue;
    const KernelClass& before = view.classes.at(i - 1);
    const std::int64_t rows = before.work.rows;
    if (before.category != Category::gather_scatter || rows <= 1) return false;
    if (work.rows > 0) return work.rows == rows;
    const std::int64_t row_bytes = before.work.read_bytes / rows;  // at most
    const std::int64_t values = work.elements / rows;
    return values <= row_bytes && values * 8 > row_bytes;
  }
  return false;
}

// A row's width where only the number of values is known: one that the last block allows for and,
// where a gather follows, that fits into the bytes of its rows.
std::int64_t likely_width(const Work& work, const KernelClass* gather) {
  std::int64_t most = 0;
  if (gather != nullptr && gather->work.rows > 0) {
    most = gather->work.read_bytes / gather->work.rows /
           std::max<std::int64_t>(bytes_of_type(work.to), 1);
  }
  for (const std::int64_t width : kWidths) {
    if (most > 0 && (width > most || width * 2 <= most)) continue;
    if (work.elements % width <= work.slack) return width;
  }
  return 0;
}

// torch stores a pool's new rows with a kernel that names the type: what is cast back is that type.
std::string stored_type(const Classes& classes) {
  for (const KernelClass& c : classes.all) {
    if (c.work.to == "c10::Float8_e4m3fn" && c.category == Category::cast_copy) return c.work.to;
  }
  return {};
}

void fill_sizes(Waste& waste, const StepView& view, const WasteOptions& options) {
  const KernelClass& c = view.classes.all[waste.kernel_class];
  const KernelClass* next = follower(view, waste.kernel_class);
  if (next != nullptr && next->category != Category::gather_scatter) next = nullptr;
  Work work = c.work;
  if (work.from.empty() && bytes_of_type(work.to) > 1) work.from = stored_type(view.classes);
  if (work.width == 0) {
    work.width = options.width > 0 ? options.width : likely_width(work, next);
    work.rows = work.width > 0 ? work.elements / work.width : 0;
    if (work.rows > 0) work.elements = work.rows * work.width;
  }
  waste.pool_tokens = work.rows;
  waste.width = work.width;
  waste.elements = work.elements;
  waste.inferred = work.inferred;
  waste.from = work.from.empty() ? "?" : short_type(work.from);
  waste.to = short_type(work.to);
  waste.read_bytes = times(work.elements, bytes_of_type(work.from));
  waste.written_bytes = times(work.elements, bytes_of_type(work.to));
  const bool fetched = next != nullptr && next->work.rows > 0 && next->work.rows < work.rows;
  waste.active_given = options.active_tokens > 0;
  if (waste.active_given) {
    waste.active_tokens = options.active_tokens;
  } else if (fetched) {
    waste.active_tokens = next->work.rows;
  }
  waste.mostly_active = waste.active_share() > 0.5;
}

// Medians over the steps of the class's time and of its share.
void fill_times(Waste& waste, const StepView& view) {
  std::vector<std::int64_t> time(view.steps.size());
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    if (view.in_step(i) && view.classes.of[i] == waste.kernel_class) {
      time[view.split.of[i]] += view.activities[i].duration_ns;
    }
  }
  std::vector<double> seconds;
  std::vector<double> shares;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (view.steps[i].kind != view.kind || view.steps[i].duration_ns <= 0) continue;
    seconds.push_back(static_cast<double>(time[i]) * 1e-9);
    shares.push_back(static_cast<double>(time[i]) / static_cast<double>(view.steps[i].duration_ns));
  }
  waste.seconds = median(seconds);
  waste.share = median(shares);
}

}  // namespace

double Waste::active_share() const {
  if (active_tokens == 0 || pool_tokens == 0) return 0;
  return static_cast<double>(active_tokens) / static_cast<double>(pool_tokens);
}

double Waste::amplification() const {
  if (active_share() == 0 || read_bytes == 0) return 0;
  return static_cast<double>(read_bytes + written_bytes) /
         (static_cast<double>(read_bytes) * active_share());
}

std::vector<Waste> find_waste(const StepView& view, const WasteOptions& options) {
  std::vector<Waste> found;
  const auto counts = counts_of(view);
  for (std::uint32_t i = 0; i < view.classes.all.size(); ++i) {
    const KernelClass& c = view.classes.all[i];
    Waste waste{.kernel_class = i, .layers = usual_count(counts[i]), .from = {}, .to = {}};
    if (!is_copy(c) || waste.layers < 2) continue;
    fill_sizes(waste, view, options);
    if (waste.read_bytes + waste.written_bytes < kLargeBytes) continue;
    if (follows_batch(c.work, view) || already_gathered(view, i, c.work)) continue;
    fill_times(waste, view);
    if (waste.share >= kLeastShare) found.push_back(std::move(waste));
  }
  std::ranges::stable_sort(found, std::greater{}, &Waste::seconds);
  return found;
}

}  // namespace bench
