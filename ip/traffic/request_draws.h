// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "memory/memory.h"

/// Parts of constrained-random memory requests.
namespace cuvette::ip::traffic {

/// A 32- or 64-bit atomic in the block at `r.address`, with or without return, but for its data.
void draw_atomic(memory::MemReq& r, std::mt19937& rng);

/// Byte mask of a read or write of a block: whole, a run of bytes, one dword, or any bytes.
uint64_t draw_bytes(std::mt19937& rng);

}  // namespace cuvette::ip::traffic
