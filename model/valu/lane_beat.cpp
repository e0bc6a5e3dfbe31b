// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu/lane_beat.h"

#include <array>

#include "base/bits.h"

namespace cuvette::valu {
namespace {

void split(const std::array<uint64_t, kLanes>& lanes, uint32_t (&lo)[kLanes],
           uint32_t (&hi)[kLanes]) {
  for (unsigned l = 0; l < kLanes; ++l) {
    lo[l] = base::lo32(lanes[l]);
    hi[l] = base::hi32(lanes[l]);
  }
}

bool writes_vector(const isa::Row& row) {
  for (const isa::OperandSpec& d : row.dst) {
    if (d.write && d.role == isa::Role::Vdst) return true;
  }
  return false;
}

bool writes_mask(const isa::Row& row) {
  for (const isa::OperandSpec& d : row.dst) {
    if (d.write && (d.role == isa::Role::SdstMask || d.role == isa::Role::Vcc)) {
      return true;
    }
  }
  return false;
}

}  // namespace

LaneBeat::LaneBeat(isa::Target target) {
  instruction_.target = target;
}

bool LaneBeat::has(const isa::Row& row) {
  return wave::lane_handler(row.semantic) != nullptr;
}

void LaneBeat::compute(const Request& request, Response& response) {
  const isa::Row& row = *(isa::rows().begin() + request.row);
  instruction_.row = &row;
  instruction_.encoding = encoding_of(request.modifiers);
  instruction_.mod = request.modifiers;

  // Operands and results of four dwords pass in two beats: the other half is not there.
  const unsigned first = request.pass * 2u;
  wave::LaneOp op;
  op.instruction = &instruction_;
  op.mode.raw = request.mode;
  op.lanes = kLanes;
  op.first_lane = request.beat * kLanes;
  op.exec = request.exec;
  op.mask_in = request.mask_in;
  for (unsigned s = 0; s < 3; ++s) {
    for (unsigned d = 0; d < 4; ++d) op.src[s][d] = src_[s][d];
    if (row.src[s].role == isa::Role::None) continue;
    const unsigned at = row.src[s].dwords > 2 ? first : 0;
    split(request.src[s], src_[s][at], src_[s][at + 1]);
  }
  wave::LaneResult result;
  const bool vector = writes_vector(row);
  if (vector) {
    split(request.old, dst_[first], dst_[first + 1]);
    for (unsigned d = 0; d < 4; ++d) result.dst[d] = dst_[d];
  }
  wave::lane_handler(instruction_.semantic())(op, result);

  response.id = request.id;
  response.beat = request.beat;
  response.pass = request.pass;
  response.write = vector ? request.exec : uint16_t{0};
  response.has_mask = writes_mask(row);
  response.mask = response.has_mask ? static_cast<uint16_t>(result.mask) : uint16_t{0};
  response.flags = result.flags;
  if (vector) {
    const bool wide = row.dst[0].dwords > 1;
    for (unsigned l = 0; l < kLanes; ++l) {
      response.dst[l] = base::join32(dst_[first][l], wide ? dst_[first + 1][l] : 0);
    }
  }
}

}  // namespace cuvette::valu
