# SPDX-License-Identifier: Apache-2.0
"""Which published figures become baseline values, in which cache state, and how sure they are."""
import math
from collections import defaultdict
from dataclasses import dataclass

from latency_model import Gemm

MICROSECOND = 1e3
QUANTISATION_NS = 10 * MICROSECOND  # inside every fp8 row of the aiconfigurator tables
FLOOR_SEVERAL, FLOOR_SINGLE = 0.05, 0.10  # least relative uncertainty with several sources, with one
MODES = {"cold": ("cold",), "warm": ("warm", "steady"), "any": ("cold", "warm", "steady")}
# Enters the spread only: tensors change from step to step, so that the cache state is open.
SPREAD_ONLY = ("gaudi_perf", "gaudi_perf_fp8")


@dataclass(frozen=True)
class Candidate:
    case: Gemm
    latency_ns: float
    source: str
    state: str  # cold, warm, any, or "" when the conditions leave it open


def uncertainty(latencies, *extra):
    """Relative, 95 %: a floor and the spread between the sources in log space, in quadrature with `extra`."""
    floor = FLOOR_SEVERAL if len(latencies) > 1 else FLOOR_SINGLE
    parts = (floor, math.log(max(latencies) / min(latencies)), *extra)
    return math.sqrt(sum(p * p for p in parts))


def latency_ns(figure, flops):
    if figure["unit"] == "us":
        return figure["value"] * MICROSECOND
    return flops / figure["value"] * 1e-3  # TFLOPS


def cache_state(source, case, llc_bytes):
    if case.bytes >= 4 * llc_bytes:
        return "any"
    if source == "aic_gemm_trtllm":
        return "cold"
    if source == "aic_gemm_vllm" and case.n * case.k * 2 >= 2 * llc_bytes:
        return "cold"  # the weights alone cannot stay
    return "warm" if source == "azure_h100" else ""  # taken as warm: neither rotation nor flush is mentioned


def gemm_candidates(figures, device, llc_bytes):
    """By shape and type, without fp8 rows in which the quantisation of the input is more than a twentieth."""
    shapes = defaultdict(list)
    for figure in figures:
        config = figure["config"]
        if figure["device"] != device or not figure["id"].startswith("gemm-"):
            continue
        out = "bf16"
        case = Gemm(config["type"], config["type"], out, config["m"], config["n"], config["k"])
        latency = latency_ns(figure, case.flops)
        source = figure["source"]
        if config["type"] == "f8" and source.startswith("aic_") and latency < 20 * QUANTISATION_NS:
            continue
        shapes[case].append(Candidate(case, latency, source, cache_state(source, case, llc_bytes)))
    return shapes


def gemm_choices(figures, device, llc_bytes):
    """(candidate, uncertainty, number of sources): per shape and cache state the lowest latency of a source that
    states it."""
    choices = []
    for candidates in gemm_candidates(figures, device, llc_bytes).values():
        latencies = [c.latency_ns for c in candidates]
        for state in MODES:
            stated = [c for c in candidates if c.state == state and c.source not in SPREAD_ONLY]
            if not stated:
                continue
            best = min(stated, key=lambda c: (c.latency_ns, c.source))
            quantised = best.case.type_a == "f8" and best.source.startswith("aic_")
            extra = (QUANTISATION_NS / best.latency_ns,) if quantised else ()
            choices.append((best, uncertainty(latencies, *extra), len(candidates)))
    return choices


def fit_samples(choices):
    """What the model is fitted to: one (case, latency) per choice. Rows whose n is odd run a kernel of their own."""
    samples = []
    for candidate, _, _ in choices:
        mode = MODES[candidate.state][0]
        case = Gemm(**{**candidate.case.__dict__, "mode": mode})
        if case.n % 2 == 0:
            samples.append((case, candidate.latency_ns))
    return samples


def gemm_values(choices):
    values = []
    for candidate, relative, count in choices:
        c = candidate.case
        if c.type_a == "bf16":
            forms = [(("bf16", "bf16", "bf16"), relative, ""),
                     (("f16", "f16", "f16"), math.hypot(relative, 0.05),
                      "published for bf16; f16 runs at the same tensor-core rate")]
        else:
            forms = [(("f8", "f8", out), relative, "output type taken as two bytes wide") for out in ("bf16", "f16")]
        for (a, b, out), u, note in forms:
            for mode in MODES[candidate.state]:
                sources = f"{count} sources" if count > 1 else "single source"
                values.append({
                    "id": Gemm(a, b, out, c.m, c.n, c.k, mode).id,
                    "value_ns": candidate.latency_ns,
                    "kind": "published",
                    "source": candidate.source,
                    "convention": "device",
                    "cache_state": candidate.state,
                    "uncertainty": u,
                    "note": f"{sources}; {note}" if note else sources,
                })
    return values


