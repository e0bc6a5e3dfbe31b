// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_program.h"

#include <random>

#include "valu_oracle.h"

namespace cuvette::valu_program {
namespace {

/// Draws modifiers until the block takes them; most rows take the first or none.
void draw_modifiers(const valu::Valu& block, const isa::Row& row, std::mt19937_64& random,
                    valu::Request& r) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    const uint64_t word = random();
    isa::Modifiers m;
    if ((word & 1) != 0) {
      m.abs = word >> 8 & 3;
      m.neg = word >> 10 & 3;
    }
    if ((word & 6) == 0) m.omod = word >> 12 & 3;
    m.clamp = (word & 0x30) == 0;
    if (block.implements(row, isa::Encoding::Vop3, m)) {
      r.encoding = isa::Encoding::Vop3;
      r.modifiers = m;
      return;
    }
  }
}

}  // namespace

std::vector<valu::Request> mixed(const valu::Valu& block, size_t count, uint64_t seed) {
  std::vector<const isa::Row*> rows;
  for (const isa::Row& row : isa::rows()) {
    if (block.implements(row, isa::Encoding::Native, {})) rows.push_back(&row);
  }
  std::mt19937_64 random(seed);
  std::vector<valu::Request> program(count);
  for (size_t i = 0; i < count; ++i) {
    valu::Request& r = program[i];
    const isa::Row& row = *rows[i % rows.size()];
    r.id = static_cast<uint32_t>(i + 1);
    r.row = static_cast<uint16_t>(isa::index_of(row));
    r.beat = static_cast<uint8_t>(random() & 3);
    r.mode = static_cast<uint32_t>(random()) & 0x3ff;
    r.mode |= r.mode << 2 & 0xc0;
    draw_modifiers(block, row, random, r);
    const uint64_t word = random();
    r.exec = (word & 3) == 0 ? static_cast<uint16_t>(word >> 16) : uint16_t{0xffff};
    for (unsigned l = 0; l < valu::kLanes; ++l) {
      const valu_oracle::Sources in =
          valu_oracle::corner_sources(std::string(row.mnemonic), random);
      for (unsigned s = 0; s < 3; ++s) r.src[s][l] = in.src[s];
      r.old[l] = in.old;
      if (in.mask) r.mask_in = static_cast<uint16_t>(r.mask_in | 1u << l);
    }
  }
  return program;
}

Run run(valu::Valu& block, const std::vector<valu::Request>& program, unsigned offers,
        unsigned takes, uint64_t seed, const std::function<bool()>& stop) {
  std::mt19937_64 random(seed);
  Run out;
  size_t next = 0;
  const machine::Cycle limit = 64 + 64 * program.size();
  machine::Cycle now = 0;
  for (; out.responses.size() < program.size() && now < limit; ++now) {
    if (stop && stop()) break;
    if (next < program.size() && random() % 8 < offers && block.request.can_push(now)) {
      block.request.push(program[next++], now);
    }
    block.tick(now);
    if (random() % 8 < takes && block.response.front(now) != nullptr) {
      out.responses.push_back(block.response.pop(now));
    }
  }
  out.cycles = now;
  out.complete = out.responses.size() == program.size();
  return out;
}

}  // namespace cuvette::valu_program
