// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// The messages of block matrix_core as on the pins (rtl/matrix_core/matrix_core_pkg.sv): a beat of
/// 16 lanes, the packed struct in 32-bit words, its lowest bit first. Bits above it are 0.
inline constexpr unsigned kMatrixBeats = 4;
inline constexpr unsigned kMatrixBeatLanes = 16;
inline constexpr unsigned kMatrixOperandsBits = 79 + 6 * 512, kMatrixResultBits = 53 + 2 * 512;
using MatrixOperandsMessage = std::array<uint32_t, (kMatrixOperandsBits + 31) / 32>;
using MatrixResultMessage = std::array<uint32_t, (kMatrixResultBits + 31) / 32>;

/// Beat `beat` of a pass.
MatrixOperandsMessage pack(const matrix_core::Operands& pass, unsigned beat);
MatrixResultMessage pack(const matrix_core::Result& pass, unsigned beat);

unsigned beat_of(const MatrixResultMessage& message);
/// Everything but the lanes; `d` stays 0.
matrix_core::Result header_of(const MatrixResultMessage& message);
/// The 16 lanes of the message's beat into `pass`.
void take_lanes(const MatrixResultMessage& message, matrix_core::Result& pass);

}  // namespace cuvette::ip
