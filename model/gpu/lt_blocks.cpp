// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_blocks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

namespace {

LtShell::Options shell_options(bool dmi, const TransferOptions& transfer) {
  LtShell::Options o;
  o.dmi = dmi;
  o.transfer = transfer;
  return o;
}

}  // namespace

/// Spi as the command processor's core sees it: the ends of its two channels.
class LtCommandProcessor::SpiEnd final : public spi::Spi {
 public:
  void tick(Cycle) override {}
  Cycle next_event() const override { return machine::kNever; }
  unsigned compute_units() const override { return 0; }
  ComputeUnitPort& compute_unit(unsigned) override { return none_; }

 private:
  ComputeUnitPort none_;
};

LtCommandProcessor::LtCommandProcessor(const sc_core::sc_module_name& name,
                                       std::unique_ptr<command_processor::CommandProcessor> core,
                                       const sc_time& period, uint32_t link_cycles,
                                       const TransferOptions& transfer)
    : LtShell(name, *core, period, shell_options(false, transfer)),
      doorbells("doorbells"),
      interrupts("interrupts"),
      dispatch("dispatch"),
      dispatch_done("dispatch_done"),
      cancel("cancel"),
      save("save"),
      saved("saved"),
      restore("restore"),
      core_(std::move(core)),
      spi_(std::make_unique<SpiEnd>()),
      link_cycles_(link_cycles),
      line_(period, interrupts),
      agents_(period,
              [this](Cycle at, const command_processor::AgentDone& done) {
                take(done, at + link_cycles_, agents_done_);
              }),
      accesses_(period,
                [this](Cycle at, const command_processor::RegisterAccess& access) {
                  command_processor::RegisterDone done;
                  done.id = access.id;
                  done.error = true;
                  if (registers_) done = registers_(at, access);
                  take(done, at + link_cycles_, accesses_done_);
                }),
      rings_(core_->doorbell),
      dequeues_(core_->dequeue),
      launches_(core_->register_launch),
      agents_done_(core_->agent_done),
      accesses_done_(core_->register_done),
      done_(spi_->dispatch_done),
      saved_(spi_->saved) {
  core_->connect(*spi_, memory_, {}, {});  // there are no caches that a fence could ask
  carry(memory_);
  doorbells.register_b_transport(this, &LtCommandProcessor::ring_transport);
  doorbells.register_transport_dbg(this, &LtCommandProcessor::debug);
  dispatch_done.register_b_transport(this, &LtCommandProcessor::take_done);
  saved.register_b_transport(this, &LtCommandProcessor::take_saved);
}

LtCommandProcessor::~LtCommandProcessor() = default;

uint32_t LtCommandProcessor::bind_queue(const command_processor::QueueBinding& queue) {
  const uint32_t number = core_->bind(queue, std::max(this_cycle() + link_cycles_, next_tick()));
  wake();
  return number;
}

void LtCommandProcessor::unbind_queue(uint32_t queue) {
  core_->unbind(queue);
  wake();
}

void LtCommandProcessor::dequeue(const command_processor::Dequeue& dequeue) {
  take(dequeue, this_cycle() + link_cycles_, dequeues_);
}

void LtCommandProcessor::launch(const command_processor::RegisterLaunch& grid) {
  take(grid, this_cycle() + link_cycles_, launches_);
}

void LtCommandProcessor::ring(const command_processor::Doorbell& doorbell) {
  take(doorbell, this_cycle() + link_cycles_, rings_);
}

void LtCommandProcessor::ring_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  command_processor::Doorbell doorbell;
  if (!window_.write(trans, doorbell)) return;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  const sc_time at = now() + delay;
  rings_.not_before(at.value() / period().value() + link_cycles_);
  on_ring_ ? on_ring_(doorbell) : ring(doorbell);
}

void LtCommandProcessor::after_tick(Cycle) {
  send_all(spi_->restore, restore);
  send_all(spi_->dispatch, dispatch);
  send_all(spi_->cancel, cancel);
  send_all(spi_->save, save);
  drain(core_->register_access,
        [this](Cycle sent, const auto& access) { accesses_.raise(sent + link_cycles_, access); });
  drain(core_->interrupt, [this](Cycle sent, const auto& what) { line_.raise(sent, what); });
  drain(core_->queue_status, [this](Cycle sent, const auto& status) {
    if (on_status_) on_status_(sent + link_cycles_, status);
  });
  drain(core_->agent_dispatch,
        [this](Cycle sent, const auto& packet) { agents_.raise(sent + link_cycles_, packet); });
}

LtSpi::LtSpi(const sc_core::sc_module_name& name, std::unique_ptr<spi::Spi> core,
             const sc_time& period, uint32_t link_cycles)
    : LtShell(name, *core, period, {}),
      dispatch("dispatch"),
      dispatch_done("dispatch_done"),
      cancel("cancel"),
      save("save"),
      saved("saved"),
      restore("restore"),
      launch("launch", core->compute_units()),
      command("command", core->compute_units()),
      done("done", core->compute_units()),
      core_(std::move(core)),
      link_cycles_(link_cycles),
      dispatches_(core_->dispatch),
      cancels_(core_->cancel),
      saves_(core_->save),
      restores_(core_->restore) {
  for (unsigned i = 0; i < done.size(); ++i) done_.emplace_back(core_->compute_unit(i).done);
  dispatch.register_b_transport(this, &LtSpi::take_dispatch);
  cancel.register_b_transport(this, &LtSpi::take_cancel);
  save.register_b_transport(this, &LtSpi::take_save);
  restore.register_b_transport(this, &LtSpi::take_restore);
  for (unsigned i = 0; i < done.size(); ++i) {
    done[i].register_b_transport(this, &LtSpi::take_done, static_cast<int>(i));
  }
}

