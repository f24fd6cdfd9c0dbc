#pragma once

#include <string>

namespace bench {

// Space that is held while a night runs, so that even on a full disk it can say what happened.
class Reserve {
 public:
  explicit Reserve(std::string path);
  ~Reserve() { release(); }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  void release() const;

 private:
  std::string path_;
};

}  // namespace bench
