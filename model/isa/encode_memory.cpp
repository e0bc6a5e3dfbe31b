// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/encode_parts.h"

namespace cuvette::isa::parts {
namespace {

constexpr unsigned kOffAddress = 0x7f;

const Operand* source(const Instruction& in, Role role) {
  for (unsigned i = 0; i < 4; ++i) {
    if (in.row->src[i].role == role) return &in.src[i];
  }
  return nullptr;
}

void smem(Build& build) {
  const MemoryFields& mem = build.in.mem;
  build.flag(14, mem.soffset_en);
  build.flag(16, mem.glc);
  build.flag(17, mem.imm);
  if (const Operand* base_address = source(build.in, Role::Sbase)) {
    build.put(field_of(Layout::Smem, Role::Sbase), base_address->index / 2u);
  }
  if (mem.imm) build.put(52, 32, static_cast<uint32_t>(mem.offset));
  const Operand* offset = source(build.in, Role::Soffset);
  if (offset == nullptr || offset->kind != OperandKind::Sgpr) return;
  const unsigned lo = mem.soffset_en ? 57 : 32;
  build.put(lo + 6, lo, offset->index);
}

void ds(Build& build) {
  build.put(15, 0, static_cast<uint32_t>(build.in.mem.offset));
  build.flag(16, build.in.mem.gds);
  build.flag(25, build.in.mem.acc);
}

void flat(Build& build) {
  const Instruction& in = build.in;
  const MemoryFields& mem = in.mem;
  build.put(12, 0, static_cast<uint32_t>(mem.offset));
  build.flag(13, mem.lds);
  if (in.row->format == Format::Scratch && in.target == Target::Gfx942) {
    const Operand* address = source(in, Role::Addr);
    build.flag(13, address != nullptr && address->kind == OperandKind::Vgpr);
  }
  build.flag(16, mem.glc);
  build.flag(17, mem.slc);
  build.flag(25, mem.scc);
  build.flag(55, mem.acc);
  const Operand* scalar = source(in, Role::Saddr);
  if (scalar != nullptr) {
    const bool off = scalar->kind != OperandKind::Sgpr;
    build.put(field_of(Layout::Flat, Role::Saddr), off ? kOffAddress : scalar->index);
  }
}

void put_quads(Build& build, Role role) {
  if (const Operand* operand = source(build.in, role)) {
    build.put(field_of(build.layout, role), operand->index / 4u);
  }
}

void buffer(Build& build) {
  const Instruction& in = build.in;
  const MemoryFields& mem = in.mem;
  build.put(11, 0, static_cast<uint32_t>(mem.offset));
  build.flag(12, mem.offen);
  build.flag(13, mem.idxen);
  build.flag(14, mem.glc);
  if (in.row->format == Format::Mtbuf) {
    build.put(22, 19, mem.dfmt);
    build.put(25, 23, mem.nfmt);
    build.flag(54, mem.slc);
    build.flag(53, mem.scc);
  } else {
    build.flag(15, mem.scc);
    build.flag(16, mem.lds);
    build.flag(17, mem.slc);
  }
  build.flag(55, mem.tfe || mem.acc);
  put_quads(build, Role::Srsrc);
}

void image(Build& build) {
  const MemoryFields& mem = build.in.mem;
  build.flag(7, mem.scc);
  build.put(11, 8, mem.dmask);
  build.flag(12, mem.unorm);
  build.flag(13, mem.glc);
  build.flag(14, mem.da);
  build.flag(15, mem.a16);
  build.flag(16, mem.tfe || mem.acc);
  build.flag(17, mem.lwe);
  build.flag(25, mem.slc);
  build.flag(63, mem.d16);
  put_quads(build, Role::Srsrc);
  put_quads(build, Role::Ssamp);
}

void export_fields(Build& build) {
  const MemoryFields& mem = build.in.mem;
  build.put(3, 0, mem.export_enable);
  build.put(9, 4, mem.export_target);
  build.flag(10, mem.export_compressed);
  build.flag(11, mem.export_done);
  build.flag(12, mem.export_vm);
}

}  // namespace

void encode_memory(Build& build) {
  switch (build.in.row->format) {
    case Format::Smem:
      smem(build);
      break;
    case Format::Ds:
      ds(build);
      break;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      flat(build);
      break;
    case Format::Mubuf:
    case Format::Mtbuf:
      buffer(build);
      break;
    case Format::Mimg:
      image(build);
      break;
    default:
      export_fields(build);
      break;
  }
}

}  // namespace cuvette::isa::parts
