// SPDX-License-Identifier: Apache-2.0
//
// What people are shown of a report, as plain one-line UTF-8 texts: the same for terminal and Markdown, which differ in
// markup alone.
#pragma once

#include <string>
#include <vector>

#include "harness/report/model.h"

namespace sits::report {

enum class Tone { good, plain, warn, bad };

struct Column {
  std::string title;
  bool right = false;
};

struct Row {
  std::vector<std::string> cells;  // as many as columns; the second is the status
  Tone tone = Tone::plain;         // of the status
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct View {
  std::string title;                 // suite, tool version, when
  std::vector<std::string> machine;  // host and devices
  Table results;
  std::vector<std::string> legend;  // of the marks that occur
  std::string counts;               // "12 ok, 1 unsupported"
  Table scores;                     // no rows when nothing was normalized
  Table left_out;
  std::vector<std::string> notes;  // interrupted, one run only, simulated
};

View view_of(const Report &report);

}  // namespace sits::report
