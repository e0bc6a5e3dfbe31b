// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/hang.h"

#include <fmt/format.h>

namespace cuvette::host {

using command_processor::QueueReport;

std::string HangReport::kernel_name(uint64_t object) const {
  for (const auto& [address, name] : kernels) {
    if (address == object) return name;
  }
  return {};
}

void tell_packet(const HangReport& report, uint32_t dispatch, HangWave& wave) {
  for (const QueueReport& q : report.queues) {
    for (const QueueReport::Packet& p : q.packets) {
      if (p.dispatch != dispatch || dispatch == 0) continue;
      wave.queue = q.queue;
      wave.packet = p.index;
    }
  }
}

const char* name_of(QueueReport::State state) {
  switch (state) {
    case QueueReport::State::Idle:
      return "idle";
    case QueueReport::State::Running:
      return "running";
    case QueueReport::State::Waiting:
      return "waiting";
    case QueueReport::State::Failed:
      return "stopped by an error";
    case QueueReport::State::Leaving:
      return "being taken away";
  }
  return "";
}

std::string waits_for(const QueueReport& queue) {
  std::string out;
  for (const QueueReport::Poll& p : queue.polls) {
    const char* what = p.is_signal ? "signal" : p.is_register ? "register" : "the value at";
    out += fmt::format("{}{} {:#x}, which is {}", out.empty() ? "" : " and ", what, p.address,
                       p.value);
  }
  if (queue.waits_for_earlier) {
    out += fmt::format("{}earlier packets (barrier bit)", out.empty() ? "" : " and ");
  }
  return out;
}

namespace {

std::string line_of(const HangReport& report, uint32_t queue, const QueueReport::Packet& p) {
  std::string out = fmt::format("  packet {}: ", p.index);
  if (p.agent) {
    out += "agent dispatch, waits for the host";
  } else if (p.dispatch == 0) {
    out += "under way";
  } else {
    size_t waves = 0;
    for (const HangWave& w : report.waves) {
      waves += w.queue == queue && w.packet == p.index ? 1 : 0;
    }
    const std::string name = report.kernel_name(p.kernel_object);
    out += fmt::format("kernel {}{:#x}, {} waves resident", name.empty() ? "" : name + " at ",
                       p.kernel_object, waves);
  }
  if (p.completion_signal != 0) {
    out += fmt::format(", completion signal {:#x}", p.completion_signal);
  }
  return out + "\n";
}

std::string line_of(const HangWave& w) {
  std::string out = "  ";
  if (w.compute_unit != HangWave::kNone) {
    out += fmt::format("compute unit {} simd {} slot {} ", w.compute_unit, w.simd, w.slot);
  }
  out += fmt::format("wave {:#x}", w.wave);
  if (w.queue != HangWave::kNone) out += fmt::format(" of queue {} packet {}", w.queue, w.packet);
  if (!w.begun) {
    return out + fmt::format(": wave {} of work-group {} has not begun, waits for {}\n", w.index,
                             w.workgroup, w.waits_for);
  }
  return out + fmt::format(" pc {:#x}{}{}{}{}: waits for {}\n", w.pc,
                           w.kernel.empty() ? "" : " in ", w.kernel,
                           w.instruction.empty() ? "" : " ", w.instruction, w.waits_for);
}

}  // namespace

std::string text_of(const HangReport& report) {
  std::string out;
  for (const QueueReport& q : report.queues) {
    const std::string doorbell = q.doorbell != QueueReport::kNoDoorbell
                                     ? fmt::format("doorbell {}", q.doorbell)
                                     : "no doorbell";
    out += fmt::format("queue {} ({}, VMID {}, {:#x}): {}", q.queue, doorbell, q.vmid,
                       q.queue_address, name_of(q.state));
    const std::string what = waits_for(q);
    if (!what.empty()) {
      out += fmt::format(", {} {} waits for {}", q.pm4 ? "dword" : "packet", q.next_packet, what);
    }
    out += "\n";
    for (const QueueReport::Packet& p : q.packets) out += line_of(report, q.queue, p);
  }
  for (const HangWave& w : report.waves) out += line_of(w);
  if (out.empty()) out = "no queue is known and no wave is resident\n";
  return out;
}

}  // namespace cuvette::host
