// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "run/element.h"

namespace cuvette::run {

/// Expands an `init` node (null: zeros) to `count` elements of bytes.
///
/// zero | {fill: v} | {values: [...]} | {iota: {start, step}} | {random: {seed, low, high}} | {hex:
/// "..."} | {file: path}. random is SplitMix64 (Steele, Lea, Flood 2014) started at `seed`, one
/// output per element: floats low + u * (high - low) with u = the top 53 bits / 2^53, rounded once
/// to the type; integers low + output mod (high - low + 1). values and hex may be shorter than the
/// buffer (the rest is zero), not longer; a file must have at least the bytes of the buffer.
base::Result<std::vector<uint8_t>> initial_values(
    const base::Yaml* init, Element type, uint64_t count,
    const std::function<std::string(const std::string&)>& resolve);

/// "00112233" to bytes.
base::Result<std::vector<uint8_t>> parse_hex_bytes(const std::string& text);

}  // namespace cuvette::run
