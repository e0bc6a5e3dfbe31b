// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "simd_program.h"

#include <array>
#include <deque>
#include <optional>
#include <random>

#include "ip/simd/register_simd.h"
#include "isa/decode.h"
#include "simd/simd_model.h"
#include "wave/status.h"

namespace cuvette::simd_program {
namespace {

using isa::Operand;
using isa::OperandKind;
using Rng = std::mt19937_64;

struct Rows {
  uint16_t base, count, acc_base, acc_count;
};
// The last wavefront's rows wrap around the end of the file.
constexpr std::array<Rows, kSlots> kRows = {
    {{4, 68, 0, 64}, {72, 80, 64, 64}, {152, 64, 128, 128}, {250, 10, 200, 0}}};

/// A word of each vector format for an opcode (MI100 ISA 13.3).
struct FormatBits {
  unsigned opcodes;
  uint32_t fixed, free;
  unsigned shift;
  bool short_form;  ///< takes SDWA and DPP
};
constexpr FormatBits kFormats[] = {
    {62, 0x00000000, 0x01ffffff, 25, true},     // VOP2
    {256, 0x7e000000, 0x01fe01ff, 9, true},     // VOP1
    {256, 0x7c000000, 0x0001ffff, 17, true},    // VOPC
    {1024, 0xd0000000, 0x0000ffff, 16, false},  // VOP3
    {128, 0xd3800000, 0x0000ffff, 16, false},   // VOP3P
};
constexpr uint32_t kSdwa = 249, kDpp = 250;

uint32_t word(Rng& rng) {
  return static_cast<uint32_t>(rng());
}

/// Instruction of the words, when the block has it and it can be given here.
std::optional<isa::Instruction> usable(const uint32_t (&words)[4], const simd::Simd& block) {
  const isa::Decoded d = isa::decode(isa::Target::Gfx908, words, 4);
  if (d.status != isa::DecodeStatus::Legal) return std::nullopt;
  const isa::Instruction& i = d.instruction;
  if (i.row->unit != isa::Unit::Valu && i.row->unit != isa::Unit::Trans) return std::nullopt;
  if (wave::status_of(*i.row, isa::Target::Gfx908).status == wave::Status::Unsupported ||
      !block.implements(*i.row, i.encoding, i.mod)) {
    return std::nullopt;
  }
  for (const Operand& o : i.src) {
    if (o.kind == OperandKind::Special && o.index == isa::kLdsDirect) return std::nullopt;
    if (o.kind == OperandKind::Sgpr && o.dwords > 2) return std::nullopt;
  }
  return i;
}

/// A legal instruction with the opcode, if these draws make one.
std::optional<isa::Instruction> draw(const FormatBits& f, unsigned opcode, const simd::Simd& block,
                                     Rng& rng) {
  uint32_t words[4] = {word(rng), word(rng), word(rng), word(rng)};
  words[0] = f.fixed | (words[0] & f.free) | opcode << f.shift;
  if (!f.short_form && rng() % 2 == 0) {  // few modifiers, as many rows have few
    words[0] &= ~0xff00u;
    words[1] &= rng() % 2 == 0 ? 0x07ffffffu : 0x0003ffffu;
  }
  if (f.fixed == 0xd3800000 && rng() % 4 == 0) {  // op_sel_hi of a row that has none
    words[0] = (words[0] & ~0xff00u) | 0x4000u;
    words[1] = (words[1] & 0x3ffu) | 0x18000000u;
  }
  if (f.short_form && rng() % 8 == 0) words[0] &= ~f.free;
  if (f.short_form && rng() % 2 == 0) {
    words[0] = (words[0] & ~0x1ffu) | (rng() % 2 == 0 ? kSdwa : kDpp);
  }
  return usable(words, block);
}

/// The same in one encoding, with fields that are legal for some row.
std::optional<isa::Instruction> draw_encoded(const FormatBits& f, unsigned opcode, uint32_t source,
                                             const simd::Simd& block, Rng& rng) {
  uint32_t words[4] = {word(rng), word(rng), word(rng), word(rng)};
  words[0] = f.fixed | (words[0] & f.free) | opcode << f.shift;
  const bool plain = rng() % 2 == 0;     // without modifiers of values, as integers want it
  const bool nothing = rng() % 16 == 0;  // V_NOP
  if (source != 0 && nothing) {
    words[0] &= ~f.free;
    words[1] = 0;
  } else if (source == kSdwa) {
    words[1] &= plain ? 0x8787dfffu & ~0xe000u : 0xbfbfffffu;
    if ((words[1] >> 8 & 7) == 7) words[1] ^= 0x100;
    if ((words[1] >> 16 & 7) == 7) words[1] ^= 0x10000;
    if ((words[1] >> 24 & 7) == 7) words[1] ^= 0x1000000;
    if ((words[1] >> 11 & 3) == 3) words[1] ^= 0x800;
  } else if (source == kDpp) {
    words[1] &= plain ? 0xff0800ffu : 0xfff800ffu;
    words[1] |= static_cast<uint32_t>(rng() % 0x100) << 8;  // quad permutes
  } else if (!f.short_form && plain) {
    // Three sources, two, one; nothing at all.
    constexpr uint32_t kFields[] = {0x07ffffff, 0x0003ffff, 0x000001ff, 0};
    const size_t fields = rng() % 4;
    words[0] &= fields == 3 ? ~0xffffu : ~0xff00u;
    words[1] &= kFields[fields];
  }
  constexpr uint32_t kLiteral = 255;
  if (source == 0 && f.short_form && rng() % 8 == 0) source = kLiteral;
  if (source != 0) words[0] = (words[0] & ~0x1ffu) | source;
  return usable(words, block);
}

bool is_vector(const Operand& o) {
  return o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr;
}

/// Values, masks and mode around the instruction.
simd::Issue around(isa::Instruction instruction, uint32_t id, Rng& rng) {
  simd::Issue issue;
  issue.id = id;
  issue.slot = static_cast<uint8_t>(rng() % kSlots);
  const Rows& rows = kRows[issue.slot];
  issue.vgpr_base = rows.base;
  issue.vgpr_count = rows.count;
  issue.acc_base = rows.acc_base;
  issue.acc_count = rows.acc_count;
  // Most operands in range, so that instructions depend on each other.
  if (rng() % 8 != 0) {
    for (Operand* o :
         {&instruction.dst[0], &instruction.src[0], &instruction.src[1], &instruction.src[2]}) {
      if (is_vector(*o)) o->index = static_cast<uint16_t>(o->index % 56);
    }
  }
  issue.instruction = instruction;
  issue.mode = word(rng) & 0x008003ffu;
  if (rng() % 8 == 0) issue.mode |= 1u << 27;  // GPR indexing
  issue.m0 = word(rng) & 0xf03f;
  constexpr uint64_t kExec[] = {~uint64_t{0}, 0, 0x8000000000000001, 0xffff0000ffff0000};
  issue.exec = rng() % 3 == 0 ? kExec[rng() % 4] : rng();
  issue.wave = 100u + issue.slot;
  issue.pc = 0x1000 + 8 * uint64_t{id};
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& o = instruction.src[s];
    if (o.kind == OperandKind::None || is_vector(o)) continue;
    const bool constant = o.kind == OperandKind::Inline || o.kind == OperandKind::Literal;
    uint64_t value = constant ? o.value : rng() % 2 != 0 ? rng() : rng() & 0x3f;
    if (o.type == isa::Type::Mask) {
      issue.mask_in = value;
    } else if (s < 3) {
      if (o.dwords != 2) value &= 0xffffffff;
      issue.scalar[s] = value;
    }
  }
  for (const Operand& o : instruction.dst) {
    // The carry-out before it; VCC where it is the carry-in too.
    const bool mask = o.kind == OperandKind::Sgpr && o.type == isa::Type::Mask;
    const bool reads = instruction.src[2].type == isa::Type::Mask;
    if (instruction.encoding == isa::Encoding::Dpp && mask && !reads) {
      issue.mask_in = issue.exec * 0x9e3779b97f4a7c15 ^ issue.pc;
    }
  }
  return issue;
}

uint32_t lane_value(Rng& rng) {
  const uint32_t raw = word(rng);
  switch (rng() % 4) {
    case 0:
      return raw & 0x3f;
    case 1:
      return (raw & 0x807fffffu) | (120 + raw % 16) << 23;
    default:
      return raw;
  }
}

wave::LaneRow row_of(Rng& rng) {
  wave::LaneRow row;
  for (uint32_t& lane : row) lane = lane_value(rng);
  return row;
}

/// Transactions under way of a run.
class Driver {
 public:
  Driver(simd::Simd& block, uint64_t seed) : block_(block), rng_(seed) {}

