// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Loads and stores by the decoded executor at every level of the host against a loop over lanes and
// bytes that shares nothing with it: random EXEC, consecutive, scattered, overlapping and
// misaligned addresses, host pages, holes and read-only memory in the middle.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "golden/wave.h"
#include "golden_parts_memory.h"
#include "isa/encode.h"
#include "wave/lanes/host_level.h"

namespace cuvette::golden {
namespace {

using isa::Format;
using isa::Role;
using wave::kLanes;
using wave::LaneRow;
using wave::lanes::HostLevel;

constexpr isa::Target kTarget = isa::Target::Gfx908;
constexpr uint32_t kEndProgram = 0xbf810000;
constexpr unsigned kVgprs = 24, kAddress = 2, kData = 8, kResult = 0, kBase = 20;
constexpr uint64_t kAperture = uint64_t{1} << 48, kPrivate = uint64_t{2} << 48;
constexpr uint64_t kApertureBytes = uint64_t{1} << 32;
constexpr unsigned kLdsBytes = 3000;

using Memory = PartsMemory;

/// One instruction of the common kinds.
struct Kind {
  const char* mnemonic;
  Format format;
  unsigned dwords;
  bool store, has_base;
};
constexpr Kind kKinds[] = {
    {"global_load_dword", Format::Global, 1, false, false},
    {"global_load_dwordx2", Format::Global, 2, false, false},
    {"global_load_dwordx3", Format::Global, 3, false, false},
    {"global_load_dwordx4", Format::Global, 4, false, false},
    {"global_load_dword", Format::Global, 1, false, true},
    {"global_load_dwordx4", Format::Global, 4, false, true},
    {"global_store_dword", Format::Global, 1, true, false},
    {"global_store_dwordx2", Format::Global, 2, true, false},
    {"global_store_dwordx3", Format::Global, 3, true, false},
    {"global_store_dwordx4", Format::Global, 4, true, true},
    {"flat_load_dword", Format::Flat, 1, false, false},
    {"flat_load_dwordx2", Format::Flat, 2, false, false},
    {"flat_store_dword", Format::Flat, 1, true, false},
    {"flat_store_dwordx4", Format::Flat, 4, true, false},
    {"ds_read_b32", Format::Ds, 1, false, false},
    {"ds_read_b64", Format::Ds, 2, false, false},
    {"ds_read_b96", Format::Ds, 3, false, false},
    {"ds_read_b128", Format::Ds, 4, false, false},
    {"ds_write_b32", Format::Ds, 1, true, false},
    {"ds_write_b64", Format::Ds, 2, true, false},
    {"ds_write_b128", Format::Ds, 4, true, false},
};

isa::Instruction instruction_of(const Kind& kind, unsigned result, int32_t offset) {
  isa::Instruction i;
  i.row = isa::find_row(kind.mnemonic, kind.format);
  EXPECT_NE(i.row, nullptr) << kind.mnemonic;
  i.target = kTarget;
  i.mem.offset = offset;
  const auto set = [&](const isa::OperandSpec& spec, isa::Operand& operand) {
    operand.type = spec.type;
    operand.dwords = spec.dwords;
    operand.kind = isa::OperandKind::Vgpr;
    switch (spec.role) {
      case Role::Addr:
        operand.index = kAddress;
        if (kind.format != Format::Ds) operand.dwords = kind.has_base ? 1 : 2;
        break;
      case Role::Data0:
        operand.index = kData;
        break;
      case Role::Vdst:
        operand.index = static_cast<uint16_t>(result);
        break;
      case Role::Saddr:
        operand.kind = kind.has_base ? isa::OperandKind::Sgpr : isa::OperandKind::Off;
        operand.index = kBase;
        operand.dwords = 2;
        break;
      default:
        operand = {};
    }
  };
  for (unsigned n = 0; n < 2; ++n) set(i.row->dst[n], i.dst[n]);
  for (unsigned n = 0; n < 4; ++n) set(i.row->src[n], i.src[n]);
  EXPECT_TRUE(isa::encode(i).ok()) << kind.mnemonic;
  return i;
}

struct Case {
  Kind kind;
  unsigned result;
  int32_t offset;
  uint64_t exec, base;
  uint64_t address[kLanes];  ///< without base and offset
};

struct State {
  std::vector<LaneRow> rows;
  std::vector<uint8_t> memory, lds;
  uint32_t trapsts = 0;
};

Case random_case(std::mt19937_64& random, const Memory& memory) {
  Case c;
  c.kind = kKinds[random() % std::size(kKinds)];
  // Results may overwrite addresses.
  c.result = random() % 3 == 0 ? kAddress : kResult + 12;
  const bool lds = c.kind.format == Format::Ds;
  c.offset = static_cast<int32_t>(random() % 3 == 0 ? random() % 2048 : 0);
  if (c.kind.format == Format::Global && random() % 4 == 0) c.offset = -c.offset;
  const unsigned size = 4 * c.kind.dwords;
  switch (random() % 4) {
    case 0:
      c.exec = random();
      break;
    case 1:
      c.exec = random() & random() & random();
      break;
    default:
      c.exec = ~uint64_t{0};
  }
  // Beginning: anywhere, or near an edge.
  constexpr uint64_t kEdges[] = {0,       0x10000, 0x18000, 0x18ffc, 0x19ff4,
                                 0x20000, 0x2fff8, 0x30000, 0x40000, 0x4fff0};
  const uint64_t range = lds ? kLdsBytes : Memory::kBytes;
  uint64_t start = random() % range;
  if (random() % 2 == 0) {
    const uint64_t edge = lds ? kLdsBytes : kEdges[random() % std::size(kEdges)];
    start = edge - random() % (kLanes * size + 8);
    if (random() % 4 == 0) start = edge - uint64_t{kLanes} * size;
  }
  if (random() % 4 != 0) start &= ~uint64_t{3};
  const unsigned pattern = random() % 5;
  const unsigned stride = pattern == 1 ? static_cast<unsigned>(random() % 40) : size;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t at = start + uint64_t{stride} * lane;
    if (pattern == 2) at = start + random() % 512;                // overlapping
    if (pattern == 3) at = start + uint64_t{size} * (63 - lane);  // backwards
    c.address[lane] = at;
  }
  if (pattern == 4) c.address[random() % kLanes] += random() % 2 == 0 ? size : random() % range;
  c.base = 0;
  const uint64_t origin = lds ? 0 : memory.begin - static_cast<uint64_t>(int64_t{c.offset});
  if (c.kind.has_base) {
    // Offsets near 2^32 wrap in 32 bits between lanes.
    const uint64_t shift = random() % 2 == 0 ? 0 : 0xffffff00u;
    c.base = origin - shift;
    for (uint64_t& a : c.address) a = (a + shift) & 0xffffffff;
  } else {
    for (uint64_t& a : c.address) a += origin;
    if (lds) {
      for (uint64_t& a : c.address) a = (a - static_cast<uint64_t>(c.offset)) & 0xffffffff;
    }
  }
  if (c.kind.format == Format::Flat && random() % 4 == 0) {
    for (uint64_t& a : c.address) {
      switch (random() % 6) {
        case 0:
        case 1:
          a = kAperture + random() % (kLdsBytes + 16);
          break;
        case 2:  // dwords of a lane are 256 apart: all in the first part of memory, or in LDS
          a = c.offset < 500 ? kPrivate + random() % 1000 : kAperture;
          break;
        case 3:  // into an aperture or not, as the offset is
          a = (random() % 2 == 0 ? kAperture : kPrivate) - 1 - random() % 2048;
          break;
        case 4:  // out of one
          a = (random() % 2 == 0 ? kAperture : kPrivate) + kApertureBytes - 1 - random() % 2048;
          break;
        default:
          break;
      }
    }
  }
  return c;
}

/// Finds a lane's bytes; false: there are none. FLAT is in LDS or in scratch when the address
/// without the offset is in that aperture, and the offset does not lead into one (decision D54).
bool find_bytes(const Case& c, unsigned lane, State& s, const Memory& memory, uint8_t* (&out)[16]) {
  const unsigned size = 4 * c.kind.dwords;
  const bool flat = c.kind.format == Format::Flat;
  const uint64_t base = c.address[lane] + c.base;
  const uint64_t address = base + static_cast<uint64_t>(int64_t{c.offset});
  const bool shared = flat && base >= kAperture && base < kAperture + kApertureBytes;
  if (shared || c.kind.format == Format::Ds) {
    const uint64_t inside = shared ? address - kAperture : address & 0xffffffff;
    if (inside + size > kLdsBytes) return false;
    for (unsigned n = 0; n < size; ++n) out[n] = &s.lds[inside + n];
    return true;
  }
  if (flat && base >= kPrivate && base < kPrivate + kApertureBytes) {
    const uint64_t inside = address - kPrivate;
    if (inside + size > kApertureBytes) return false;
    for (uint64_t n = 0; n < size; ++n) {
      const uint64_t position = inside + n;
      const uint64_t at = position / 4 * 256 + lane * 4 + position % 4;
      if (!memory.allows(memory.begin + at, c.kind.store)) return false;
      out[n] = &s.memory[at];
    }
    return true;
  }
  for (unsigned n = 0; n < size; ++n) {
    if (!memory.allows(address + n, c.kind.store)) return false;
    out[n] = &s.memory[address + n - memory.begin];
  }
  return true;
}

/// State expected by the manuals, lane by lane.
State expected(const Case& c, const State& before, const Memory& memory) {
  State s = before;
  bool violation = false;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((c.exec >> lane & 1) == 0) continue;
    uint8_t* place[16] = {};
    const bool possible = find_bytes(c, lane, s, memory, place);
    violation = violation || !possible;
    for (unsigned n = 0; n < 4 * c.kind.dwords; ++n) {
      const unsigned d = n / 4, shift = n % 4 * 8;
      if (c.kind.store) {
        if (possible) *place[n] = static_cast<uint8_t>(before.rows[kData + d][lane] >> shift);
      } else {
        uint32_t& value = s.rows[c.result + d][lane];
        value &= ~(0xffu << shift);
        if (possible) value |= uint32_t{*place[n]} << shift;
      }
    }
  }
  if (violation) s.trapsts |= wave::kMemViol;
  return s;
}