def attention_values(figures, device, llc_bytes):
    """Only where the footprint is at least 4 x LLC: the sources do not state the cache state. The page size is not
    stated either; it is taken to be 64, the suites' default."""
    groups = defaultdict(list)
    for figure in figures:
        c = figure["config"]
        if figure["device"] != device or not figure["id"].startswith("attention-"):
            continue
        tokens = c["batch"] * c["head_dim"] * 2
        footprint = tokens * (2 * c["q_heads"] * c["q_len"] + 2 * c["kv_heads"] * c["kv_len"])
        if footprint < 4 * llc_bytes:
            continue
        head = f"b{c['batch']}hq{c['q_heads']}hkv{c['kv_heads']}"
        if c["kind"] == "prefill":
            stem = f"attention/prefill/bf16/{head}q{c['q_len']}kv{c['kv_len']}d{c['head_dim']}/causal"
        else:
            stem = f"attention/decode/bf16/{head}kv{c['kv_len']}d{c['head_dim']}/page64"
        groups[stem].append((figure["value"] * MICROSECOND, figure["source"]))
    values = []
    for stem, rows in groups.items():
        best, source = min(rows)
        prefill = "/prefill/" in stem
        note = "the write of keys and values is included" if prefill else "page size not stated, taken as 64"
        for mode in MODES["any"][:2]:
            values.append({"id": f"{stem}/{mode}", "value_ns": best, "kind": "published", "source": source,
                           "convention": "device", "cache_state": "any",
                           "uncertainty": uncertainty([r[0] for r in rows]), "note": note})
    return values


# Working sets taken to lie in the level the source names: well inside L1 (256 KiB, unsourced), well inside half of L2,
# and memory from 4 x L2 on. The MT4G rows name the level only.
LATENCY_SIZES = {
    "h100-pcie-80gb": {"L1": ("4kib", "16kib", "64kib"), "L2 near partition": ("1mib", "4mib"), "DRAM": ("1gib",)},
    "h100-sxm5-80gb": {"L1": ("4kib", "16kib", "64kib"), "L2": ("1mib", "4mib"),
                       "HBM": ("256mib", "512mib", "1gib")},
}


def memory_latency_values(figures, device):
    values = []
    for figure in figures:
        if figure["device"] != device or not figure["id"].startswith("latency-"):
            continue
        config = figure["config"]
        for size in LATENCY_SIZES[device].get(config["level"], ()):
            note = f"{config['cycles']:g} cycles at {config['clock_mhz']:g} MHz; level {config['level']}"
            values.append({"id": f"memory_latency/chase/{size}", "value_ns": figure["value"], "kind": "published",
                           "source": figure["source"], "convention": "device", "cache_state": "any",
                           "uncertainty": 0.15, "note": note})
    return values


def collective_values(figures, device):
    groups = defaultdict(list)
    for figure in figures:
        c = figure["config"]
        if figure["device"] != device or not figure["id"].startswith("collective-"):
            continue
        if figure["unit"] == "us":
            latency = figure["value"] * MICROSECOND
        else:  # bus bandwidth of an all-reduce, GB/s
            latency = c["bytes"] * 2 * (c["ranks"] - 1) / c["ranks"] / figure["value"]
        groups[(c["kind"], c["ranks"], c["bytes"])].append((latency, figure["source"], c["type"]))
    values = []
    for (op, ranks, size), rows in sorted(groups.items()):
        latency, source, element = min(rows, key=lambda r: (r[0], r[1]))
        values.append({"op": op, "bytes": size, "ranks": ranks, "value_ns": latency, "kind": "published",
                       "source": source, "convention": "device", "uncertainty": uncertainty([r[0] for r in rows]),
                       "note": f"{element or 'type not stated'}; mean over iterations, one host"})
    return values


# kind of a case -> the published kind its rate is taken from, extra uncertainty, note
STREAM_FROM = {
    "h100-sxm5-80gb": {k: (k, 0, "") for k in ("copy", "scale", "add", "triad", "write")} |
                      {"read": ("read", 0, "BabelStream's dot: two arrays are read")},
    "h100-pcie-80gb": {k: (k, 0, "") for k in ("scale", "triad", "read")} |
                      {"write": ("write", 0.05, "0.8 % above the nominal 2000 GB/s; 2039 is quoted too"),
                       "copy": ("scale", 0.05, "published for scale, the same traffic"),
                       "add": ("triad", 0.05, "published for triad, the same traffic")},
}


def stream_rates(figures, device, llc_bytes):
    """Published memory rates: read and written bytes counted. The array sizes are not stated; the rates lie near the
    memory's peak and far below the cache's, so they are taken as the memory's, for arrays from 256 MiB on (5 x LLC)."""
    found = defaultdict(list)
    for figure in figures:
        config = figure["config"]
        memory = figure["id"].startswith("memory-")
        streamed = config.get("working_set_bytes", 0) >= 4 * llc_bytes
        if figure["device"] == device and (memory or streamed):
            found[config["kind"]].append((figure["value"] * 1e9, figure["source"]))
    rates = []
    for kind, (published, extra, note) in STREAM_FROM[device].items():
        rate, source = max(found[published])
        row = {"op": "stream", "variant": kind, "bytes_per_s": rate, "min_bytes": 256 << 20, "kind": "published",
               "source": source, "convention": "device", "cache_state": "any",
               "uncertainty": uncertainty([r[0] for r in found[published]], extra)}
        rates.append(row | ({"note": note} if note else {}))
    return rates


def transfer_rates(figures, device):
    return [{"op": "transfer", "variant": figure["config"]["kind"], "bytes_per_s": figure["value"] * 1e9,
             "min_bytes": 128 << 20, "kind": "published", "source": figure["source"], "convention": "device",
             "cache_state": "any", "uncertainty": FLOOR_SINGLE, "note": "pinned host memory"}
            for figure in figures if figure["device"] == device and figure["id"].startswith("transfer-")]
