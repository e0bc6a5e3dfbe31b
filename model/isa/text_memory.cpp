// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/text_parts.h"

namespace cuvette::isa::parts {
namespace {

constexpr const char* kDataFormats[] = {"INVALID",     "8",          "16",          "8_8",
                                        "32",          "16_16",      "10_11_11",    "11_11_10",
                                        "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                        "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
constexpr const char* kNumberFormats[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                          "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
constexpr unsigned kDefaultDataFormat = 1;
constexpr unsigned kDefaultNumberFormat = 0;

void append_cache_bits(std::string& out, const Instruction& in) {
  const MemoryFields& mem = in.mem;
  const bool scopes = in.target == Target::Gfx942;
  if (mem.glc) out += scopes ? " sc0" : " glc";
  if (mem.slc) out += scopes ? " nt" : " slc";
  if (mem.scc) out += scopes ? " sc1" : " scc";
}

void append_offset(std::string& out, const char* name, int64_t offset) {
  if (offset == 0) return;
  out += name;
  out += std::to_string(offset);
}

void append_swizzle_mask(std::string& out, unsigned swap_and, unsigned swap_or, unsigned swap_xor) {
  const unsigned zeros = swap_or ^ swap_xor;
  const unsigned ones = ((0x1f & swap_and) | swap_or) ^ swap_xor;
  out += "BITMASK_PERM,\"";
  for (unsigned mask = 0x10; mask != 0; mask >>= 1) {
    const bool zero = (zeros & mask) != 0;
    const bool one = (ones & mask) != 0;
    out += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
  }
  out += '"';
}

/// DS_SWIZZLE: quad permutation, or and/or/xor masks with their usual names.
void append_swizzle(std::string& out, unsigned offset) {
  if (offset == 0) return;
  out += " offset:";
  if ((offset & 0xff00) == 0x8000) {
    out += "swizzle(QUAD_PERM";
    for (unsigned i = 0; i < 4; ++i) out += ',' + std::to_string(offset >> (2 * i) & 3);
    out += ')';
    return;
  }
  if ((offset & 0x8000) != 0) {
    out += std::to_string(offset);
    return;
  }
  const unsigned swap_and = offset & 0x1f;
  const unsigned swap_or = offset >> 5 & 0x1f;
  const unsigned swap_xor = offset >> 10 & 0x1f;
  const unsigned group = 0x1f - swap_and + 1;
  const bool only_xor = swap_and == 0x1f && swap_or == 0;
  out += "swizzle(";
  if (only_xor && std::has_single_bit(swap_xor)) {
    out += "SWAP," + std::to_string(swap_xor);
  } else if (only_xor && swap_xor > 0 && std::has_single_bit(swap_xor + 1)) {
    out += "REVERSE," + std::to_string(swap_xor + 1);
  } else if (group > 1 && std::has_single_bit(group) && swap_or < group && swap_xor == 0) {
    out += "BROADCAST," + std::to_string(group) + ',' + std::to_string(swap_or);
  } else {
    append_swizzle_mask(out, swap_and, swap_or, swap_xor);
  }
  out += ')';
}

bool two_addresses(const Row& row) {
  const std::string_view name = row.mnemonic;
  return name.find("read2") != name.npos || name.find("write2") != name.npos ||
         name.find("wrxchg2") != name.npos;
}

void append_ds(std::string& out, const Instruction& in) {
  const auto offset = static_cast<unsigned>(in.mem.offset);
  if (in.row->semantic == SemanticId::ds_swizzle_b32) {
    append_swizzle(out, offset);
  } else if (two_addresses(*in.row)) {
    append_offset(out, " offset0:", offset & 0xff);
    append_offset(out, " offset1:", offset >> 8);
  } else {
    append_offset(out, " offset:", offset);
  }
  if (in.mem.gds) out += " gds";
}

void append_format(std::string& out, const MemoryFields& mem) {
  if (mem.dfmt == kDefaultDataFormat && mem.nfmt == kDefaultNumberFormat) return;
  out += " format:[";
  if (mem.dfmt != kDefaultDataFormat) {
    out += "BUF_DATA_FORMAT_";
    out += kDataFormats[mem.dfmt & 0xf];
    if (mem.nfmt != kDefaultNumberFormat) out += ',';
  }
  if (mem.nfmt != kDefaultNumberFormat) {
    out += "BUF_NUM_FORMAT_";
    out += kNumberFormats[mem.nfmt & 7];
  }
  out += ']';
}

void append_buffer(std::string& out, const Instruction& in) {
  const MemoryFields& mem = in.mem;
  if (in.row->format == Format::Mtbuf) append_format(out, mem);
  if (mem.idxen) out += " idxen";
  if (mem.offen) out += " offen";
  append_offset(out, " offset:", mem.offset);
  const bool from_lds = in.row->has(kLdsDma) && in.row->has(kStore);
  if (from_lds) out += " lds";
  append_cache_bits(out, in);
  if (mem.tfe) out += " tfe";
  if (mem.lds && !from_lds) out += " lds";
}

void append_image(std::string& out, const Instruction& in) {
  const MemoryFields& mem = in.mem;
  if (mem.dmask != 0) {
    out += " dmask:";
    append_hex(out, mem.dmask);
  }
  if (mem.unorm) out += " unorm";
  append_cache_bits(out, in);
  if (mem.a16) out += " a16";
  if (mem.tfe) out += " tfe";
  if (mem.lwe) out += " lwe";
  if (mem.da) out += " da";
  if (mem.d16) out += " d16";
}

}  // namespace

void append_export_target(std::string& out, unsigned target) {
  if (target <= 7) {
    out += "mrt" + std::to_string(target);
  } else if (target == 8) {
    out += "mrtz";
  } else if (target == 9) {
    out += "null";
  } else if (target >= 12 && target <= 15) {
    out += "pos" + std::to_string(target - 12);
  } else if (target >= 32) {
    out += "param" + std::to_string(target - 32);
  } else {
    out += "invalid_target_" + std::to_string(target);
  }
}

void append_export_source(std::string& out, const Instruction& in, unsigned i) {
  if ((in.mem.export_enable >> i & 1) == 0) {
    out += "off";
    return;
  }
  // Compressed: two registers with two halves each.
  append_operand(out, in.src[in.mem.export_compressed ? i / 2 : i]);
}

void append_memory_fields(std::string& out, const Instruction& in) {
  const MemoryFields& mem = in.mem;
  switch (in.row->format) {
    case Format::Smem:
      if (mem.imm && mem.soffset_en && in.row->src[0].role != Role::None) {
        out += " offset:";
        append_signed_hex(out, mem.offset);
      }
      if (mem.glc) out += " glc";
      break;
    case Format::Ds:
      append_ds(out, in);
      break;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      append_offset(out, " offset:", mem.offset);
      append_cache_bits(out, in);
      if (mem.lds) out += " lds";
      break;
    case Format::Mubuf:
    case Format::Mtbuf:
      append_buffer(out, in);
      break;
    case Format::Mimg:
      append_image(out, in);
      break;
    case Format::Exp:
      if (mem.export_done) out += " done";
      if (mem.export_compressed) out += " compr";
      if (mem.export_vm) out += " vm";
      break;
    default:
      break;
  }
}

}  // namespace cuvette::isa::parts