  bool chance(unsigned of8) { return rng_() % 8 < of8; }

  void issue(const simd::Issue& next, machine::Cycle now) {
    ++slots_[next.slot];
    slot_of_.push_back({next.id, next.slot});
    block_.issue.push(next, now + 1);
  }
  /// A row of a wavefront with nothing under way, in or out.
  void rows(machine::Cycle now, bool reads) {
    const auto slot = static_cast<unsigned>(rng_() % (kSlots - 1));
    if (slots_[slot] != 0 || reads_slot_[slot]) return;
    const bool acc = rng_() % 2 != 0;
    const vrf::RowAddress address{
        acc, static_cast<uint16_t>((acc ? kRows[slot].acc_base : kRows[slot].base) + rng_() % 56)};
    if (rng_() % 2 == 0 && block_.fill.can_push(now)) {
      constexpr vrf::WritePort kPorts[] = {vrf::WritePort::MemoryReturn, vrf::WritePort::Matrix,
                                           vrf::WritePort::LaunchInit, vrf::WritePort::Backdoor};
      block_.fill.push({kPorts[rng_() % 4], address, rng_(), row_of(rng_)}, now + 1);
    } else if (reads && block_.fill.empty() && block_.read.can_push(now)) {
      ++reading_;
      reads_slot_[slot] = true;
      constexpr vrf::ReadPort kPorts[] = {vrf::ReadPort::MemoryData, vrf::ReadPort::MatrixA,
                                          vrf::ReadPort::Source1, vrf::ReadPort::Backdoor};
      block_.read.push({++next_read_, kPorts[rng_() % 4], address}, now + 1);
    }
  }
  /// A wavefront whose rows are being read must not write them.
  bool free(unsigned slot) const { return !reads_slot_[slot]; }
  bool idle() const { return slot_of_.empty() && reading_ == 0 && block_.fill.empty(); }

