# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives an author of a backend: find_package(sits) with the targets sits::abi and sits::sdk.
include(CMakePackageConfigHelpers)

set(SITS_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/sits")
set_target_properties(sits_abi PROPERTIES EXPORT_NAME abi)
set_target_properties(sits_sdk PROPERTIES EXPORT_NAME sdk)
target_include_directories(sits_sdk INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS sits_abi sits_sdk EXPORT sits-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel)
install(EXPORT sits-targets NAMESPACE sits:: DESTINATION ${SITS_CMAKE_DIR} COMPONENT devel)
install(DIRECTORY backends/sdk DESTINATION include/backends COMPONENT devel FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/sits COMPONENT devel)

file(WRITE "${CMAKE_BINARY_DIR}/sits-config.cmake" "include(\"\${CMAKE_CURRENT_LIST_DIR}/sits-targets.cmake\")\n")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/sits-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/sits-config.cmake" "${CMAKE_BINARY_DIR}/sits-config-version.cmake"
  DESTINATION ${SITS_CMAKE_DIR} COMPONENT devel)
