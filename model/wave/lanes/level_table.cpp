// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/level_table.h"

#include "wave/executor/level_memory.h"
#include "wave/executor/level_vector.h"
#include "wave/lanes/families.h"
#include "wave/lanes/level_matrix.h"

namespace cuvette::wave::lanes {
inline namespace CUVETTE_LEVEL_NAME {
namespace {

LevelTable make_table() {
  LevelTable table{};
  for (const EntryList list :
       {integer32(), integer_wide(), integer16(), integer_bytes(), integer_compare(), moves(),
        float_compare(), float_basic(), float_unary(), float_convert(), float_divide(),
        transcendental(), packed(), mixed()}) {
    for (const Entry& entry : list) table.rows[static_cast<size_t>(entry.semantic)] = entry.row;
  }
  table.called = run_called;
  table.routed = run_routed;
  put_memory(table);
  put_atomics(table);
  table.matrix = level_matrix;
  table.dot = level_dot;
  table.dot_decode = level_dot_decode;
  table.chain_f64 = level_chain_f64;
  table.widen = level_widen;
  return table;
}

}  // namespace
}  // namespace CUVETTE_LEVEL_NAME

#if CUVETTE_LANES_LEVEL == 4
const LevelTable& level_table_v4() {
#elif CUVETTE_LANES_LEVEL == 3
const LevelTable& level_table_v3() {
#else
const LevelTable& level_table_v2() {
#endif
  static const LevelTable table = make_table();
  return table;
}

}  // namespace cuvette::wave::lanes
