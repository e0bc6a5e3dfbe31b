// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/prepared_memory.h"

#include <algorithm>
#include <cstring>

#include "wave/lanes/plain.h"
#include "wave/memory/form.h"

namespace cuvette::wave::memory {
namespace {

using isa::Format;
using isa::Operand;
using isa::OperandKind;

constexpr uint32_t kSkipping = 1u << 28;   // MODE.VSKIP
constexpr uint32_t kDebugging = 1u << 11;  // MODE.DEBUG: a trap may follow

void need(uint16_t& registers, unsigned count) {
  registers = std::max(registers, static_cast<uint16_t>(count));
}

bool take_vgpr(const Operand* operand, unsigned dwords, uint32_t& offset, Prepared& p) {
  if (operand == nullptr || operand->kind != OperandKind::Vgpr) return false;
  offset = Prepared::offset_of(operand->index);
  need(p.vgprs, operand->index + dwords);
  return true;
}

/// An SGPR pair that is only limited by the allocation.
bool take_pair(const Operand& operand, uint32_t& code, Prepared& p) {
  if (operand.kind != OperandKind::Sgpr) return false;
  code = operand.index & ~1u;
  need(p.sgprs, code + 2);
  return code < isa::kLastSgpr;
}

uint64_t scalar_address(const Prepared& p, const WaveState& wave) {
  uint64_t address = wave.s.pair(p.src[0]) & ~uint64_t{3};
  if (p.instruction->mem.imm) {
    address += static_cast<uint64_t>(int64_t{p.instruction->mem.offset}) & ~uint64_t{3};
  }
  if (p.sources == 2) address += wave.s.sgpr[p.src[1]] & ~3u;
  return address;
}

template <unsigned Dwords>
bool load_scalars(const Prepared& p, WaveState& wave, HostSlice& slice) {
  if (slice.memory == nullptr) return false;
  const uint64_t address = scalar_address(p, wave);
  constexpr unsigned kBytes = 4 * Dwords;
  const uint8_t* const host = slice.memory->window(address, kBytes, false);
  if (host == nullptr) return false;
  if (slice.memory->watched) slice.memory->touch(address, kBytes, false);
  std::memcpy(&wave.s.sgpr[p.dst], host, kBytes);
  return true;
}

/// Null for a number of dwords that no instruction has.
Prepared::Run scalar_load(unsigned dwords) {
  switch (dwords) {
    case 1:
      return load_scalars<1>;
    case 2:
      return load_scalars<2>;
    case 4:
      return load_scalars<4>;
    case 8:
      return load_scalars<8>;
    case 16:
      return load_scalars<16>;
    default:
      return nullptr;
  }
}

/// Whole dwords, one after the other.
bool is_plain(const isa::Instruction& i, const Form& form) {
  return (form.kind == MemoryKind::Load || form.kind == MemoryKind::Store) &&
         form.extend == LoadExtend::None && form.bytes % 4 == 0 && !form.high &&
         form.accesses == 1 && !form.add_tid && form.texels == 0 &&
         form.transfer == LdsTransfer::None && !form.count && !i.mem.lds && !i.mem.gds;
}
bool is_vector(Format format) {
  return format == Format::Ds || format == Format::Flat || format == Format::Global;
}

/// src[0]: code of the base, src[1]: code of the offset register when sources is 2; dst: code.
bool take_scalar_load(const isa::Instruction& i, const Form& form, Prepared& p) {
  if (form.kind != MemoryKind::Load || form.buffer || form.scratch) return false;
  if (!take_pair(*find_source(i, isa::Role::Sbase), p.src[0], p)) return false;
  p.sources = 1;
  const Operand* offset = find_source(i, isa::Role::Soffset);
  if (offset != nullptr && offset->kind == OperandKind::Sgpr) {
    p.sources = 2;
    p.src[1] = offset->index;
    const bool ordinary = offset->index <= isa::kLastSgpr;
    if (!ordinary && offset->index != isa::kM0) return false;
    if (ordinary) need(p.sgprs, offset->index + 1u);
  }
  const Operand& d = i.dst[0];
  if (d.kind != OperandKind::Sgpr || d.index + form.dwords() > isa::kLastSgpr + 1u) return false;
  need(p.sgprs, d.index + form.dwords());
  p.dst = d.index;
  p.run = scalar_load(form.dwords());
  return p.run != nullptr;
}

/// src[0]: address VGPRs, src[1]: code of SADDR, src[2]: data; `sources` holds MemoryFlag.
bool take_vector(const isa::Instruction& i, const Form& form, Prepared& p) {
  const lanes::HostRows* const rows = lanes::host_rows();
  if (rows == nullptr || !is_plain(i, form)) return false;
  const Format format = i.row->format;
  const bool store = form.kind == MemoryKind::Store;
  const unsigned dwords = form.dwords();
  p.modes |= kSkipping;
  p.run = rows->memory(dwords, store, format == Format::Ds);
  const Operand* const address = find_source(i, isa::Role::Addr);
  if (format == Format::Ds) {
    if (!take_vgpr(address, 1, p.src[0], p)) return false;
  } else {
    const Operand* const base = find_source(i, isa::Role::Saddr);
    const bool has_base = base != nullptr && base->kind == OperandKind::Sgpr;
    if (has_base && !take_pair(*base, p.src[1], p)) return false;
    if (!take_vgpr(address, has_base ? 1 : 2, p.src[0], p)) return false;
    p.sources = has_base ? lanes::kMemoryScalar : lanes::kMemoryWide;
    if (format == Format::Flat) p.sources |= lanes::kMemoryFlat;
  }
  if (store) return take_vgpr(find_source(i, isa::Role::Data0), dwords, p.src[2], p);
  return take_vgpr(find_destination(i, isa::Role::Vdst), dwords, p.dst, p);
}

}  // namespace

Prepared prepare_memory(const isa::Instruction& i) {
  const Format format = i.row->format;
  const Form* const form = find_form(i.semantic());
  if (form == nullptr || *memory_reason(*i.row) != '\0' || is_lane_move(i.semantic())) return {};
  Prepared p;
  p.instruction = &i;
  p.length = i.length;
  p.shortness = Shortness::Straight;
  p.modes = kDebugging;
  bool taken = false;
  if (format == Format::Smem) taken = take_scalar_load(i, *form, p);
  if (is_vector(format)) taken = take_vector(i, *form, p);
  return taken ? p : Prepared{};
}

bool is_scalar_load(const Prepared& p) {
  return p.instruction->row->format == Format::Smem &&
         p.run == scalar_load(p.instruction->dst[0].dwords);
}

ScalarLoad scalar_load_of(const Prepared& p, const WaveState& wave) {
  return {scalar_address(p, wave), 4u * p.instruction->dst[0].dwords};
}

VectorAddress addresses(const Prepared& p) {
  const isa::Instruction& i = *p.instruction;
  const Format format = i.row->format;
  if (!is_vector(format)) return {};
  const Form& form = *find_form(i.semantic());
  const bool store = form.kind == MemoryKind::Store;
  VectorAddress a;
  a.stride = form.bytes;
  a.wide = (p.sources & lanes::kMemoryWide) != 0;
  a.steady = lanes::host_rows()->steady_memory(form.dwords(), store, format == Format::Ds);
  if (store) {
    a.data = find_source(i, isa::Role::Data0)->index;
    a.dwords = form.dwords();
  }
  return a;
}

}  // namespace cuvette::wave::memory
