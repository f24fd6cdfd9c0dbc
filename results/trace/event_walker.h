#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "results/trace/event.h"

namespace bench {

// Walks the events of a piece of a traceEvents array, which begins between two events.
class EventWalker {
 public:
  enum class Found { event, passed_over, more_needed, end_of_array, damage };

  void start(std::string_view text);

  // The next event; passed_over: one of no use here. After more_needed and damage, consumed() is
  // where it stands.
  Found next(TraceEvent& event);

  [[nodiscard]] std::size_t consumed() const { return consumed_; }  // bytes of whole events

 private:
  [[nodiscard]] std::size_t nonspace(std::size_t at) const;
  bool read_object(TraceEvent& event);
  bool pass_over(int depth);

  std::string_view text_;
  std::vector<std::uint32_t> positions_;
  std::size_t next_ = 0;  // in positions_
  std::size_t consumed_ = 0;
  bool wanted_ = true;
};

}  // namespace bench
