// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include "ip/matrix_core/matrix_lockstep.h"
#include "ip/matrix_core/matrix_rtl.h"
#include "speed/block_speed.h"

namespace cuvette::bench {
namespace {

/// The passes of one instruction. Numbers around one: no subnormals, hardly an overflow, so that no
/// path is special.
std::vector<matrix_core::Operands> passes_of(const isa::Row& row) {
  std::mt19937_64 random(1);
  const auto fill = [&](wave::LaneRow& lanes, isa::Type type) {
    for (uint32_t& lane : lanes) {
      const auto word = static_cast<uint32_t>(random());
      const bool half = type == isa::Type::F16;
      lane = half ? (word & 0x87ff87ff) | 0x38003800 : (word & 0x87ff87ff) | 0x3c003c00;
    }
  };
  const unsigned count = matrix_core::operand_passes(row);
  std::vector<matrix_core::Operands> out(count);
  for (unsigned p = 0; p < count; ++p) {
    matrix_core::Operands& o = out[p];
    o.row = static_cast<uint16_t>(isa::index_of(row));
    o.pass = static_cast<uint8_t>(p);
    o.last = p + 1 == count;
    fill(o.a, row.matrix.a);
    for (wave::LaneRow& b : o.b) fill(b, row.matrix.a);
    o.c_rows = matrix_core::kRowsPerPass;
    for (wave::LaneRow& c : o.c) fill(c, row.matrix.c);
  }
  return out;
}

uint64_t run_bare(ip::PinDevice& device, const std::vector<matrix_core::Operands>& passes,
                  unsigned instructions) {
  using Message = contract::Message<matrix_core::Operands>;
  std::vector<contract::Pins<matrix_core::Operands>> beats;
  for (const matrix_core::Operands& pass : passes) {
    for (unsigned b = 0; b < Message::kBeats; ++b) beats.push_back(contract::pack(pass, b));
  }
  const uint64_t wanted = uint64_t{instructions} * beats.size();
  uint64_t taken = 0, cycles = 0;
  for (; taken < wanted; ++cycles) {
    device.drive(0, reinterpret_cast<const uint8_t*>(beats[taken % beats.size()].data()));
    device.accept(1, true);
    taken += device.ready(0) ? 1 : 0;
    device.clock();
  }
  return cycles;
}

uint64_t run_block(matrix_core::MatrixCore& block, std::vector<matrix_core::Operands>& passes,
                   unsigned instructions, machine::Cycle& now) {
  const machine::Cycle start = now;
  size_t asked = 0;
  uint32_t id = 0;
  for (unsigned answered = 0; answered < instructions; ++now) {
    while (id < instructions && block.operands.can_push(now)) {
      passes[asked].id = id;
      block.operands.push(passes[asked], now + 1);
      if (++asked == passes.size()) {
        asked = 0;
        ++id;
      }
    }
    block.tick(now);
    if (const matrix_core::Result* r = block.result.front(now)) {
      if (r->last) ++answered;
      block.result.drop(now);
    }
  }
  return now - start;
}

}  // namespace

BlockSpeed measure_matrix(const std::string& mnemonic, unsigned instructions) {
  const isa::Row* row = isa::find_row(mnemonic, isa::Format::Vop3pMai);
  constexpr isa::Target kTarget = isa::Target::Gfx908;
  if (row == nullptr || !ip::MatrixRtl(ip::make_matrix_fast(), kTarget).implements(*row)) return {};
  std::vector<matrix_core::Operands> passes = passes_of(*row);
  const auto device = ip::make_matrix_fast();
  ip::MatrixRtl rtl(ip::make_matrix_fast(), kTarget);
  ip::LockstepOptions options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  ip::MatrixLockstep lockstep(ip::make_matrix_fast(), matrix_core::Config{}, options, {});
  machine::Cycle rtl_now = 0, lockstep_now = 0;
  return measure_speed([&] { return run_bare(*device, passes, instructions); },
                       [&] { return run_block(rtl, passes, instructions, rtl_now); },
                       [&] { return run_block(lockstep, passes, instructions, lockstep_now); });
}

}  // namespace cuvette::bench
