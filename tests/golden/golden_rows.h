// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "golden/memory_port.h"
#include "wave_fixture.h"

// One wave, device memory, LDS and GDS, and a record of the rows that were carried out.
namespace cuvette::golden::testing {

using isa::Role;
using wave::kLanes;
using wave::MemoryOp;
using wave::MemoryReply;
using wave::testing::Build;
using wave::testing::off;
using wave::testing::sgpr;
using wave::testing::vgpr;
using wave::testing::Wave;

/// Row ids carried out by any test of the program.
inline std::set<std::string>& covered() {
  static std::set<std::string> rows;
  return rows;
}

struct Bench {
  hsa::DeviceMemory memory;
  MemoryPort port{memory};
  std::vector<uint8_t> lds = std::vector<uint8_t>(4096);
  Wave wave;
  MemoryReply reply;
  uint64_t base = 0;
  static constexpr uint64_t kBytes = 1 << 20;

  explicit Bench(isa::Target target = isa::Target::Gfx908) : wave(target) {
    auto allocated = memory.allocate(kBytes);
    EXPECT_TRUE(allocated.ok());
    base = *allocated;
    wave.state.alloc.lds_bytes = static_cast<uint32_t>(lds.size());
  }

  /// Carries an instruction out; what is refused is a failure.
  MemoryOp run(const Build& build) {
    MemoryOp op;
    if (!make_memory_op(wave.state, build.i, op)) {
      ADD_FAILURE() << build.i.row->mnemonic << " refused: " << op.refusal;
      return op;
    }
    covered().insert(isa::row_id(*build.i.row));
    reply = MemoryReply{};
    port.perform(op, wave.state.s.mode, lds, reply);
    wave::complete(wave.state, op, reply);
    op.instruction = nullptr;
    return op;
  }
  std::string refusal(const Build& build) {
    MemoryOp op;
    EXPECT_FALSE(make_memory_op(wave.state, build.i, op)) << build.i.row->mnemonic;
    return op.refusal;
  }

  uint32_t word(uint64_t offset) {
    uint32_t value = 0;
    EXPECT_TRUE(memory.read_value(base + offset, &value));
    return value;
  }
  void set_word(uint64_t offset, uint32_t value) {
    EXPECT_TRUE(memory.write_value(base + offset, value));
  }
  uint8_t byte(uint64_t offset) {
    return static_cast<uint8_t>(word(offset & ~uint64_t{3}) >> 8 * (offset & 3));
  }
  uint32_t lds_word(unsigned offset) const {
    uint32_t value = 0;
    std::memcpy(&value, &lds[offset], 4);
    return value;
  }
  uint64_t lds_pair(unsigned offset) const {
    return lds_word(offset) | uint64_t{lds_word(offset + 4)} << 32;
  }
  void set_lds(unsigned offset, uint64_t value, unsigned bytes) {
    std::memcpy(&lds[offset], &value, bytes);
  }
  uint32_t& m0() { return wave.state.s.sgpr[isa::kM0]; }
};

inline float as_float(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

}  // namespace cuvette::golden::testing
