// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

/// Random legal HSAIL kernels whose results the HSAIL PRM defines: straight code, branches,
/// switches, loops, calls, barriers, group, private and spill memory, flat addresses, atomics,
/// cross-lane instructions.
namespace cuvette::hsail_kernels {

/// Buffers of a kernel &k(%in, %out, %shared): kInputWords words; kOutputBytes of output for each
/// work-item, zero; kSharedWords words for atomics of everybody, zero.
constexpr uint32_t kInputWords = 256;
constexpr uint32_t kOutputBytes = 160;
constexpr uint32_t kSharedWords = 8;

/// A piece of a kernel or function, with pieces inside when it branches. Every piece may be left
/// out, and what remains is legal: registers and memory have values before the first.
struct Piece {
  enum class Kind {
    Plain,       ///< text
    If,          ///< text, which leaves a condition in $c7; inside or other
    Switch,      ///< text, which leaves an index in $s60; four of the pieces inside
    Loop,        ///< text, which leaves a count from 1 in the counter; inside, so often
    Break,       ///< text, which leaves a condition in $c7; leaves the innermost loop
    Irreducible  ///< text, which leaves a number of steps from 1 in the counter; `ways` name
                 ///< blocks, each with one of the pieces inside and a branch to any other or the
                 ///< end, so often
  };
  Kind kind = Kind::Plain;
  std::string text;
  std::string counter;  ///< Loop, Irreducible: a register
  std::vector<Piece> inside, other;
  std::vector<std::string> ways;  ///< Irreducible: how each block ends
  unsigned number = 0;            ///< for labels
};

struct Kernel {
  uint64_t seed = 0;
  uint32_t items = 0;
  uint16_t group = 0;
  std::vector<std::vector<Piece>> functions;  ///< &f0 and so on; each may call those before it
  std::vector<Piece> body;
  std::set<std::string> features;  ///< features that occur

  /// A module with this kernel.
  std::string text() const;
  /// Pieces of all levels.
  size_t pieces() const;
};

/// The same kernel for the same seed, everywhere.
Kernel random_kernel(uint64_t seed);

/// The kernel without the pieces that `fails` does not need: a piece goes, or makes room for what
/// is inside it, as long as the kernel still fails.
Kernel reduced(Kernel kernel, const std::function<bool(const Kernel&)>& fails);

}  // namespace cuvette::hsail_kernels
