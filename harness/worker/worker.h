// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sits::worker {

/// The hidden command `sits worker --fd N`: serves the supervisor on the other end of socket N until it says bye.
/// `arguments` are those after `worker`. Returns the exit code; ends the process at once when the socket closes, even
/// while a call into the plugin hangs.
int worker_main(const std::vector<std::string> &arguments);

}  // namespace sits::worker
