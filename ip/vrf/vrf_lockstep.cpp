// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_lockstep.h"

#include <cstdio>
#include <utility>

#include "base/bits.h"
#include "ip/common/sampling.h"
#include "ip/coverage/coverage_samples.h"

namespace cuvette::ip {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

std::string name(vrf::RowAddress address) {
  return (address.acc ? "acc row " : "row ") + std::to_string(address.row);
}

std::string describe(const VrfAccess& access) {
  return (access.write ? "write " : "read ") + name(access.address) + " on port " +
         std::to_string(access.port) + " at cycle " + std::to_string(access.at) +
         (access.write ? " lanes " + hex(access.lanes) : std::string());
}

}  // namespace

VrfLockstep::VrfLockstep(std::unique_ptr<VrfRtl> device, const vrf::Config& config,
                         Observer on_mismatch, const Options& options)
    : config_(config),
      options_(options),
      device_(std::move(device)),
      on_mismatch_(std::move(on_mismatch)),
      arch_(config.rows),
      acc_(config.acc_rows) {
  if (options_.timing.kind == machine::TimingRule::Kind::Ignore) return;
  device_->watch([this](const VrfInputs& in, const VrfOutputs& out) {
    if (late_.empty()) late_ = timing_.check(in, out);
    Coverage* coverage = Coverage::current();
    if (coverage != nullptr && late_.empty()) cover(*coverage, in, out);
  });
}

VrfCounts VrfLockstep::counts() const {
  VrfCounts counts = counts_;
  counts.times = timing_.compared();
  return counts;
}

VrfLockstep::Row& VrfLockstep::at(vrf::RowAddress address) {
  auto& file = address.acc && !acc_.empty() ? acc_ : arch_;
  return file[address.row % file.size()];
}

void VrfLockstep::remember(const VrfAccess& access) {
  if (history_.size() == kHistory) history_.pop_front();
  history_.push_back(access);
}

/// Whether the access just made found nothing wrong but its data.
bool VrfLockstep::sound(machine::Cycle now, vrf::RowAddress address) {
  VrfMismatch m;
  if (const auto failure = device_->failure()) {
    m.field = failure->field;
    m.what = failure->what;
  } else if (!late_.empty()) {
    m.field = "timing";
    m.what = late_;
  } else {
    return true;
  }
  m.time = now;
  m.address = address;
  fail(std::move(m), nullptr);
  return false;
}

void VrfLockstep::read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
                       wave::LaneRow& out) {
  device_->read(port, now, address, out);
  if (mismatch_) return;
  const auto p = static_cast<unsigned>(port);
  const Row& row = at(address);
  remember({false, p, now, address, row.written, row.data});
  if (!sound(now, address)) return;
  if (!sampled(counts_.reads++, options_.share)) return;
  ++counts_.sampled;
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    if (!base::bit(row.written, l)) continue;
    ++counts_.lanes;
    if (out[l] == row.data[l]) continue;
    VrfMismatch m;
    m.field = "data";
    m.time = now;
    m.port = p;
    m.address = address;
    m.lane = static_cast<int>(l);
    m.expected = row.data[l];
    m.actual = out[l];
    return fail(std::move(m), &out);
  }
}

void VrfLockstep::write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address,
                        uint64_t lanes, const wave::LaneRow& data) {
  device_->write(port, now, address, lanes, data);
  Row& row = at(address);
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    if (base::bit(lanes, l)) row.data[l] = data[l];
  }
  row.written |= lanes;
  if (mismatch_) return;
  ++counts_.writes;
  remember({true, static_cast<unsigned>(port), now, address, lanes, data});
  sound(now, address);
}

void VrfLockstep::fail(VrfMismatch m, const wave::LaneRow* actual) {
  m.compute_unit = config_.compute_unit;
  m.simd = config_.simd;
  std::string text =
      "block vrf of compute unit " + std::to_string(m.compute_unit) + " SIMD " +
      std::to_string(m.simd) + " differs in " + m.field + " at cycle " + std::to_string(m.time) +
      ": " + (m.what.empty() ? "expected " + hex(m.expected) + ", got " + hex(m.actual) : m.what) +
      "\n  access       " + name(m.address) + "\n";
  if (actual != nullptr) {
    const Row& row = at(m.address);
    text += "  wrong lanes of the row, read on port " + std::to_string(m.port) + ":\n";
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (!base::bit(row.written, l) || row.data[l] == (*actual)[l]) continue;
      text += "    lane " + std::to_string(l) + ": expected " + hex(row.data[l]) + ", got " +
              hex((*actual)[l]) + "\n";
    }
  }
  text += "  last accesses, oldest first:\n";
  for (const VrfAccess& access : history_) text += "    " + describe(access) + "\n";
  m.transactions = recent();
  m.report = std::move(text);
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

}  // namespace cuvette::ip
