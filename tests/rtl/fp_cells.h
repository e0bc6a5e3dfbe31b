// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>

#include <verilated.h>

#include "Vfp_cells.h"

// The arithmetic cells of rtl/common behind tb/common/fp_cells_tb.sv, and operands for them.
namespace cuvette::fp_cells {

/// The cells, one simulation.
class Cells {
 public:
  Cells() : model_(std::make_unique<Vfp_cells>(&context_)) { model_->clk_i = 0; }
  ~Cells() { model_->final(); }
  Vfp_cells& pins() { return *model_; }
  void eval() { model_->eval(); }

  /// Factors in one cycle, the addend in the next; then results are at the pins.
  void compute(const uint32_t (&a)[4], const uint32_t (&b)[4], uint32_t c, uint64_t wide_c = 0) {
    load(a, b);
    add(c, wide_c);
  }
  void load(const uint32_t (&a)[4], const uint32_t (&b)[4]) {
    std::memcpy(&model_->a_i, a, sizeof a);
    std::memcpy(&model_->b_i, b, sizeof b);
    model_->load_i = 1;
    model_->sum_i = 0;
    clock();
    model_->load_i = 0;
    // Values at the pins now are no factors.
    std::memset(&model_->a_i, 0x5a, sizeof a);
    clock();
  }
  /// May follow another one: the product stays.
  void add(uint32_t c, uint64_t wide_c = 0) {
    model_->c_i = c;
    model_->wide_c_i = wide_c;
    model_->sum_i = 1;
    eval();
  }

 private:
  void clock() {
    model_->clk_i = 0;
    eval();
    model_->clk_i = 1;
    eval();
    model_->clk_i = 0;
    eval();
  }
  VerilatedContext context_;
  std::unique_ptr<Vfp_cells> model_;
};

/// Words weighted to what goes wrong: `exponent_bits` wide fields at `width` bits.
inline uint32_t corner(std::mt19937_64& random, unsigned width, unsigned exponent_bits) {
  const unsigned fraction_bits = width - 1 - exponent_bits;
  const uint64_t word = random();
  const auto sign = static_cast<uint32_t>(word & 1) << (width - 1);
  const uint32_t most = (1u << exponent_bits) - 1;
  const auto fraction = static_cast<uint32_t>(word >> 8) & ((1u << fraction_bits) - 1);
  const uint32_t bias = most / 2;
  const auto with = [&](uint32_t exponent) { return sign | exponent << fraction_bits | fraction; };
  switch (word >> 40 & 15) {
    case 0:
      return sign;  // zeros
    case 1:
      return with(0);  // subnormal
    case 2:
      return sign | 1u << fraction_bits;  // smallest normal
    case 3:
      return sign | ((most << fraction_bits) - 1);  // largest finite
    case 4:
      return (word >> 44 & 3) == 0 ? with(most) : sign | most << fraction_bits;  // NaN, infinity
    case 5:
      return with(static_cast<uint32_t>(word >> 48) & most);  // any exponent
    case 6:
      return sign | bias << fraction_bits;  // one
    case 7:
      return with(bias / 2 + static_cast<uint32_t>(word >> 48) % 4);  // products near the smallest
    case 8:
      return sign | static_cast<uint32_t>(word >> 48 & 7);  // the smallest subnormals
    default:
      return with(bias + static_cast<uint32_t>(word >> 48) % 4 - 1);
  }
}

}  // namespace cuvette::fp_cells
