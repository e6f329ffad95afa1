# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where: headers, libraries, the program, and how others find them.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS weft)
install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake DESTINATION ${package_directory})
configure_package_config_file(cmake/weft-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake DESTINATION ${package_directory})

file(RELATIVE_PATH relative_includedir
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/weft-budget.pc.in ${CMAKE_CURRENT_BINARY_DIR}/weft-budget.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-budget.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB man_pages ${CMAKE_CURRENT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

set(completion ${CMAKE_CURRENT_BINARY_DIR}/completion/weft)
add_custom_command(OUTPUT ${completion}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/completion
  COMMAND weft completion > ${completion}
  DEPENDS weft VERBATIM)
add_custom_target(completion ALL DEPENDS ${completion})
install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
