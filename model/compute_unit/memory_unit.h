// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/occupancy.h"
#include "base/ring.h"
#include "cache/cache.h"
#include "compute_unit/coalesce.h"
#include "compute_unit/compute_unit.h"
#include "isa/instruction.h"
#include "machine/core.h"
#include "wave/memory_op.h"

namespace cuvette::compute_unit {

/// Last step of an operation at the lds.
enum class LdsStep : uint8_t {
  None,
  Access,        ///< lanes of a DS or FLAT instruction
  TransferTo,    ///< memory's answer goes to LDS
  TransferFrom,  ///< the data to be stored in memory is fetched
};

/// One memory instruction from issue to retirement. Owned by the MemoryUnit's pool.
struct Operation {
  wave::MemoryOp op;                              ///< access of its lanes
  wave::MemoryReply reply;                        ///< data that has come back, by lane
  const isa::Instruction* instruction = nullptr;  ///< valid as long as the operation
  bool active = false;                            ///< not in the pool
  unsigned wave = 0;                              ///< index of the wave in the compute unit
  uint64_t pc = 0, order = 0, exec = 0;  ///< address, number among those of the wave, EXEC at issue
  /// Cache maintenance instead of an access.
  bool maintenance = false;
  memory::MemOp maintenance_op = memory::MemOp::Invalidate;  ///< Invalidate or Writeback
  memory::Scope scope = memory::Scope::Wave;                 ///< of maintenance

  Coalesced requests;                   ///< to a cache
  size_t sent = 0;                      ///< of `requests`, in their order
  unsigned outstanding = 0;             ///< sent, not answered
  bool lds_pending = false;             ///< its request to the lds is not answered, or not sent
  LdsStep lds_step = LdsStep::None;     ///< of that request
  uint32_t gds_request = 0;             ///< id of its request
  machine::Cycle started = 0;           ///< first cycle in the coalescer
  std::vector<uint64_t> serials;        ///< per request
  bool answered = false;                ///< everything is back
  bool filling = false;                 ///< rows are on their way to the registers
  bool done = false;                    ///< its rows are written, or it has none: it may retire
  std::array<wave::LaneRow, 5> rows{};  ///< data for the destination registers
  unsigned written_rows = 0;            ///< of `rows`
  uint64_t written_lanes = 0;           ///< of each of them; bit 0: lane 0

  /// A store whose data is still to come from LDS: it holds its place in the queue.
  bool fetches_data() const { return lds_pending && lds_step == LdsStep::TransferFrom; }
  bool all_back() const {
    return sent == requests.groups.size() && outstanding == 0 && !lds_pending;
  }
};

/// The way of vector and scalar memory instructions to their caches: one request per port and
/// cycle, in issue order; answers in any order.
class MemoryUnit {
 public:
  void connect(uint16_t cu, cache::Cache::Port& vector, cache::Cache::Port& scalar,
               uint32_t& sequence);

  Operation* allocate();
  void release(Operation* operation);

  /// One instruction may wait behind the one in the coalescer.
  bool vector_free() const { return vector_.queue.size() < 2; }
  bool scalar_free() const { return scalar_.queue.size() < 2; }
  void issue_vector(Operation* operation, machine::Cycle now) {
    vector_.queue.push_back(operation);
    addresses_.enter(now);
  }
  void issue_scalar(Operation* operation) { scalar_.queue.push_back(operation); }

  /// Takes what has arrived; operations with everything back are appended to `answered`.
  void take(machine::Cycle now, std::vector<Operation*>& answered) {
    for (Path* path : {&vector_, &scalar_}) {
      if (path->port->response.front(now) != nullptr) take_path(*path, now, answered);
    }
  }
  /// Sends at most one request per port. Operations without requests are appended to `answered`.
  /// True when an operation has left a queue.
  bool send(machine::Cycle now, std::vector<Operation*>& answered) {
    const size_t before = vector_.queue.size() + scalar_.queue.size();
    for (Path* path : {&vector_, &scalar_}) {
      if (!path->queue.empty()) send_path(*path, now, answered);
    }
    return vector_.queue.size() + scalar_.queue.size() != before;
  }
  machine::Cycle next_event() const {
    if (!vector_.queue.empty() || !scalar_.queue.empty()) return 0;
    return std::min(vector_.port->response.next_event(), scalar_.port->response.next_event());
  }

  /// Calls `f` with every operation that is not retired, in no order.
  template <class F>
  void for_active(F f) const {
    for (const auto& operation : all_) {
      if (operation->active) f(*operation);
    }
  }

  /// Called with every request that is sent and with every answer that is taken, when set.
  using OnRequest = std::function<void(const Operation&, const memory::MemReq&)>;
  using OnAnswer = std::function<void(const Operation&, uint32_t sequence)>;
  void watch(OnRequest on_request, OnAnswer on_answer) {
    on_request_ = std::move(on_request);
    on_answer_ = std::move(on_answer);
  }

  /// Accesses sent so far, cache maintenance apart.
  uint64_t vector_requests() const { return vector_.accesses; }
  uint64_t scalar_requests() const { return scalar_.accesses; }
  /// The members of the address unit.
  void tell(ComputeUnit::Detail& detail, machine::Cycle now) const;

 private:
  struct Flight {
    Operation* operation = nullptr;  // null: answered
    uint32_t group = 0;
    uint32_t sequence = 0;  // of the request
  };
  struct Path {
    cache::Cache::Port* port = nullptr;
    base::Ring<Operation*> queue;
    base::Ring<Flight> flights;  // flights[i] has id first_id + i
    uint64_t first_id = 0;
    uint64_t accesses = 0;
  };
  void take_path(Path& path, machine::Cycle now, std::vector<Operation*>& answered);
  void send_path(Path& path, machine::Cycle now, std::vector<Operation*>& answered);
  void fill_request(const Operation& operation, const Group& group, machine::Cycle now,
                    memory::MemReq& request) const;

  uint16_t cu_ = 0;
  uint32_t* sequence_ = nullptr;
  void leave_queue(Path& path, machine::Cycle now);
  Path vector_, scalar_;
  base::Occupancy addresses_;   // vector instructions in the queue
  ComputeUnit::Detail detail_;  // its members of the address unit
  std::vector<std::unique_ptr<Operation>> all_;
  std::vector<Operation*> free_;
  OnRequest on_request_;
  OnAnswer on_answer_;
};

}  // namespace cuvette::compute_unit