  void collect(machine::Cycle now, unsigned takes, Run& run) {
    while (block_.retire.front(now) != nullptr && chance(takes)) {
      const simd::Retire r = block_.retire.pop(now);
      ++run.beats;
      for (unsigned n = 0; n < r.dwords; ++n) {
        for (unsigned l = 0; l < 16; ++l) mix(run, (r.write >> l & 1) != 0 ? r.data[n][l] : 0);
      }
      mix(run, uint64_t{r.id} << 32 | r.mask << 16 | r.flags << 8 | r.beat);
      mix(run, r.scalar);
      if (!r.last) continue;
      ++run.instructions;
      for (auto at = slot_of_.begin(); at != slot_of_.end(); ++at) {
        if (at->first != r.id) continue;
        --slots_[at->second];
        slot_of_.erase(at);
        break;
      }
    }
    while (block_.row_data.front(now) != nullptr) {
      const simd::RowData row = block_.row_data.pop(now);
      for (const uint32_t lane : row.data) mix(run, lane);
      ++run.rows;
      if (reading_ != 0 && --reading_ == 0) reads_slot_ = {};
    }
  }

 private:
  static void mix(Run& run, uint64_t value) { run.hash = (run.hash ^ value) * 0x100000001b3u; }

  simd::Simd& block_;
  Rng rng_;
  std::array<unsigned, kSlots> slots_{};
  std::array<bool, kSlots> reads_slot_{};
  std::deque<std::pair<uint32_t, uint8_t>> slot_of_;  ///< id and slot, by age
  unsigned reading_ = 0;
  uint32_t next_read_ = 0;
};

}  // namespace

