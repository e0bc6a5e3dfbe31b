// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "vrf/vrf_model.h"

#include <cassert>

#include "base/bits.h"

namespace cuvette::vrf {

VrfModel::VrfModel(const Config& config) : arch_(config.rows), acc_(config.acc_rows) {
  if (config.seed == 0) return;
  for (auto& row : arch_) row.fill(kPoison);
  for (auto& row : acc_) row.fill(kPoison);
}

wave::LaneRow& VrfModel::at(RowAddress address) {
  auto& file = address.acc && !acc_.empty() ? acc_ : arch_;
  assert(!file.empty());
  return file[address.row < file.size() ? address.row : address.row % file.size()];
}

void VrfModel::read(ReadPort, machine::Cycle, RowAddress address, wave::LaneRow& out) {
  out = at(address);
}

void VrfModel::write(WritePort, machine::Cycle, RowAddress address, uint64_t lanes,
                     const wave::LaneRow& data) {
  wave::LaneRow& row = at(address);
  if (lanes == ~uint64_t{0}) {
    row = data;
    return;
  }
  for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
    if (base::bit(lanes, lane)) row[lane] = data[lane];
  }
}

wave::VectorFile VrfModel::view(uint16_t base, uint16_t count, uint16_t acc_base,
                                uint16_t acc_count) {
  wave::VectorFile file;
  // A unified file holds AccVGPRs in the same rows.
  auto& acc = acc_.empty() ? arch_ : acc_;
  const bool fits = size_t{base} + count <= arch_.size() &&
                    (acc_count == 0 || size_t{acc_base} + acc_count <= acc.size());
  if (!fits) return file;
  file.arch = arch_.data() + base;
  file.arch_count = count;
  file.acc = acc_count != 0 ? acc.data() + acc_base : nullptr;
  file.acc_count = acc_count;
  return file;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<VrfModel>(config); });
}

}  // namespace cuvette::vrf
