// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "wave/lanes/host_float.h"
#include "wave/prepared.h"
#include "wave/stream.h"

// Whole rows on the host's vector unit, without LaneOp: the common integer rows, and F32 sums,
// products and fused multiply-adds with MXCSR and its flags kept over instructions (HostSlice).
//
// The host's float results are those of the model, but for NaNs: lanes with a NaN result are done
// over by the general handler. Every invalid operation gives a NaN, so the host's invalid flag
// belongs to the instruction at hand and is dropped; its other flags are never raised by a lane
// whose result is a NaN, except for a subnormal operand, which the model reports as well.
namespace cuvette::wave::lanes {

enum class IntegerOp : uint8_t {
  Mov,
  Not,
  And,
  Or,
  Xor,
  Xnor,
  Lshlrev,
  Lshrrev,
  Ashrrev,
  MinI,
  MaxI,
  MinU,
  MaxU,
  Add,
  Sub,
  Subrev,
  MulLo,
  MulU24,
  MadU24,
  LshlAdd,
  AddLshl,
  Add3,
  LshlOr,
  AndOr,
  Or3,
  Xad,
  Bfi,
  BfeU,
};
inline constexpr size_t kIntegerOps = 28;
constexpr unsigned sources_of(IntegerOp op) {
  return op <= IntegerOp::Not ? 1 : op <= IntegerOp::MulU24 ? 2 : 3;
}
enum class CarryOp : uint8_t { Add, Sub, Subrev, Addc, Subb, Subbrev };
enum class CompareOp : uint8_t { Lt, Eq, Le, Gt, Ne, Ge };
/// Orderings of two numbers, as bits.
enum FloatTest : uint8_t { kFloatLess = 1, kFloatEqual = 2, kFloatGreater = 4 };
enum class ShiftOp : uint8_t { Left, Right, RightSigned };

/// How a matrix instruction adds its products (fp/matrix.h).
enum class MatrixSum : uint8_t {
  Chain,         ///< F32: one after the other, fused
  Exact,         ///< F16 as F32: fours and the accumulator exactly, rounded once (gfx908)
  FoursFlushed,  ///< F16 as F32: fours pairwise, then the accumulator, no subnormals (gfx90a)
};
/// One block of 16 or 32 rows and columns, all F32, at its first lanes of the operands. A[.][k] and
/// B[k][.]: chains have one register, 64 / K lanes for each k; fours have four, element by element,
/// 256 / K lanes for each group of four k. d: the block's registers, C and D. Exact: the products
/// of a group have to be so near each other that doubles hold their sum.
using MatrixRun = void (*)(const uint32_t* a, const uint32_t* b, uint32_t* d);

/// What Prepared::sources says of a memory instruction.
enum MemoryFlag : uint8_t {
  kMemoryWide = 1,    ///< the VGPR address has 64 bits
  kMemoryScalar = 2,  ///< SADDR is added
  kMemoryFlat = 4,    ///< FLAT: apertures of LDS and of scratch
};

/// Where the sources of a row are, as far as it has code of its own for that.
enum class SourceShape : uint8_t {
  Any,          ///< also with abs and neg
  Registers,    ///< all in VGPRs
  FirstScalar,  ///< all in VGPRs but the first, which is not
};
inline constexpr size_t kSourceShapes = 3;

/// A StreamGroup around a row (wave/stream.h), once and for many rounds. Null: none.
struct StreamRows {
  Prepared::Run row = nullptr;
  StreamRun rounds = nullptr;
};

/// The short ways of one host level (level_*.cpp). Null where it has none.
struct HostRows {
  Prepared::Run (*floats)(HostOp op, SourceShape shape);
  Prepared::Run (*doubles)(HostOp op);
  /// V_CMP and V_CMPX of F64 that accept these FloatTest.
  Prepared::Run (*double_orders)(unsigned accepted);
  /// V_CMP and V_CMPX of F32 that accept these FloatTest.
  Prepared::Run (*orders)(unsigned accepted, SourceShape shape);
  Prepared::Run (*integers)(IntegerOp op, SourceShape shape);
  Prepared::Run (*carries)(CarryOp op, SourceShape shape);
  /// `wide`: of 64-bit numbers.
  Prepared::Run (*compares)(CompareOp op, bool is_signed, bool wide);
  Prepared::Run (*shifts)(ShiftOp op);
  Prepared::Run (*shift_add)();  ///< V_LSHL_ADD_U64
  /// One to four dwords of a lane (memory/prepared_memory.cpp).
  Prepared::Run (*memory)(unsigned dwords, bool store, bool lds);
  /// The same where EXEC is full and all addresses follow from that of lane 0 (wave/steady.h).
  Prepared::Run (*steady_memory)(unsigned dwords, bool store, bool lds);
  /// What the row does in a stream.
  StreamRows (*streams)(HostOp op, SourceShape shape);
  /// Prepared::pieces of these rows next to each other.
  Prepared::Run (*sequences)(HostOp op, SourceShape shape);
  Prepared::Run select;  ///< V_CNDMASK_B32
  MatrixRun (*matrix)(MatrixSum sum, unsigned k, unsigned n);
  /// Two registers of four F16 per lane as F32, a register for each. `flush`: zeros and
  /// subnormals become +0.
  void (*widen)(const LaneRow* from, bool flush, LaneRow* to);
  /// Whether lane n holds lane 0 + n * stride, no lane wrapping around; and makes it so.
  bool (*walks)(const uint32_t* row, uint32_t stride);
  void (*walk)(uint32_t* row, uint32_t stride);
};
const HostRows& host_rows_baseline();
const HostRows& host_rows_avx2();
const HostRows& host_rows_avx512();
/// Those of host_level(); null for HostLevel::None.
const HostRows* host_rows();

/// What a V_CMP or V_CMPX of integers asks.
struct IntegerCompare {
  CompareOp op = CompareOp::Lt;
  bool is_signed = false, wide = false;
  bool executing = false;  ///< V_CMPX
};
/// Null: it is something else.
std::optional<IntegerCompare> integer_compare_of(isa::SemanticId semantic);

/// Null when the instruction is none of these, has modifiers on its result, or the host cannot.
Prepared::Run plain_row(const isa::Instruction& instruction, Prepared& prepared);

/// HostRows::streams and sequences for a row that plain_row() has found. Null: it has none.
StreamRows stream_rows(const Prepared& prepared);
Prepared::Run sequence_row(const Prepared& prepared);

/// Ends an instruction with NaN results. `row` holds the host's 64 results, `nan` the enabled lanes
/// that must be done over; nothing has been written yet.
void finish_with_nans(const Prepared& p, WaveState& wave, HostSlice& slice, const uint32_t* row,
                      uint64_t nan);

}  // namespace cuvette::wave::lanes
