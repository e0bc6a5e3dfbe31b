// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ip/coverage/coverage_samples.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/simd/simd_rtl.h"
#include "isa/decode.h"

// A wavefront as scalar arrays, and rtl/simd executing one instruction of it at a time. Registers
// are read back through the row port, so that what is compared is the register file of the RTL.
namespace cuvette::simd_wave {

inline constexpr std::array<uint64_t, 5> kExecs = {~uint64_t{0}, 0, 0x8000000000000001,
                                                   0x00ff00ff0f0f3333, 0xaaaaaaaa55555555};

struct Wave {
  std::array<std::array<uint32_t, 64>, 64> v{}, a{};
  std::array<uint32_t, 104> sgpr{};
  uint64_t exec = 0, vcc = 0;
  uint32_t mode = 0xf0, m0 = 0;
  unsigned count = 64;  ///< registers of either file
  bool operator==(const Wave&) const = default;
};

struct Result {
  unsigned beats = 0;
  bool has_mask = false, has_scalar = false;
  uint64_t mask = 0;
  uint32_t scalar = 0;
  std::vector<unsigned> times;  ///< of the beats, since the instruction was seen first
  bool operator==(const Result&) const = default;
};

class Tester {
 public:
  explicit Tester(uint64_t seed, uint64_t start = 1, isa::Target target = isa::Target::Gfx908)
      : target_(target),
        rng_(seed),
        simd_(std::make_unique<ip::PinMonitor>(ip::make_simd_check(start),
                                               ip::pin_channels(simd::kChannels)),
              simd::Config()) {}

  uint64_t rng() { return rng_(); }

  Wave random() {
    Wave w;
    for (auto* file : {&w.v, &w.a}) {
      for (auto& row : *file) {
        for (uint32_t& lane : row) lane = static_cast<uint32_t>(rng_());
      }
    }
    for (uint32_t& s : w.sgpr) s = static_cast<uint32_t>(rng_());
    w.exec = rng_() % 4 == 0 ? ~uint64_t{0} : rng_();
    w.vcc = rng_();
    return w;
  }

  /// Other values in these vector registers, EXEC and VCC; the other registers stay as they are, so
  /// that the file need not be filled again.
  void redraw(Wave& w, std::initializer_list<unsigned> registers) {
    for (const unsigned r : registers) {
      for (uint32_t& lane : w.v[r]) lane = static_cast<uint32_t>(rng_());
    }
    w.exec = rng_() % 4 == 0 ? ~uint64_t{0} : rng_();
    w.vcc = rng_();
  }

  /// Executes the instruction; `w` has the register file after it. With a list only these vector
  /// registers are read back. Other written registers stay in the file, because only rows that the
  /// caller changes are sent: the next run() without a list finds them.
  Result run(Wave& w, const std::vector<uint32_t>& words,
             std::initializer_list<unsigned> registers = {}) {
    Result result;
    uint32_t padded[4] = {};
    std::copy(words.begin(), words.end(), padded);
    const isa::Decoded decoded = isa::decode(target_, padded, 4);
    EXPECT_EQ(decoded.status, isa::DecodeStatus::Legal) << std::hex << words[0];
    if (decoded.status != isa::DecodeStatus::Legal) return result;
    EXPECT_EQ(decoded.instruction.length, words.size()) << std::hex << words[0];
    send_rows(w);
    const simd::Issue issue = issue_of(w, decoded.instruction);
    simd_.issue.push(issue, now_ + 1);
    const machine::Cycle seen = now_ + 1;
    bool last = false;
    for (unsigned n = 0; n < 100 && !last; ++n) {
      simd_.tick(++now_);
      while (simd_.retire.next_event() <= now_ + 1) {
        const machine::Cycle visible = simd_.retire.next_event();
        const simd::Retire r = simd_.retire.pop(visible);
        result.times.push_back(static_cast<unsigned>(visible - seen));
        ++result.beats;
        last = r.last;
        if (r.has_mask) {
          result.has_mask = true;
          result.mask |= uint64_t{r.mask} << 16 * r.beat;
        }
        if (r.has_scalar) {
          result.has_scalar = true;
          result.scalar = r.scalar;
        }
      }
    }
    EXPECT_TRUE(last) << std::hex << words[0];
    if (registers.size() == 0) {
      take_rows(w);
    } else {
      for (const unsigned r : registers) take_row(w, false, r);
      held_ = w;
    }
    const auto failure = simd_.failure();
    EXPECT_FALSE(failure.has_value()) << failure->what;
    // The caller judges the results; a test that fails writes no coverage.
    if (auto* coverage = ip::Coverage::current()) ip::cover(*coverage, issue, 0);
    return result;
  }

