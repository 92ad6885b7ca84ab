// SPDX-License-Identifier: Apache-2.0
//
// Highway's headers call hwy::Abort where an internal assertion fails. Its library is not needed for anything else, and
// the plugin must load without it.
#include <cstdio>
#include <cstdlib>

#include "hwy/base.h"

namespace hwy {

HWY_NORETURN void HWY_FORMAT(3, 4) Abort(const char *file, int line, const char *format, ...) {
  std::fprintf(stderr, "%s:%d: Highway assertion failed: %s\n", file, line, format);
  std::abort();
}

}  // namespace hwy
