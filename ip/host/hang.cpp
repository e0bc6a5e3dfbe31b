// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waits of queues, packets and waves, in the structures of cuvette.h.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "handle.h"

using cuvette::host::Call;
using cuvette::host::CallKind;
using namespace cuvette::c_interface;
namespace host = cuvette::host;

namespace {

cuvette_hang_queue queue_of(const cuvette::command_processor::QueueReport& q) {
  cuvette_hang_queue out{};
  out.queue = q.queue;
  out.doorbell = q.doorbell;
  out.vmid = q.vmid;
  out.state = static_cast<uint32_t>(q.state);
  out.queue_address = q.queue_address;
  out.next_packet = q.next_packet;
  out.under_way = static_cast<uint32_t>(q.packets.size());
  out.barrier_bit = q.waits_for_earlier ? 1 : 0;
  if (!q.polls.empty()) {
    out.wait_address = q.polls.front().address;
    out.wait_value = q.polls.front().value;
  }
  if (!q.packets.empty()) {
    out.packet = q.packets.front().index;
    out.kernel_object = q.packets.front().kernel_object;
    out.completion_signal = q.packets.front().completion_signal;
  }
  return out;
}

cuvette_hang_wave wave_of(const host::HangWave& w) {
  cuvette_hang_wave out{};
  out.wave = w.wave;
  out.queue = w.queue;
  out.compute_unit = w.compute_unit;
  out.simd = w.simd;
  out.slot = w.slot;
  out.packet = w.packet;
  out.pc = w.pc;
  out.vm_count = w.vm;
  out.lgkm_count = w.lgkm;
  out.exp_count = w.exp;
  out.at_barrier = w.at_barrier ? 1 : 0;
  out.halted = w.halted ? 1 : 0;
  put(out.kernel, sizeof out.kernel, w.kernel);
  put(out.instruction, sizeof out.instruction, w.instruction);
  put(out.waits_for, sizeof out.waits_for, w.waits_for);
  return out;
}

/// Into an array of a caller whose elements may be shorter than ours.
template <class Theirs, class Ours, class F>
void fill(Theirs* to, size_t size, size_t room, const std::vector<Ours>& from, F convert) {
  for (size_t i = 0; i < std::min(room, from.size()); ++i) {
    const auto element = convert(from[i]);
    std::memcpy(reinterpret_cast<char*>(to) + i * size, &element, size);
  }
}

int hang_report(cuvette_machine* machine, cuvette_hang* out) {
  if (out == nullptr || out->size != sizeof *out) {
    return wrong_argument("no place for the report, or one of another version of this interface");
  }
  const bool good_queues = out->queues == nullptr ||
                           (out->queue_size != 0 && out->queue_size <= sizeof(cuvette_hang_queue));
  const bool good_waves =
      out->waves == nullptr || (out->wave_size != 0 && out->wave_size <= sizeof(cuvette_hang_wave));
  if (!good_queues || !good_waves) return wrong_argument("queue_size or wave_size is not set");
  Call call;
  call.kind = CallKind::Hang;
  const int status = make_call(machine, call);
  if (status != CUVETTE_OK) return status;
  const host::HangReport& r = *call.hang;
  put(out->text, out->text_bytes, host::text_of(r));
  if (out->queues != nullptr) {
    fill(out->queues, out->queue_size, out->queue_room, r.queues, queue_of);
  }
  if (out->waves != nullptr) fill(out->waves, out->wave_size, out->wave_room, r.waves, wave_of);
  out->queue_count = r.queues.size();
  out->wave_count = r.waves.size();
  return CUVETTE_OK;
}

}  // namespace

extern "C" {

int cuvette_hang_report(cuvette_machine* machine, cuvette_hang* report) {
  return guarded([&] { return hang_report(machine, report); });
}

}  // extern "C"
