# `cmake --install`, and the target `bundle`: a folder (bin, lib, configs, models) that runs on a
# machine without these libraries or a package manager, such as a GPU box.
include(GNUInstallDirs)

install(TARGETS bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/bench)
install(DIRECTORY workloads/models DESTINATION ${CMAKE_INSTALL_DATADIR}/bench)

# The C library and the loader stay the target machine's; CUDA's driver and NCCL come from there too.
set_target_properties(bench PROPERTIES BUILD_RPATH "$ORIGIN/../lib" INSTALL_RPATH "$ORIGIN/../lib")
# DT_RPATH, not DT_RUNPATH: the libraries of the bundle must find one another there too.
target_link_options(bench PRIVATE -Wl,--disable-new-dtags)
set(BENCH_BUNDLE ${PROJECT_BINARY_DIR}/bundle CACHE PATH "Where the target bundle puts its folder")
add_custom_target(bundle
  COMMAND ${CMAKE_COMMAND} -DBINARY=$<TARGET_FILE:bench> -DSOURCE=${PROJECT_SOURCE_DIR}
          -DBUNDLE=${BENCH_BUNDLE} -P ${PROJECT_SOURCE_DIR}/harness/cmake/BundleFiles.cmake
  DEPENDS bench
  COMMENT "Bundle in ${BENCH_BUNDLE}")
