// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/wave_loop.h"

#include <fmt/format.h>

#include "isa/encode.h"
#include "isa/registers.h"

namespace cuvette::bench {
namespace {

constexpr unsigned kCounter = 100;  // SGPR; bodies leave it alone

void place(isa::Operand& operand, const isa::OperandSpec& spec) {
  operand.type = spec.type;
  operand.dwords = spec.dwords;
  operand.read = spec.read;
  operand.write = spec.write;
}

bool is_fixed(isa::Role role) {
  return role == isa::Role::SdstMask || role == isa::Role::VccIn || role == isa::Role::Vcc;
}

base::Status append(const Line& line, isa::Target target, std::vector<uint32_t>& words,
                    uint32_t simm16 = 0) {
  isa::Instruction i;
  i.row = row_of(line.mnemonic, target);
  if (i.row == nullptr) return base::Error(fmt::format("no row {}", line.mnemonic));
  i.target = target;
  size_t next = 0;
  const auto set = [&](const isa::OperandSpec& spec, isa::Operand& operand) {
    if (spec.role == isa::Role::None) return;
    place(operand, spec);
    operand.kind = isa::OperandKind::Sgpr;
    operand.index = isa::kVccLo;
    if (spec.role == isa::Role::Simm16 || spec.role == isa::Role::Label) {
      operand.kind = isa::OperandKind::Immediate;
      operand.value = simm16;
    } else if (!is_fixed(spec.role) && next < line.registers.size()) {
      operand.kind = line.registers[next].kind;
      operand.index = static_cast<uint16_t>(line.registers[next].index);
      ++next;
    }
  };
  for (unsigned n = 0; n < 2; ++n) set(i.row->dst[n], i.dst[n]);
  for (unsigned n = 0; n < 4; ++n) set(i.row->src[n], i.src[n]);
  if (auto status = isa::encode(i); !status.ok()) return status;
  words.insert(words.end(), i.words, i.words + i.length);
  return {};
}

}  // namespace

const isa::Row* row_of(std::string_view mnemonic, isa::Target target) {
  for (const isa::Row& row : isa::rows()) {
    if (row.mnemonic_on(target) == mnemonic && row.on(target)) return &row;
  }
  return nullptr;
}

WaveLoop::WaveLoop(isa::Target target, uint64_t lines)
    : program_(memory_, target), port_(memory_), wave_(target, kVgprs, kAccVgprs), lines_(lines) {
  group_.waves = 1;
  wave_.group = &group_;
  wave_.state.s.mode.raw = wave::kDefaultMode;
  wave_.state.s.set_exec(~uint64_t{0});
}

base::Result<std::unique_ptr<WaveLoop>> WaveLoop::make(const std::vector<Line>& body,
                                                       isa::Target target) {
  std::vector<uint32_t> words;
  for (const Line& line : body) {
    if (auto status = append(line, target, words); !status.ok()) return status.error();
  }
  // SGPR 101 holds 1, SGPR 99 holds 0.
  for (const Line& line : {Line{"s_sub_u32", {s(kCounter), s(kCounter), s(kCounter + 1)}},
                           Line{"s_cmp_lg_u32", {s(kCounter), s(kCounter - 1)}}}) {
    if (auto status = append(line, target, words); !status.ok()) return status.error();
  }
  const auto back = static_cast<uint16_t>(-static_cast<int>(words.size()) - 1);
  if (auto status = append({"s_cbranch_scc1", {}}, target, words, back); !status.ok()) {
    return status.error();
  }
  if (auto status = append({"s_endpgm", {}}, target, words); !status.ok()) return status.error();

  std::unique_ptr<WaveLoop> loop(new WaveLoop(target, body.size()));
  hsa::DeviceMemory::Options options;
  options.permitted = hsa::Access::Execute;
  const uint64_t bytes = 4 * words.size();
  auto address = loop->memory_.allocate(bytes, options);
  if (!address) return address.error();
  if (!loop->memory_.poke(*address, words.data(), bytes).ok()) {
    return base::Error("the program cannot be written");
  }
  loop->start_ = *address;
  return loop;
}

base::Status WaveLoop::run() {
  wave::ScalarState& scalar = wave_.state.s;
  scalar.sgpr[kCounter - 1] = 0;
  scalar.sgpr[kCounter] = kRounds;
  scalar.sgpr[kCounter + 1] = 1;
  scalar.pc = start_;
  wave_.status = golden::WaveStatus::Running;
  const uint64_t wanted = instructions() + 1;  // and s_endpgm
  const uint64_t done = wave_.run(2 * wanted, program_, port_, nullptr);
  if (wave_.status != golden::WaveStatus::Ended || done != wanted) {
    return base::Error(
        fmt::format("the loop ran {} instead of {} instructions {}", done, wanted, wave_.failure));
  }
  return {};
}

void fill_near_one(wave::LaneRow* rows, unsigned count) {
  uint32_t x = 0x12345;
  for (unsigned r = 0; r < count; ++r) {
    for (uint32_t& lane : rows[r]) {
      x = x * 1664525 + 1013904223;
      lane = 0x3f000000 | (x >> 9);  // 0.5 to 1
    }
  }
}

}  // namespace cuvette::bench
