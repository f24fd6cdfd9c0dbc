# Third-party packages. tests/includes_test checks that each is included in one place only.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(cxxopts REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CURL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)

# yaml-cpp gained a namespaced target in 0.8.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
