# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Hashes as Python's library has them."""

import array
import hashlib
import random
import zlib


def text_of(seed, count, size):
    source = random.Random(seed).randbytes(count * size)
    return source, [source[i * size : (i + 1) * size] for i in range(count)]


def md5(case):
    count = case.sizes["messages"]
    text, messages = text_of(41, count, case.sizes["blocks"] * 64)
    words = array.array("I", text)
    per_message = len(words) // count
    interleaved = array.array("I")
    for word in range(per_message):
        interleaved += words[word::per_message]
    case.write("text.bin", interleaved.tobytes())
    case.write("digests.bin", b"".join(hashlib.md5(m).digest() for m in messages))


def sha256(case):
    text, messages = text_of(42, case.sizes["messages"], case.sizes["blocks"] * 64)
    case.write("text.bin", text)
    case.write("digests.bin", b"".join(hashlib.sha256(m).digest() for m in messages))


def crc32(case):
    text, strings = text_of(43, case.sizes["strings"], case.sizes["bytes"])
    case.write("text.bin", text)
    case.write("out.bin", b"".join(zlib.crc32(s).to_bytes(4, "little") for s in strings))
