// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hsa/small_model.h"
#include "hsail/module.h"
#include "hsail/names.h"

/// Properties of the machine model of a module (HSAIL PRM 2.9): width of addresses (address_bytes),
/// places of group and private memory among the flat addresses, code handles.
namespace cuvette::hsail {

/// The bits that an address of a segment keeps (6.1.1).
inline uint64_t address_mask(Segment segment, MachineModel model) {
  return address_bytes(segment, model) == 8 ? ~uint64_t{0} : hsa::kSmallModelEnd - 1;
}

/// Flat addresses of a segment: its address is the distance from `base`. Bytes.
struct Aperture {
  uint64_t base = 0;
  uint64_t bytes = 0;
  constexpr bool contains(uint64_t flat) const { return flat - base < bytes; }
};

/// Apertures of group and private memory in the flat address space (2.8.3); all others are global
/// addresses. The Compute ABI calls the bases group_segment_aperture_base_hi and
/// private_segment_aperture_base_hi: the upper half of a flat address of the large model, the
/// aperture of 64 KiB of the small one. Both models have the numbers of mi100.yaml.
struct FlatSpace {
  Aperture group;
  Aperture private_segment;
};
constexpr FlatSpace flat_space(MachineModel model) {
  constexpr uint64_t kGroup = 0x10000;
  constexpr uint64_t kPrivate = 0x20000;
  if (model == MachineModel::kSmall)
    return {{kGroup, hsa::kSmallModelAperture}, {kPrivate, hsa::kSmallModelAperture}};
  return {{kGroup << 32, hsa::kSmallModelEnd}, {kPrivate << 32, hsa::kSmallModelEnd}};
}

/// The null value of group and private addresses.
constexpr uint64_t kNullInSegment = 0xffffffff;

/// Value of nullptr (11.4). Kernarg addresses of 64 bits are global ones and have their null; of
/// those of 32 bits the Compute ABI speaks, as of group and private addresses.
constexpr uint64_t null_address(Segment segment, MachineModel model) {
  const bool narrow = segment == Segment::kGroup || segment == Segment::kPrivate ||
                      (segment == Segment::kKernarg && model == MachineModel::kSmall);
  return narrow ? kNullInSegment : 0;
}

/// Code handle of an indirect function for icall in the interpreter (10.8): 32 or 64
/// bits.
constexpr uint64_t function_handle(CodeRef function, MachineModel model) {
  return (model == MachineModel::kSmall ? uint64_t{3} << 30 : uint64_t{3} << 48) | function;
}

}  // namespace cuvette::hsail
