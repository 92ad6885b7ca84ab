# SPDX-License-Identifier: Apache-2.0
add_executable(gemm_reference EXCLUDE_FROM_ALL gemm_reference.cpp)
target_link_libraries(gemm_reference PRIVATE sits_options sits_abi sits_cpu)
