// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/target.h"

// Kernels without loops as golden_plain_dispatch_test.cpp writes them, and their machine code, put
// together from the encoding pages of the manuals and not by the encoder.
namespace cuvette::golden::plain {

enum class What : uint8_t {
  Nop,
  Waitcnt,
  End,
  SMov,
  SAdd,
  SSub,
  SAddc,
  SSubb,
  SAddI,  ///< SCC is the overflow of signed numbers
  SSubI,
  SCselect,
  SAnd,
  SLshl,
  SMul,
  SOr,
  SAshr,
  SLshr,
  SMov64,  ///< of pairs, down to SAshr64
  SNot64,
  SAnd64,
  SOr64,
  SXor64,
  SAndn264,
  SLshl64,
  SAshr64,
  SAndSave,  ///< d = EXEC, EXEC = a & EXEC
  SOrSave,
  SXorSave,
  SAndn2Save,  ///< EXEC = a & ~EXEC
  SAndn1Save,  ///< EXEC = ~a & EXEC
  SBranch,     ///< to `target`
  SBranchScc0,
  SBranchScc1,
  SBranchVccz,
  SBranchVccnz,
  SBranchExecz,
  SBranchExecnz,
  SCmpEq,
  SCmpLg,
  SCmpGt,
  SCmpGe,
  SCmpLt,
  SCmpLe,
  SLoad,  ///< at the pair `base` and `offset`, or the SGPR `a`
  Mov,
  ReadFirst,
  ToFloat,  ///< from an unsigned number
  Add,
  Sub,
  Subrev,
  Shl,    ///< b << a
  Shl64,  ///< of pairs, b << a
  MulLo,
  MulHi,
  MulU24,
  And,
  Or,
  Xor,
  Ashr,  ///< b >> a
  Lshr,
  MinU,
  Ashr64,  ///< of pairs, b >> a
  MbcntLo,
  MbcntHi,
  LshlAdd,  ///< three sources from here
  LshlOr,
  Add3,
  AddLshl,
  AndOr,
  MadU24,
  Bfe,
  LshlAdd64,  ///< of pairs, gfx942; up to here
  Cndmask,    ///< b where `mask` is set
  Cmp,        ///< to `mask`
  Cmpx,       ///< to EXEC, too
  AddCo,
  SubCo,
  Addc,
  Subb,
  AddF,
  SubF,
  MulF,
  MaxF,
  MacF,
  FmacF,
  FmaF,
  Load,
  Store
};

/// A source by its code; 255 is the literal.
struct Source {
  unsigned code = 128;
  uint32_t literal = 0;
};
inline Source s(unsigned index) {
  return {index, 0};
}
inline Source v(unsigned index) {
  return {256 + index, 0};
}
inline Source literal(uint32_t bits) {
  return {255, bits};
}
/// -16 to 64.
inline Source number(int value) {
  return {value >= 0 ? 128u + static_cast<unsigned>(value) : 192u + static_cast<unsigned>(-value),
          0};
}

inline constexpr unsigned kVcc = 106, kExec = 126, kOff = 127;

/// What Cmp and Cmpx compare, in the order of their opcodes.
enum class Cond : uint8_t { F, Lt, Eq, Le, Gt, Ne, Ge, T };
enum class Type : uint8_t { I32, U32, I64, U64 };
inline bool is_64_bit(Type type) {
  return type >= Type::I64;
}

struct Op {
  What what = What::Nop;
  unsigned d = 0;  ///< register of the result; Store: of the data
  Source a, b, c;
  bool wide = false;          ///< what has a short form as VOP3
  unsigned mask = kVcc;       ///< of carries, in and out, and what comparisons find
  unsigned abs = 0, neg = 0;  ///< a bit per source
  bool clamp = false;
  // Memory. Load, Store: VGPR `a`, a pair without base.
  unsigned base = kOff;
  unsigned dwords = 1;
  int32_t offset = 0;
  bool by_register = false;  ///< SLoad: the offset is in `a`
  Cond cond = Cond::T;
  Type type = Type::U32;
  size_t target = 0;  ///< of branches: which Op
};

inline Op op(What what, unsigned d, Source a = {}, Source b = {}, Source c = {}) {
  Op out;
  out.what = what;
  out.d = d;
  out.a = a;
  out.b = b;
  out.c = c;
  return out;
}
inline Op with_mask(Op out, unsigned mask) {
  out.mask = mask;
  out.wide = mask != kVcc;
  return out;
}
inline Op s_load(unsigned d, unsigned dwords, unsigned base, int32_t offset) {
  Op out = op(What::SLoad, d);
  out.dwords = dwords;
  out.base = base;
  out.offset = offset;
  return out;
}
/// `data` from or to what the VGPR `address` says.
inline Op memory(What what, unsigned data, unsigned address, unsigned base = kOff,
                 int32_t offset = 0) {
  Op out = op(what, data, v(address));
  out.base = base;
  out.offset = offset;
  return out;
}

/// a `cond` b, to the pair `mask`.
inline Op compare(What what, Cond cond, Type type, Source a, Source b, unsigned mask = kVcc) {
  Op out = with_mask(op(what, 0, a, b), mask);
  out.cond = cond;
  out.type = type;
  out.wide = out.wide || b.code < 256;
  return out;
}

inline bool is_branch(What what) {
  return what >= What::SBranch && what <= What::SBranchExecnz;
}
/// Without those of numbers in F32.
inline bool has_third_source(What what) {
  return what >= What::LshlAdd && what <= What::LshlAdd64;
}
inline bool is_float(What what) {
  return what >= What::AddF && what <= What::FmaF;
}

/// As the tables of the ISA name it.
std::string mnemonic(const Op& op);
std::vector<uint32_t> words_of(const std::vector<Op>& ops);
/// Where each of them begins, in words, and where the last one ends.
std::vector<size_t> places_of(const std::vector<Op>& ops);
/// The whole kernel as a disassembler shows it, for messages.
std::string text_of(const std::vector<Op>& ops, isa::Target target = isa::Target::Gfx908);

}  // namespace cuvette::golden::plain
