// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bits.h"
#include "fp/env.h"

namespace cuvette::wave {

/// The MODE register (MI100 ISA 3.5, Vega ISA 3.5; EXCP_EN has nine bits).
struct Mode {
  uint32_t raw = 0;  ///< register bits

  /// Fp::Round.
  unsigned round_f32() const { return static_cast<unsigned>(base::bits(raw, 1, 0)); }
  /// Fp::Round.
  unsigned round_f16_f64() const { return static_cast<unsigned>(base::bits(raw, 3, 2)); }
  bool denorm_in_f32() const { return base::bit(raw, 4); }   ///< inputs kept
  bool denorm_out_f32() const { return base::bit(raw, 5); }  ///< results kept
  bool denorm_in_f16_f64() const { return base::bit(raw, 6); }
  bool denorm_out_f16_f64() const { return base::bit(raw, 7); }
  bool dx10_clamp() const { return base::bit(raw, 8); }  ///< CLAMP turns NaN into 0
  bool ieee() const { return base::bit(raw, 9); }        ///< quiets signaling NaNs
  bool lod_clamped() const { return base::bit(raw, 10); }
  bool debug() const { return base::bit(raw, 11); }  ///< trap behind every instruction
  /// Exceptions that trap, fp::Flag order.
  uint32_t excp_en() const { return static_cast<uint32_t>(base::bits(raw, 20, 12)); }
  /// F16 overflow gives the largest finite value.
  bool fp16_ovfl() const { return base::bit(raw, 23); }
  bool gpr_idx_en() const { return base::bit(raw, 27); }  ///< VGPR indices are relative to M0
  bool vskip() const { return base::bit(raw, 28); }       ///< vector instructions are skipped

  fp::Env env_f32() const {
    fp::Env env;
    env.round = static_cast<fp::Round>(round_f32());
    env.flush_in = !denorm_in_f32();
    env.flush_out = !denorm_out_f32();
    env.ieee = ieee();
    return env;
  }
  /// F16 and F64 share their fields.
  fp::Env env_f16_f64() const {
    fp::Env env;
    env.round = static_cast<fp::Round>(round_f16_f64());
    env.flush_in = !denorm_in_f16_f64();
    env.flush_out = !denorm_out_f16_f64();
    env.ieee = ieee();
    env.fp16_ovfl = fp16_ovfl();
    return env;
  }
};

/// Round to nearest even, denormals kept, IEEE and DX10_CLAMP on: the default of the probe door.
inline constexpr uint32_t kDefaultMode = 0x3f0;

}  // namespace cuvette::wave