std::vector<simd::Issue> mixed(const simd::Simd& block, size_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<simd::Issue> out;
  while (out.size() < count) {
    for (const FormatBits& f : kFormats) {
      for (unsigned opcode = 0; opcode < f.opcodes && out.size() < count; ++opcode) {
        for (unsigned tries = 0; tries < 60; ++tries) {
          const auto instruction = draw(f, opcode, block, rng);
          if (!instruction) continue;
          out.push_back(around(*instruction, static_cast<uint32_t>(out.size() + 1), rng));
          break;
        }
      }
    }
  }
  return out;
}

std::vector<simd::Issue> every_encoding(const simd::Simd& block, unsigned copies, uint64_t seed) {
  Rng rng(seed);
  std::vector<simd::Issue> out;
  for (const FormatBits& f : kFormats) {
    for (unsigned opcode = 0; opcode < f.opcodes; ++opcode) {
      for (const uint32_t source : {0u, kSdwa, kDpp}) {
        if (source != 0 && !f.short_form) continue;
        unsigned made = 0;
        for (unsigned tries = 0; tries < 400 && made < copies; ++tries) {
          const auto instruction = draw_encoded(f, opcode, source, block, rng);
          if (!instruction) continue;
          out.push_back(around(*instruction, static_cast<uint32_t>(out.size() + 1), rng));
          ++made;
        }
      }
    }
  }
  return out;
}

void fill_rows(simd::Simd& block, uint64_t seed) {
  Rng rng(seed);
  for (const bool acc : {false, true}) {
    for (uint16_t row = 0; row < 256; ++row) {
      block.registers().write(vrf::WritePort::Backdoor, 0, {acc, row}, ~uint64_t{0}, row_of(rng));
    }
  }
}

Run run(simd::Simd& block, const std::vector<simd::Issue>& program, unsigned offers, unsigned takes,
        uint64_t seed, const std::function<bool()>& stop, bool reads) {
  Run run;
  Driver driver(block, seed);
  size_t next = 0;
  const machine::Cycle limit = 4096 + 256 * static_cast<machine::Cycle>(program.size());
  for (machine::Cycle now = 1; now < limit && !(stop && stop()); ++now) {
    driver.collect(now, takes, run);
    if (next < program.size() && driver.chance(offers) && block.issue.can_push(now) &&
        driver.free(program[next].slot)) {
      driver.issue(program[next++], now);
    }
    if (driver.chance(1)) driver.rows(now, reads);
    block.tick(now);
    run.cycles = now;
    run.complete = next == program.size() && driver.idle();
    if (run.complete) return run;
  }
  run.complete = false;
  return run;
}

machine::TimingRule exact() {
  machine::TimingRule rule;
  rule.kind = machine::TimingRule::Kind::Exact;
  return rule;
}

std::unique_ptr<simd::Simd> make(const char* name, uint64_t seed) {
  simd::Registry registry;
  simd::register_tlm(registry);
  ip::register_simd(registry, {}, {exact(), 1});
  simd::Config config;
  config.valu.seed = seed;
  config.timing = simd::Timing::Ports;
  return registry.make(name, config);
}

}  // namespace cuvette::simd_program
