// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sits::plugin {

/// Whether the file at `path` can be a plugin of this process, told from its metadata and ELF header alone: nothing of
/// it is executed. Returns "" or why not ("is a text file", "built for aarch64, this program is x86-64" …).
std::string refusal(const std::string &path);

}  // namespace sits::plugin
