// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "golden_parts_memory.h"
#include "isa/registers.h"
#include "isa/target.h"
#include "wave/state.h"

// Loops of address arithmetic, loads and stores as golden_steady_loop_test.cpp and
// golden_stream_rounds_test.cpp write them, an evaluation of them that shares nothing with the
// model, and their machine code.
namespace cuvette::golden::steady {

using wave::kLanes;
using wave::LaneRow;

inline constexpr isa::Target kTarget = isa::Target::Gfx908;
inline constexpr unsigned kVgprs = 32, kLdsBytes = 6000, kVcc = isa::kVccLo;
inline constexpr uint64_t kAperture = uint64_t{1} << 48;
// VGPRs: a number, two pointers, two offsets, an LDS address, uniform numbers, and data.
inline constexpr unsigned kIndex = 0, kPointer = 2, kPointer2 = 4, kOffset = 6, kOffset2 = 7,
                          kLds = 8, kSame = 9, kSame2 = 10, kData = 12, kLastData = 24;
// SGPRs.
inline constexpr unsigned kBase = 20, kStep = 22, kCounter = 24, kOne = 25, kZero = 26, kMask = 30;

/// A source operand.
struct Operand {
  enum Kind : uint8_t { Vgpr, Sgpr, Constant } kind = Vgpr;
  unsigned value = 0;
};
inline Operand v(unsigned index) {
  return {Operand::Vgpr, index};
}
inline Operand s(unsigned index) {
  return {Operand::Sgpr, index};
}

enum class Do : uint8_t {
  Mov,
  Xor,
  Add,
  Sub,
  Subrev,
  Shl,    // b << a
  Shl64,  // of the pairs at b and d
  AddF,
  SubF,
  MulF,
  Fmac,  // d += a * b
  Fma,   // a * b + c
  AddCo,
  SubCo,
  SubrevCo,
  Addc,
  Subb,
  Subbrev
};
/// Compares last, those of 64 bits last of all.
enum class Salu : uint8_t {
  AddU,
  SubU,
  AddI,
  SubI,
  Addc,
  Subb,
  Mov,
  EqI,
  LgI,
  GtI,
  GeI,
  LtI,
  LeI,
  EqU,
  LgU,
  GtU,
  GeU,
  LtU,
  LeU,
  EqU64,
  LgU64
};
inline constexpr unsigned kCompares = 14;

/// One instruction as the test sees it.
struct Op {
  enum Kind : uint8_t { Valu, Memory, Nothing, Scalar } kind = Valu;
  Do what = Do::Mov;
  Salu scalar = Salu::AddU;
  unsigned d = 0;        // VGPR of the result or of the data; Scalar: SGPR
  Operand a, b, c;       // Scalar: SGPRs and constants
  unsigned mask = kVcc;  // of carries, in and out
  // Memory: `d` is data, `a` the first address register.
  bool store = false, lds = false, based = false;
  bool flat = false;  // a global access by FLAT
  unsigned base = kBase;
  unsigned dwords = 1;
  int32_t offset = 0;
};
/// Instructions and the branch that ends a round: again when SCC is as said.
struct Loop {
  std::vector<Op> body;
  bool again = true;
};

inline Op valu(Do what, unsigned d, Operand a, Operand b = v(0), unsigned mask = kVcc) {
  Op op;
  op.what = what;
  op.d = d;
  op.a = a;
  op.b = b;
  op.mask = mask;
  return op;
}
/// One of two instructions without effect.
inline Op nothing(unsigned kind) {
  Op op;
  op.kind = Op::Nothing;
  op.d = kind;
  return op;
}
inline Op scalar(Salu what, unsigned d, Operand a, Operand b = {Operand::Constant, 0}) {
  Op op;
  op.kind = Op::Scalar;
  op.scalar = what;
  op.d = d;
  op.a = a;
  op.b = b;
  return op;
}
/// `body` until kCounter, which goes down by kOne, is kZero.
Loop counted(std::vector<Op> body);

/// What instructions read and write, but for memory.
struct Registers {
  std::vector<LaneRow> rows = std::vector<LaneRow>(kVgprs);
  std::array<uint32_t, 128> sgpr{};

  uint64_t pair(unsigned code) const { return sgpr[code] | uint64_t{sgpr[code + 1]} << 32; }
  void set_pair(unsigned code, uint64_t value) {
    sgpr[code] = static_cast<uint32_t>(value);
    sgpr[code + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint32_t read(const Operand& o, unsigned lane) const {
    return o.kind == Operand::Vgpr   ? rows[o.value][lane]
           : o.kind == Operand::Sgpr ? sgpr[o.value]
                                     : o.value;
  }
};

struct State : Registers {
  bool scc = false;
  std::vector<uint8_t> memory, lds;
  uint32_t trapsts = 0;
  uint64_t aperture = kAperture;  ///< of LDS, 4 GiB
  uint64_t instructions = 0;
  size_t next = 0;  ///< index in the body; then the branch, the end of the program, and ended
};

/// The loop to the end of the program or as many instructions, lane by lane.
State evaluate(const Loop& loop, State state, const PartsMemory& memory,
               uint64_t limit = ~uint64_t{0});

/// The same as machine code, and where in it instructions begin.
struct Code {
  std::vector<uint32_t> words;
  std::vector<size_t> begins;  ///< of the body, the branch and the end
};
void append_op(const Op& op, std::vector<uint32_t>& words);
Code code_of(const Loop& loop);

/// For messages.
std::string text_of(const Loop& loop);

}  // namespace cuvette::golden::steady
