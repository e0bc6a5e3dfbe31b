// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of every space, width and form by the decoded executor, at every level
// of the host's vector unit, against the reference executor: registers, memory, LDS and TRAPSTS.
// CUVETTE_TEST_VECTORS: instructions per row, each of up to 64 lanes.
#include <cstdlib>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "golden/wave.h"
#include "golden_parts_memory.h"
#include "isa/encode.h"
#include "isa/text.h"
#include "wave/lanes/host_level.h"

namespace cuvette::golden {
namespace {

using isa::Format;
using isa::OperandKind;
using isa::Role;
using wave::kLanes;
using wave::LaneRow;
using wave::lanes::HostLevel;

constexpr uint32_t kEndProgram = 0xbf810000;
constexpr unsigned kVgprs = 32, kAddress = 2, kData = 8, kSecond = 14, kResult = 20;
constexpr unsigned kBase = 20, kDescriptor = 24, kOffset = 30, kScalars = 40;
constexpr unsigned kLdsBytes = 6000, kScratchBytes = 600;
constexpr uint64_t kBytes = 0xa000;
constexpr uint64_t kShared = uint64_t{1} << 48, kPrivate = uint64_t{2} << 48;

struct State {
  std::vector<LaneRow> rows;
  std::vector<uint8_t> memory, lds;
  wave::ScalarState scalar;
};

bool is_plain(const isa::Row& row) {
  const bool moves = row.has(isa::kLoad) || row.has(isa::kStore) || row.has(isa::kAtomic);
  if (!moves || row.has(isa::kGraphicsOnly)) return false;
  switch (row.format) {
    case Format::Ds:
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
    case Format::Mubuf:
    case Format::Smem:
      return *wave::memory_reason(row) == '\0';
    default:
      return false;
  }
}

/// One access with random fields.
class Access {
 public:
  Access(const isa::Row& row, isa::Target target, std::mt19937_64& random) : random_(random) {
    i_.row = &row;
    i_.target = target;
    const bool ds = row.format == Format::Ds, buffer = row.format == Format::Mubuf;
    const bool is_signed = row.format == Format::Global || row.format == Format::Scratch;
    i_.mem.offset = static_cast<int32_t>(pick(3) == 0 ? pick(ds ? 0xffff : 2048) : pick(4) * 4);
    if (is_signed && pick(5) == 0) i_.mem.offset = -i_.mem.offset;
    i_.mem.offen = buffer && pick(3) != 0;
    i_.mem.idxen = buffer && pick(3) == 0;
    has_base_ = pick(2) == 0;
    i_.mem.glc = row.has(isa::kAtomic) && pick(2) == 0;
    i_.mem.imm = i_.mem.soffset_en = row.format == Format::Smem;
    for (unsigned n = 0; n < 2; ++n) place(row.dst[n], i_.dst[n]);
    for (unsigned n = 0; n < 4; ++n) place(row.src[n], i_.src[n]);
  }
  isa::Instruction& instruction() { return i_; }
  bool has_base() const { return has_base_; }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void place(const isa::OperandSpec& spec, isa::Operand& o) {
    o.type = spec.type;
    o.dwords = spec.dwords;
    o.kind = OperandKind::Vgpr;
    switch (spec.role) {
      case Role::Addr:
        o.index = kAddress;
        if (i_.row->format == Format::Global && has_base_) o.dwords = 1;
        if (i_.row->format == Format::Scratch) {
          o.dwords = 1;
          if (has_base_) o.kind = OperandKind::Off;
        }
        if (i_.row->format == Format::Mubuf) {
          o.dwords = static_cast<uint8_t>((i_.mem.offen ? 1 : 0) + (i_.mem.idxen ? 1 : 0));
          if (o.dwords == 0) o.dwords = 1;
        }
        break;
      case Role::Data0:
        o.index = kData;
        break;
      case Role::Data1:
        o.index = kSecond;
        break;
      case Role::Vdata:
      case Role::Vdst:
        o.index = static_cast<uint16_t>(pick(3) == 0 ? kAddress : kResult);
        if (i_.row->has(isa::kStore)) o.index = kData;
        break;
      case Role::Saddr:
        o.kind = has_base_ ? OperandKind::Sgpr : OperandKind::Off;
        o.index = i_.row->format == Format::Scratch ? kOffset : kBase;
        break;
      case Role::Srsrc:
        o.kind = OperandKind::Sgpr;
        o.index = kDescriptor;
        break;
      case Role::Sbase:
        o.kind = OperandKind::Sgpr;
        o.index = spec.dwords == 4 ? kDescriptor : kBase;
        break;
      case Role::Soffset:
        o.kind = OperandKind::Sgpr;
        o.index = kOffset;
        break;
      case Role::Sdst:
      case Role::Sdata:
        o.kind = OperandKind::Sgpr;
        o.index = kScalars;
        break;
      default:
        o = {};
    }
  }