State actual(const Case& c, const State& before, Memory& memory, uint64_t code, HostLevel level) {
  wave::lanes::limit_host_level(level);
  memory.bytes = before.memory;
  memory.put();
  Program program(memory.device, kTarget);
  MemoryPort port(memory.device);
  Workgroup group;
  group.waves = 1;
  group.lds = before.lds;
  Wave w(kTarget, kVgprs, 0);
  w.group = &group;
  w.trap_on_violation = true;
  w.state.s.pc = code;
  w.state.s.mode.raw = wave::kDefaultMode;
  w.state.s.set_exec(c.exec);
  w.state.s.set_pair(kBase, c.base);
  w.state.alloc.vgprs = kVgprs;
  w.state.alloc.lds_bytes = kLdsBytes;
  w.state.alloc.shared_aperture = kAperture;
  w.state.alloc.private_aperture = kPrivate;
  w.state.s.set_pair(isa::kFlatScratchLo, memory.begin);
  std::copy(before.rows.begin(), before.rows.end(), w.state.v.arch);
  EXPECT_EQ(w.run(100, program, port, nullptr), 2u) << w.failure;
  wave::lanes::limit_host_level(HostLevel::Avx512);
  return {{w.state.v.arch, w.state.v.arch + kVgprs}, memory.get(), group.lds, w.state.s.trapsts};
}

