// SPDX-License-Identifier: Apache-2.0
//
// Takes out of a report what names a machine or a part, and keeps what makes its numbers comparable.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/model.h"

namespace sits::report {

/// 32 random bytes. A salt that is thrown away afterwards keeps anyone from trying out host names against the hashes.
std::string random_salt();

/// Replaces host names, UUIDs, serial numbers and PCI addresses by "anon-" and the first 12 hexadecimal digits of
/// SHA-256(salt, value): the same value is the same text all over one report. They are replaced where they stand, and
/// as whole words in every free text: commands, reasons, notes, properties, environment, device ids of merged reports.
void anonymize(Report &report, std::string_view salt);

}  // namespace sits::report
