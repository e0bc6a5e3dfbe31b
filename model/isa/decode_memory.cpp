// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/decode_parts.h"
#include "isa/registers.h"

namespace cuvette::isa::parts {
namespace {

constexpr unsigned kOffAddress = 0x7f;  ///< SADDR: no scalar address

constexpr const char* kUnused = "unused bits";
constexpr const char* kIgnored = "ignored";

void immediate(Operand& operand, uint64_t value) {
  operand.kind = OperandKind::Immediate;
  operand.value = value;
}

void off(Operand& operand) {
  operand.kind = OperandKind::Off;
  operand.dwords = 0;
}

void drop(Operand& operand) {
  operand = Operand{};
}

uint32_t code_of(const Work& work, Role role) {
  return get(work.word, field_of(work.layout, role));
}

void vector_data(const Work& work, Role role, Operand& operand) {
  set_vector_register(code_of(work, role), work.in.mem.acc, work.in.target, operand, work.findings);
}

// --- SMEM (Vega ISA 13, MI100 ISA 8): offset is an immediate, an SGPR, or from gfx9 on both.

void smem_offset(const Work& work, Operand& operand) {
  MemoryFields& mem = work.in.mem;
  uint64_t used = 0;
  if (mem.imm) {
    mem.offset = static_cast<int32_t>(base::sign_extend(work.bits(52, 32), 21));
    used |= base::low_mask(21) << 32;
  }
  if (mem.soffset_en || !mem.imm) {
    const unsigned lo = mem.soffset_en ? 57 : 32;
    used |= base::low_mask(7) << lo;
    set_scalar_register(work.bits(lo + 6, lo), operand, work.findings);
  } else {
    immediate(operand, work.bits(52, 32));
  }
  if (((work.word >> 32 << 32) & ~used) != 0) work.findings.reserve(kUnused, kIgnored);
}

void decode_smem(const Work& work) {
  Instruction& in = work.in;
  MemoryFields& mem = in.mem;
  mem.soffset_en = work.bit(14);
  mem.glc = work.bit(16);
  mem.imm = work.bit(17);
  const bool atomic_without_return = in.row->has(kAtomic) && !mem.glc;
  const auto operand = [&](Role role, Operand& o) {
    switch (role) {
      case Role::Sdata:
        if (o.dwords == 0) {
          immediate(o, code_of(work, role));  // S_ATC_PROBE
        } else {
          const uint32_t code = code_of(work, role);
          if (code == kM0 || code >= kExecLo) work.findings.refuse("M0 and EXEC hold no SMEM data");
          set_scalar_register(code, o, work.findings);
        }
        break;
      case Role::Sbase:
        set_scalar_register(code_of(work, role) * 2, o, work.findings);
        break;
      case Role::Soffset:
        smem_offset(work, o);
        break;
      default:
        break;
    }
  };
  operand(in.row->dst[0].role, in.dst[0]);
  if (atomic_without_return) drop(in.dst[0]);
  for (unsigned i = 0; i < 4; ++i) operand(in.row->src[i].role, in.src[i]);
}

// --- DS

void decode_ds(const Work& work) {
  Instruction& in = work.in;
  in.mem.offset = static_cast<int32_t>(work.bits(15, 0));
  in.mem.gds = work.bit(16);
  in.mem.acc = work.bit(25);
  const auto operand = [&](Role role, Operand& o) {
    if (role == Role::None) return;
    const bool address = role == Role::Addr && in.row->unit != Unit::Gds;
    const bool ordered_address = role == Role::Addr && in.row->dst[0].role != Role::None;
    if (address || ordered_address) {
      set_vector_register(code_of(work, role), false, in.target, o, work.findings);
    } else {
      vector_data(work, role, o);
    }
  };
  operand(in.row->dst[0].role, in.dst[0]);
  for (unsigned i = 0; i < 4; ++i) operand(in.row->src[i].role, in.src[i]);
}

// --- FLAT, GLOBAL, SCRATCH (Vega ISA 9 and 13)

bool has_vector_address(const Work& work) {
  const Instruction& in = work.in;
  if (in.row->format != Format::Scratch) return true;
  // gfx942 has a bit for it; before, scratch has either a vector or a scalar address.
  if (in.target == Target::Gfx942) return work.bit(13);
  return code_of(work, Role::Saddr) == kOffAddress;
}

void flat_address(const Work& work, Operand& operand) {
  const uint32_t code = code_of(work, Role::Addr);
  if (!has_vector_address(work)) {
    if (code != 0) work.findings.reserve(kUnused, kIgnored);
    off(operand);
    return;
  }
  const bool offset_only =
      work.in.row->format == Format::Global && code_of(work, Role::Saddr) != kOffAddress;
  if (offset_only) {
    operand.dwords = 1;
    operand.type = Type::U32;
  }
  set_vector_register(code, false, work.in.target, operand, work.findings);
}

void decode_flat(const Work& work) {
  Instruction& in = work.in;
  MemoryFields& mem = in.mem;
  const bool flat = in.row->format == Format::Flat;
  mem.offset = flat ? static_cast<int32_t>(work.bits(12, 0))
                    : static_cast<int32_t>(base::sign_extend(work.bits(12, 0), 13));
  if (flat && work.bit(12)) work.findings.reserve("offset[12]", "part of the unsigned offset");
  const bool vector_bit = in.row->format == Format::Scratch && in.target == Target::Gfx942;
  mem.lds = work.bit(13) && !vector_bit;
  mem.glc = work.bit(16);
  mem.slc = work.bit(17);
  mem.scc = work.bit(25);
  mem.acc = work.bit(55);
  if (mem.lds && base::bit(in.words[1], 23)) work.findings.refuse("data to LDS has no register");
  const bool without_result = mem.lds || (in.row->has(kAtomic) && !mem.glc);
  if (in.row->dst[0].role == Role::Vdst) {
    if (without_result) {
      if (code_of(work, Role::Vdst) != 0) work.findings.reserve(kUnused, kIgnored);
      drop(in.dst[0]);
    } else {
      vector_data(work, Role::Vdst, in.dst[0]);
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    Operand& operand = in.src[i];
    switch (in.row->src[i].role) {
      case Role::Addr:
        flat_address(work, operand);
        break;
      case Role::Data0:
        vector_data(work, Role::Data0, operand);
        break;
      case Role::Saddr:
        if (code_of(work, Role::Saddr) == kOffAddress) {
          off(operand);
        } else {
          set_scalar_register(code_of(work, Role::Saddr), operand, work.findings);
        }
        break;
      default:
        break;
    }
  }
}

// --- MUBUF, MTBUF (Vega ISA 8.1 and 13)

void buffer_address(const Work& work, Operand& operand) {
  const MemoryFields& mem = work.in.mem;
  const unsigned dwords = unsigned{mem.offen} + unsigned{mem.idxen};
  if (dwords == 0) {
    if (code_of(work, Role::Addr) != 0) work.findings.reserve(kUnused, kIgnored);
    off(operand);
    return;
  }
  operand.dwords = static_cast<uint8_t>(dwords);
  operand.type = dwords == 1 ? Type::B32 : Type::B64;
  set_vector_register(code_of(work, Role::Addr), false, work.in.target, operand, work.findings);
}

void buffer_operand(const Work& work, Role role, Operand& operand) {
  const MemoryFields& mem = work.in.mem;
  switch (role) {
    case Role::Vdata:
      operand.dwords = static_cast<uint8_t>(operand.dwords + (mem.tfe ? 1 : 0));
      vector_data(work, role, operand);
      break;
    case Role::Addr:
      buffer_address(work, operand);
      break;
    case Role::Srsrc:
      set_scalar_register(code_of(work, role) * 4, operand, work.findings);
      break;
    case Role::Soffset:
      set_scalar_source(code_of(work, role), nullptr, false, operand, work.findings);
      break;
    default:
      break;
  }
}

void decode_buffer(const Work& work) {
  Instruction& in = work.in;
  MemoryFields& mem = in.mem;
  const bool unified = unified_vgprs(in.target);
  mem.offset = static_cast<int32_t>(work.bits(11, 0));
  mem.offen = work.bit(12);
  mem.idxen = work.bit(13);
  mem.glc = work.bit(14);
  if (in.row->format == Format::Mtbuf) {
    mem.dfmt = static_cast<uint8_t>(work.bits(22, 19));
    mem.nfmt = static_cast<uint8_t>(work.bits(25, 23));
    mem.slc = work.bit(54);
    mem.scc = work.bit(53);
  } else {
    mem.scc = work.bit(15);
    mem.lds = work.bit(16);
    mem.slc = work.bit(17);
  }
  // Bit 55 is TFE up to gfx908 and ACC afterwards.
  mem.tfe = !unified && work.bit(55);
  mem.acc = unified && work.bit(55);
  if (mem.lds && (mem.tfe || mem.acc)) work.findings.refuse("data to LDS has no register");
  if (in.row->dst[0].role == Role::Vdata) {
    if (mem.lds && code_of(work, Role::Vdata) != 0) work.findings.reserve(kUnused, kIgnored);
    if (mem.lds || (in.row->has(kAtomic) && !mem.glc)) {
      drop(in.dst[0]);
    } else {
      buffer_operand(work, Role::Vdata, in.dst[0]);
    }
  }
  for (unsigned i = 0; i < 4; ++i) buffer_operand(work, in.row->src[i].role, in.src[i]);
}

// --- MIMG (Vega ISA 8.2 and 13)

void decode_image(const Work& work) {
  Instruction& in = work.in;
  MemoryFields& mem = in.mem;
  const bool unified = unified_vgprs(in.target);
  mem.scc = work.bit(7);
  mem.dmask = static_cast<uint8_t>(work.bits(11, 8));
  mem.unorm = work.bit(12);
  mem.glc = work.bit(13);
  mem.da = work.bit(14);
  mem.a16 = work.bit(15);
  mem.tfe = !unified && work.bit(16);
  mem.acc = unified && work.bit(16);
  mem.lwe = work.bit(17);
  mem.slc = work.bit(25);
  mem.d16 = work.bit(63);
  if (in.row->has(kAtomic)) {
    // One dword per atomic value, two for 64 bits; compare and swap has twice as many.
    const bool swap = in.row->src[0].dwords == 2;
    const bool natural =
        swap ? mem.dmask == 3 || mem.dmask == 0xf : mem.dmask == 1 || mem.dmask == 3;
    if (!natural || mem.tfe) work.findings.reserve("dmask of an atomic", "one dword per bit");
  }
  const auto dwords = static_cast<uint8_t>(image_data_dwords(*in.row, mem));
  const auto operand = [&](Role role, Operand& o) {
    switch (role) {
      case Role::Vdata:
        o.dwords = dwords;
        vector_data(work, role, o);
        break;
      case Role::Addr:
        set_vector_register(code_of(work, role), false, in.target, o, work.findings);
        break;
      case Role::Srsrc:
      case Role::Ssamp:
        set_scalar_register(code_of(work, role) * 4, o, work.findings);
        break;
      default:
        break;
    }
  };
  operand(in.row->dst[0].role, in.dst[0]);
  if (in.row->has(kAtomic) && !mem.glc) drop(in.dst[0]);
  for (unsigned i = 0; i < 4; ++i) operand(in.row->src[i].role, in.src[i]);
}

// --- EXP (Vega ISA 11 and 13)

void decode_export(const Work& work) {
  Instruction& in = work.in;
  MemoryFields& mem = in.mem;
  mem.export_enable = static_cast<uint8_t>(work.bits(3, 0));
  mem.export_target = static_cast<uint8_t>(work.bits(9, 4));
  mem.export_compressed = work.bit(10);
  mem.export_done = work.bit(11);
  mem.export_vm = work.bit(12);
  immediate(in.dst[0], mem.export_target);
  const unsigned t = mem.export_target;
  if (t > 9 && !(t >= 12 && t <= 15) && t < 32)
    work.findings.reserve("target", "nothing is written");
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t code = code_of(work, in.row->src[i].role);
    set_vector_register(code, false, in.target, in.src[i], work.findings);
  }
}

}  // namespace

unsigned image_data_dwords(const Row& row, const MemoryFields& mem) {
  const bool gather = row.dst[0].role == Role::Vdata && row.dst[0].dwords == 4;
  unsigned dwords = gather ? 4 : static_cast<unsigned>(std::popcount(mem.dmask));
  if (dwords == 0) dwords = 1;
  if (mem.d16) dwords = (dwords + 1) / 2;
  return dwords + (mem.tfe ? 1 : 0);
}

void decode_memory(const Work& work) {
  switch (work.in.row->format) {
    case Format::Smem:
      decode_smem(work);
      break;
    case Format::Ds:
      decode_ds(work);
      break;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      decode_flat(work);
      break;
    case Format::Mubuf:
    case Format::Mtbuf:
      decode_buffer(work);
      break;
    case Format::Mimg:
      decode_image(work);
      break;
    default:
      decode_export(work);
      break;
  }
}

}  // namespace cuvette::isa::parts
