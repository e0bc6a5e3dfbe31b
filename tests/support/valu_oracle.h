// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

// Result of one lane of a vector instruction, from host arithmetic (fenv) and MPFR. Shares no code
// with the RTL or with the layers fp and wave.
namespace cuvette::valu_oracle {

/// MODE and modifiers as plain fields.
struct Settings {
  unsigned round = 0;   ///< 0 nearest even, 1 up, 2 down, 3 zero
  unsigned denorm = 3;  ///< bit 0: operands kept, bit 1: results kept
  bool dx10_clamp = true;
  bool ieee = true;
  unsigned abs = 0, neg = 0, omod = 0;
  bool clamp = false;
  uint32_t mode() const;
  std::string str() const;
};

struct Sources {
  uint64_t src[3] = {};  ///< 32-bit operands in the low half, upper half zero
  uint32_t old = 0;
  bool mask = false;
  unsigned lane = 0;  ///< within the wavefront
  uint32_t word(unsigned i) const { return static_cast<uint32_t>(src[i]); }
};

struct Expected {
  bool writes = true, has_mask = false;
  uint64_t dst = 0;
  bool mask = false;
  unsigned flags = 0;  ///< bits of TRAPSTS.EXCP
};

/// `mnemonic` is one of rtl/valu/valu_ops.csv; throws std::out_of_range otherwise.
Expected expected(const std::string& mnemonic, const Settings& settings, const Sources& sources);

/// An operand word that is a corner case more often than not.
uint32_t corner_word(std::mt19937_64& random);
/// Sources of a lane for an instruction; sometimes close to each other, so that sums cancel.
Sources corner_sources(const std::string& mnemonic, std::mt19937_64& random);

}  // namespace cuvette::valu_oracle
