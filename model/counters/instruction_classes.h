// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/row.h"

namespace cuvette::counters {

/// Classes of instructions that hardware counters tell apart. An instruction is in several of them.
enum class Class : uint8_t {
  All,
  Valu,  ///< vector arithmetic, transcendental and matrix instructions
  Salu,
  Smem,
  Vmem,  ///< buffer, image, FLAT, GLOBAL and SCRATCH; no cache maintenance
  VmemRead,
  VmemWrite,
  Flat,         ///< the three segments of the FLAT encoding
  FlatSegment,  ///< of them FLAT itself
  Ds,           ///< the rows of the LDS, also with the GDS bit
  Export,
  Branch,
  Message,
  Other,  ///< S_NOP, S_WAITCNT, S_ENDPGM and their like
  AddF16,
  MulF16,
  FmaF16,
  TransF16,
  AddF32,
  MulF32,
  FmaF32,
  TransF32,
  AddF64,
  MulF64,
  FmaF64,
  TransF64,
  Int32,
  Int64,
  Convert,
  Matrix,
  MatrixI8,  ///< by the type of A
  MatrixF16,
  MatrixBf16,
  MatrixF32,
  MatrixF64,
  MatrixOpsI8,  ///< multiplications and additions, in units of 512
  MatrixOpsF16,
  MatrixOpsBf16,
  MatrixOpsF32,
  MatrixOpsF64,
  ScalarLoad1,  ///< dwords
  ScalarLoad2,
  ScalarLoad4,
  ScalarLoad8,
  ScalarLoad16,
  Buffer,
  BufferRead,
  BufferWrite,
  BufferAtomic,
  FlatRead,
  FlatWrite,
  FlatAtomic,
  VmemAtomic,
};
inline constexpr unsigned kClasses = 53;
/// "valu", "matrix_ops_f16": names of series of a Sample, behind "insts.".
const char* name_of(Class c);

/// Amounts that an instruction of a row adds to each class.
class ClassTable {
 public:
  ClassTable();
  /// Sums over instructions by row (isa::index_of).
  std::array<uint64_t, kClasses> count(const std::vector<uint64_t>& by_row) const;

 private:
  struct Entry {
    Class of = Class::All;
    uint32_t weight = 1;
  };
  void add(const isa::Row& row);
  void put(Class c, uint32_t weight = 1) { entries_.push_back({c, weight}); }
  void add_vector(const isa::Row& row);
  void add_matrix(const isa::Row& row);
  void add_memory(const isa::Row& row);

  std::vector<Entry> entries_;
  std::vector<uint32_t> first_;  // by row, and one more
};

}  // namespace cuvette::counters
