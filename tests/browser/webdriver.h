#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench::testing {

// A real headless Chromium driven over WebDriver (W3C), as much of it as the tests of the pages
// need. Throws std::runtime_error when a command fails.
class Browser {
 public:
  // Empty when Chromium and its driver are here; else why the tests cannot run.
  static std::string missing();

  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url);
  void resize(int width, int height);
  // The value of a function body: run("return document.title").
  nlohmann::json run(const std::string& script,
                     const nlohmann::json& arguments = nlohmann::json::array());
  nlohmann::json run_async(const std::string& script);  // answers through its last argument
  void press(const std::string& keys);  // one after the other, on what has the focus
  void click(const std::string& selector);
  void point_at(const std::string& selector);
  void allow_scripts(bool allowed);  // of the pages opened from here on
  std::string screenshot();          // PNG
  std::string print();               // PDF

  std::vector<std::string> console_errors();  // since the last call
  std::vector<std::string> requests();        // URLs asked for since the last call

 private:
  nlohmann::json command(const std::string& method, const std::string& path,
                         const nlohmann::json& body = {});
  nlohmann::json log(const std::string& kind);
  std::string element(const std::string& selector);

  pid_t driver_ = 0;
  std::string address_;  // of the session
};

// What the keys are called in press().
inline const std::string kEnter = "\ue007", kTab = "\ue004", kEscape = "\ue00c", kRight = "\ue014",
                         kSpace = " ";

}  // namespace bench::testing
