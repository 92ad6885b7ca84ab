// SPDX-License-Identifier: Apache-2.0
#include "harness/report/renderer.h"

#include <algorithm>
#include <array>

namespace sits::report {

std::span<const Renderer> renderers() {
  static constexpr std::array<Renderer, 4> kRenderers{{
      {"table", ".txt", "aligned columns for a terminal", render_table},
      {"markdown", ".md", "for CI summaries and pull requests", render_markdown},
      {"csv", ".csv", "one row per result, RFC 4180", render_csv},
      {"json", ".json", "the report document itself", render_json},
  }};
  return kRenderers;
}

const Renderer *find_renderer(std::string_view name) {
  const auto all = renderers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Renderer &r) { return r.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sits::report
