// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/host_mode.h"

#include "fp/env.h"

namespace cuvette::wave {

#if defined(__x86_64__)
namespace {

using lanes::HostMode;

constexpr uint32_t kFlags = 0x3f;  // IE, DE, ZE, OE, UE, PE: the order of TRAPSTS.EXCP

// Inputs come from memory behind the load, results are in memory before the store.
void load_mxcsr(uint32_t value) {
  asm volatile("ldmxcsr %0" : : "m"(value) : "memory");
}
uint32_t store_mxcsr() {
  uint32_t value = 0;
  asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
  return value;
}

uint32_t control_of(const fp::Env& env) {
  constexpr uint32_t kAllMasked = 0x1f80, kDenormalsAreZero = 0x40, kFlushToZero = 0x8000;
  constexpr uint32_t kRound[] = {0x0000, 0x4000, 0x2000, 0x6000};  // nearest, up, down, zero
  uint32_t value = kAllMasked | kRound[static_cast<unsigned>(env.round)];
  if (env.flush_in) value |= kDenormalsAreZero;
  if (env.flush_out) value |= kFlushToZero;
  return value;
}

fp::Env env_of(const Mode& mode, HostMode kind) {
  const bool wide = kind == HostMode::F64 || kind == HostMode::Machine64;
  fp::Env env = wide ? mode.env_f16_f64() : mode.env_f32();
  if (kind == HostMode::Flushed || kind == HostMode::Machine) env.flush_in = env.flush_out = true;
  if (kind == HostMode::Machine || kind == HostMode::Machine64) {
    env.round = fp::Round::NearestEven;
  }
  return env;
}

}  // namespace

void HostFloat::change(HostMode kind) {
  if (now_ == 0 || scalar_.mode.raw != mode_) {
    leave();
    mode_ = scalar_.mode.raw;
    for (unsigned n = 1; n < lanes::kHostModes; ++n) {
      control_[n] = control_of(env_of(scalar_.mode, static_cast<HostMode>(n)));
    }
    found_ = store_mxcsr();
  } else {
    scalar_.trapsts |= store_mxcsr() & kFlags;
  }
  now_ = control_[static_cast<unsigned>(kind)];
  load_mxcsr(now_);
}

void HostFloat::restore() {
  scalar_.trapsts |= store_mxcsr() & kFlags;
  load_mxcsr(found_);
  now_ = 0;
}
#else
void HostFloat::change(lanes::HostMode) {}
void HostFloat::restore() {}
#endif

}  // namespace cuvette::wave
