# SPDX-License-Identifier: Apache-2.0
# The reference may use everything the machine has; our kernels are those of the plugin.
find_package(OpenMP COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  add_executable(stream_reference EXCLUDE_FROM_ALL stream_reference.cpp stream_reference_kernels.cpp)
  target_link_libraries(stream_reference PRIVATE sits_options sits_abi sits_cpu OpenMP::OpenMP_CXX)
  set_source_files_properties(stream_reference_kernels.cpp PROPERTIES COMPILE_OPTIONS "-O3;-march=native")
endif()
