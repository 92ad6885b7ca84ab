# SPDX-License-Identifier: Apache-2.0
# Cross-compiling for 64-bit Arm with Debian's cross toolchain; tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Header-only libraries (fmt, json, CLI11, Boost, Highway, valijson) are the host's: searched last, so that the C
# library's own headers stay those of the target.
set(CMAKE_CXX_FLAGS_INIT "-O1 -idirafter /usr/include")
