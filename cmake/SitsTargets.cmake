# SPDX-License-Identifier: Apache-2.0
# How every target of this project is compiled, and the three kinds of target there are.

add_library(sits_options INTERFACE)
target_compile_options(sits_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion> -fno-math-errno)
# GCC 12 warns of overlapping copies inside std::string's own operator+ (GCC bug 105651).
target_compile_options(sits_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(SITS_WARNINGS_AS_ERRORS)
  target_compile_options(sits_options INTERFACE -Werror)
endif()
if(SITS_SANITIZE)
  target_compile_options(sits_options INTERFACE -fsanitize=${SITS_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(sits_options INTERFACE -fsanitize=${SITS_SANITIZE})
endif()
target_compile_definitions(sits_options INTERFACE FMT_HEADER_ONLY)
target_include_directories(sits_options INTERFACE "${PROJECT_SOURCE_DIR}")

# Header-only contract: backends/include
add_library(sits_abi INTERFACE)
target_include_directories(sits_abi INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/backends/include> $<INSTALL_INTERFACE:include>)

# sits_library(NAME SOURCES … LIBS …): a static library of one room.
function(sits_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC sits_abi ${arg_LIBS} PRIVATE $<BUILD_INTERFACE:sits_options>)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
endfunction()

# sits_backend_plugin(NAME SOURCES … LIBS …): lib/sits/libsits_backend_<name>.so, one exported symbol.
function(sits_backend_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  set(target sits_backend_${name})
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE sits_options sits_abi sits_sdk ${arg_LIBS})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${SITS_PLUGIN_OUTPUT_DIRECTORY}")
  target_link_options(${target} PRIVATE "LINKER:--exclude-libs,ALL" "LINKER:-z,relro,-z,now"
    "LINKER:--version-script,${PROJECT_SOURCE_DIR}/cmake/plugin.map")
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sits COMPONENT sits)
endfunction()

# sits_unit_test(NAME SOURCES … LIBS …): one GoogleTest executable, labelled unit.
function(sits_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE sits_options sits_abi ${arg_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O1)  # half of the build is tests, and they compute little
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  gtest_discover_tests(${name} PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
