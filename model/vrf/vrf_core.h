// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "vrf/vrf.h"
#include "vrf/vrf_ports.h"

namespace cuvette::vrf {

/// Register file with channels in place of calls: one row per port and cycle. A read gives what the
/// row holds before the writes of its cycle, in the cycle behind it.
class VrfCore final : public VrfPorts {
 public:
  explicit VrfCore(std::unique_ptr<Vrf> rows) : rows_(std::move(rows)) {}

  void tick(machine::Cycle now) override {
    for (unsigned p = 0; p < kReadPorts; ++p) {
      const Read* read = reads[p].front(now);
      if (read == nullptr || !answers[p].can_push(now)) continue;
      ReadData answer;
      answer.known = ~uint64_t{0};
      rows_->read(static_cast<ReadPort>(p), now, read->address, answer.data);
      answers[p].push(answer, now + 1);
      reads[p].drop(now);
    }
    for (unsigned p = 0; p < kWritePorts; ++p) {
      const Write* write = writes[p].front(now);
      if (write == nullptr) continue;
      rows_->write(static_cast<WritePort>(p), now, write->address, write->lanes, write->data);
      writes[p].drop(now);
    }
  }
  machine::Cycle next_event() const override {
    machine::Cycle next = machine::kNever;
    for (const auto& channel : reads) next = std::min(next, channel.next_event());
    for (const auto& channel : writes) next = std::min(next, channel.next_event());
    return next;
  }
  Vrf& rows() { return *rows_; }

 private:
  std::unique_ptr<Vrf> rows_;
};

}  // namespace cuvette::vrf
