#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds suites/baselines/*.json from figures.json and results_schema/devices.json.

    build.py           writes the baselines and the cases the unit tests compare the C++ evaluation with
    build.py --check   writes nothing; exit 1 when a committed file is not what this script makes

Standard library only; the output is the same on every machine.
"""
import argparse
import json
import math
import sys
from pathlib import Path

import published
from latency_model import Fit, Gemm, Part, fit, gemm_ns, stream_ns

ROOT = Path(__file__).resolve().parents[2]
FITTED = "h100-sxm5-80gb"  # the part with published GEMM
PARTS = (FITTED, "h100-pcie-80gb")
VERSION = "1"

# type -> (unit, type whose fitted efficiency it takes, relative uncertainty on the fitted part, why)
GEMM_TYPES = {
    "bf16": ("matrix", "bf16", 0.30, "efficiency fitted to published bf16"),
    "f16": ("matrix", "bf16", 0.30, "efficiency of bf16: the same tensor-core rate"),
    "tf32": ("matrix", "bf16", 0.35, "efficiency of bf16"),
    "f32": ("fma", "bf16", 0.40, "vector FMA rate, no tensor cores; efficiency of bf16"),
    "f64": ("matrix", "bf16", 0.40, "efficiency of bf16"),
    "f8": ("matrix", "f8", 0.30, "efficiency fitted to published f8"),
    "f8e5m2": ("matrix", "f8", 0.30, "rate and efficiency of f8"),
    "i8": ("matrix", "f8", 0.35, "efficiency of f8: the same tensor-core rate"),
}
OTHER_PART = 0.05  # added where the efficiencies were fitted on another part
EPILOGUE_UNCERTAINTY = 0.05  # a value without epilogue, plus the read of the bias
STATE_UNCERTAINTY = 0.10  # a value in another cache state, carried over by the model; besides the correction itself
STREAM_UNCERTAINTY, CACHED_UNCERTAINTY = 0.30, 0.50

ABSENT = [
    {"op": "peak", "reason": "no_latency", "note": "a rate, not an operation with a latency"},
    {"op": "launch", "reason": "no_value", "note": "no published isolated launch latency of an H100 was found"},
]


def significant(x, digits=6):
    """`x` to so many significant digits, as an int when whole."""
    if x == 0:
        return 0
    rounded = float(f"{x:.{digits}g}")
    return int(rounded) if rounded == int(rounded) else rounded


def tidy(row):
    out = dict(row)
    for key in ("value_ns", "bytes_per_s"):
        if key in out:
            out[key] = significant(out[key])
    out["uncertainty"] = round(out["uncertainty"], 3)
    return out


def peak(device, type_name, unit):
    rows = [p for p in device["peaks"] if p["type"] == type_name and p["unit"] == unit]
    return rows[0]["ops_per_s"]


def cache_rate(figures):
    """Reads over a working set of 15 MiB, on the PCIe part; MT4G's generic kernel gives a lower bound on SXM5."""
    rows = [f for f in figures if f["config"].get("working_set_bytes") == 15 << 20]
    return rows[0]["value"] * 1e9, rows[0]["source"]


def part_of(device, figures):
    peaks = {t: peak(device, "f8" if t == "f8e5m2" else t, unit) for t, (unit, *_) in GEMM_TYPES.items()}
    return Part(peaks=peaks, efficiencies={t: 0.8 for t in GEMM_TYPES},
                bandwidth=device["memory"]["bandwidth_bytes_per_s"]["value"], memory_efficiency=0.9,
                cache_rate=cache_rate(figures)[0], llc_bytes=device["caches"][0]["bytes"], overhead_ns=3000.0)


def fitted(devices, figures):
    part = part_of(devices[FITTED], figures)
    choices = published.gemm_choices(figures, FITTED, part.llc_bytes)
    return fit(part, published.fit_samples(choices), ("bf16", "f8"))


def apply(result: Fit, part: Part):
    """The fitted efficiencies and overhead on the peaks of `part`."""
    found = result.part.efficiencies
    return Part(peaks=part.peaks, efficiencies={t: found[like] for t, (_, like, *_) in GEMM_TYPES.items()},
                bandwidth=part.bandwidth, memory_efficiency=result.part.memory_efficiency, cache_rate=part.cache_rate,
                llc_bytes=part.llc_bytes, overhead_ns=result.part.overhead_ns)


def identity(device):
    memory = device["memory"]
    return {
        "vendor": device["vendor"],
        "device": device["name"],
        "form_factor": device["form_factor"],
        "memory": f"{memory['nominal_gb']['value']} GB {memory['type']['value']}",
        "memory_bandwidth_bytes_per_s": memory["bandwidth_bytes_per_s"]["value"],
        "llc_bytes": device["caches"][0]["bytes"],
        "compute_units": device["compute_units"]["value"],
        "boost_clock_mhz": device["boost_clock_mhz"]["value"],
        "power_cap_w": device["power_cap_w"]["value"],
        "rates": "dense",
        "software": "as each source states",
    }


