// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Straight-line kernels of gfx908 as golden_plain_dispatch_test.cpp writes them, and their machine
// code, put together from the encoding pages of the manuals and not by the encoder.
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

inline constexpr unsigned kVcc = 106, kOff = 127;

struct Op {
  What what = What::Nop;
  unsigned d = 0;  ///< register of the result; Store: of the data
  Source a, b, c;
  bool wide = false;          ///< what has a short form as VOP3
  unsigned mask = kVcc;       ///< of carries, in and out
  unsigned abs = 0, neg = 0;  ///< a bit per source
  bool clamp = false;
  // Memory. Load, Store: VGPR `a`, a pair without base.
  unsigned base = kOff;
  unsigned dwords = 1;
  int32_t offset = 0;
  bool by_register = false;  ///< SLoad: the offset is in `a`
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

inline bool is_float(What what) {
  return what >= What::AddF && what <= What::FmaF;
}

/// As the tables of the ISA name it.
std::string mnemonic(const Op& op);
std::vector<uint32_t> words_of(const std::vector<Op>& ops);
/// The whole kernel as a disassembler shows it, for messages.
std::string text_of(const std::vector<Op>& ops);

}  // namespace cuvette::golden::plain
