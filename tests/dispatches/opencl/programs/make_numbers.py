# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Expectations of numbers.cl and dot_products.cl."""
import math
from fractions import Fraction

from common import M32, M64, Random, quotient, signed
from ieee import F16, F32, F64, bits16, divide, f32, fma, from_bits32, from_bits64, rounded


def remainder(a, b):
    return a - quotient(a, b) * b


def clamp(x, low, high):
    return min(max(x, low), high)


def keep_sign(value, x):
    """Rounding to an integer keeps the sign of a zero."""
    return math.copysign(value, x)


def trunc(x):
    return keep_sign(float(math.trunc(x)), x)


def integers(out, random, n):
    a = [random.u32() >> random.integer(0, 30) for _ in range(n)]
    b = [(random.u32() >> random.integer(0, 31)) | 1 for _ in range(n)]
    c = [random.u64() >> random.integer(0, 62) for _ in range(n)]
    d = [(random.u64() >> random.integer(0, 63)) | 1 for _ in range(n)]
    a[:4], b[:4] = [0, M32, 2**31, 2**31 - 1], [1, M32, 3, M32]
    c[:4], d[:4] = [0, M64, 2**63, 2**63 - 1], [1, M64, 3, M64]
    words, longs = [[] for _ in range(10)], [[] for _ in range(8)]
    for x, y, u, v in zip(a, b, c, d):
        sx, sy, su, sv = signed(x), signed(y), signed(u, 64), signed(v, 64)
        for row, value in enumerate((
                x // y, x % y, quotient(sx, sy), remainder(sx, sy), x * y >> 32, sx * sy >> 32,
                min(x + y, M32) ^ (clamp(sx - sy, -2**31, 2**31 - 1) & M32),
                ((x + y + 1) >> 1) + ((x + y) >> 1) + abs(x - y),
                32 - x.bit_length() | bin(y).count("1") << 8 | bin(u).count("1") << 16
                | (64 - v.bit_length()) << 24,
                signed(x << 8) // 256 * (signed(y << 8) // 256) + 12345)):
            words[row].append(value)
        turn = x & 63
        for row, value in enumerate((
                u // v, u % v, quotient(su, sv), remainder(su, sv), u * v >> 64, u * v,
                ((u << turn | u >> (64 - turn)) & M64) ^ ((sv >> (y & 63)) & M64), (x << 32 | y) // 10)):
            longs[row].append(value)
    for name, code, values in (("a", "I", a), ("b", "I", b), ("c", "Q", c), ("d", "Q", d),
                               ("words", "I", sum(words, [])), ("longs", "Q", sum(longs, []))):
        out.write("integers." + name, code, values)


def any_f32(random):
    """Any number but not a NaN and not an infinity; most of them moderate."""
    if random.u32() % 3:
        return f32((random.unit() - 0.5) * 2.0 ** random.integer(-20, 40))
    return from_bits32(random.u32() & 0xFF7FFFFF if random.u32() % 2 else random.u32() & 0x80FFFFFF)


def floats(out, random, n):
    a, b = ([any_f32(random) for _ in range(n)] for _ in range(2))
    special = (0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -0.5, from_bits32(1), from_bits32(0x807FFFFF), from_bits32(0x00800000),
               from_bits32(0x7F7FFFFF), 65504.0, f32(65519.996), 65520.0, 2.0**-25, -(2.0**-24) * 1.5)
    for i, x in enumerate(special):
        for j, y in enumerate((3.0, -7.0, from_bits32(0x00000003), from_bits32(0x7E800000))):
            a[i * 4 + j], b[i * 4 + j] = x, y
    a[64:68], b[64:68] = [1.0, -1.0, 3.5, from_bits32(2)], [0.0, 0.0, -0.0, -0.0]
    rows, halves, converted, exponents = [[] for _ in range(12)], [[] for _ in range(4)], [[] for _ in range(3)], []
    for i, (x, y) in enumerate(zip(a, b)):
        mantissa, exponent = math.frexp(x)
        exponents.append(exponent)
        for row, value in enumerate((
                f32(divide(x, y)), f32(math.sqrt(abs(x))), f32(trunc(x) + keep_sign(float(math.ceil(y)), y)),
                keep_sign(float(round(x)), x), keep_sign(float(math.floor(y)), y), min(x, y), max(x, y),
                fma(x, y, x, F32), f32(f32(x * y) - x), mantissa, f32(math.ldexp(y, i % 60 - 30)),
                math.copysign(x, y))):
            rows[row].append(value)
        for row, mode in enumerate(("even", "zero", "up", "down")):
            half = bits16(rounded(Fraction(x), F16, mode))
            halves[row].append(half & 0x7FFF | (0x8000 if math.copysign(1, x) < 0 else 0))
        converted[0].append(clamp(round(x), -2**31, 2**31 - 1))
        converted[1].append(clamp(math.trunc(x), 0, M32))
        converted[2].append((clamp(math.ceil(x), -128, 127) & M32) ^ (clamp(math.floor(y), 0, 65535) << 8))
    for name, code, values in (("a", "f", a), ("b", "f", b), ("out", "f", sum(rows, [])),
                               ("halves", "H", sum(halves, [])), ("converted", "I", sum(converted, [])),
                               ("exponents", "i", exponents)):
        out.write("floats." + name, code, values)


def any_f64(random):
    kind = random.u32() % 4
    if kind:
        return (random.unit() - 0.5) * 2.0 ** random.integer(-30, 80)
    u = random.u64()
    exponent = u >> 52 & 0x7FF
    return from_bits64(u & ~(1 << 62) if exponent == 0x7FF else u)


def doubles(out, random, n):
    a, b = ([any_f64(random) for _ in range(n)] for _ in range(2))
    special = (0.0, -0.0, 1.0, -2.5, 3.5, from_bits64(1), from_bits64(0x800FFFFFFFFFFFFF), 2.0**-1022,
               from_bits64(0x7FEFFFFFFFFFFFFF), 2.0**-149, 2.0**-150, -(2.0**-150) * 1.25, 3.4028235e38,
               from_bits64(0x47EFFFFFF0000000), 9.223372036854776e18, -9.3e18)
    for i, x in enumerate(special):
        for j, y in enumerate((3.0, -0.7, 5e-324, 2.0**63)):
            a[i * 4 + j], b[i * 4 + j] = x, y
    rows, narrow, longs = [[] for _ in range(7)], [[], []], [[], []]
    for i, (x, y) in enumerate(zip(a, b)):
        whole = clamp(math.trunc(x), -2**63, 2**63 - 1)
        for row, value in enumerate((
                divide(x, y), math.sqrt(abs(x)), fma(x, y, -x, F64), x * y + y,
                keep_sign(float(math.floor(x)), x) - keep_sign(float(round(y)), y),
                rounded(Fraction(x) * Fraction(2) ** (i % 40 - 20), F64) if x else x,
                float(whole ^ 0x5555))):
            rows[row].append(value)
        narrow[0].append(f32(x))
        narrow[1].append(keep_sign(rounded(Fraction(y), F32, "zero"), y))
        longs[0].append(whole)
        longs[1].append(clamp(math.trunc(y), 0, M64))
    for name, code, values in (("a", "d", a), ("b", "d", b), ("out", "d", sum(rows, [])),
                               ("narrow", "f", sum(narrow, [])), ("longs", "Q", sum(longs, []))):
        out.write("doubles." + name, code, values)


def numbers(out):
    random = Random(109)
    integers(out, random, 512)
    floats(out, random, 512)
    doubles(out, random, 512)


def fields(x, bits):
    return [x >> i & (1 << bits) - 1 for i in range(0, 32, bits)]


def dot(x, y, bits, is_signed):
    convert = (lambda v: signed(v, bits)) if is_signed else (lambda v: v)
    return sum(convert(a) * convert(b) for a, b in zip(fields(x, bits), fields(y, bits)))


def permuted(x, y, selectors):
    """V_PERM_B32: bytes 0..3 are the second source, 4..7 the first; 12 is zero."""
    source = fields(y, 8) + fields(x, 8)
    return sum((0 if s == 12 else source[s]) << 8 * i for i, s in enumerate(fields(selectors, 8)))


def dot_products(out):
    random, width, n = Random(110), 12, 256
    image = [random.u32() for _ in range(width * width * 4)]
    weights = [random.u32() for _ in range(8 * 9 * 4)]
    sums = []
    for y in range(width):
        for x in range(width):
            for o in range(8):
                total = o * 100 - 300
                for dy in range(3):
                    for dx in range(3):
                        ix, iy = x + dx - 1, y + dy - 1
                        if 0 <= ix < width and 0 <= iy < width:
                            for c in range(4):
                                total += dot(image[(iy * width + ix) * 4 + c],
                                             weights[((o * 3 + dy) * 3 + dx) * 4 + c], 8, True)
                sums.append(total)
    out.write("dot_products.image", "I", image)
    out.write("dot_products.weights", "I", weights)
    out.write("dot_products.sums", "i", sums)
    out.write("dot_products.clipped", "b", [clamp(s >> 7, -128, 127) for s in sums])

    a, b = ([random.u32() for _ in range(n)] for _ in range(2))
    for i in range(0, n, 3):   # zero bytes, which v_msad skips
        b[i] &= 0xFF00FFFF if i % 2 else 0x00FFFF00
    rows = [[] for _ in range(14)]
    for i, (x, y) in enumerate(zip(a, b)):
        pairs = list(zip(fields(x, 8), fields(y, 8)))
        sad = sum(abs(p - q) for p, q in pairs)
        field_offset, field_width = i & 31, y & 31
        field = x >> field_offset & (1 << field_width) - 1
        extracted = signed(field, min(field_width, 32 - field_offset)) if field_width else 0
        for row, value in enumerate((
                dot(x, y, 8, False) + i, dot(x, y, 4, True) - i, dot(x, y, 16, True) + i,
                permuted(x, y, 0x06010C03), sad + i,
                sum(abs(p - q) for p, q in zip(fields(x, 16), fields(y, 16))) + i,
                sum(abs(p - q) for p, q in pairs if q) + i,
                (x << 32 | y) >> (i & 31), (x << 32 | y) >> 8 * (i & 31), field, extracted,
                sum((p + q + (0x01000101 >> 8 * k & 1)) // 2 << 8 * k for k, (p, q) in enumerate(pairs)),
                x & y | ~x & i, (sad << 16) + i)):
            rows[row].append(value)
    out.write("dot_products.a", "I", a)
    out.write("dot_products.b", "I", b)
    out.write("dot_products.bytes", "I", sum(rows, []))
