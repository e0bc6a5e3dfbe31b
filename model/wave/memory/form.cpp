// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

#include <array>

// The tables SemanticId -> Form (Vega ISA 12.6, 12.15 to 12.18).
namespace cuvette::wave::memory {
namespace {

using base::AtomicOp;
using Op = AtomicOp;

constexpr Form load(uint8_t bytes, LoadExtend extend = LoadExtend::None) {
  Form form;
  form.bytes = bytes;
  form.extend = extend;
  return form;
}
constexpr Form store(uint8_t bytes, bool high = false) {
  Form form;
  form.kind = MemoryKind::Store;
  form.bytes = bytes;
  form.high = high;
  return form;
}
constexpr Form atomic(Op op, uint8_t bytes) {
  Form form;
  form.kind = MemoryKind::Atomic;
  form.atomic = op;
  form.bytes = bytes;
  return form;
}
constexpr Form returning(Form form) {
  form.kind = MemoryKind::AtomicReturn;
  return form;
}
constexpr Form two(Form form, bool stride64) {
  form.accesses = 2;
  form.stride64 = stride64;
  return form;
}
constexpr Form second(Form form) {
  form.second = true;
  return form;
}
constexpr Form add_tid(Form form) {
  form.add_tid = true;
  return form;
}
constexpr Form buffer(Form form) {
  form.buffer = true;
  return form;
}
constexpr Form scratch(Form form) {
  form.scratch = true;
  return form;
}

constexpr Form src2(Form form) {
  form.src2 = true;
  return form;
}
constexpr Form count(Op op) {
  Form form = returning(atomic(op, 4));
  form.count = true;
  return form;
}
constexpr Form transfer(Form form, LdsTransfer to) {
  form.transfer = to;
  return form;
}
constexpr Form texels(MemoryKind kind, unsigned components, bool d16, bool high = false) {
  Form form;
  form.kind = kind;
  form.texels = static_cast<uint8_t>(components);
  form.d16 = d16;
  form.high = high;
  form.bytes = static_cast<uint8_t>(4 * (d16 ? (components + 1) / 2 : components));
  return form;
}

/// FLAT (also GLOBAL and SCRATCH) and MUBUF instructions of the same effect.
struct VectorEntry {
  Id flat, buffer;
  Form form;
};
constexpr VectorEntry kVector[] = {
    {Id::flat_load_ubyte, Id::buffer_load_ubyte, load(1, LoadExtend::ZeroByte)},
    {Id::flat_load_sbyte, Id::buffer_load_sbyte, load(1, LoadExtend::SignByte)},
    {Id::flat_load_ushort, Id::buffer_load_ushort, load(2, LoadExtend::ZeroShort)},
    {Id::flat_load_sshort, Id::buffer_load_sshort, load(2, LoadExtend::SignShort)},
    {Id::flat_load_dword, Id::buffer_load_dword, load(4)},
    {Id::flat_load_dwordx2, Id::buffer_load_dwordx2, load(8)},
    {Id::flat_load_dwordx3, Id::buffer_load_dwordx3, load(12)},
    {Id::flat_load_dwordx4, Id::buffer_load_dwordx4, load(16)},
    {Id::flat_load_ubyte_d16, Id::buffer_load_ubyte_d16, load(1, LoadExtend::D16Low)},
    {Id::flat_load_ubyte_d16_hi, Id::buffer_load_ubyte_d16_hi, load(1, LoadExtend::D16High)},
    {Id::flat_load_sbyte_d16, Id::buffer_load_sbyte_d16, load(1, LoadExtend::D16SignedLow)},
    {Id::flat_load_sbyte_d16_hi, Id::buffer_load_sbyte_d16_hi, load(1, LoadExtend::D16SignedHigh)},
    {Id::flat_load_short_d16, Id::buffer_load_short_d16, load(2, LoadExtend::D16Low)},
    {Id::flat_load_short_d16_hi, Id::buffer_load_short_d16_hi, load(2, LoadExtend::D16High)},
    {Id::flat_store_byte, Id::buffer_store_byte, store(1)},
    {Id::flat_store_byte_d16_hi, Id::buffer_store_byte_d16_hi, store(1, true)},
    {Id::flat_store_short, Id::buffer_store_short, store(2)},
    {Id::flat_store_short_d16_hi, Id::buffer_store_short_d16_hi, store(2, true)},
    {Id::flat_store_dword, Id::buffer_store_dword, store(4)},
    {Id::flat_store_dwordx2, Id::buffer_store_dwordx2, store(8)},
    {Id::flat_store_dwordx3, Id::buffer_store_dwordx3, store(12)},
    {Id::flat_store_dwordx4, Id::buffer_store_dwordx4, store(16)},
    {Id::flat_atomic_add_f32, Id::buffer_atomic_add_f32, atomic(Op::FAdd, 4)},
    {Id::flat_atomic_pk_add_f16, Id::buffer_atomic_pk_add_f16, atomic(Op::PkAddF16, 4)},
    {Id::flat_atomic_add_f64, Id::buffer_atomic_add_f64, atomic(Op::FAdd, 8)},
    {Id::flat_atomic_min_f64, Id::buffer_atomic_min_f64, atomic(Op::FMin, 8)},
    {Id::flat_atomic_max_f64, Id::buffer_atomic_max_f64, atomic(Op::FMax, 8)},
};

/// The integer atomics, by address format: FLAT and MUBUF per lane, SMEM once.
struct AtomicEntry {
  Id flat, buffer, scalar, scalar_buffer;
  Op op;
  uint8_t bytes;
};
constexpr AtomicEntry kAtomic[] = {
    {Id::flat_atomic_swap, Id::buffer_atomic_swap, Id::s_atomic_swap, Id::s_buffer_atomic_swap,
     Op::Swap, 4},
    {Id::flat_atomic_cmpswap, Id::buffer_atomic_cmpswap, Id::s_atomic_cmpswap,
     Id::s_buffer_atomic_cmpswap, Op::CmpSwap, 4},
    {Id::flat_atomic_add, Id::buffer_atomic_add, Id::s_atomic_add, Id::s_buffer_atomic_add, Op::Add,
     4},
    {Id::flat_atomic_sub, Id::buffer_atomic_sub, Id::s_atomic_sub, Id::s_buffer_atomic_sub, Op::Sub,
     4},
    {Id::flat_atomic_smin, Id::buffer_atomic_smin, Id::s_atomic_smin, Id::s_buffer_atomic_smin,
     Op::SMin, 4},
    {Id::flat_atomic_umin, Id::buffer_atomic_umin, Id::s_atomic_umin, Id::s_buffer_atomic_umin,
     Op::UMin, 4},
    {Id::flat_atomic_smax, Id::buffer_atomic_smax, Id::s_atomic_smax, Id::s_buffer_atomic_smax,
     Op::SMax, 4},
    {Id::flat_atomic_umax, Id::buffer_atomic_umax, Id::s_atomic_umax, Id::s_buffer_atomic_umax,
     Op::UMax, 4},
    {Id::flat_atomic_and, Id::buffer_atomic_and, Id::s_atomic_and, Id::s_buffer_atomic_and, Op::And,
     4},
    {Id::flat_atomic_or, Id::buffer_atomic_or, Id::s_atomic_or, Id::s_buffer_atomic_or, Op::Or, 4},
    {Id::flat_atomic_xor, Id::buffer_atomic_xor, Id::s_atomic_xor, Id::s_buffer_atomic_xor, Op::Xor,
     4},
    {Id::flat_atomic_inc, Id::buffer_atomic_inc, Id::s_atomic_inc, Id::s_buffer_atomic_inc, Op::Inc,
     4},
    {Id::flat_atomic_dec, Id::buffer_atomic_dec, Id::s_atomic_dec, Id::s_buffer_atomic_dec, Op::Dec,
     4},
    {Id::flat_atomic_swap_x2, Id::buffer_atomic_swap_x2, Id::s_atomic_swap_x2,
     Id::s_buffer_atomic_swap_x2, Op::Swap, 8},
    {Id::flat_atomic_cmpswap_x2, Id::buffer_atomic_cmpswap_x2, Id::s_atomic_cmpswap_x2,
     Id::s_buffer_atomic_cmpswap_x2, Op::CmpSwap, 8},
    {Id::flat_atomic_add_x2, Id::buffer_atomic_add_x2, Id::s_atomic_add_x2,
     Id::s_buffer_atomic_add_x2, Op::Add, 8},
    {Id::flat_atomic_sub_x2, Id::buffer_atomic_sub_x2, Id::s_atomic_sub_x2,
     Id::s_buffer_atomic_sub_x2, Op::Sub, 8},
    {Id::flat_atomic_smin_x2, Id::buffer_atomic_smin_x2, Id::s_atomic_smin_x2,
     Id::s_buffer_atomic_smin_x2, Op::SMin, 8},
    {Id::flat_atomic_umin_x2, Id::buffer_atomic_umin_x2, Id::s_atomic_umin_x2,
     Id::s_buffer_atomic_umin_x2, Op::UMin, 8},
    {Id::flat_atomic_smax_x2, Id::buffer_atomic_smax_x2, Id::s_atomic_smax_x2,
     Id::s_buffer_atomic_smax_x2, Op::SMax, 8},
    {Id::flat_atomic_umax_x2, Id::buffer_atomic_umax_x2, Id::s_atomic_umax_x2,
     Id::s_buffer_atomic_umax_x2, Op::UMax, 8},
    {Id::flat_atomic_and_x2, Id::buffer_atomic_and_x2, Id::s_atomic_and_x2,
     Id::s_buffer_atomic_and_x2, Op::And, 8},
    {Id::flat_atomic_or_x2, Id::buffer_atomic_or_x2, Id::s_atomic_or_x2, Id::s_buffer_atomic_or_x2,
     Op::Or, 8},
    {Id::flat_atomic_xor_x2, Id::buffer_atomic_xor_x2, Id::s_atomic_xor_x2,
     Id::s_buffer_atomic_xor_x2, Op::Xor, 8},
    {Id::flat_atomic_inc_x2, Id::buffer_atomic_inc_x2, Id::s_atomic_inc_x2,
     Id::s_buffer_atomic_inc_x2, Op::Inc, 8},
    {Id::flat_atomic_dec_x2, Id::buffer_atomic_dec_x2, Id::s_atomic_dec_x2,
     Id::s_buffer_atomic_dec_x2, Op::Dec, 8},
};

/// LDS atomics come in two opcodes, without and with return.
struct LdsAtomicEntry {
  Id plain, returning;
  Form form;
};
constexpr LdsAtomicEntry kLdsAtomic[] = {
    {Id::ds_add_u32, Id::ds_add_rtn_u32, atomic(Op::Add, 4)},
    {Id::ds_sub_u32, Id::ds_sub_rtn_u32, atomic(Op::Sub, 4)},
    {Id::ds_rsub_u32, Id::ds_rsub_rtn_u32, atomic(Op::RSub, 4)},
    {Id::ds_inc_u32, Id::ds_inc_rtn_u32, atomic(Op::Inc, 4)},
    {Id::ds_dec_u32, Id::ds_dec_rtn_u32, atomic(Op::Dec, 4)},
    {Id::ds_min_i32, Id::ds_min_rtn_i32, atomic(Op::SMin, 4)},
    {Id::ds_max_i32, Id::ds_max_rtn_i32, atomic(Op::SMax, 4)},
    {Id::ds_min_u32, Id::ds_min_rtn_u32, atomic(Op::UMin, 4)},
    {Id::ds_max_u32, Id::ds_max_rtn_u32, atomic(Op::UMax, 4)},
    {Id::ds_and_b32, Id::ds_and_rtn_b32, atomic(Op::And, 4)},
    {Id::ds_or_b32, Id::ds_or_rtn_b32, atomic(Op::Or, 4)},
    {Id::ds_xor_b32, Id::ds_xor_rtn_b32, atomic(Op::Xor, 4)},
    {Id::ds_mskor_b32, Id::ds_mskor_rtn_b32, second(atomic(Op::MSkOr, 4))},
    {Id::ds_cmpst_b32, Id::ds_cmpst_rtn_b32, second(atomic(Op::CmpSwap, 4))},
    {Id::ds_cmpst_f32, Id::ds_cmpst_rtn_f32, second(atomic(Op::FCmpSwap, 4))},
    {Id::ds_min_f32, Id::ds_min_rtn_f32, atomic(Op::FMin, 4)},
    {Id::ds_max_f32, Id::ds_max_rtn_f32, atomic(Op::FMax, 4)},
    {Id::ds_add_f32, Id::ds_add_rtn_f32, atomic(Op::FAdd, 4)},
    {Id::ds_pk_add_f16, Id::ds_pk_add_rtn_f16, atomic(Op::PkAddF16, 4)},
    {Id::ds_pk_add_bf16, Id::ds_pk_add_rtn_bf16, atomic(Op::PkAddBf16, 4)},
    {Id::ds_add_u64, Id::ds_add_rtn_u64, atomic(Op::Add, 8)},
    {Id::ds_sub_u64, Id::ds_sub_rtn_u64, atomic(Op::Sub, 8)},
    {Id::ds_rsub_u64, Id::ds_rsub_rtn_u64, atomic(Op::RSub, 8)},
    {Id::ds_inc_u64, Id::ds_inc_rtn_u64, atomic(Op::Inc, 8)},
    {Id::ds_dec_u64, Id::ds_dec_rtn_u64, atomic(Op::Dec, 8)},
    {Id::ds_min_i64, Id::ds_min_rtn_i64, atomic(Op::SMin, 8)},
    {Id::ds_max_i64, Id::ds_max_rtn_i64, atomic(Op::SMax, 8)},
    {Id::ds_min_u64, Id::ds_min_rtn_u64, atomic(Op::UMin, 8)},
    {Id::ds_max_u64, Id::ds_max_rtn_u64, atomic(Op::UMax, 8)},
    {Id::ds_and_b64, Id::ds_and_rtn_b64, atomic(Op::And, 8)},
    {Id::ds_or_b64, Id::ds_or_rtn_b64, atomic(Op::Or, 8)},
    {Id::ds_xor_b64, Id::ds_xor_rtn_b64, atomic(Op::Xor, 8)},
    {Id::ds_mskor_b64, Id::ds_mskor_rtn_b64, second(atomic(Op::MSkOr, 8))},
    {Id::ds_cmpst_b64, Id::ds_cmpst_rtn_b64, second(atomic(Op::CmpSwap, 8))},
    {Id::ds_cmpst_f64, Id::ds_cmpst_rtn_f64, second(atomic(Op::FCmpSwap, 8))},
    {Id::ds_min_f64, Id::ds_min_rtn_f64, atomic(Op::FMin, 8)},
    {Id::ds_max_f64, Id::ds_max_rtn_f64, atomic(Op::FMax, 8)},
    {Id::ds_add_f64, Id::ds_add_rtn_f64, atomic(Op::FAdd, 8)},
};

/// SRC2 forms: no result, operand from LDS.
struct Src2Entry {
  Id id;
  Op op;
  uint8_t bytes;
};
constexpr Src2Entry kSrc2[] = {
    {Id::ds_add_src2_u32, Op::Add, 4},    {Id::ds_sub_src2_u32, Op::Sub, 4},
    {Id::ds_rsub_src2_u32, Op::RSub, 4},  {Id::ds_inc_src2_u32, Op::Inc, 4},
    {Id::ds_dec_src2_u32, Op::Dec, 4},    {Id::ds_min_src2_i32, Op::SMin, 4},
    {Id::ds_max_src2_i32, Op::SMax, 4},   {Id::ds_min_src2_u32, Op::UMin, 4},
    {Id::ds_max_src2_u32, Op::UMax, 4},   {Id::ds_and_src2_b32, Op::And, 4},
    {Id::ds_or_src2_b32, Op::Or, 4},      {Id::ds_xor_src2_b32, Op::Xor, 4},
    {Id::ds_write_src2_b32, Op::Swap, 4}, {Id::ds_min_src2_f32, Op::FMin, 4},
    {Id::ds_max_src2_f32, Op::FMax, 4},   {Id::ds_add_src2_f32, Op::FAdd, 4},
    {Id::ds_add_src2_u64, Op::Add, 8},    {Id::ds_sub_src2_u64, Op::Sub, 8},
    {Id::ds_rsub_src2_u64, Op::RSub, 8},  {Id::ds_inc_src2_u64, Op::Inc, 8},
    {Id::ds_dec_src2_u64, Op::Dec, 8},    {Id::ds_min_src2_i64, Op::SMin, 8},
    {Id::ds_max_src2_i64, Op::SMax, 8},   {Id::ds_min_src2_u64, Op::UMin, 8},
    {Id::ds_max_src2_u64, Op::UMax, 8},   {Id::ds_and_src2_b64, Op::And, 8},
    {Id::ds_or_src2_b64, Op::Or, 8},      {Id::ds_xor_src2_b64, Op::Xor, 8},
    {Id::ds_write_src2_b64, Op::Swap, 8}, {Id::ds_min_src2_f64, Op::FMin, 8},
    {Id::ds_max_src2_f64, Op::FMax, 8},
};

/// Typed buffers, by the descriptor's format (MUBUF) or the instruction's (MTBUF).
struct TexelEntry {
  Id buffer, typed;
  Form form;
};
constexpr MemoryKind kL = MemoryKind::Load, kS = MemoryKind::Store;
constexpr TexelEntry kTexel[] = {
    {Id::buffer_load_format_x, Id::tbuffer_load_format_x, texels(kL, 1, false)},
    {Id::buffer_load_format_xy, Id::tbuffer_load_format_xy, texels(kL, 2, false)},
    {Id::buffer_load_format_xyz, Id::tbuffer_load_format_xyz, texels(kL, 3, false)},
    {Id::buffer_load_format_xyzw, Id::tbuffer_load_format_xyzw, texels(kL, 4, false)},
    {Id::buffer_load_format_d16_x, Id::tbuffer_load_format_d16_x, texels(kL, 1, true)},
    {Id::buffer_load_format_d16_xy, Id::tbuffer_load_format_d16_xy, texels(kL, 2, true)},
    {Id::buffer_load_format_d16_xyz, Id::tbuffer_load_format_d16_xyz, texels(kL, 3, true)},
    {Id::buffer_load_format_d16_xyzw, Id::tbuffer_load_format_d16_xyzw, texels(kL, 4, true)},
    {Id::buffer_store_format_x, Id::tbuffer_store_format_x, texels(kS, 1, false)},
    {Id::buffer_store_format_xy, Id::tbuffer_store_format_xy, texels(kS, 2, false)},
    {Id::buffer_store_format_xyz, Id::tbuffer_store_format_xyz, texels(kS, 3, false)},
    {Id::buffer_store_format_xyzw, Id::tbuffer_store_format_xyzw, texels(kS, 4, false)},
    {Id::buffer_store_format_d16_x, Id::tbuffer_store_format_d16_x, texels(kS, 1, true)},
    {Id::buffer_store_format_d16_xy, Id::tbuffer_store_format_d16_xy, texels(kS, 2, true)},
    {Id::buffer_store_format_d16_xyz, Id::tbuffer_store_format_d16_xyz, texels(kS, 3, true)},
    {Id::buffer_store_format_d16_xyzw, Id::tbuffer_store_format_d16_xyzw, texels(kS, 4, true)},
};

struct Entry {
  Id id;
  Form form;
};
constexpr LdsTransfer kToLds = LdsTransfer::ToLds;
constexpr Entry kOther[] = {
    {Id::buffer_load_format_d16_hi_x, texels(kL, 1, true, true)},
    {Id::buffer_store_format_d16_hi_x, texels(kS, 1, true, true)},
    {Id::buffer_store_lds_dword, transfer(store(4), LdsTransfer::FromLds)},
    {Id::flat_load_lds_ubyte, transfer(load(1, LoadExtend::ZeroByte), kToLds)},
    {Id::flat_load_lds_sbyte, transfer(load(1, LoadExtend::SignByte), kToLds)},
    {Id::flat_load_lds_ushort, transfer(load(2, LoadExtend::ZeroShort), kToLds)},
    {Id::flat_load_lds_sshort, transfer(load(2, LoadExtend::SignShort), kToLds)},
    {Id::flat_load_lds_dword, transfer(load(4), kToLds)},
    {Id::ds_wrap_rtn_b32, second(returning(atomic(Op::Wrap, 4)))},
    {Id::ds_condxchg32_rtn_b64, returning(atomic(Op::CondXchg32, 8))},
    {Id::ds_append, count(Op::Add)},
    {Id::ds_consume, count(Op::Sub)},
    {Id::flat_atomic_pk_add_bf16, atomic(Op::PkAddBf16, 4)},
    // LDS
    {Id::ds_write_b8, store(1)},
    {Id::ds_write_b8_d16_hi, store(1, true)},
    {Id::ds_write_b16, store(2)},
    {Id::ds_write_b16_d16_hi, store(2, true)},
    {Id::ds_write_b32, store(4)},
    {Id::ds_write_b64, store(8)},
    {Id::ds_write_b96, store(12)},
    {Id::ds_write_b128, store(16)},
    {Id::ds_write2_b32, two(store(4), false)},
    {Id::ds_write2st64_b32, two(store(4), true)},
    {Id::ds_write2_b64, two(store(8), false)},
    {Id::ds_write2st64_b64, two(store(8), true)},
    {Id::ds_write_addtid_b32, add_tid(store(4))},
    {Id::ds_read_u8, load(1, LoadExtend::ZeroByte)},
    {Id::ds_read_i8, load(1, LoadExtend::SignByte)},
    {Id::ds_read_u16, load(2, LoadExtend::ZeroShort)},
    {Id::ds_read_i16, load(2, LoadExtend::SignShort)},
    {Id::ds_read_u8_d16, load(1, LoadExtend::D16Low)},
    {Id::ds_read_u8_d16_hi, load(1, LoadExtend::D16High)},
    {Id::ds_read_i8_d16, load(1, LoadExtend::D16SignedLow)},
    {Id::ds_read_i8_d16_hi, load(1, LoadExtend::D16SignedHigh)},
    {Id::ds_read_u16_d16, load(2, LoadExtend::D16Low)},
    {Id::ds_read_u16_d16_hi, load(2, LoadExtend::D16High)},
    {Id::ds_read_b32, load(4)},
    {Id::ds_read_b64, load(8)},
    {Id::ds_read_b96, load(12)},
    {Id::ds_read_b128, load(16)},
    {Id::ds_read2_b32, two(load(4), false)},
    {Id::ds_read2st64_b32, two(load(4), true)},
    {Id::ds_read2_b64, two(load(8), false)},
    {Id::ds_read2st64_b64, two(load(8), true)},
    {Id::ds_read_addtid_b32, add_tid(load(4))},
    {Id::ds_wrxchg_rtn_b32, returning(atomic(Op::Swap, 4))},
    {Id::ds_wrxchg_rtn_b64, returning(atomic(Op::Swap, 8))},
    {Id::ds_wrxchg2_rtn_b32, two(returning(atomic(Op::Swap, 4)), false)},
    {Id::ds_wrxchg2st64_rtn_b32, two(returning(atomic(Op::Swap, 4)), true)},
    {Id::ds_wrxchg2_rtn_b64, two(returning(atomic(Op::Swap, 8)), false)},
    {Id::ds_wrxchg2st64_rtn_b64, two(returning(atomic(Op::Swap, 8)), true)},
    // SMEM
    {Id::s_load_dword, load(4)},
    {Id::s_load_dwordx2, load(8)},
    {Id::s_load_dwordx4, load(16)},
    {Id::s_load_dwordx8, load(32)},
    {Id::s_load_dwordx16, load(64)},
    {Id::s_buffer_load_dword, buffer(load(4))},
    {Id::s_buffer_load_dwordx2, buffer(load(8))},
    {Id::s_buffer_load_dwordx4, buffer(load(16))},
    {Id::s_buffer_load_dwordx8, buffer(load(32))},
    {Id::s_buffer_load_dwordx16, buffer(load(64))},
    {Id::s_scratch_load_dword, scratch(load(4))},
    {Id::s_scratch_load_dwordx2, scratch(load(8))},
    {Id::s_scratch_load_dwordx4, scratch(load(16))},
    {Id::s_store_dword, store(4)},
    {Id::s_store_dwordx2, store(8)},
    {Id::s_store_dwordx4, store(16)},
    {Id::s_buffer_store_dword, buffer(store(4))},
    {Id::s_buffer_store_dwordx2, buffer(store(8))},
    {Id::s_buffer_store_dwordx4, buffer(store(16))},
    {Id::s_scratch_store_dword, scratch(store(4))},
    {Id::s_scratch_store_dwordx2, scratch(store(8))},
    {Id::s_scratch_store_dwordx4, scratch(store(16))},
};

struct FormTable {
  std::array<Form, isa::kSemantics> form{};
  std::array<bool, isa::kSemantics> present{};

  void set(Id id, const Form& f) {
    form[static_cast<unsigned>(id)] = f;
    present[static_cast<unsigned>(id)] = true;
  }
  FormTable() {
    for (const VectorEntry& e : kVector) {
      set(e.flat, e.form);
      set(e.buffer, e.form);
    }
    for (const AtomicEntry& e : kAtomic) {
      const Form same = atomic(e.op, e.bytes);
      set(e.flat, same);
      set(e.buffer, same);
      set(e.scalar, same);
      set(e.scalar_buffer, buffer(same));
    }
    for (const LdsAtomicEntry& e : kLdsAtomic) {
      set(e.plain, e.form);
      set(e.returning, returning(e.form));
    }
    for (const Src2Entry& e : kSrc2) set(e.id, src2(atomic(e.op, e.bytes)));
    for (const TexelEntry& e : kTexel) {
      set(e.buffer, e.form);
      set(e.typed, e.form);
    }
    for (const Entry& e : kOther) set(e.id, e.form);
  }
};

}  // namespace

const Form* find_form(Id id) {
  static const FormTable table;
  const unsigned index = static_cast<unsigned>(id);
  return table.present[index] ? &table.form[index] : nullptr;
}

}  // namespace cuvette::wave::memory
