#pragma once

#include <string>

namespace bench {

// What becomes of a lock in the programs that its holder starts.
enum class OnExec {
  release,  // they do not hold it
  inherit,  // it is held until the last of them ends, too
};

// Holds a file's lock for as long as it lives, in this process and in the children it forks; the
// system releases it when the last of them ends, however it ends.
class Lock {
 public:
  // Takes `path` (made if absent, for every user) or throws Error with Exit::locked that says which
  // process holds it and since when. `purpose` says for what: "bench run configs/glm5.yaml".
  Lock(const std::string& path, const std::string& purpose, OnExec on_exec = OnExec::release);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&&) = delete;
  ~Lock();

 private:
  int descriptor_ = -1;
};

// Who holds the lock of `path`, in words; empty: nobody. Takes nothing and leaves no file.
std::string lock_holder(const std::string& path);

}  // namespace bench
