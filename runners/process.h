#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/units.h"

namespace bench {

// A child process with two pipes: text in on its standard input, lines out on descriptor 3. Its
// standard error is kept (the last 4 KiB) to say why it died. It leads its own process group and
// is killed with it: by the destructor, and by the kernel if this process dies first.
class Process {
 public:
  // Starts argv[0] and writes `input` to its standard input, which then ends, or stays open for
  // write().
  enum class Input { ends, stays_open };
  Process(const std::vector<std::string>& argv, const std::string& input,
          Input after = Input::ends);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  enum class Read { line, end, silent };
  // The next line it says, without the newline. `end`: it closed the pipe (exited or died);
  // `silent`: nothing came within `limit`.
  Read read_line(std::string& line, Seconds limit);

  void write(const std::string& text);  // to its standard input; a dead child takes nothing

  void kill();
  // Waits for the end. "exit 1", "signal 6 (Aborted)"; empty when it ended well.
  std::string wait();
  [[nodiscard]] const std::string& error_tail() const { return error_tail_; }

 private:
  void start(const std::vector<std::string>& argv, int input_read, int output_write,
             int error_write);
  void drain_errors();
  bool take_line(std::string& line);

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;
  std::string pending_;
  std::string error_tail_;
  std::optional<int> status_;
};

}  // namespace bench
