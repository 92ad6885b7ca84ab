// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/lookup.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sits::normalize {
namespace {

using microbench::Case;
using microbench::CollectiveSpec;
using microbench::GemmSpec;
using microbench::Mode;
using microbench::Op;
using microbench::StreamSpec;
using microbench::TransferSpec;

/// The part of a canonical id between the first and the second slash: epilogue, stream kind, collective …
std::string variant_of(const std::string &id) {
  const std::size_t first = id.find('/') + 1;
  return id.substr(first, id.find('/', first) - first);
}

Reference make_reference(const Baseline &baseline, const Origin &origin, double value_ns) {
  const Source &source = baseline.sources.at(origin.source);
  return {value_ns,   origin.kind, origin.convention, origin.uncertainty, source.title + " (" + source.address + ")",
          origin.note};
}

bool cached(const Model &model, const Case &c, double footprint) {
  return c.mode != Mode::cold && footprint <= model.llc_bytes;
}

double byte_rate(const Model &model, const Case &c, double footprint) {
  return cached(model, c, footprint) ? model.cache_bytes_per_s : model.memory_bytes_per_s * model.memory_efficiency;
}

Reference modelled(const Model &model, double seconds, double uncertainty) {
  return {model.overhead_ns + 1e9 * seconds, Kind::modelled, model.convention, uncertainty, model.source, ""};
}

std::optional<Reference> model_gemm(const Model &model, const Case &c) {
  const auto rate = model.gemm.find(microbench::roof_type(c));
  if (rate == model.gemm.end()) return std::nullopt;
  const microbench::WorkModel work = microbench::work_model(c);
  const double compute = work.flops / (rate->second.peak_ops_per_s * rate->second.efficiency);
  const double move = work.bytes_total() / byte_rate(model, c, work.footprint_bytes);
  return modelled(model, std::max(compute, move), rate->second.uncertainty);
}

const Rate *rate_of(const Baseline &baseline, Op op, const std::string &variant) {
  const auto found = std::find_if(baseline.rates.begin(), baseline.rates.end(),
                                  [&](const Rate &rate) { return rate.op == op && rate.variant == variant; });
  return found == baseline.rates.end() ? nullptr : &*found;
}

std::optional<Reference> model_stream(const Baseline &baseline, const Model &model, const Case &c) {
  const Rate *rate = rate_of(baseline, Op::stream, variant_of(microbench::canonical_id(c)));
  if (rate == nullptr) return std::nullopt;
  const microbench::WorkModel work = microbench::work_model(c);
  const bool in_cache = cached(model, c, work.footprint_bytes);
  return modelled(model, work.bytes_counted / (in_cache ? model.cache_bytes_per_s : rate->bytes_per_s),
                  in_cache ? model.cached_uncertainty : model.stream_uncertainty);
}

double quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

using References = std::vector<Reference>;

void add_listed(const Baseline &baseline, const Case &c, Headline preferred, References &out) {
  const auto [first, last] = baseline.values.equal_range(microbench::canonical_id(c));
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  for (auto it = first; it != last; ++it)
    out.push_back(make_reference(baseline, it->second.origin, it->second.value_ns));
  std::stable_partition(out.begin() + begin, out.end(),
                        [&](const Reference &reference) { return reference.convention == preferred; });
}

void add_collective(const Baseline &baseline, const Case &c, References &out) {
  const auto *spec = std::get_if<CollectiveSpec>(&c.spec);
  if (spec == nullptr) return;
  const std::string kind = variant_of(microbench::canonical_id(c));
  for (const CollectiveValue &value : baseline.collectives)
    if (value.kind == kind && value.bytes == spec->bytes && value.ranks == spec->ranks)
      out.push_back(make_reference(baseline, value.origin, value.value_ns));
}

/// Bytes of one array or copy; 0 when a rate cannot speak for the case.
double size_for_rate(const Case &c) {
  if (const auto *stream = std::get_if<StreamSpec>(&c.spec)) return static_cast<double>(stream->bytes);
  const auto *transfer = std::get_if<TransferSpec>(&c.spec);
  const bool usual = transfer != nullptr && transfer->host_memory == SITS_HOST_MEMORY_PINNED &&
                     (transfer->numa == SITS_NUMA_ANY || transfer->numa == SITS_NUMA_NEAR);
  return usual ? static_cast<double>(transfer->bytes) : 0;
}

void add_rate(const Baseline &baseline, const Case &c, References &out) {
  const double size = size_for_rate(c);
  if (size == 0) return;
  const Rate *rate = rate_of(baseline, microbench::op_of(c), variant_of(microbench::canonical_id(c)));
  if (rate == nullptr || size < rate->min_bytes || !holds_in(rate->cache_state, c.mode)) return;
  const double bytes = microbench::work_model(c).bytes_counted;
  out.push_back(make_reference(baseline, rate->origin, 1e9 * bytes / rate->bytes_per_s));
}

/// Values listed for the case in another cache state, carried over by what the model says of both; the whole correction
/// enters the uncertainty.
References from_other_state(const Baseline &baseline, const Case &c, Headline preferred) {
  References out;
  const auto here = model_reference(baseline, c);
  if (!here) return out;
  for (const Mode mode : {Mode::cold, Mode::warm}) {
    const Case other{c.spec, mode};
    const double factor = here->value_ns / model_reference(baseline, other)->value_ns;
    References listed;
    add_listed(baseline, other, preferred, listed);
    for (Reference &reference : listed) {
      reference.value_ns *= factor;
      reference.kind = Kind::modelled;
      reference.uncertainty =
          quadrature(quadrature(reference.uncertainty, baseline.model->state_uncertainty), std::log(factor));
      reference.source += ", published " + std::string(mode_name(mode)) + " and carried over by the model";
      out.push_back(std::move(reference));
    }
  }
  return out;
}

/// What listed values say of a GEMM in another cache state or with another epilogue.
void add_derived_gemm(const Baseline &baseline, const Case &c, Headline preferred, References &out) {
  const auto *spec = std::get_if<GemmSpec>(&c.spec);
  if (spec == nullptr || !baseline.model) return;
  Case plain = c;
  std::get<GemmSpec>(plain.spec).epilogue = SITS_EPILOGUE_NONE;
  References bases;
  add_listed(baseline, plain, preferred, bases);
  if (bases.empty()) bases = from_other_state(baseline, plain, preferred);
  const microbench::WorkModel work = microbench::work_model(c);
  const double bias_bytes = work.bytes_read - microbench::work_model(plain).bytes_read;
  for (Reference &reference : bases) {
    if (bias_bytes > 0) {
      reference.value_ns += 1e9 * bias_bytes / byte_rate(*baseline.model, c, work.footprint_bytes);
      reference.kind = Kind::modelled;
      reference.uncertainty = quadrature(reference.uncertainty, baseline.model->epilogue_uncertainty);
      reference.source += ", for epilogue none, plus the read of the bias";
    }
    out.push_back(std::move(reference));
  }
}

std::string absence(const Baseline &baseline, const Case &c) {
  if (const auto found = baseline.absent.find(microbench::op_of(c)); found != baseline.absent.end())
    return found->second;
  return baseline.model && microbench::op_of(c) == Op::gemm ? "no_rate_for_type" : "no_value";
}

}  // namespace

