// SPDX-License-Identifier: Apache-2.0
#include "harness/report/renderer.h"
#include "harness/report/report_json.h"

namespace sits::report {

std::string render_json(const Report &report, const RenderOptions & /*options*/) { return write_report(report); }

}  // namespace sits::report
