// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/core.h"
#include "simd/simd.h"

namespace cuvette::ip {

/// A row as an instruction found it.
struct SimdRow {
  vrf::RowAddress address;
  wave::LaneRow data{};
};

/// One instruction as lockstep saw it.
struct SimdTransaction {
  simd::Issue issue;
  machine::Cycle taken = 0;
  std::vector<simd::Retire> expected;  ///< by beat; flags on the last one
  std::vector<wave::LaneRow> sources;  ///< first register of each vector source when it was taken
  std::vector<SimdRow> rows;           ///< all it may read, when it was taken
  bool sampled = true;                 ///< compared; otherwise `expected` is empty
  size_t given = 0;                    ///< beats the device gave
  uint8_t flags = 0;                   ///< their union
};

/// The first difference between a device and the reference.
struct SimdMismatch {
  std::string field;  ///< "order", "beat", "last", "dwords", "write", "row", "has_mask", "mask",
                      ///< "has_scalar", "scalar", "data", "flags", "row_data", "register",
                      ///< "timing", "assertion", "protocol"
  machine::Cycle time = 0;
  uint32_t compute_unit = 0, simd = 0;
  uint32_t id = 0;
  uint64_t wave = 0, pc = 0;
  std::string instruction;    ///< mnemonic
  int dword = -1, lane = -1;  ///< for "data": register of the result and lane of the wavefront;
                              ///< "register" has a lane
  std::optional<vrf::RowAddress> row;  ///< for "register"
  uint64_t expected = 0, actual = 0;
  std::string what;    ///< where two numbers do not say it
  std::string report;  ///< all of it with operands and every wrong lane in hex; many lines
  std::vector<SimdTransaction> transactions;  ///< the last ones, in the order they were taken
};

/// Writes `report`. `transaction`, `expected` and `actual` are null where there is none.
void write_report(SimdMismatch& mismatch, const SimdTransaction* transaction,
                  const simd::Retire* expected, const simd::Retire* actual);

}  // namespace cuvette::ip
