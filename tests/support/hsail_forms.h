// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "hsail/matrix_table.h"

/// The scalar instruction forms of HSAIL with operands for tests.
namespace cuvette::hsail_forms {

/// One instruction form. Operand letters: w a 32-bit register, q a 64-bit one, n a small count in a
/// 32-bit register, k and j 24-bit values without and with sign, f e d f16, f32 and f64 values, c a
/// b1.
struct Form {
  std::string opcode;    ///< with types
  char result;           ///< w q c, or f e d for floats
  std::string operands;  ///< one letter each
};

std::vector<Form> integer_forms();
std::vector<Form> float_forms();
std::vector<Form> compare_forms();
std::vector<Form> convert_forms();
/// Forms that LLVM does not fold: 24-bit multiplication and native floats.
std::vector<Form> machine_forms();
/// Rounding modes other than near.
std::vector<Form> rounding_forms();

/// A matrix instruction of extension cuvette:mfma in a kernel of its own.
struct MatrixForm {
  std::string statement;
  std::string kernel;    ///< &name(%in, %out), for whole wavefronts
  unsigned input_words;  ///< of a work-item: 32 bits each, the items one after the other
  unsigned output_words;
};
/// Every instruction that `target` has, `turns` times: random registers for A, B and the index,
/// random lists for C and D, which may share registers and stand in any order, sometimes a constant
/// for C, random modifiers that the target allows. The kernels are &m0, &m1 and so on.
std::vector<MatrixForm> matrix_forms(hsail::MatrixTarget target, uint64_t seed, unsigned turns);

/// The form with operands for which the HSAIL PRM defines the result of every lane. More letters: W
/// Q positive and not zero, o a number below 16, F E D floats from 0 to 100, G H I from -100 to
/// 100.
Form restricted(Form form);

/// Operand values: half edge values, half random bits.
class Source {
 public:
  explicit Source(uint64_t seed) : random_(seed) {}
  uint64_t value(char kind);
  /// 32 bits of elements of any format of the matrix instructions.
  uint32_t matrix_word();

 private:
  uint64_t small_float(char kind);
  uint64_t pick(std::initializer_list<uint64_t> edges);
  std::mt19937_64 random_;
};

/// True if the bits are a NaN of a result letter; never for integers.
bool is_nan(char kind, uint64_t bits);
constexpr bool is_wide(char kind) {
  return kind == 'q' || kind == 'd' || kind == 'Q' || kind == 'D' || kind == 'I';
}

}  // namespace cuvette::hsail_forms