  isa::Instruction i_;
  std::mt19937_64& random_;
  bool has_base_ = false;
};

/// Addresses of all lanes in one of several patterns, and the scalars they go with.
State random_state(const isa::Instruction& i, bool has_base, std::mt19937_64& random,
                   const PartsMemory& memory, const State& content) {
  State s = content;
  s.rows.resize(kVgprs);
  for (LaneRow& row : s.rows) {
    for (uint32_t& lane : row) lane = static_cast<uint32_t>(random());
  }
  for (uint32_t& sgpr : s.scalar.sgpr) sgpr = static_cast<uint32_t>(random());
  const auto pick = [&](uint64_t below) { return random() % below; };
  s.scalar.mode.raw = wave::kDefaultMode;
  s.scalar.sgpr[isa::kM0] = 0;
  s.scalar.set_exec(pick(2) == 0 ? ~uint64_t{0} : pick(2) == 0 ? random() : random() & random());
  const unsigned strides[] = {1, 2, 4, 8, 12, 16, 0, 256, static_cast<unsigned>(pick(300))};
  const unsigned stride = strides[pick(std::size(strides))];
  const bool ds = i.row->format == Format::Ds, scratch = i.row->format == Format::Scratch;
  const uint64_t range = ds ? kLdsBytes : scratch ? kScratchBytes : 0x6000;
  const uint64_t start = pick(range) & (pick(4) == 0 ? ~uint64_t{0} : ~uint64_t{15});
  const bool random_places = pick(4) == 0;
  const uint64_t places = scratch || ds ? range : pick(2) == 0 ? 2048 : range;
  uint64_t at[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    at[lane] =
        random_places ? start + (pick(places) & ~uint64_t{3}) : start + uint64_t{stride} * lane;
    if (scratch && pick(3) != 0) at[lane] = start % kScratchBytes & ~uint64_t{15};
    if (ds && pick(8) != 0) at[lane] %= kLdsBytes - 256;
  }
  const uint64_t base = memory.begin;
  s.scalar.set_pair(kBase, base);
  s.scalar.sgpr[kOffset] = static_cast<uint32_t>(pick(64) * 4);
  s.scalar.set_pair(isa::kFlatScratchLo, base);
  // A buffer, strided, swizzled, with the thread id or bounded as it comes.
  const uint64_t records = pick(3) == 0 ? pick(9000) : kBytes;
  uint64_t low = base | (pick(2) == 0 ? 0 : pick(64)) << 48;
  if (pick(3) == 0) low |= uint64_t{1} << 63;
  uint64_t high = records | uint64_t{4} << 47 | pick(4) << 53;
  if (pick(4) == 0) high |= uint64_t{1} << 55;
  s.scalar.set_pair(kDescriptor, low);
  s.scalar.set_pair(kDescriptor + 2, high);
  const bool flat = i.row->format == Format::Flat, global = i.row->format == Format::Global;
  const uint64_t segment = flat && pick(4) == 0 ? (pick(2) == 0 ? kShared : kPrivate) : base;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t a = at[lane];
    if ((flat || global) && !(global && has_base)) {
      a += segment;
      if (segment != base)
        a = segment + at[lane] % (segment == kShared ? kLdsBytes : kScratchBytes);
      s.rows[kAddress + 1][lane] = static_cast<uint32_t>(a >> 32);
    }
    if (i.row->format == Format::Mubuf) {
      s.rows[kAddress + 1][lane] = static_cast<uint32_t>(a % 4096);
      if (i.mem.idxen) a = at[lane] % 512;
    }
    s.rows[kAddress][lane] = static_cast<uint32_t>(a);
  }
  return s;
}

struct Run {
  HostLevel level;
  bool micro_ops;
};
State run(const isa::Instruction& i, const State& before, PartsMemory& memory, uint64_t code,
          Run how, bool sramecc) {
  wave::lanes::limit_host_level(how.level);
  memory.bytes = before.memory;
  memory.put();
  Program program(memory.device, i.target);
  MemoryPort port(memory.device);
  Workgroup group;
  group.waves = 1;
  group.lds = before.lds;
  Wave w(i.target, kVgprs, 0);
  w.group = &group;
  w.trap_on_violation = true;
  w.uses_micro_ops = how.micro_ops;
  w.state.s = before.scalar;
  w.state.s.pc = code;
  w.state.sramecc = sramecc;
  w.state.alloc.vgprs = kVgprs;
  w.state.alloc.lds_bytes = kLdsBytes;
  w.state.alloc.shared_aperture = kShared;
  w.state.alloc.private_aperture = kPrivate;
  w.state.alloc.scratch_base = memory.begin;
  w.state.alloc.scratch_bytes_per_lane = kScratchBytes;
  std::copy(before.rows.begin(), before.rows.end(), w.state.v.arch);
  EXPECT_EQ(w.run(100, program, port, nullptr), 2u) << w.failure << isa::text(i);
  wave::lanes::limit_host_level(HostLevel::Avx512);
  return {{w.state.v.arch, w.state.v.arch + kVgprs}, memory.get(), group.lds, w.state.s};
}

unsigned vectors() {
  const char* const text = std::getenv("CUVETTE_TEST_VECTORS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 12;
}

TEST(ExecutorsMemory, EveryRowAlike) {
  PartsMemory::Layout layout;  // small: it is written and read for every access
  layout.bytes = kBytes;
  layout.parts = {{0, 0x3000, true},
                  {0x3000, 0x3ffc, false},
                  {0x4ff4, 0x5ff8, true},
                  {0x6000, kBytes - 16, true}};
  PartsMemory memory(layout);
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::Execute;
  const uint64_t code = *memory.device.allocate(64, executable);
  std::mt19937_64 content(7);
  memory.fill(content);
  State start;
  memory.put();
  start.memory = memory.get();
  start.lds.resize(kLdsBytes);
  for (uint8_t& b : start.lds) b = static_cast<uint8_t>(content());
  unsigned rows = 0, accesses = 0, clean = 0;
  std::map<Format, unsigned> of_format;
  for (const isa::Target target : isa::kAllTargets) {
    for (const isa::Row& row : isa::rows()) {
      if (!is_plain(row) || !row.on(target)) continue;
      ++rows;
      for (unsigned n = 0; n < vectors(); ++n) {
        std::mt19937_64 random(uint64_t{n} * 1000003 + rows);
        Access access(row, target, random);
        isa::Instruction& i = access.instruction();
        if (!isa::encode(i).ok()) continue;
        const isa::Decoded d = isa::decode(target, i.words, i.length);
        if (d.status != isa::DecodeStatus::Legal) continue;
        const uint32_t words[] = {i.words[0], i.length > 1 ? i.words[1] : kEndProgram, kEndProgram};
        ASSERT_TRUE(memory.device.poke(code, words, sizeof words).ok());
        const State before = random_state(i, access.has_base(), random, memory, start);
        const bool sramecc = n % 2 != 0;
        const State want = run(i, before, memory, code, {HostLevel::None, false}, sramecc);
        ++accesses;
        ++of_format[row.format];
        clean += want.scalar.trapsts == 0 ? 1 : 0;
        for (const HostLevel level : {HostLevel::Baseline, HostLevel::Avx2, HostLevel::Avx512}) {
          const State got = run(i, before, memory, code, {level, true}, sramecc);
          const std::string what =
              isa::text(d.instruction) + " level " + std::to_string(static_cast<int>(level));
          ASSERT_EQ(want.rows, got.rows) << what;
          ASSERT_EQ(want.memory, got.memory) << what;
          ASSERT_EQ(want.lds, got.lds) << what;
          ASSERT_EQ(want.scalar.sgpr, got.scalar.sgpr) << what;
          ASSERT_EQ(want.scalar.trapsts, got.scalar.trapsts) << what;
        }
      }
    }
  }
  EXPECT_GT(rows, 300u);
  EXPECT_EQ(of_format.size(), 6u);
  for (const auto& [format, count] : of_format) {
    EXPECT_GT(count, 20 * vectors()) << static_cast<int>(format);
  }
  EXPECT_GT(clean, accesses / 3);
}

}  // namespace
}  // namespace cuvette::golden
