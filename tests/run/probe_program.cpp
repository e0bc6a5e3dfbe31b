// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "probe_program.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/bits.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/registers.h"
#include "isa_support/builder.h"
#include "wave/execute.h"
#include "wave/memory_op.h"

namespace cuvette::probe_program {

using isa::Format;
using isa::Instruction;
using isa::OperandKind;
using isa::Role;
using isa::SemanticId;

namespace {

/// Corners of F32, F16 and F64, integers, and bits.
uint32_t number(std::mt19937_64& random) {
  constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
                                   0x3f800000, 0xbf800001, 0x34000000, 0x7f7fffff, 0xff7fffff,
                                   0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345, 0x7f800001,
                                   0xffffffff, 0x7fffffff, 0x0000001f, 0x3c003c00, 0x7c01fc00,
                                   0x3ff00000, 0x7ff00000, 0x43e00000, 0x00010001};
  const uint64_t r = random();
  const auto bits = static_cast<uint32_t>(r >> 32);
  switch (r % 4) {
    case 0:
      return kSpecial[(r >> 8) % std::size(kSpecial)];
    case 1:
      return 0x3f000000 | (bits & 0x80ffffff);
    default:
      return bits;
  }
}

uint32_t random_mode(std::mt19937_64& random) {
  uint64_t mode = random() % 2 != 0 ? wave::kDefaultMode : random() & 0x3ff;
  if (random() % 4 == 0) mode |= random() & (uint64_t{0x1ff} << 12 | 1u << 23);
  // VGPR indexing, and S_SETVSKIP.
  if (random() % 16 == 0) mode |= 1u << 27;
  if (random() % 64 == 0) mode |= 1u << 28;
  return static_cast<uint32_t>(mode);
}

uint64_t random_exec(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return uint64_t{1} << random() % 64;
    case 2:
    case 3:
      return ~uint64_t{0};
    default:
      return random();
  }
}

/// An address: mostly mapped and aligned, now and then across the end of memory or wild.
uint64_t address(std::mt19937_64& random, uint64_t align) {
  const uint64_t r = random();
  const uint64_t offset = (r >> 8) % kMemoryBytes;
  if (r % 64 == 0) return kMemoryAt + kMemoryBytes - (r >> 8) % 16;
  if (r % 64 == 1) return r;
  return kMemoryAt + (r % 16 == 2 ? offset : offset & ~(align - 1));
}

void set_sgprs(run::ProbeCase& c, unsigned first, std::initializer_list<uint64_t> values) {
  for (const uint64_t value : values) {
    if (first <= isa::kLastSgpr) c.sgpr[first] = base::lo32(value);
    ++first;
  }
}

/// A buffer over the mapped memory (Vega ISA table 33).
void set_buffer(run::ProbeCase& c, unsigned first, bool may_swizzle, std::mt19937_64& random) {
  const uint64_t r = random();
  const uint32_t stride = r % 2 != 0 ? 0 : static_cast<uint32_t>((r >> 8) % 64);
  const auto swizzle = may_swizzle ? static_cast<uint32_t>(r >> 1 & 1) << 31 : 0u;
  // NUM_RECORDS in bytes, or in units of the stride.
  const auto records =
      static_cast<uint32_t>(r >> 2 & 1 ? kMemoryBytes / std::max(1u, stride) : (r >> 16) % 2048);
  // One call a statement: compilers order the operands of one expression differently.
  auto flags = static_cast<uint32_t>(random() & (uint64_t{0xf} << 19 | 1u << 23));
  flags |= static_cast<uint32_t>(random() & 0x7ffff);
  set_sgprs(c, first, {kMemoryAt, (kMemoryAt >> 32) | stride << 16 | swizzle, records, flags});
}

