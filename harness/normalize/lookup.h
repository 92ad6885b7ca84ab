// SPDX-License-Identifier: Apache-2.0
//
// What a baseline says of a case.
#pragma once

#include <optional>
#include <string>

#include "harness/normalize/baseline.h"

namespace sits::normalize {

struct Query {
  std::optional<Kind> kind = std::nullopt;            // only values of this kind
  std::optional<Headline> convention = std::nullopt;  // only values in this convention
  Headline preferred = Headline::device;              // of two values that answer equally well
};

/// A latency with its origin resolved.
struct Reference {
  double value_ns = 0;
  Kind kind = Kind::published;
  Headline convention = Headline::device;
  double uncertainty = 0;  // relative half-width of the 95 % interval
  std::string source;      // title and address, or how it was modelled
  std::string note;
};

/// Either a reference or the reason there is none: "no_latency" (the operation has none), "no_value",
/// "no_rate_for_type" (the model has no rate of the case's type), "no_value_of_kind", "no_value_in_convention".
struct Found {
  std::optional<Reference> reference;
  std::string reason;
};

/// In this order: the value listed under the case's id; a collective of the same kind, bytes and ranks; a rate that
/// covers the size; a GEMM's value in another cache state or without epilogue, carried over (kind `modelled`); the
/// model.
Found find(const Baseline &baseline, const microbench::Case &test_case, const Query &query = {});

/// The model's latency of a GEMM or stream case; nothing when the model does not cover it.
std::optional<Reference> model_reference(const Baseline &baseline, const microbench::Case &test_case);

}  // namespace sits::normalize
