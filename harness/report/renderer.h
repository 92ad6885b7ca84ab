// SPDX-License-Identifier: Apache-2.0
//
// The formats of `sits report --format`. A renderer sees the model alone and computes no number that is not in it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/report/model.h"

namespace sits::report {

struct RenderOptions {
  bool colour = false;    // ANSI, terminal formats only
  std::size_t width = 0;  // columns of the terminal; 0: unlimited
};

std::string render_table(const Report &report, const RenderOptions &options);
std::string render_markdown(const Report &report, const RenderOptions &options);
std::string render_csv(const Report &report, const RenderOptions &options);
std::string render_json(const Report &report, const RenderOptions &options);

struct Renderer {
  std::string_view name, extension, description;
  std::string (*render)(const Report &, const RenderOptions &);
};

/// In the order they are listed for people.
std::span<const Renderer> renderers();

/// nullptr when there is no such format.
const Renderer *find_renderer(std::string_view name);

}  // namespace sits::report
