#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs and expected buffers of the OpenCL C programs, by the definitions of the language and of IEEE 754 in plain
Python: make_programs.py FOLDER. Nothing here comes from a run of the model."""
import math
import sys

from common import M32, M64, Folder, Random, signed
from ieee import F16, F32, F64, f16, f32, fma, from_bits16
from make_numbers import dot_products, numbers
from make_calls import address_spaces, calls


def fft(out):
    points, stages, transforms = 512, 9, 3
    random = Random(101)
    data = [(f32(random.unit() * 2 - 1), f32(random.unit() * 2 - 1)) for _ in range(points * transforms)]
    for i in range(points):   # a pure tone, then noise
        data[i] = (f32(math.cos(2 * math.pi * 5 * i / points)), 0.0)
    twiddle = [(f32(math.cos(-2 * math.pi * i / points)), f32(math.sin(-2 * math.pi * i / points)))
               for i in range(points // 2)]

    def transform(block, butterfly):
        line = [None] * points
        for i, x in enumerate(block):
            line[int(format(i, "09b")[::-1], 2)] = x
        for stage in range(stages):
            half = 1 << stage
            for lane in range(points // 2):
                offset = lane & (half - 1)
                top = ((lane >> stage) << (stage + 1)) + offset
                w = twiddle[offset << (stages - 1 - stage)]
                a, (cr, ci) = line[top], butterfly(w, line[top + half])
                line[top] = (f32(a[0] + cr), f32(a[1] + ci))
                line[top + half] = (f32(a[0] - cr), f32(a[1] - ci))
        return line

    def separate(w, b):
        return (f32(f32(w[0] * b[0]) - f32(w[1] * b[1])), f32(f32(w[0] * b[1]) + f32(w[1] * b[0])))

    def fused(w, b):
        return (fma(w[1], b[1], f32(w[0] * b[0]), F32), fma(-w[1], b[0], f32(w[0] * b[1]), F32))

    spectrum, back = [], []
    for t in range(transforms):
        forward = transform(data[t * points:(t + 1) * points], separate)
        spectrum += forward
        back += [(x / points, y / points) for x, y in transform(forward, fused)]
    assert all(abs(x - y) < 1e-5 for a, b in zip(data, back) for x, y in zip(a, b))
    for name, values in (("in", data), ("twiddle", twiddle), ("spectrum", spectrum), ("back", back)):
        out.write("fft." + name, "f", [part for v in values for part in v])


def bitonic(out):
    random = Random(102)
    keys = [random.u64() & (0xFFFFFFFF0000FFFF if i % 3 else M64) for i in range(2048)]
    assert len(set(keys)) == len(keys)
    values = [random.u32() for _ in keys]
    out.write("bitonic.keys", "Q", keys)
    out.write("bitonic.values", "I", values)
    pairs = sorted(zip(keys, values))
    out.write("bitonic.sorted_keys", "Q", [k for k, _ in pairs])
    out.write("bitonic.sorted_values", "I", [v for _, v in pairs])


def scan(out):
    random = Random(103)
    data = [signed(random.u32()) >> (random.u32() % 20) for _ in range(10 * 256)]
    total, top, sums, exclusive, maxima = 0, -2**31, [], [], []
    for x in data:
        exclusive.append(total)
        total += x
        top = max(top, x)
        sums.append(total)
        maxima.append(top)
    out.write("scan.in", "i", data)
    out.write("scan.sums", "i", sums)
    out.write("scan.exclusive", "i", exclusive)
    out.write("scan.maxima", "i", maxima)


def mandelbrot(out):
    columns, rows, limit = 70, 45, 80
    left, top, width, height = -2.1, 1.2, 2.9, 2.4
    steps, distances = [], []
    for py in range(rows):
        for px in range(columns):
            cx, cy = left + px * width / columns, top - py * height / rows
            x = y = 0.0
            n = 0
            while n < limit:
                if py < rows // 2:
                    xx, yy = x * x, y * y
                    if xx + yy > 4.0:
                        break
                    y = 2.0 * x * y + cy
                    x = xx - yy + cx
                else:
                    if fma(x, x, y * y, F64) > 4.0:
                        break
                    following = fma(x, x, fma(-y, y, cx, F64), F64)
                    y = fma(2.0 * x, y, cy, F64)
                    x = following
                n += 1
            # The last group of a row or column is smaller.
            steps.append(n | min(16, columns - px // 16 * 16) << 16 | min(8, rows - py // 8 * 8) << 24)
            distances.append(math.sqrt(x * x + y * y))
    out.write("mandelbrot.steps", "I", steps)
    out.write("mandelbrot.distance", "d", distances)


def half_convolution(out):
    columns, rows = 64, 32
    random = Random(105)
    image = [f16((random.unit() * 8 - 4) * 2.0 ** -random.integer(0, 20)) for _ in range(columns * rows)]
    for i in range(100, 130):
        image[i] = from_bits16(random.u32() & 0x83FF)   # subnormal
    weights = [f16(w) for w in (0.0625, -0.125, 0.3, 1.5, 2.75, -0.9, 11.0, -0.0001, 0.07)]
    plain, packed, wide = [], [], []
    for y in range(rows):
        for x in range(columns):
            single = pair = exact = 0.0
            for dy in range(3):
                for dx in range(3):
                    at = min(max(y + dy - 1, 0), rows - 1) * columns + min(max(x + dx - 1, 0), columns - 1)
                    t, w = image[at], weights[dy * 3 + dx]
                    single = f16(single + f16(t * w))
                    pair = fma(t, w, pair, F16)
                    exact = f32(exact + t * w)   # the product is exact in binary64
            plain.append(single)
            packed.append(min(max(pair, -1.0), 60.0))
            wide.append(exact)
    out.write("half_convolution.image", "e", image)
    out.write("half_convolution.weights", "e", weights)
    out.write("half_convolution.plain", "e", plain)
    out.write("half_convolution.packed", "e", packed)
    out.write("half_convolution.wide", "f", wide)


def atomics(out):
    random, count, group = Random(106), 1024, 256
    data = [random.integer(-10**6, 10**6) for _ in range(count)]
    wide = [x * 0x100000001 for x in data]

    def folded(values, bits, floor):
        """Results of one group of words, started at 0 but for the minima and the conjunction."""
        mask = (1 << bits) - 1
        ones = mask & (0x10101 if bits == 32 else 0x1010101010101)
        result = dict(add=0, sub=0, xor=0, bit_or=0, bit_and=mask, min=mask >> 1, max=0, umin=floor, umax=0)
        for i, (x, v) in values:
            u = v & mask
            result["add"] += v
            result["sub"] -= v
            result["xor"] ^= u
            result["bit_or"] |= u & (ones << (i & 7))
            result["bit_and"] &= ~(1 << (x & (bits - 1)))
            result["min"] = min(result["min"], v)
            result["max"] = max(result["max"], v)
            result["umin"] = min(result["umin"], u if floor == mask else u & 0x7FFFFFFF)
            result["umax"] = max(result["umax"], u)
        return list(result.values()) + [len(values), -len(values)]

    indexed = list(enumerate(zip(data, data)))
    out.write("atomics.in", "i", data)
    start = [0, 0, 0, 0, -1, 2**31 - 1, 0, -1, 0, 0, 0]
    out.write("atomics.start", "i", start)
    out.write("atomics.start_longs", "q", [2**63 - 1 if v == 2**31 - 1 else v for v in start])
    out.write("atomics.words", "i", folded(indexed, 32, M32))
    out.write("atomics.longs", "q", folded(list(enumerate(zip(data, wide))), 64, M64))
    groups = [folded(indexed[g:g + group], 32, 2**31 - 1) for g in range(0, count, group)]
    out.write("atomics.group_words", "i", [sum(column) for column in zip(*groups)])
    odd = sorted(x & M32 for x in data if x & 1)
    out.write("atomics.sorted", "I", odd + [0] * (count - len(odd)))
    out.write("atomics.count", "I", [len(odd)])
    out.write("atomics.marks", "I", [1] * (count + 1))
    waves = data[::64]
    total = 0
    for x in waves:
        total ^= x
    out.write("atomics.locked", "I", [sum(x * 3 + 1 for x in data), 5 * len(waves), total, 0])

    items = [random.u32() for _ in range(200)]
    out.write("atomics.items", "I", items)
    out.write("atomics.consumed", "I", [x * 7 + 3 for x in items])

    floats = [random.integer(-5000, 5000) for _ in range(count)]
    out.write("atomics.floats", "f", floats)
    out.write("atomics.float_sums", "f",
              [sum(floats[i::5]) / 2 for i in range(5)] + [sum(floats)])
    out.write("atomics.double_sums", "d", [sum(floats[i::3]) / 4 for i in range(3)])


def subgroup(out):
    random, count = Random(107), 512
    data = [random.integer(-10**6, 10**6) for _ in range(count)]
    out.write("subgroup.in", "i", data)

    def per(size, function, values=data):
        rows = []
        for first in range(0, count, size):
            rows += function(values[first:first + size])
        return rows

    def scanned(step, start, inclusive):
        def function(values):
            rows, state = [], start
            for v in values:
                following = step(state, v)
                rows.append(following if inclusive else state)
                state = following
            return rows
        return function

    def everywhere(function):
        return lambda values: [function(values)] * len(values)

    add = lambda a, b: a + b
    votes = lambda v: int(any(x > 900000 for x in v)) | int(all(x > -999000 for x in v)) << 1
    ints = [per(64, everywhere(f)) for f in (sum, min, max)]
    ints += [per(64, scanned(add, 0, True)), per(64, scanned(add, 0, False)),
             per(64, scanned(max, -2**31, True)), per(64, scanned(min, 2**31 - 1, False)),
             per(64, everywhere(lambda v: v[17])), per(64, everywhere(votes))]
    out.write("subgroup.ints", "i", sum(ints, []))
    out.write("subgroup.longs", "q",
              per(64, scanned(add, 0, True), [x << 20 for x in data]) + per(256, scanned(add, 0, True))
              + per(256, everywhere(max), [x * x for x in data]))
    floats = [x >> 4 for x in data]
    out.write("subgroup.floats", "f",
              per(64, everywhere(sum), floats) + per(64, scanned(add, 0, False), floats)
              + per(256, everywhere(sum), floats) + per(256, everywhere(lambda v: v[200]), floats))
    out.write("subgroup.shape", "I", [64 | i % 256 // 64 << 8 | 4 << 16 for i in range(count)])

    rows, ballots = [[0] * count for _ in range(13)], [[0] * count for _ in range(2)]
    for first in range(0, count, 64):
        wave = data[first:first + 64]
        row = lambda lane: lane & ~15
        negative = sum(1 << i for i, x in enumerate(wave) if x < 0)
        odd = [i for i, x in enumerate(wave) if x & 1]
        for lane, x in enumerate(wave):
            at = first + lane
            rows[0][at] = wave[(lane * 7 + 3) % 64]
            rows[1][first + (lane * 5 + 1) % 64] = x
            rows[2][at] = wave[lane ^ 1]
            rows[3][at] = wave[lane ^ 3]
            rows[4][at] = wave[lane ^ 2]
            rows[5][at] = wave[row(lane) + 15 - lane % 16]
            rows[6][at] = wave[(lane & ~7) + 7 - lane % 8]
            rows[7][at] = wave[row(lane) + (lane - 3) % 16]
            rows[8][at] = wave[(lane + 1) % 64]
            rows[9][at] = wave[42] - wave[0]
            rows[10][at] = bin(negative & ((1 << lane) - 1)).count("1")
            ballots[0][at] = negative
            ballots[1][at] = M64
            rows[11][at], rows[12][at] = 0, -1
            if x & 1:
                ballots[1][at] = sum(1 << i for i in odd)
                same = sum(1 for i in odd if wave[i] & 7 == x & 7)
                rows[11][at] = len(odd) + 100 * same
                rows[12][at] = next(i for i in odd if math.fmod(wave[i], 5) == math.fmod(x, 5))
    out.write("subgroup.lanes", "i", sum(rows, []))
    out.write("subgroup.ballots", "Q", sum(ballots, []))


if __name__ == "__main__":
    folder = Folder(sys.argv[1])
    for make in (fft, bitonic, scan, mandelbrot, half_convolution, atomics, subgroup, calls, address_spaces,
                 numbers, dot_products):
        make(folder)
