/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"
#include "sits/backend.h"

#define STRUCT(type) {#type, NULL, sizeof(type)},
#define FIELD(type, field) {#type, #field, offsetof(type, field)},

static const struct layout_entry entries[] = {
#include "layout_fields.h"
};

const struct layout_entry *layout_of_c11(size_t *count) {
  *count = sizeof entries / sizeof entries[0];
  return entries;
}