def model(part: Part, result: Fit, own: bool, figures):
    def gemm_row(type_name):
        unit, _, relative, why = GEMM_TYPES[type_name]
        return {"type": type_name, "unit": unit, "peak_ops_per_s": part.peaks[type_name],
                "efficiency": round(part.efficiencies[type_name], 3),
                "uncertainty": round(relative + (0 if own else OTHER_PART), 2), "note": why}

    return {
        "formula": "overhead_ns + 1e9 * max(flops / (peak * efficiency), bytes / rate)",
        "source": f"fitted to {result.n} published GEMM values of {FITTED}" +
                  ("" if own else ", on this part's peaks and bandwidth"),
        "convention": "device",
        "overhead_ns": significant(part.overhead_ns),
        "memory_bytes_per_s": part.bandwidth,
        "memory_efficiency": round(part.memory_efficiency, 3),
        "cache_bytes_per_s": significant(part.cache_rate),
        "cache_source": cache_rate(figures)[1],
        "llc_bytes": part.llc_bytes,
        "gemm": [gemm_row(t) for t in GEMM_TYPES],
        "epilogue_uncertainty": EPILOGUE_UNCERTAINTY,
        "state_uncertainty": STATE_UNCERTAINTY,
        "stream_uncertainty": STREAM_UNCERTAINTY,
        "cached_uncertainty": CACHED_UNCERTAINTY,
        "fit": {"n": result.n, "rms_log": round(result.rms_log, 4), "worst_id": result.worst_id,
                "worst_log": round(result.worst_log, 4)},
    }


def baseline(device_id, devices, figures, sources, result):
    device = devices[device_id]
    part = apply(result, part_of(device, figures))
    own = device_id == FITTED
    values = published.gemm_values(published.gemm_choices(figures, device_id, part.llc_bytes))
    values += published.attention_values(figures, device_id, part.llc_bytes)
    values += published.memory_latency_values(figures, device_id)
    rates = published.stream_rates(figures, device_id, part.llc_bytes) + published.transfer_rates(figures, device_id)
    collectives = published.collective_values(figures, device_id)
    modelled = model(part, result, own, figures)
    used = {row["source"] for row in values + rates + collectives} | {modelled["cache_source"]}
    return {
        "schema": "sits.baseline",
        "schema_version": 1,
        "id": device_id,
        "version": VERSION,
        "name": f"{device['vendor']} {device['name']}",
        "identity": identity(device),
        "sources": {key: sources[key] for key in sources if key in used},
        "model": modelled,
        "absent": ABSENT,
        "rates": [tidy(r) for r in rates],
        "values": [tidy(v) for v in values],
        "collectives": [tidy(c) for c in collectives],
    }, part


CHECKED_GEMM = [
    Gemm("f32", "f32", "f32", 1024, 1024, 1024, "warm"), Gemm("f32", "f32", "f32", 64, 64, 64, "warm"),
    Gemm("tf32", "tf32", "f32", 4096, 4096, 4096, "cold"), Gemm("f64", "f64", "f64", 512, 512, 512, "warm"),
    Gemm("bf16", "bf16", "bf16", 1, 14336, 4096, "cold"), Gemm("bf16", "bf16", "bf16", 512, 512, 512, "warm"),
    Gemm("f16", "f16", "f16", 1000, 1000, 1000, "warm", "bias_silu"),
    Gemm("i8", "i8", "i32", 2048, 2048, 2048, "cold"), Gemm("i8", "i8", "f16", 16, 4096, 14336, "cold", "bias_gelu"),
    Gemm("f8", "f8", "bf16", 16, 14336, 4096, "cold"), Gemm("bf16", "i4", "bf16", 1, 4096, 14336, "cold"),
    Gemm("bf16", "bf16", "bf16", 3000, 3000, 3000, "steady"),
]
CHECKED_STREAM = [("triad", "f32", 1 << 20, "1mib", "warm"), ("copy", "f32", 64 << 20, "64mib", "cold"),
                  ("read", "f64", 16 << 20, "16mib", "warm"), ("write", "bf16", 128 << 20, "128mib", "warm"),
                  ("add", "f32", 32 << 20, "32mib", "cold")]


def checks(part: Part, rates):
    """Cases with the value this script's formula gives them, for the unit test of the C++ evaluation."""
    by_kind = {r["variant"]: r["bytes_per_s"] for r in rates if r["op"] == "stream"}
    rows = [{"id": case.id, "value_ns": gemm_ns(part, case)} for case in CHECKED_GEMM]
    for kind, type_name, size, text, mode in CHECKED_STREAM:
        rows.append({"id": f"stream/{kind}/{type_name}/{text}/{mode}",
                     "value_ns": stream_ns(part, by_kind[kind], kind, size, mode)})
    return [{"id": r["id"], "value_ns": float(f"{r['value_ns']:.12g}")} for r in rows]


def dump(document, lists):
    """JSON with one row of each list in `lists` per line."""
    lines = []
    for key, value in document.items():
        if key in lists:
            rows = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in value)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]" if value else f"  {json.dumps(key)}: []")
        else:
            text = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
            lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def outputs():
    data = json.loads((ROOT / "scripts/baselines/figures.json").read_text(encoding="utf-8"))
    devices = {d["id"]: d for d in
               json.loads((ROOT / "results_schema/devices.json").read_text(encoding="utf-8"))["devices"]}
    result = fitted(devices, data["figures"])
    files, checked = {}, {}
    for device_id in PARTS:
        document, part = baseline(device_id, devices, data["figures"], data["sources"], result)
        files[f"suites/baselines/{device_id}.json"] = dump(document, ("absent", "rates", "values", "collectives"))
        checked[device_id] = checks(part, document["rates"])
    files["tests/unit/normalize/model_checks.json"] = dump(checked, PARTS)
    assert all(math.isfinite(row["value_ns"]) for rows in checked.values() for row in rows)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 on a difference")
    arguments = parser.parse_args()
    stale = []
    for name, text in outputs().items():
        path = ROOT / name
        if arguments.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{name} is not what scripts/baselines/build.py makes: run it and commit", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
