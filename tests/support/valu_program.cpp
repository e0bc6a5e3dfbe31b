// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_program.h"

#include <random>

#include "valu_vectors.h"

namespace cuvette::valu_program {
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
    r.mode = static_cast<uint32_t>(random()) & (0x3ff | 1u << 23);
    valu_vectors::draw(row, random, r);
    if (!block.implements(row, valu::encoding_of(r.modifiers), r.modifiers)) r.modifiers = {};
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
