#include "harness/app/processes.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>

#include "harness/format.h"

namespace bench {
namespace {

// First byte of what a process hands in: it goes on, or it ends with this exit code and error.
constexpr char kGoesOn = '+';
constexpr char kEnds = '-';

// All processes have heard that the run ends, and why.
class AllEnd : public Error {
 public:
  using Error::Error;
};

class Orderly : public Hosts {
 public:
  explicit Orderly(Hosts& hosts)
      : Hosts(hosts.index(), hosts.count(), hosts.local_index(), hosts.local_count()),
        hosts_(hosts) {}

  std::vector<std::string> exchange(std::string mine) override {
    hosts_.be_patient_for(patience());
    std::vector<std::string> all = hosts_.exchange(kGoesOn + mine);
    end_if_any(all);
    for (std::string& text : all) text.erase(0, 1);
    return all;
  }

  // Throws AllEnd; what exchange() throws where the others do not come.
  void end(const std::string& error, Exit exit) {
    constexpr Seconds kFarewell{10};  // they may be at a measurement: then by force
    hosts_.be_patient_for(kFarewell);
    end_if_any(hosts_.exchange(format("{}{}:{}", kEnds, static_cast<int>(exit), error)));
  }

 private:
  static void end_if_any(const std::vector<std::string>& all) {
    std::set<std::string> errors;
    std::string text;
    std::optional<Exit> exit;
    for (std::size_t process = 0; process < all.size(); ++process) {
      if (all[process].front() != kEnds) continue;
      const auto colon = all[process].find(':');
      const std::string error = all[process].substr(colon + 1);
      if (!exit) exit = static_cast<Exit>(std::stoi(all[process].substr(1, colon - 1)));
      if (!errors.insert(error).second) continue;
      if (!text.empty()) text += '\n';
      text += process == 0 ? error : format("process {}: {}", process, error);
    }
    if (exit) throw AllEnd(text, *exit);
  }

  Hosts& hosts_;
};

// Where an error that the others could not be told ends the run.
Exit end_by_force(const std::string& error, Exit exit) {
  std::cerr << error << std::endl;
  end_processes(exit);
  return exit;
}

}  // namespace

Exit together(Hosts& hosts, const std::function<Exit(Hosts&)>& work) {
  if (hosts.count() == 1) return work(hosts);
  Orderly orderly(hosts);
  const auto end = [&](const std::string& error, Exit exit) {
    try {
      orderly.end(error, exit);
    } catch (const AllEnd&) {
      throw;
    } catch (const Error&) {
      end_by_force(error, exit);
    }
    return exit;
  };
  try {
    try {
      const Exit exit = work(orderly);
      orderly.exchange({});  // an error after the last meeting is everyone's too
      return exit;
    } catch (const AllEnd&) {
      throw;
    } catch (const OthersLost& error) {
      return end_by_force(error.what(), error.exit());
    } catch (const Error& error) {
      return end(error.what(), error.exit());
    } catch (const std::exception& error) {
      return end(error.what(), Exit::unjudged);
    }
  } catch (const AllEnd&) {
    if (hosts.index() == 0) throw;
    return Exit::ok;
  }
}

bool started_by_mpi() {
  static constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                               "PMIX_RANK"};
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace bench
