// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_rerun.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ip/simd/simd_rtl.h"

namespace cuvette::ip {
namespace {

using machine::Cycle;

/// Longer pauses between instructions are cut to this: nothing happens in them.
constexpr Cycle kLongestPause = 8;
/// Without an instruction or a beat in so many cycles the rerun ends.
constexpr Cycle kDrain = 64;
/// After a difference, so that the waveforms show what came then.
constexpr Cycle kTail = 4;

class Rerun {
 public:
  Rerun(SimdLockstep& simd, const SimdRecording& recording)
      : simd_(simd), all_(recording.transactions) {}

  void run() {
    prepare();
    for (Cycle quiet = 0; quiet < kDrain && !simd_.mismatch(); ++now_) {
      quiet = cycle() ? 0 : quiet + 1;
    }
    simd_.audit();
    for (Cycle n = 0; n < kTail; ++n, ++now_) simd_.tick(now_);
  }

 private:
  /// Rows as the first instruction that names each found them.
  void prepare() {
    std::set<std::pair<bool, uint16_t>> seen;
    for (const SimdTransaction& t : all_) {
      for (const SimdRow& row : t.rows) {
        if (seen.insert({row.address.acc, row.address.row}).second) write(row);
      }
    }
    // A row goes in in four cycles.
    for (const Cycle end = now_ + kSimdBeats * seen.size() + 1; now_ < end; ++now_) {
      simd_.tick(now_);
    }
    start_ = now_;
  }

  /// Whether anything moved.
  bool cycle() {
    if (next_ < all_.size() && simd_.issue.empty()) {
      const SimdTransaction& t = all_[next_];
      const Cycle taken = t.taken - all_.front().taken;
      if (slots_.empty() && start_ + taken > now_ + kLongestPause) {
        start_ = now_ + kLongestPause - taken;
      }
      // Rows are those of its wavefront: they are as its instructions before left them.
      if (start_ + taken <= now_ && !is_busy(t.issue.slot)) {
        for (const SimdRow& row : t.rows) {
          if (differs(row)) write(row);
        }
        simd_.issue.push(t.issue, now_);
        slots_[t.issue.id] = t.issue.slot;
        ++next_;
      }
    }
    return tick();
  }

  bool tick() {
    const bool offered = !simd_.issue.empty();
    simd_.tick(now_);
    bool moved = offered && simd_.issue.empty();
    while (simd_.retire.front(now_) != nullptr) {
      const simd::Retire beat = simd_.retire.pop(now_);
      if (beat.last) slots_.erase(beat.id);
      moved = true;
    }
    return moved;
  }

  bool differs(const SimdRow& row) {
    wave::LaneRow now{};
    simd_.registers().read(vrf::ReadPort::Backdoor, now_, row.address, now);
    return now != row.data;
  }
  bool is_busy(uint8_t slot) const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [slot](const auto& entry) { return entry.second == slot; });
  }
  void write(const SimdRow& row) {
    simd_.registers().write(vrf::WritePort::LaunchInit, now_, row.address, ~uint64_t{0}, row.data);
  }

  SimdLockstep& simd_;
  const std::vector<SimdTransaction>& all_;
  size_t next_ = 0;
  std::map<uint32_t, uint8_t> slots_;  ///< of the instructions under way, by id
  Cycle now_ = 0, start_ = 0;
};

}  // namespace

base::Result<SimdRerun> rerun_simd(std::unique_ptr<SimdDevice> device,
                                   const SimdRecording& recording, const std::string& wave) {
  if (!wave.empty()) {
    if (const base::Status traced = device->trace(wave); !traced) return traced.error();
  }
  device->reset();
  simd::Config config;
  config.target = recording.target;
  config.valu.compute_unit = recording.compute_unit;
  config.valu.simd = recording.simd;
  auto rtl = std::make_unique<SimdRtl>(std::move(device), config);
  for (const SimdTransaction& t : recording.transactions) {
    const isa::Instruction& i = t.issue.instruction;
    if (rtl->implements(*i.row, i.encoding, i.mod)) continue;
    return base::Error("the device has no circuit for " + std::string(i.row->mnemonic));
  }
  SimdLockstep::Options options;
  options.timing = recording.timing;
  const SimdLockstep::Device probe = probe_of(*rtl);
  SimdLockstep lockstep(std::move(rtl), config, {}, probe, options);
  Rerun(lockstep, recording).run();
  return SimdRerun{lockstep.counts(), lockstep.mismatch()};
}

}  // namespace cuvette::ip