/// A linear image of up to 16 x 16 x 4 over the mapped memory (MI100 ISA table 45).
void set_image(run::ProbeCase& c, unsigned first, std::mt19937_64& random) {
  // Data and number formats: 32 float, uint, sint; 8_8_8_8 unorm; 16_16 float.
  constexpr uint32_t kFormats[] = {4 | 7 << 6, 4 | 4 << 6, 4 | 5 << 6, 10 | 0 << 6, 5 | 7 << 6};
  constexpr uint32_t kTypes[] = {8, 9, 10, 12, 13};  // 1D, 2D, 3D, arrays
  const uint64_t r = random();
  const uint32_t format = kFormats[r % std::size(kFormats)];
  const uint32_t type = kTypes[(r >> 8) % std::size(kTypes)];
  const auto width = static_cast<uint32_t>((r >> 16) % 16),
             height = static_cast<uint32_t>((r >> 24) % 16);
  const uint64_t base = kMemoryAt >> 8;
  set_sgprs(c, first,
            {base, format << 20, width | height << 14, 0xfac | type << 28, 3 | 15 << 13, 0, 0, 0});
}

/// A sampler whose levels of detail are few (MI100 ISA table 46).
void set_sampler(run::ProbeCase& c, unsigned first, std::mt19937_64& random) {
  const uint64_t r = random();
  const auto filter = static_cast<uint32_t>(r >> 8 & 5) << 20;
  set_sgprs(c, first, {r & 0xf1ff, 0xfu << 20, filter, ((r >> 32) % 3) << 30});
}

void set_row(run::ProbeCase& c, unsigned index, unsigned lane, uint32_t value) {
  if (index <= 255) c.vgpr[index][lane] = value;
}

}  // namespace

namespace {

/// Instructions that a row's case is chosen from. Building them takes long, so they are kept.
struct Choice {
  std::vector<Instruction> corners, variants;
};
const Choice& choice(const isa::Row& row, isa::Target target, isa::Encoding encoding) {
  static std::map<std::tuple<const isa::Row*, isa::Target, isa::Encoding>, Choice> kept;
  const auto [at, is_new] = kept.try_emplace({&row, target, encoding});
  const isa::test::Builder builder(row, target, encoding);
  if (!is_new || !builder.exists()) return at->second;
  std::vector<Instruction>& corners = at->second.corners;
  corners = builder.instructions();
  corners.erase(std::remove_if(corners.begin(), corners.end(),
                               [](Instruction& i) { return !isa::encode(i).ok(); }),
                corners.end());
  if (!corners.empty()) at->second.variants = builder.variants(corners.front(), true);
  return at->second;
}

}  // namespace

std::vector<Instruction> choose(const isa::Row& row, isa::Target target, isa::Encoding encoding,
                                unsigned some, std::mt19937_64& random) {
  std::vector<Instruction> out;
  const Choice& from = choice(row, target, encoding);
  if (from.corners.empty()) return out;
  out.push_back(from.corners.front());
  for (const auto* list : {&from.corners, &from.variants}) {
    std::vector<size_t> order(list->size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (size_t n = 0; n < std::min<size_t>(order.size(), some); ++n) {
      out.push_back((*list)[order[n]]);
    }
  }
  return out;
}

bool has_answer(const isa::Row& row, isa::Target target) {
  if (!row.on(target) || row.has(isa::kGraphicsOnly)) return false;
  if (wave::status_of(row, target).status == wave::Status::Unsupported) return false;
  return row.semantic != SemanticId::s_memtime && row.semantic != SemanticId::s_memrealtime;
}

bool only_in_golden(const Instruction& i) {
  const isa::Row& row = *i.row;
  const std::string_view name = row.mnemonic;
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("image_sample") || has("image_gather4") || has("load_lds_") || has("store_lds_")) {
    return true;
  }
  return i.mem.lds && row.has(isa::kLdsDma);
}

/// True if no random descriptor or status register changes the kind of access.
bool is_plain_access(const Instruction& i) {
  const isa::Row& row = *i.row;
  return !only_in_golden(i) && !i.mem.tfe && !row.has(isa::kFormatted) &&
         *wave::memory_reason(row) == 0;
}