 private:
  static constexpr uint16_t kBase = 20, kAccBase = 100;

  vrf::RowAddress address(bool acc, unsigned row) const {
    return {acc, static_cast<uint16_t>((acc ? kAccBase : kBase) + row)};
  }
  /// Rows that differ from what the file holds already.
  void send_rows(const Wave& w) {
    for (const bool acc : {false, true}) {
      for (unsigned r = 0; r < 64; ++r) {
        const auto& row = acc ? w.a[r] : w.v[r];
        if (sent_ && row == (acc ? held_.a[r] : held_.v[r])) continue;
        simd::Fill fill;
        fill.port = static_cast<vrf::WritePort>(1 + r % 4);
        fill.row = address(acc, r);
        fill.lanes = ~uint64_t{0};
        std::copy(row.begin(), row.end(), fill.data.begin());
        while (!simd_.fill.can_push(now_)) simd_.tick(++now_);
        simd_.fill.push(fill, now_ + 1);
      }
    }
    while (!simd_.fill.empty()) simd_.tick(++now_);
    held_ = w;
    sent_ = true;
  }
  void take_rows(Wave& w) {
    for (const bool acc : {false, true}) {
      for (unsigned r = 0; r < 64; ++r) take_row(w, acc, r);
    }
    held_ = w;
  }
  void take_row(Wave& w, bool acc, unsigned r) {
    simd_.read.push({r, static_cast<vrf::ReadPort>(r % 8), address(acc, r)}, now_ + 1);
    for (unsigned n = 0; n < 20 && simd_.row_data.empty(); ++n) simd_.tick(++now_);
    ASSERT_FALSE(simd_.row_data.empty());
    const simd::RowData row = simd_.row_data.pop(simd_.row_data.next_event());
    auto& out = acc ? w.a[r] : w.v[r];
    std::copy(row.data.begin(), row.data.end(), out.begin());
    ++now_;
  }
  simd::Issue issue_of(const Wave& w, const isa::Instruction& i) {
    simd::Issue issue;
    issue.id = ++next_id_;
    issue.slot = static_cast<uint8_t>(next_id_ % 10);
    issue.instruction = i;
    issue.vgpr_base = kBase;
    issue.acc_base = kAccBase;
    issue.vgpr_count = issue.acc_count = static_cast<uint16_t>(w.count);
    issue.mode = w.mode;
    issue.exec = w.exec;
    issue.m0 = w.m0;
    for (unsigned s = 0; s < 4; ++s) {
      const isa::Operand& o = i.src[s];
      if (o.kind == isa::OperandKind::None || o.kind == isa::OperandKind::Vgpr ||
          o.kind == isa::OperandKind::Agpr) {
        continue;
      }
      if (o.type == isa::Type::Mask) {
        issue.mask_in = w.vcc;
      } else if (s < 3) {
        issue.scalar[s] = scalar(w, o);
      }
    }
    const bool dpp = i.encoding == isa::Encoding::Dpp;
    if (dpp && i.dst[1].type == isa::Type::Mask) issue.mask_in = w.vcc;
    return issue;
  }
  static uint64_t scalar(const Wave& w, const isa::Operand& o) {
    if (o.kind != isa::OperandKind::Sgpr) return o.value;
    if (o.index == 124) return w.m0;
    const uint64_t low = w.sgpr[o.index];
    return o.dwords == 2 ? uint64_t{w.sgpr[o.index + 1u]} << 32 | low : low;
  }

  isa::Target target_;  ///< target of the words that run() is given
  std::mt19937_64 rng_;
  ip::SimdRtl simd_;
  Wave held_;
  bool sent_ = false;
  machine::Cycle now_ = 1;
  uint32_t next_id_ = 0;
};

}  // namespace cuvette::simd_wave
