#pragma once

#include <string>

namespace bench {

// Holds a file's lock for as long as it lives, in this process and in the children it forks; the
// system releases it when the last of them ends, however it ends. An exec closes it.
class Lock {
 public:
  // Takes `path` (made if absent) or throws Error with Exit::locked that says which process holds
  // it and since when. `purpose` says for what: "bench run configs/glm5.yaml".
  Lock(const std::string& path, const std::string& purpose);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  int descriptor_ = -1;
};

}  // namespace bench