bool sees_machine(const Instruction& i) {
  if (i.semantic() != SemanticId::s_getreg_b32) return false;
  const unsigned id = i.words[0] & 0x3f;
  return id == 7;  // IB_STS: what is outstanding
}

run::ProbeCase random_case(isa::Target target, std::mt19937_64& random) {
  run::ProbeCase c;
  c.target = target;
  c.mode = random_mode(random);
  c.exec = random_exec(random);
  c.vcc = random();
  c.scc = random() % 2 != 0;
  c.m0 = random() % 2 != 0 ? number(random) : static_cast<uint32_t>(random() & 0xf00f);
  for (unsigned s = 0; s <= isa::kLastSgpr; ++s) c.sgpr[s] = number(random);
  for (unsigned v = 0; v < 256; ++v) {
    // Three registers of four hold ordinary numbers, or every result would be a NaN.
    const bool odd = random() % 4 == 0;
    for (uint32_t& lane : c.vgpr[v]) {
      lane = odd ? number(random) : 0x3e000000 | static_cast<uint32_t>(random() & 0x81ffffff);
    }
  }
  for (unsigned a = 0; a < 256 && isa::has_accvgprs(target); ++a) {
    for (uint32_t& lane : c.agpr[a]) lane = 0x3e000000 | static_cast<uint32_t>(random() & 0x81ffff);
  }
  std::vector<uint8_t> bytes(kMemoryBytes);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  c.memory[kMemoryAt] = bytes;
  bytes.resize(4096);
  c.lds[0] = bytes;
  return c;
}

void aim(run::ProbeCase& c, const Instruction& i, std::mt19937_64& random) {
  const isa::Row& row = *i.row;
  const bool flat =
      row.format == Format::Flat || row.format == Format::Global || row.format == Format::Scratch;
  const bool wide = row.mnemonic.substr(row.mnemonic.size() - 3) == "_x2" ||
                    row.mnemonic.substr(row.mnemonic.size() - 4) == "_f64";
  const uint64_t align = row.has(isa::kAtomic) && wide ? 8 : 4;
  for (unsigned s = 0; s < 4; ++s) {
    const isa::Operand& o = i.src[s];
    const Role role = row.src[s].role;
    if (role == Role::Srsrc && row.format == Format::Mimg) {
      set_image(c, o.index, random);
    } else if (role == Role::Ssamp) {
      set_sampler(c, o.index, random);
    } else if (role == Role::Addr && row.format == Format::Mimg) {
      // Texels, or parts of one where the row samples.
      const bool whole = row.mnemonic.find("sample") == row.mnemonic.npos &&
                         row.mnemonic.find("gather4") == row.mnemonic.npos;
      for (unsigned d = 0; d < o.dwords; ++d) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          const auto at = static_cast<uint32_t>(random() % (whole ? 20 : 0x800000));
          set_row(c, o.index + d, lane, whole ? at : 0x3f000000 | at);
        }
      }
    } else if (role == Role::Srsrc || (role == Role::Sbase && o.dwords == 4)) {
      // The compute unit refuses 8-byte atomics on swizzled buffers.
      set_buffer(c, o.index, align != 8, random);
    } else if (role == Role::Sbase || role == Role::Saddr) {
      const uint64_t at = address(random, 4) & ~uint64_t{kMemoryBytes / 2};
      if (o.kind == OperandKind::Sgpr && o.dwords == 2) set_sgprs(c, o.index, {at, at >> 32});
      if (o.kind == OperandKind::Sgpr && o.dwords == 1) set_sgprs(c, o.index, {at});
    } else if (role == Role::Soffset && o.kind == OperandKind::Sgpr) {
      set_sgprs(c, o.index, {random() % 512});
    } else if (role == Role::Addr && o.kind == OperandKind::Vgpr) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        uint64_t at = address(random, align);
        if (row.format == Format::Ds) at = random() % 32 == 0 ? random() % 70000 : (at & 0xfff);
        if (!flat && row.format != Format::Ds) at = random() % 256;
        if (flat && o.dwords == 1) at = random() % 2048 & ~(align - 1);
        set_row(c, o.index, lane, base::lo32(at));
        if (o.dwords >= 2) set_row(c, o.index + 1u, lane, flat ? base::hi32(at) : random() % 256);
      }
    }
  }
}

