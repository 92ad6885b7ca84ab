// SPDX-License-Identifier: Apache-2.0
//
// The smallest program that can be a worker: what `sits worker …` does, without the command line around it.
#include <string>
#include <vector>

#include "harness/worker/worker.h"

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] != "worker") return 2;
  return sits::worker::worker_main({arguments.begin() + 1, arguments.end()});
}
