// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <deque>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "Varbiter_cell.h"
#include "Vskid_buffer_cell.h"
#include "ip/common/verilated_model.h"

// rtl/common/arbiter.sv and skid_buffer.sv against what their heads promise, from registers that
// start at random.
namespace cuvette {
namespace {

constexpr uint64_t kStarts[] = {1, 77, 4711};
constexpr unsigned kRequests = 5;  // no power of two
constexpr unsigned kCycles = 5000;

template <class Cell>
void reset(Cell& cell) {
  cell->rst_ni = 0;
  for (unsigned n = 0; n < 2; ++n) {
    cell.settle();
    cell.clock();
  }
  cell->rst_ni = 1;
}

/// The first request behind `last`, around the end.
int expected_grant(unsigned requests, unsigned last) {
  for (unsigned n = 1; n <= kRequests; ++n) {
    const unsigned i = (last + n) % kRequests;
    if ((requests >> i & 1) != 0) return static_cast<int>(i);
  }
  return -1;
}

TEST(Arbiter, ServesInTurns) {
  for (const uint64_t start : kStarts) {
    ip::VerilatedModel<Varbiter_cell, false> cell(start);
    cell.begin();
    cell->request_i = 0;
    cell->ready_i = 0;
    reset(cell);
    std::mt19937 rng(7);
    unsigned last = kRequests - 1;
    std::vector<unsigned> served(kRequests);
    for (unsigned n = 0; n < kCycles; ++n) {
      if (n % 500 == 252) {  // the turn is forgotten
        cell->request_i = 0;
        reset(cell);
        last = kRequests - 1;
      }
      const unsigned requests = n < 100 ? (1u << kRequests) - 1 : rng() % (1u << kRequests);
      const bool ready = rng() % 4 != 0;
      cell->request_i = static_cast<uint8_t>(requests);
      cell->ready_i = ready;
      cell.settle();
      const int grant = expected_grant(requests, last);
      ASSERT_EQ(cell->valid_o != 0, requests != 0) << n;
      ASSERT_EQ(cell->grant_o, grant < 0 ? 0u : 1u << grant) << n;
      ASSERT_EQ(cell->index_o, grant < 0 ? 0u : static_cast<unsigned>(grant)) << n;
      if (grant >= 0 && ready) {
        last = static_cast<unsigned>(grant);
        ++served[last];
      }
      cell.clock();
    }
    for (const unsigned times : served) EXPECT_GT(times, 500u);
    EXPECT_FALSE(cell.failure().has_value());
  }
}

TEST(SkidBuffer, LosesAndMixesNothing) {
  for (const uint64_t start : kStarts) {
    ip::VerilatedModel<Vskid_buffer_cell, false> cell(start);
    cell.begin();
    cell->up_valid_i = 0;
    cell->down_ready_i = 0;
    reset(cell);
    std::mt19937 rng(11);
    std::deque<uint32_t> sent;
    uint32_t word = rng();
    bool offered = false;
    unsigned stalled = 0, passed = 0, kept = 0;
    for (unsigned n = 0; n < kCycles; ++n) {
      // A word that is offered stays until it is taken.
      offered = offered || rng() % 8 < (n / 500 % 2 == 0 ? 6u : 2u);
      const bool ready = rng() % 8 < (n / 500 % 2 == 0 ? 3u : 6u);
      cell->up_valid_i = offered;
      cell->up_data_i = word;
      // Ready does not depend on the receiver in the same cycle.
      cell->down_ready_i = !ready;
      cell.settle();
      const bool before = cell->up_ready_o != 0;
      cell->down_ready_i = ready;
      cell.settle();
      ASSERT_EQ(cell->up_ready_o != 0, before) << n;
      ASSERT_EQ(before, sent.empty()) << n;  // one word of room
      const bool taken = offered && before;
      const bool from_here = !sent.empty();
      if (taken) sent.push_back(word);
      ASSERT_EQ(cell->down_valid_o != 0, !sent.empty()) << n;
      if (!sent.empty()) {
        ASSERT_EQ(cell->down_data_o, sent.front()) << n;
      }
      if (!sent.empty() && ready) {
        sent.pop_front();
        ++(from_here ? kept : passed);
      }
      stalled += offered && !before;
      if (taken) {
        offered = false;
        word = rng();
      }
      cell.clock();
    }
    EXPECT_GT(stalled, 300u);
    EXPECT_GT(passed, 300u);
    EXPECT_GT(kept, 300u);
    EXPECT_FALSE(cell.failure().has_value());
  }
}

}  // namespace
}  // namespace cuvette