namespace {

constexpr uint32_t kWaitcnt0 = 0xbf8c0000;

/// Neither moves PC nor ends the wave, and unless `machine` is set needs nothing around the wave.
bool is_straight(const Instruction& i, bool machine) {
  if (i.row->unit == isa::Unit::Branch || i.row->has(isa::kBranch)) return false;
  const auto id = i.row->mnemonic;
  for (const char* jump : {"s_setpc", "s_swappc", "s_rfe", "s_cbranch", "s_call", "s_endpgm",
                           "s_sethalt", "s_sendmsghalt", "s_trap"}) {
    if (id.rfind(jump, 0) == 0) return false;
  }
  for (const char* around : {"s_getpc", "s_sendmsg", "s_barrier", "s_sleep"}) {
    if (!machine && id.rfind(around, 0) == 0) return false;
  }
  for (const auto& src : i.src) {
    if (src.kind == OperandKind::Special && src.index == isa::kLdsDirect) return false;
  }
  return true;
}

bool overlap(const isa::Operand& a, const isa::Operand& b) {
  if (a.kind != b.kind || (a.kind != OperandKind::Sgpr && a.kind != OperandKind::Vgpr))
    return false;
  return a.index < b.index + std::max<unsigned>(b.dwords, 1) &&
         b.index < a.index + std::max<unsigned>(a.dwords, 1);
}

/// Random words until they are an instruction that may stand in a program.
Instruction random_instruction(isa::Target target, std::mt19937_64& random, bool machine) {
  struct Class {
    uint32_t value, mask;
  };
  // VOP2, VOP1, VOPC, VOP3, VOP3P, SOP2, SOP1, SOPC, SOPK, MFMA, with `machine` SOPP.
  constexpr Class kClasses[] = {
      {0x00000000, 0x80000000}, {0x7e000000, 0xfe000000}, {0x7c000000, 0xfe000000},
      {0xd0000000, 0xfc000000}, {0xd3800000, 0xff800000}, {0x80000000, 0xc0000000},
      {0xbe800000, 0xff800000}, {0xbf000000, 0xff800000}, {0xb0000000, 0xf0000000},
      {0xd3c00000, 0xffc00000}, {0xbf800000, 0xff800000}};
  for (;;) {
    const Class& c = kClasses[random() % (std::size(kClasses) - (machine ? 0 : 1))];
    const uint32_t plain = random() % 2 ? 0x04000100 : 0;
    uint32_t words[4] = {(static_cast<uint32_t>(random()) & ~c.mask) | c.value,
                         static_cast<uint32_t>(random()) | plain, number(random), 0};
    // S_GETREG and S_SETREG of MODE, STATUS and TRAPSTS.
    if (words[0] >> 28 == 0xb)
      words[0] = (words[0] & ~0x3fu) | static_cast<uint32_t>(1 + random() % 3);
    const isa::Decoded d = isa::decode(target, words, 4);
    if (d.status != isa::DecodeStatus::Legal) continue;
    const Instruction& i = d.instruction;
    if (has_answer(*i.row, target) && is_straight(i, machine) && !sees_machine(i)) return i;
  }
}

std::vector<Instruction> of_row(const char* mnemonic, Format format, isa::Target target,
                                std::mt19937_64& random) {
  const isa::Row* row = isa::find_row(mnemonic, format);
  if (row == nullptr || !row->on(target)) return {};
  return choose(*row, target, isa::Encoding::Native, 0, random);
}

}  // namespace

