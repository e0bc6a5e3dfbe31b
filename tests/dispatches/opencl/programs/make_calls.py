# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Expectations of calls.cl and address_spaces.cl."""
from common import M32, M64, Random, signed
from ieee import F64, fma


def mix(h, x):
    h ^= x * 0xCC9E2D51 & M32
    return ((h << 13 | h >> 19) * 5 + 0xE6546B64) & M32


def deep3(x, shared):
    inner = (x + 7) & M32
    deep4 = mix(inner ^ 0x55, shared[(inner ^ 0x55) & 63]) + 1 + inner * 9
    return (deep4 & M32) ^ mix(x, 3)


def deep1(x, shared):
    deep2 = sum(deep3((x + i) & M32, shared) for i in range(x & 3))
    return (deep2 * 3 + deep3(x, shared)) & M32


def record_fold(a, b, start):
    c = [signed(a * (i + 1) + b, 16) for i in range(5)]
    total = a * 3 + b
    for i in range(5):
        total = signed(total * 31 + c[(i + start) % 5], 64)
    return total


def calls(out):
    random, count, group = Random(108), 512, 128
    data = [random.integer(-10**6, 10**6) for _ in range(count)]
    hashes, longs, folds, medians, values = [], [], [], [], []
    for n, x in enumerate(data):
        h = n
        for i in range(x & 15):
            h = mix(h, data[(n + i) % count] & M32)
        hashes.append(h)
        u = x & M32
        terms = (((h + 2 * u) & M32) * ((n + 3 * 77) & M32), h << 33, (x & 0xFF) * 5, signed(x, 16), h, u * 7 & M32,
                 h * 11 & M32, (u + 9) * 13 & M32, x * (n + 5))
        longs.append(sum(terms) & M64)
        folds.append(record_fold(x, h - n, n % 5))
        size = 5 + (x & 7)
        medians.append(sorted(data[(n * 3 + i * 5) % count] for i in range(size))[size // 2])
        y = 0.125
        for c in (-x / 1024.0, 3.0, float(n)):
            y = fma(y, h / 4294967296.0, c, F64)
        values.append(y if x & 2 else -1.0)
    totals = []
    for n, h in enumerate(hashes):
        mine = hashes[n // group * group:][:group]
        totals.append(sum(v & 0xFFFF for v in mine) + deep1(h, mine))
    out.write("calls.in", "i", data)
    out.write("calls.hashes", "I", hashes + totals)
    out.write("calls.longs", "q", longs + folds)
    out.write("calls.medians", "i", medians)
    out.write("calls.values", "d", values)


def checksum(data):
    total = 1
    for byte in data:
        total = (total * 131 + byte) & M32
    return total


def address_spaces(out):
    primes = (2, 3, 5, 7, 11, 13, 17, 19)
    grid, group, offset = (19, 10, 7), (8, 4, 3), (5, 0, 300)
    sums, ids, positions, data = [], [], [], b""
    word = lambda v: (v & M32).to_bytes(4, "little")
    filled = lambda seed: b"".join(word(seed * primes[i] + i) for i in range(4))
    n = 0
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                at = (x, y, z)
                sizes = [min(s, g - p // s * s) for p, s, g in zip(at, group, grid)]
                groups = [p // s for p, s in zip(at, group)]
                ids.append(sizes[0] | sizes[1] << 8 | sizes[2] << 16 | groups[0] << 24 | groups[1] << 26
                           | groups[2] << 28)
                positions.append(x + offset[0] | y + offset[1] << 10 | z + offset[2] << 20)
                # Memory (t + n) % 3 was filled from seed n + t: 0 private, 1 group, 2 global.
                own, local, mine = (filled(n + (m - n) % 3) for m in range(3))
                own += word(n) * 2
                tail = bytes([n & 255, (n + 1) & 255, (n + 2) & 255, 0])
                tail += (n * 3 & 0xFFFF | (n * 5 & 0xFFFF) << 16).to_bytes(4, "little")
                tail += (n * 0x0123456789ABCDEF & M64).to_bytes(8, "little")
                data += mine + tail
                sums.append(checksum((own, local, mine)[n % 3][1:14]))
                sums.append(checksum(own[n & 7:(n & 7) + 15]))
                a, b, c, d = (int.from_bytes(tail[i:i + 4], "little") for i in range(0, 16, 4))
                p, q, r, s = (int.from_bytes(local[i:i + 2], "little") for i in range(2, 10, 2))
                sums.append((a ^ b ^ c * 3 ^ d * 5 ^ p ^ q << 4 ^ r << 8 ^ s << 12) & M32)
                n += 1
    out.write("address_spaces.data", "B", list(data))
    out.write("address_spaces.sums", "I", sums)
    out.write("address_spaces.ids", "I", ids + positions)
