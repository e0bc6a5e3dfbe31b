// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "ip/simd_lockstep.h"
#include "simd_faults.h"
#include "simd_program.h"
#include "simd_rows.h"

// What stands between the channels and the pins of an RTL simd, and its judge, on devices that are
// not like ours: the order of rows, slow and fast devices, messages that are wrong.
namespace cuvette {
namespace {

using simd_program::make;

/// Memory returns and launches write the same rows one after the other (a wave ends while its last
/// load is still on `fill`, and the next one gets its registers).
TEST(SimdRows, HoldWhatWasSentLast) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    std::set<uint64_t> times;
    for (const char* name : {"tlm", "rtl", "lockstep-check"}) {
      const auto block = make(name);
      const auto sent = simd_rows::send(*block, seed);
      EXPECT_TRUE(sent.complete) << name;
      EXPECT_EQ(sent.rows, 6u) << name;
      EXPECT_EQ(sent.wrong, 0u) << name << " with seed " << seed;
      times.insert(sent.taken);
      const auto* lockstep = dynamic_cast<ip::SimdLockstep*>(block.get());
      if (lockstep == nullptr) continue;
      EXPECT_FALSE(lockstep->mismatch().has_value()) << lockstep->mismatch()->report;
    }
    EXPECT_EQ(times.size(), 1u) << "cycles differ with seed " << seed;
  }
}

/// A device that has what was written past the channels first: the judge keeps an order of its own.
TEST(SimdRows, ADeviceWithAnotherOrderIsReported) {
  EXPECT_EQ(simd_faults::reported_of_order(), "row_data");
}

}  // namespace
}  // namespace cuvette
