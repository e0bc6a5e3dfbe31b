// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vrf/vrf.h"

namespace cuvette::vrf {

/// Rows as host memory. Accesses act at once: whoever writes late (a write port's next cycle) is
/// the simd, which knows the cycle. Addresses wrap around at the end of a file (MI100 ISA 3.6.4).
class VrfModel final : public Vrf {
 public:
  explicit VrfModel(const Config& config);

  void read(ReadPort port, machine::Cycle now, RowAddress address, wave::LaneRow& out) override;
  void write(WritePort port, machine::Cycle now, RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override;
  /// Rows are null for an allocation that wraps around.
  wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                        uint16_t acc_count) override;

 private:
  wave::LaneRow& at(RowAddress address);

  std::vector<wave::LaneRow> arch_, acc_;
};

/// Value of rows before anything was written, when asked for by a seed (decisions.md D10).
inline constexpr uint32_t kPoison = 0xdeadbeef;

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::vrf
