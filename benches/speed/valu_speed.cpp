// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <vector>

#include "ip/valu/valu_lockstep.h"
#include "ip/valu/valu_rtl.h"
#include "speed/block_speed.h"
#include "valu/operations.h"

namespace cuvette::bench {
namespace {

const isa::Row* find(const std::string& mnemonic) {
  for (const valu::Operation& op : valu::operations()) {
    if (op.mnemonic == mnemonic && op.on(isa::Target::Gfx908))
      return isa::find_row(op.mnemonic, op.format);
  }
  return nullptr;
}

/// Numbers around one: no denormals, hardly an overflow, so that no path is special.
std::vector<valu::Request> requests(const isa::Row& row) {
  std::mt19937_64 random(1);
  std::vector<valu::Request> out(64);
  for (valu::Request& r : out) {
    r.row = static_cast<uint16_t>(isa::index_of(row));
    r.mode = 0x3f0;
    r.exec = 0xffff;
    for (auto& source : r.src) {
      for (uint64_t& lane : source) lane = (random() & 0x87ffffff) | 0x3c000000;
    }
    r.old = r.src[2];
  }
  return out;
}

uint64_t run_bare(ip::PinDevice& device, const std::vector<valu::Request>& program,
                  uint64_t beats) {
  std::vector<contract::Pins<valu::Request>> pins;
  for (const valu::Request& request : program) pins.push_back(contract::pack(request));
  contract::Pins<valu::Response> answer{};
  uint64_t answered = 0;
  for (uint64_t n = 0; answered < beats; ++n) {
    device.drive(0, reinterpret_cast<const uint8_t*>(pins[n % pins.size()].data()));
    device.accept(1, true);
    answered += device.sample(1, reinterpret_cast<uint8_t*>(answer.data())) ? 1 : 0;
    device.clock();
  }
  return beats * valu::kLanes;
}

uint64_t run_block(valu::Valu& block, std::vector<valu::Request>& program, uint64_t beats,
                   machine::Cycle& now) {
  uint64_t asked = 0;
  for (uint64_t answered = 0; answered < beats; ++now) {
    if (asked < beats && block.request.can_push(now)) {
      valu::Request& request = program[asked % program.size()];
      request.id = static_cast<uint32_t>(asked++);
      block.request.push(request, now);
    }
    block.tick(now);
    if (block.response.front(now) != nullptr) {
      block.response.drop(now);
      ++answered;
    }
  }
  return beats * valu::kLanes;
}

}  // namespace

BlockSpeed measure_valu(const std::string& mnemonic, uint64_t beats) {
  const isa::Row* row = find(mnemonic);
  if (row == nullptr) return {};
  std::vector<valu::Request> program = requests(*row);
  const auto device = ip::make_valu_fast();
  ip::ValuRtl rtl(ip::make_valu_fast());
  ip::ValuLockstep lockstep(ip::make_valu_fast(), valu::Config{});
  machine::Cycle rtl_now = 0, lockstep_now = 0;
  return measure_speed([&] { return run_bare(*device, program, beats); },
                       [&] { return run_block(rtl, program, beats, rtl_now); },
                       [&] { return run_block(lockstep, program, beats, lockstep_now); });
}

}  // namespace cuvette::bench