run::ProbeCase random_program(isa::Target target, unsigned length, std::mt19937_64& random,
                              const std::function<bool(const Instruction&)>& wanted, bool machine) {
  run::ProbeCase c = random_case(target, random);
  std::vector<Format> formats{Format::Smem, Format::Ds,     Format::Mubuf,
                              Format::Flat, Format::Global, Format::Scratch};
  if (machine) formats.insert(formats.end(), {Format::Mtbuf, Format::Mimg});
  std::vector<const isa::Row*> rows;
  while (rows.empty()) {
    const Format format = formats[random() % formats.size()];
    for (const isa::Row& row : isa::rows()) {
      if (row.format == format && has_answer(row, target)) rows.push_back(&row);
    }
  }
  std::vector<Instruction> memory;
  std::vector<isa::Operand> kept;  // addresses
  while (memory.size() < length / 6) {
    const isa::Row& row = *rows[random() % rows.size()];
    const auto some = choose(row, target, isa::Encoding::Native, 1, random);
    if (some.empty()) continue;
    const Instruction& i = some[random() % some.size()];
    // Here a single wave would wait for others for ever.
    const bool waits = row.mnemonic.substr(0, 7) == "ds_gws_" || row.mnemonic == "ds_ordered_count";
    if (waits || (machine ? *wave::memory_reason(row) != 0 : !is_plain_access(i))) continue;
    memory.push_back(i);
    aim(c, memory.back(), random);
    for (unsigned s = 0; s < 4; ++s) {
      const Role role = row.src[s].role;
      if (role == Role::Addr || role == Role::Sbase || role == Role::Saddr || role == Role::Srsrc ||
          role == Role::Soffset || role == Role::Ssamp) {
        kept.push_back(memory.back().src[s]);
      }
    }
  }
  // S_DCACHE_WB, S_DCACHE_INV, the vector cache: one of each that the target has.
  std::vector<uint32_t> maintenance{kWaitcnt0};
  for (const auto& [mnemonic, f] :
       {std::pair{"s_dcache_wb", Format::Smem}, std::pair{"s_dcache_inv", Format::Smem},
        std::pair{"buffer_wbinvl1", Format::Mubuf}, std::pair{"buffer_inv", Format::Mubuf}}) {
    const auto found = of_row(mnemonic, f, target, random);
    if (!found.empty()) {
      maintenance.insert(maintenance.end(), found[0].words, found[0].words + found[0].length);
    }
    maintenance.push_back(kWaitcnt0);
  }

  std::vector<std::vector<uint32_t>> steps;
  while (steps.size() < length) {
    const bool is_access = !memory.empty() && random() % 6 == 0;
    const Instruction i = is_access ? memory.back() : random_instruction(target, random, machine);
    if (is_access) memory.pop_back();
    if (!is_access && !wanted(i)) continue;
    const bool spoils = std::any_of(std::begin(i.dst), std::end(i.dst), [&](const isa::Operand& d) {
      return std::any_of(kept.begin(), kept.end(),
                         [&](const isa::Operand& k) { return overlap(d, k); });
    });
    if (spoils) continue;
    steps.emplace_back(i.words, i.words + i.length);
    if (is_access) {
      steps.back().insert(steps.back().end(), maintenance.begin(), maintenance.end());
    }
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    if (random() % 8 == 0) {  // S_CBRANCH_SCC0 to S_CBRANCH_EXECNZ over up to three steps
      const size_t over = std::min<size_t>(1 + random() % 3, steps.size() - s);
      size_t dwords = 0;
      for (size_t n = s; n < s + over; ++n) dwords += steps[n].size();
      c.code.push_back(0xbf840000 + static_cast<uint32_t>(random() % 6 << 16 | dwords));
      for (size_t n = s; n < s + over; ++n) {
        c.code.insert(c.code.end(), steps[n].begin(), steps[n].end());
      }
      s += over - 1;
      continue;
    }
    c.code.insert(c.code.end(), steps[s].begin(), steps[s].end());
  }
  return c;
}

void append(run::ProbeCase& c, const Instruction& i) {
  c.code.insert(c.code.end(), i.words, i.words + i.length);
}

}  // namespace cuvette::probe_program
