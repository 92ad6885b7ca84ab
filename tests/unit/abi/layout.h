/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SITS_TESTS_ABI_LAYOUT_H
#define SITS_TESTS_ABI_LAYOUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A struct (field NULL, its size) or a field (its offset). */
struct layout_entry {
  const char *type;
  const char *field;
  size_t value;
};

/* The layout as a C11 compiler sees it; *count entries. */
const struct layout_entry *layout_of_c11(size_t *count);

#ifdef __cplusplus
}
#endif
#endif /* SITS_TESTS_ABI_LAYOUT_H */
