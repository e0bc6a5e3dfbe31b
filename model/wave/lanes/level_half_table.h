// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "fp/format.h"
#include "wave/lanes/level_float.h"

// Functions of one F16 on a level: results of the row's own function are kept in a table, each from
// when it is first wanted.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// Tables of a function by environment, filled by any number of threads.
class HalfTables {
 public:
  /// By operand: result in 15:0, flags in 23:16, kKnown; 0: not computed.
  using Table = std::array<std::atomic<uint32_t>, 65536>;
  static constexpr uint32_t kKnown = 1u << 31;

  constexpr HalfTables() = default;
  HalfTables(const HalfTables&) = delete;
  HalfTables& operator=(const HalfTables&) = delete;
  ~HalfTables() {
    for (auto& table : tables_) delete table.load(std::memory_order_relaxed);
  }

  Table& of(const fp::Env& env) {
    const unsigned key = static_cast<unsigned>(env.round) | unsigned{env.flush_in} << 2 |
                         unsigned{env.flush_out} << 3 | unsigned{env.ieee} << 4 |
                         unsigned{env.fp16_ovfl} << 5;
    Table* const table = tables_[key].load(std::memory_order_acquire);
    return table != nullptr ? *table : make(key);
  }

 private:
  Table& make(unsigned key) {
    auto fresh = std::make_unique<Table>();
    Table* expected = nullptr;
    if (!tables_[key].compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) {
      return *expected;
    }
    return *fresh.release();
  }

  std::array<std::atomic<Table*>, 64> tables_{};
};

/// D = Fn(S0, env): an F16, or a word of 16 bits, which has no abs and neg.
template <auto Fn>
CUVETTE_LEVEL void half_table_row(const LaneOp& op, LaneResult& result) {
  static constinit HalfTables tables;
  const fp::Env env = op.mode.env_f16_f64();
  HalfTables::Table& table = tables.of(env);
  const QuickSource<fp::F16> in(op, 0, false);
  alignas(64) uint32_t d[kLanes];
  uint32_t flags = 0;
  for (uint64_t left = op.exec; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const uint32_t x = in.at(lane);
    uint32_t known = table[x].load(std::memory_order_relaxed);
    if (known == 0) [[unlikely]] {
      fp::Env own = env;
      const uint16_t value = Fn(static_cast<uint16_t>(x), own);
      known = HalfTables::kKnown | uint32_t{own.flags} << 16 | value;
      table[x].store(known, std::memory_order_relaxed);
    }
    d[lane] = known & 0xffff;
    flags |= known >> 16;
  }
  put_row(op, result.dst[0], d);
  result.flags = static_cast<uint8_t>(flags);
}

template <auto Fn, bool Float>
constexpr Row half_table() {
  Row row = lane_row<half_table_row<Fn>>;
  if (Float) row.edited = row.plain;
  return row;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
