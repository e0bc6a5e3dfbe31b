// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "Vfifo_cell.h"
#include "ip/common/verilated_model.h"

// rtl/common/fifo.sv against a queue of the standard library.
namespace cuvette {
namespace {

constexpr size_t kDepth = 4;

TEST(Fifo, KeepsOrderAndKnowsFullAndEmpty) {
  for (const uint64_t start : {1u, 77u, 4711u}) {
    ip::VerilatedModel<Vfifo_cell, false> fifo(start);
    fifo.begin();
    const auto cycle = [&] {
      fifo.settle();
      fifo.clock();
    };
    fifo->rst_ni = 0;
    fifo->push_i = fifo->pop_i = 0;
    cycle();
    cycle();
    fifo->rst_ni = 1;
    std::mt19937 rng(5);
    std::deque<uint32_t> queue;
    unsigned full = 0, empty = 0;
    for (unsigned n = 0; n < 5000; ++n) {
      fifo->push_i = fifo->pop_i = 0;
      fifo.settle();
      ASSERT_EQ(fifo->full_o != 0, queue.size() == kDepth) << n;
      ASSERT_EQ(fifo->empty_o != 0, queue.empty()) << n;
      if (!queue.empty()) {
        ASSERT_EQ(fifo->data_o, queue.front()) << n;
      }
      full += queue.size() == kDepth;
      empty += queue.empty();
      // Times of filling and of draining.
      const bool push = queue.size() < kDepth && rng() % 8 < (n / 500 % 2 == 0 ? 6u : 2u);
      const bool pop = !queue.empty() && rng() % 8 < (n / 500 % 2 == 0 ? 2u : 6u);
      const uint32_t word = rng();
      fifo->push_i = push;
      fifo->pop_i = pop;
      fifo->data_i = word;
      cycle();
      if (pop) queue.pop_front();
      if (push) queue.push_back(word);
    }
    EXPECT_GT(full, 500u);
    EXPECT_GT(empty, 500u);
    EXPECT_FALSE(fifo.failure().has_value());
  }
}

}  // namespace
}  // namespace cuvette