void LtSpi::after_tick(Cycle) {
  auto& order = core_->wave_order;
  if (on_wave_order_ && !order.empty()) on_wave_order_(order);
  while (!on_wave_order_ && !order.empty()) order.drop(order.next_event());
  core_->take_sent(sent_);
  for (const unsigned i : sent_) {
    send_all(core_->compute_unit(i).launch, launch[i], link_cycles_);
    send_all(core_->compute_unit(i).command, command[i], link_cycles_);
  }
  send_all(core_->saved, saved);
  send_all(core_->dispatch_done, dispatch_done);
}

LtComputeUnit::LtComputeUnit(const sc_core::sc_module_name& name,
                             std::unique_ptr<compute_unit::ComputeUnit> core, unsigned index,
                             const sc_time& period, uint32_t link_cycles,
                             const TransferOptions& transfer)
    : LtShell(name, *core, period, shell_options(true, transfer)),
      launch("launch"),
      command("command"),
      done("done"),
      gds_request("gds_request"),
      gds_taken("gds_taken"),
      gds_response("gds_response"),
      messages("messages"),
      core_(std::move(core)),
      index_(index),
      link_cycles_(link_cycles),
      line_(period, messages),
      launches_(waves_.launch),
      commands_(waves_.command),
      debug_(core_->debug),
      gds_takens_(core_->gds.taken),
      gds_responses_(core_->gds.response) {
  core_->connect(waves_, vector_, scalar_, instruction_);
  if (!core_->reach(*this)) {
    for (auto* port : {&vector_, &scalar_, &instruction_}) carry(*port);
  }
  launch.register_b_transport(this, &LtComputeUnit::take_launch);
  command.register_b_transport(this, &LtComputeUnit::take_command);
  gds_taken.register_b_transport(this, &LtComputeUnit::gds_has_taken);
  gds_response.register_b_transport(this, &LtComputeUnit::gds_has_answered);
}

compute_unit::DirectMemory::Region LtComputeUnit::region(uint64_t address, bool write) {
  const tlm::tlm_dmi* const grant = grant_at(address);
  if (grant == nullptr) return {};
  if (write ? !grant->is_write_allowed() : !grant->is_read_allowed()) return {};
  const sc_time latency = write ? grant->get_write_latency() : grant->get_read_latency();
  return {grant->get_start_address(), grant->get_end_address(), grant->get_dmi_ptr(),
          cycle_from(latency)};
}

void LtComputeUnit::request(const memory::MemReq& request, memory::MemResp& response) {
  sc_time delay = until(request.time);
  access(request, response, delay);
  response.time = std::max(cycle_from(now() + delay), request.time + 1);
}

bool LtComputeUnit::peek(uint64_t address, void* out, unsigned bytes) {
  tlm::tlm_generic_payload trans;
  trans.set_read();
  trans.set_address(address);
  trans.set_data_ptr(static_cast<unsigned char*>(out));
  trans.set_data_length(bytes);
  trans.set_streaming_width(bytes);
  return memory->transport_dbg(trans) == bytes;
}

void LtComputeUnit::debug(const spi::WaveCommand& request) {
  take(request, this_cycle() + link_cycles_, debug_);
}

void LtComputeUnit::after_tick(Cycle tick) {
  drain(waves_.done, [this, tick](Cycle sent, const spi::WaveDone& ended) {
    if (ended.error) errors_.emplace_back(tick, ended);
    send_record(done, payload(), ended, until(sent + link_cycles_));
  });
  send_all(core_->gds.request, gds_request, link_cycles_);
  drain(core_->messages, [this](Cycle sent, const auto& message) {
    line_.raise(sent + link_cycles_,
                {command_processor::kWaveMessage | message.message, index_, message.m0});
  });
}

std::vector<std::pair<Cycle, spi::WaveDone>> LtComputeUnit::take_errors() {
  return std::exchange(errors_, {});
}

LtGds::LtGds(const sc_core::sc_module_name& name, std::unique_ptr<gds::Gds> core,
             const sc_time& period, uint32_t link_cycles)
    : LtShell(name, *core, period, {}),
      request("request", core->compute_units()),
      taken("taken", core->compute_units()),
      response("response", core->compute_units()),
      core_(std::move(core)),
      link_cycles_(link_cycles) {
  for (unsigned i = 0; i < request.size(); ++i) {
    requests_.emplace_back(core_->compute_unit(i).request);
    request[i].register_b_transport(this, &LtGds::take_request, static_cast<int>(i));
  }
}

void LtGds::take_request(int unit, tlm::tlm_generic_payload& trans, sc_time& delay) {
  if (const auto* record = record_of<gds::Request>(trans)) {
    take_order();
    take(*record, cycle_from(now() + delay), requests_[static_cast<unsigned>(unit)]);
  }
}

void LtGds::offer(machine::Channel<spi::WaveOrder>& order) {
  constexpr size_t kMany = 1024;
  order_ = &order;
  if (!core_->wants_waves() && order.size() < kMany) return;
  take_order();
  if (core_->wants_waves()) wake();
}

/// Passes on the order of waves: before a request, every begin and end that preceded it.
void LtGds::take_order() {
  while (order_ != nullptr && !order_->empty()) {
    const Cycle sent = order_->next_event();
    core_->waves.push(order_->pop(sent), sent);
  }
}

void LtGds::after_tick(Cycle) {
  if (core_->wants_waves()) take_order();  // what came while it did not
  for (unsigned i = 0; i < core_->compute_units(); ++i) {
    send_all(core_->compute_unit(i).taken, taken[i], link_cycles_);
    send_all(core_->compute_unit(i).response, response[i], link_cycles_);
  }
}

}  // namespace cuvette::gpu