TEST(GoldenShortMemory, LanesOneByOne) {
  constexpr unsigned kCases = 2000;
  Memory memory;
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::Execute;
  const uint64_t code = *memory.device.allocate(64, executable);
  unsigned clean = 0, violating = 0;
  std::mt19937_64 content(7);
  memory.fill(content);
  State before;
  before.memory = memory.bytes;
  memory.put();
  before.memory = memory.get();  // holes read as zeros
  before.lds.resize(kLdsBytes);
  for (uint8_t& b : before.lds) b = static_cast<uint8_t>(content());
  for (unsigned n = 0; n < kCases; ++n) {
    std::mt19937_64 random(n);
    const Case c = random_case(random, memory);
    const isa::Instruction i = instruction_of(c.kind, c.result, c.offset);
    const uint32_t words[] = {i.words[0], i.words[1], kEndProgram};
    ASSERT_TRUE(memory.device.poke(code, words, sizeof words).ok());
    before.rows.assign(kVgprs, {});
    for (LaneRow& row : before.rows) {
      for (uint32_t& lane : row) lane = static_cast<uint32_t>(random());
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      before.rows[kAddress][lane] = static_cast<uint32_t>(c.address[lane]);
      if (c.kind.format != Format::Ds && !c.kind.has_base) {
        before.rows[kAddress + 1][lane] = static_cast<uint32_t>(c.address[lane] >> 32);
      }
    }
    const State want = expected(c, before, memory);
    ++(want.trapsts == 0 ? clean : violating);
    for (const HostLevel level :
         {HostLevel::None, HostLevel::Baseline, HostLevel::Avx2, HostLevel::Avx512}) {
      const State got = actual(c, before, memory, code, level);
      const auto what = [&] {
        return std::string(c.kind.mnemonic) + " seed " + std::to_string(n) + " level " +
               std::to_string(static_cast<int>(level));
      };
      ASSERT_EQ(want.rows, got.rows) << what();
      ASSERT_EQ(want.memory, got.memory) << what();
      ASSERT_EQ(want.lds, got.lds) << what();
      ASSERT_EQ(want.trapsts, got.trapsts) << what();
    }
  }
  EXPECT_GT(clean, kCases / 3);
  EXPECT_GT(violating, kCases / 10);
}

}  // namespace
}  // namespace cuvette::golden