std::optional<Reference> model_reference(const Baseline &baseline, const Case &c) {
  if (!baseline.model) return std::nullopt;
  if (std::holds_alternative<GemmSpec>(c.spec)) return model_gemm(*baseline.model, c);
  if (std::holds_alternative<StreamSpec>(c.spec)) return model_stream(baseline, *baseline.model, c);
  return std::nullopt;
}

Found find(const Baseline &baseline, const Case &c, const Query &query) {
  References candidates;
  add_listed(baseline, c, query.preferred, candidates);
  add_collective(baseline, c, candidates);
  add_rate(baseline, c, candidates);
  if (candidates.empty()) add_derived_gemm(baseline, c, query.preferred, candidates);
  if (auto reference = model_reference(baseline, c)) candidates.push_back(std::move(*reference));
  if (candidates.empty()) return {std::nullopt, absence(baseline, c)};

  if (query.kind) std::erase_if(candidates, [&](const Reference &r) { return r.kind != *query.kind; });
  if (candidates.empty()) return {std::nullopt, "no_value_of_kind"};
  if (query.convention)
    std::erase_if(candidates, [&](const Reference &r) { return r.convention != *query.convention; });
  if (candidates.empty()) return {std::nullopt, "no_value_in_convention"};
  return {std::move(candidates.front()), ""};
}

}  // namespace sits::normalize
