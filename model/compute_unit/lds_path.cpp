// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/lds_path.h"

#include <bit>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::compute_unit {

using machine::Cycle;

namespace {

/// Sets the fields that every request of an operation has; no atomic.
void begin(const WaveContext& w, const wave::MemoryOp& op, uint32_t id, lds::Request& r) {
  r.id = id;
  r.atomic = base::AtomicOp::Swap;
  r.flush_in = r.flush_out = r.operand_in_lds = false;
  r.accesses = 1;
  r.simd = w.launch.simd;
  r.slot = w.launch.slot;
  r.base = w.launch.lds_base;
  r.limit = w.launch.lds_bytes;
  r.kind = op.kind;
  r.bytes = op.bytes;
}

void set_offsets(const uint64_t (&from)[wave::kLanes], std::array<uint32_t, wave::kLanes>& to) {
  std::transform(std::begin(from), std::end(from), to.begin(),
                 [](uint64_t offset) { return base::lo32(offset); });
}

}  // namespace

void LdsPath::clear(uint32_t base, uint32_t bytes) {
  const std::vector<uint8_t> zeros(bytes);
  if (zeros.empty()) return;
  lds_->poke(base, zeros.data(), bytes);
  next_ = std::min(next_, lds_->next_event());  // a device has to store them
}

void LdsPath::send(const WaveContext& w, Operation& o, Cycle now) {
  const wave::MemoryOp& op = o.op;
  lds::Request& r = lds_->request.push_in_place(now + 1);
  begin(w, op, ids_.next(), r);
  r.atomic = op.atomic;
  const wave::AtomicFlush flush = wave::flush_of(op.atomic, wave::Mode{op.mode});
  r.flush_in = flush.in;
  r.flush_out = flush.out;
  r.accesses = op.accesses;
  r.operand_in_lds = op.operand_in_lds;
  r.exec = op.space == wave::MemorySpace::Lds ? op.exec : op.exec & op.flat_lds;
  const unsigned places = op.operand_in_lds ? 2 : op.accesses;
  for (unsigned a = 0; a < places; ++a) set_offsets(op.address[a], r.offset[a]);
  if (op.kind != wave::MemoryKind::Load) {
    for (unsigned d = 0; d < 4; ++d) std::copy_n(op.data[d], wave::kLanes, r.data[d].begin());
    for (unsigned d = 0; d < 2; ++d) std::copy_n(op.compare[d], wave::kLanes, r.compare[d].begin());
  }
  o.lds_pending = true;
  o.lds_step = LdsStep::Access;
  under_way_.push_back(&o);
}

void LdsPath::send_next_transfer(Cycle now) {
  Operation& o = *transfers_.front();
  transfers_.pop_front();
  const wave::MemoryOp& op = o.op;
  lds::Request& r = lds_->request.push_in_place(now + 1);
  begin(slots_[o.wave], op, ids_.next(), r);
  r.bytes = 4;  // one dword per lane
  set_offsets(op.address[1], r.offset[0]);
  if (o.lds_step == LdsStep::TransferTo) {
    r.kind = wave::MemoryKind::Store;
    // A lane that failed a range check of memory brings 0.
    r.exec = op.exec | op.out_of_range;
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if (base::bit(r.exec, lane)) {
        r.data[0][lane] = wave::loaded_value(op, o.reply, lane, 0, 0, false);
      }
    }
  } else {
    r.kind = wave::MemoryKind::Load;
    r.exec = op.exec;
  }
  under_way_.push_back(&o);
}

void LdsPath::take_responses(Cycle now, std::vector<Operation*>& answered) {
  while (const lds::Response* response = lds_->response.front(now)) {
    Operation& o = *under_way_.front();
    under_way_.pop_front();
    const uint64_t lanes = o.lds_step == LdsStep::TransferTo      ? 0
                           : o.lds_step == LdsStep::TransferFrom  ? o.op.exec
                           : o.op.space == wave::MemorySpace::Lds ? o.op.exec
                                                                  : o.op.exec & o.op.flat_lds;
    const bool answers =
        o.op.kind != wave::MemoryKind::Store || o.lds_step == LdsStep::TransferFrom;
    const unsigned rows = answers ? o.op.accesses * ((o.op.bytes + 3u) / 4) : 0;
    for (unsigned d = 0; d < rows; ++d) {
      if (lanes == ~uint64_t{0}) {
        std::copy_n(response->data[d].begin(), wave::kLanes, o.reply.data[d]);
        continue;
      }
      for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        o.reply.data[d][lane] = response->data[d][lane];
      }
    }
    o.lds_pending = false;
    if (o.lds_step == LdsStep::TransferFrom) {
      std::copy_n(o.reply.data[0], wave::kLanes, o.op.data[0]);  // now its turn can come
    } else if (o.all_back()) {
      answered.push_back(&o);
    }
    lds_->response.drop(now);
  }
}

}  // namespace cuvette::compute_unit
