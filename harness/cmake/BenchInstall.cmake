include(GNUInstallDirs)
install(TARGETS bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bench/configs)
install(DIRECTORY workloads/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bench/models)
