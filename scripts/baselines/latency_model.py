# SPDX-License-Identifier: Apache-2.0
"""The latency model of the baselines, and its fit to published values.

    latency = overhead + max(flops / (peak * efficiency), bytes / rate)

`rate` is that of the last-level cache when the operands stay in it (modes warm and steady, footprint <= LLC), else that
of the memory times the fitted memory efficiency. harness/normalize evaluates the same formula.
"""
import math
from dataclasses import dataclass, replace

ELEMENT_BYTES = {"f64": 8, "f32": 4, "tf32": 4, "i32": 4, "f16": 2, "bf16": 2, "f8": 1, "i8": 1, "i4": 0.5}
STREAM_ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3, "read": 1, "write": 1}


@dataclass(frozen=True)
class Gemm:
    type_a: str
    type_b: str
    type_out: str
    m: int
    n: int
    k: int
    mode: str = "cold"
    epilogue: str = "none"

    @property
    def id(self):
        return (f"gemm/{self.epilogue}/{self.type_a}.{self.type_b}.{self.type_out}/"
                f"m{self.m}n{self.n}k{self.k}/{self.mode}")

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    @property
    def bias_bytes(self):
        return 0 if self.epilogue == "none" else 4 * self.n

    @property
    def bytes(self):
        """Every operand once."""
        return (self.m * self.k * ELEMENT_BYTES[self.type_a] + self.k * self.n * ELEMENT_BYTES[self.type_b] +
                self.m * self.n * ELEMENT_BYTES[self.type_out] + self.bias_bytes)

    @property
    def compute_type(self):
        return max((self.type_a, self.type_b), key=lambda t: ELEMENT_BYTES[t])


@dataclass(frozen=True)
class Part:
    """What the formula knows of a device. Rates per second, times in nanoseconds."""
    peaks: dict  # type -> dense operations per second
    efficiencies: dict  # type -> share of the peak
    bandwidth: float
    memory_efficiency: float
    cache_rate: float
    llc_bytes: float
    overhead_ns: float


def byte_rate(part, footprint, mode):
    if mode != "cold" and footprint <= part.llc_bytes:
        return part.cache_rate
    return part.bandwidth * part.memory_efficiency


def gemm_ns(part, case):
    compute = case.flops / (part.peaks[case.compute_type] * part.efficiencies[case.compute_type])
    move = case.bytes / byte_rate(part, case.bytes, case.mode)
    return part.overhead_ns + 1e9 * max(compute, move)


def stream_ns(part, kind_rate, kind, array_bytes, mode):
    moved = STREAM_ARRAYS[kind] * array_bytes
    cached = mode != "cold" and moved <= part.llc_bytes
    return part.overhead_ns + 1e9 * moved / (part.cache_rate if cached else kind_rate)


@dataclass(frozen=True)
class Fit:
    part: Part
    n: int
    rms_log: float
    worst_id: str
    worst_log: float


def residuals(part, samples):
    return [(case, math.log(gemm_ns(part, case) / latency_ns)) for case, latency_ns in samples]


def fit(part, samples, types):
    """Least squares in log space over the overhead, the memory efficiency and one efficiency per type in `types`, by
    coordinate descent on fixed grids (0.05 us, 0.005), so that the result does not depend on the machine."""
    grid = [i * 0.005 for i in range(20, 201)]

    def cost(p):
        return sum(r * r for _, r in residuals(p, samples))

    def candidates(p, axis):
        if axis == "overhead":
            return [replace(p, overhead_ns=50.0 * i) for i in range(0, 201)]
        if axis == "memory":
            return [replace(p, memory_efficiency=g) for g in grid]
        return [replace(p, efficiencies={**p.efficiencies, axis: g}) for g in grid]

    best = cost(part)
    while True:
        before = best
        for axis in ("overhead", "memory", *types):
            for p in candidates(part, axis):
                c = cost(p)
                if c < best - 1e-12:
                    part, best = p, c
        if best >= before - 1e-12:
            break
    worst = max(residuals(part, samples), key=lambda pair: abs(pair[1]))
    return Fit(part, len(samples), math.sqrt(best / len(samples)), worst[0].id, worst[1])
