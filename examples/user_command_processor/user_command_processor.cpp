// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <memory>
#include <vector>

#include "command_processor/command_processor_model.h"
#include "ip/core_dut.h"
#include "ip/pin_address_space.h"
#include "spi/spi_ends.h"

using namespace cuvette;

namespace {

/// The error that is wanted; 0: none.
unsigned bug() {
  const char* text = std::getenv("USER_BUG");
  return text == nullptr ? 0 : static_cast<unsigned>(std::atoi(text));
}

constexpr unsigned kNear = 3, kFar = 1;  ///< caches of the machine `small`

/// A user's command processor in C++ for the machine `small`: Cuvette's own model with other times,
/// whole on the pins of the contract. It stands still while a translation is under way.
class UserCommandProcessor {
 public:
  /// `bug`: see CMakeLists.txt; 0: none.
  explicit UserCommandProcessor(unsigned bug) : bug_(bug) {
    command_processor::Config c;
    c.packet_cycles = 20;
    c.poll_cycles = 300;
    c.address_space = &space_;
    model_ = std::make_unique<command_processor::CommandProcessorModel>(c);
    for (unsigned i = 0; i < kNear + kFar; ++i) {
      caches_.push_back(std::make_unique<cache::Cache::Port>());
      fences_.push_back(std::make_unique<Channel<memory::MemReq>>(machine::kUnbounded));
    }
    std::vector<cache::Cache::Port*> near, far;
    for (unsigned i = 0; i < kNear; ++i) near.push_back(caches_[i].get());
    for (unsigned i = 0; i < kFar; ++i) far.push_back(caches_[kNear + i].get());
    model_->connect(spi_, memory_, near, far);
  }

  ~UserCommandProcessor() { space_.stop(); }

  void tick(machine::Cycle now) {
    const bool due =
        model_->next_event() <= now || bind_.front(now) != nullptr || unbind_.front(now) != nullptr;
    if (!due && !space_.waits()) return;
    const bool done = space_.run(now, [this, now] {
      while (bind_.front(now) != nullptr) {
        bound_.push({model_->bind(bind_.pop(now), now + 1)}, now + 1);
      }
      while (unbind_.front(now) != nullptr) model_->unbind(unbind_.pop(now).number);
      model_->tick(now);
    });
    if (done) send(now + 1);
  }
  machine::Cycle next_event() const { return 0; }

  template <class V>
  friend void visit_channels(UserCommandProcessor& u, V&& v) {
    v.template in<command_processor::QueueBinding>(0, 0, u.bind_);
    v.template out<command_processor::QueueNumber>(1, 0, u.bound_);
    v.template in<command_processor::QueueNumber>(2, 0, u.unbind_);
    command_processor::visit_channels(*u.model_, v);
    v.template out<memory::MemReq>(12, 0, u.requests_);
    v.template in<memory::MemResp>(13, 0, u.memory_.response);
    v.template out<memory::TranslateRequest>(14, 0, u.space_.questions);
    v.template in<memory::TranslateResponse>(15, 0, u.space_.answers);
    for (unsigned i = 0; i < kNear; ++i) {
      v.template out<memory::MemReq>(16, i, *u.fences_[i]);
      v.template in<memory::MemResp>(17, i, u.caches_[i]->response);
    }
    for (unsigned i = 0; i < kFar; ++i) {
      v.template out<memory::MemReq>(18, i, *u.fences_[kNear + i]);
      v.template in<memory::MemResp>(19, i, u.caches_[kNear + i]->response);
    }
    v.template out<spi::Dispatch>(20, 0, u.dispatches_);
    v.template in<spi::DispatchDone>(21, 0, u.spi_.dispatch_done);
    v.template out<spi::Cancel>(22, 0, u.spi_.cancel);
    v.template out<spi::Save>(23, 0, u.spi_.save);
    v.template in<spi::SavedGroup>(24, 0, u.spi_.saved);
    v.template out<spi::SavedGroup>(25, 0, u.spi_.restore);
  }

 private:
  template <class M>
  using Channel = machine::Channel<M>;

  /// Sends the message that the core has given, with the error in it.
  void send(machine::Cycle now) {
    while (memory_.request.front(now) != nullptr) {
      memory::MemReq r = memory_.request.pop(now);
      if (bug_ == 4 && r.op == memory::MemOp::Atomic) r.data[0] = 2;
      if (bug_ == 5 && r.op == memory::MemOp::Write && __builtin_popcountll(r.byte_mask) == 8) {
        ++r.data[static_cast<unsigned>(__builtin_ctzll(r.byte_mask))];
      }
      requests_.push(r, now);
    }
    for (unsigned i = 0; i < kNear + kFar; ++i) {
      auto& from = caches_[i]->request;
      while (from.front(now) != nullptr) {
        const memory::MemReq r = from.pop(now);
        const auto left_out = bug_ == 1 ? memory::MemOp::Invalidate : memory::MemOp::Writeback;
        if (i == 1 && r.op == left_out && (bug_ == 1 || (bug_ == 2 && ++writebacks_ % 2 == 0))) {
          memory::MemResp answer;  // as if it had been done
          answer.id = r.id;
          caches_[i]->response.push(answer, now);
          continue;
        }
        fences_[i]->push(r, now);
      }
    }
    while (spi_.dispatch.front(now) != nullptr) {
      spi::Dispatch d = spi_.dispatch.pop(now);
      if (bug_ == 3) d.private_bytes ^= 4;
      dispatches_.push(d, now);
    }
  }

  unsigned bug_;
  unsigned writebacks_ = 0;  ///< of an acquire and of a release fence in turn
  ip::dut::PinAddressSpace space_;
  spi::SpiEnds spi_;
  cache::Cache::Port memory_;
  std::vector<std::unique_ptr<cache::Cache::Port>> caches_;
  std::unique_ptr<command_processor::CommandProcessorModel> model_;
  Channel<command_processor::QueueBinding> bind_{machine::kUnbounded};
  Channel<command_processor::QueueNumber> bound_{machine::kUnbounded};
  Channel<command_processor::QueueNumber> unbind_{machine::kUnbounded};
  Channel<memory::MemReq> requests_{machine::kUnbounded};
  std::vector<std::unique_ptr<Channel<memory::MemReq>>> fences_;
  Channel<spi::Dispatch> dispatches_{2};
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const cuvette_dut_table* cuvette_dut(void) {
  return ip::dut::core_table<UserCommandProcessor>(
      "command_processor", "user_command_processor", command_processor::kChannels, {kNear, kFar},
      [] { return std::make_unique<UserCommandProcessor>(bug()); });
}
