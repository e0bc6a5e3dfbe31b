#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Expected buffers of the dispatch files beside this script, from plain Python: exact rational arithmetic rounded
to float32 by hand. Run it after changing a dispatch file; the .bin files it writes are committed."""
import math
import os
import struct
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))


def splitmix64(seed):
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        yield z ^ (z >> 31)


def f32(x):
    """Rounds an exact value to the nearest float32, ties to even (normal range only)."""
    x = Fraction(x)
    if x == 0:
        return Fraction(0)
    sign, x = (-1 if x < 0 else 1), abs(x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent > x:
        exponent -= 1
    assert -126 <= exponent <= 127
    unit = Fraction(2) ** (exponent - 23)
    quotient = x / unit
    whole = quotient.numerator // quotient.denominator
    rest = quotient - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
        whole += 1
    return sign * whole * unit


def random_f32(seed, low, high, count):
    source = splitmix64(seed)
    out = []
    for _ in range(count):
        unit = (next(source) >> 11) * 2.0**-53
        out.append(f32(Fraction(low + unit * (high - low))))
    return out


def random_int(seed, low, high, count):
    source = splitmix64(seed)
    return [low + next(source) % (high - low + 1) for _ in range(count)]


def write(name, code, values):
    with open(os.path.join(HERE, name + ".expected.bin"), "wb") as f:
        f.write(struct.pack("<%d%s" % (len(values), code), *[float(v) if code == "f" else v for v in values]))


def isqrt_f32(x):
    """Correctly rounded square root of an exact float32."""
    scale = 2**120
    root = math.isqrt(x.numerator * scale * scale * x.denominator)
    approx = Fraction(root, x.denominator * scale)
    if approx * approx != x:
        approx += Fraction(1, x.denominator * scale * 2)   # strictly between two candidates
    return f32(approx)


def vector_add():
    a, b = random_f32(1, -100.0, 100.0, 1000), random_f32(2, -100.0, 100.0, 1000)
    write("vector_add", "f", [f32(x + y) for x, y in zip(a, b)] + [0] * 24)


def saxpy():
    write("saxpy", "f", [f32(Fraction(2) * i + 1) for i in range(4096)])


def transpose():
    width, height = 100, 60
    data = random_int(3, 0, 2**32 - 1, width * height)
    write("transpose", "I", [data[y * width + x] for x in range(width) for y in range(height)])


def reduce():
    data = random_int(4, 0, 2**32 - 1, 5000)
    write("reduce", "I", [sum(data[g * 256:(g + 1) * 256]) % 2**32 for g in range(20)])


def product(name, n, seeds):
    a, b = (random_f32(seed, -1.0, 1.0, n * n) for seed in seeds)
    c = []
    for i in range(n):
        for j in range(n):
            total = Fraction(0)
            for k in range(n):
                total = f32(a[i * n + k] * b[k * n + j] + total)   # one fma
            c.append(total)
    write(name, "f", c)


def sgemm():
    product("sgemm", 128, (5, 6))


def mfma_gemm():
    product("mfma_gemm", 64, (10, 11))


def histogram():
    bins = [0] * 256
    for v in random_int(7, 0, 2**32 - 1, 10000):
        bins[v & 255] += 1
    write("histogram", "I", bins)


def stencil():
    data = random_f32(8, -10.0, 10.0, 1000)
    out = []
    for i in range(1000):
        around = f32(data[max(i - 1, 0)] + data[min(i + 1, 999)])
        out.append(f32(data[i] * Fraction(1, 2) + f32(around * Fraction(1, 4))))
    write("stencil", "f", out)


def mixed():
    out = []
    for x in random_int(9, 0, 100000, 1000):
        if x % 2:
            steps, y = 0, x
            while y != 1 and steps < 100:
                y = 3 * y + 1 if y % 2 else y // 2
                steps += 1
            v = steps * 3 if steps > 50 else steps
        else:
            f = f32(Fraction(x))
            if f > 1000:
                f = isqrt_f32(f)
            else:
                f = f32(f32(f / 3) + Fraction(1, 2))
            v = f.numerator // f.denominator
        out.append(v ^ (x >> 16))
    write("mixed", "I", out)


def private_memory():
    mask = 2**32 - 1
    data = [i * 2654435761 & mask for i in range(256)]
    sums = []
    for i in range(256):
        array = [data[(i + n) & 255] * (n + 1) & mask for n in range(16)]
        sums.append(sum(array[(data[i] + n * 3) & 15] ^ n for n in range(16)) & mask)
    pairs = [sums[i ^ 17] + sums[255 - i] & mask for i in range(256)]
    halves = [(p - 30000) & 0xFFFF for p in pairs]
    halves = [h - 0x10000 if h >= 0x8000 else h for h in halves]
    out = [pairs[i] + halves[i ^ 1] & mask for i in range(256)]
    out += [(sums[i] << 32 | pairs[i]) % 1000003 for i in range(256)]
    for a, b in zip(sums, pairs):
        out += [(a & 255) * 2 + 8, (b & 255) * 2 + 8, 11, 4]
    write("opencl/private_memory", "I", out)
    write("opencl/private_memory_counter", "I", [sum(p & 7 for p in pairs), max(pairs)])


if __name__ == "__main__":
    for make in (vector_add, saxpy, transpose, reduce, sgemm, mfma_gemm, histogram, stencil, mixed,
                 private_memory):
        make()
