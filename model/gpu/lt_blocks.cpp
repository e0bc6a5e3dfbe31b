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

/// Puts a record that arrived into the core's channel, never before one that came earlier.
template <class Record>
void push(machine::Channel<Record>& channel, const Record& record, Cycle at, Cycle& last) {
  last = std::max(last, at);
  channel.push(record, last);
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
                push(core_->agent_done, done, at + link_cycles_, last_agent_);
                wake();
              }),
      accesses_(period, [this](Cycle at, const command_processor::RegisterAccess& access) {
        command_processor::RegisterDone done;
        done.id = access.id;
        done.error = true;
        if (registers_) done = registers_(at, access);
        push(core_->register_done, done, at + link_cycles_, last_register_);
        wake();
      }) {
  core_->connect(*spi_, memory_, {}, {});  // there are no caches that a fence could ask
  carry(memory_);
  doorbells.register_b_transport(this, &LtCommandProcessor::ring_transport);
  doorbells.register_transport_dbg(this, &LtCommandProcessor::debug);
  dispatch_done.register_b_transport(this, &LtCommandProcessor::take_done);
  saved.register_b_transport(this, &LtCommandProcessor::take_saved);
}

LtCommandProcessor::~LtCommandProcessor() = default;

uint32_t LtCommandProcessor::bind_queue(const command_processor::QueueBinding& queue) {
  const Cycle cycle = now().value() / period().value();
  const uint32_t number = core_->bind(queue, std::max(cycle + link_cycles_, next_tick()));
  wake();
  return number;
}

void LtCommandProcessor::unbind_queue(uint32_t queue) {
  core_->unbind(queue);
  wake();
}

void LtCommandProcessor::dequeue(const command_processor::Dequeue& dequeue) {
  const Cycle cycle = now().value() / period().value();
  push(core_->dequeue, dequeue, cycle + link_cycles_, last_dequeue_);
  wake();
}

void LtCommandProcessor::launch(const command_processor::RegisterLaunch& grid) {
  const Cycle cycle = now().value() / period().value();
  push(core_->register_launch, grid, cycle + link_cycles_, last_launch_);
  wake();
}

void LtCommandProcessor::ring(const command_processor::Doorbell& doorbell) {
  const Cycle cycle = now().value() / period().value();
  push(core_->doorbell, doorbell, cycle + link_cycles_, last_ring_);
  wake();
}

void LtCommandProcessor::ring_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  command_processor::Doorbell doorbell;
  if (!window_.write(trans, doorbell)) return;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  const sc_time at = now() + delay;
  last_ring_ = std::max<Cycle>(last_ring_, at.value() / period().value() + link_cycles_);
  on_ring_ ? on_ring_(doorbell) : ring(doorbell);
}

void LtCommandProcessor::take_done(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::DispatchDone>(trans);
  if (record == nullptr) return;
  push(spi_->dispatch_done, *record, cycle_from(now() + delay), last_done_);
  wake();
}

void LtCommandProcessor::take_saved(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::SavedGroup>(trans);
  if (record == nullptr) return;
  push(spi_->saved, *record, cycle_from(now() + delay), last_saved_);
  wake();
}

void LtCommandProcessor::after_tick(Cycle) {
  while (!spi_->restore.empty()) {
    const Cycle sent = spi_->restore.next_event();
    const spi::SavedGroup record = spi_->restore.pop(sent);
    if (restore.size() != 0) send_record(restore, payload(), record, until(sent));
  }
  while (!spi_->dispatch.empty()) {
    const Cycle sent = spi_->dispatch.next_event();
    send_record(dispatch, payload(), *spi_->dispatch.front(sent), until(sent));
    spi_->dispatch.drop(sent);
  }
  while (!spi_->cancel.empty()) {
    const Cycle sent = spi_->cancel.next_event();
    const spi::Cancel record = spi_->cancel.pop(sent);
    if (cancel.size() != 0) send_record(cancel, payload(), record, until(sent));
  }
  while (!spi_->save.empty()) {
    const Cycle sent = spi_->save.next_event();
    const spi::Save record = spi_->save.pop(sent);
    if (save.size() != 0) send_record(save, payload(), record, until(sent));
  }
  while (!core_->register_access.empty()) {
    const Cycle sent = core_->register_access.next_event();
    accesses_.raise(sent + link_cycles_, core_->register_access.pop(sent));
  }
  while (!core_->interrupt.empty()) {
    const Cycle sent = core_->interrupt.next_event();
    line_.raise(sent, core_->interrupt.pop(sent));
  }
  while (!core_->queue_status.empty()) {
    const Cycle sent = core_->queue_status.next_event();
    const auto status = core_->queue_status.pop(sent);
    if (on_status_) on_status_(sent + link_cycles_, status);
  }
  while (!core_->agent_dispatch.empty()) {
    const Cycle sent = core_->agent_dispatch.next_event();
    agents_.raise(sent + link_cycles_, core_->agent_dispatch.pop(sent));
  }
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
      last_done_(core_->compute_units(), 0) {
  dispatch.register_b_transport(this, &LtSpi::take_dispatch);
  cancel.register_b_transport(this, &LtSpi::take_cancel);
  save.register_b_transport(this, &LtSpi::take_save);
  restore.register_b_transport(this, &LtSpi::take_restore);
  for (unsigned i = 0; i < done.size(); ++i) {
    done[i].register_b_transport(this, &LtSpi::take_done, static_cast<int>(i));
  }
}

void LtSpi::take_dispatch(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::Dispatch>(trans);
  if (record == nullptr) return;
  push(core_->dispatch, *record, cycle_from(now() + delay), last_dispatch_);
  wake();
}

void LtSpi::take_cancel(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::Cancel>(trans);
  if (record == nullptr) return;
  push(core_->cancel, *record, cycle_from(now() + delay), last_cancel_);
  wake();
}

void LtSpi::take_save(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::Save>(trans);
  if (record == nullptr) return;
  push(core_->save, *record, cycle_from(now() + delay), last_save_);
  wake();
}

void LtSpi::take_restore(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::SavedGroup>(trans);
  if (record == nullptr) return;
  push(core_->restore, *record, cycle_from(now() + delay), last_restore_);
  wake();
}

void LtSpi::take_done(int unit, tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::WaveDone>(trans);
  if (record == nullptr) return;
  const auto index = static_cast<unsigned>(unit);
  push(core_->compute_unit(index).done, *record, cycle_from(now() + delay), last_done_[index]);
  wake();
}

void LtSpi::after_tick(Cycle) {
  auto& order = core_->wave_order;
  if (on_wave_order_ && !order.empty()) on_wave_order_(order);
  while (!on_wave_order_ && !order.empty()) order.drop(order.next_event());
  core_->take_sent(sent_);
  for (const unsigned i : sent_) {
    auto& waves = core_->compute_unit(i).launch;
    while (!waves.empty()) {
      const Cycle sent = waves.next_event();
      send_record(launch[i], payload(), *waves.front(sent), until(sent + link_cycles_));
      waves.drop(sent);
    }
    auto& commands = core_->compute_unit(i).command;
    while (!commands.empty()) {
      const Cycle sent = commands.next_event();
      const spi::WaveCommand record = commands.pop(sent);
      if (command[i].size() != 0)
        send_record(command[i], payload(), record, until(sent + link_cycles_));
    }
  }
  while (!core_->saved.empty()) {
    const Cycle sent = core_->saved.next_event();
    const spi::SavedGroup record = core_->saved.pop(sent);
    if (saved.size() != 0) send_record(saved, payload(), record, until(sent));
  }
  while (!core_->dispatch_done.empty()) {
    const Cycle sent = core_->dispatch_done.next_event();
    send_record(dispatch_done, payload(), core_->dispatch_done.pop(sent), until(sent));
  }
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
      line_(period, messages) {
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

void LtComputeUnit::gds_has_taken(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<gds::Taken>(trans);
  if (record == nullptr) return;
  push(core_->gds.taken, *record, cycle_from(now() + delay), last_taken_);
  wake();
}

void LtComputeUnit::gds_has_answered(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<gds::Response>(trans);
  if (record == nullptr) return;
  push(core_->gds.response, *record, cycle_from(now() + delay), last_response_);
  wake();
}

void LtComputeUnit::take_command(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::WaveCommand>(trans);
  if (record == nullptr) return;
  push(waves_.command, *record, cycle_from(now() + delay), last_command_);
  wake();
}

void LtComputeUnit::debug(const spi::WaveCommand& request) {
  const Cycle cycle = now().value() / period().value();
  push(core_->debug, request, cycle + link_cycles_, last_debug_);
  wake();
}

void LtComputeUnit::take_launch(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<spi::WaveLaunch>(trans);
  if (record == nullptr) return;
  push(waves_.launch, *record, cycle_from(now() + delay), last_launch_);
  wake();
}

void LtComputeUnit::after_tick(Cycle tick) {
  while (!waves_.done.empty()) {
    const Cycle sent = waves_.done.next_event();
    const spi::WaveDone ended = waves_.done.pop(sent);
    if (ended.error) errors_.emplace_back(tick, ended);
    send_record(done, payload(), ended, until(sent + link_cycles_));
  }
  while (!core_->gds.request.empty()) {
    const Cycle sent = core_->gds.request.next_event();
    if (gds_request.size() != 0) {
      send_record(gds_request, payload(), *core_->gds.request.front(sent),
                  until(sent + link_cycles_));
    }
    core_->gds.request.drop(sent);
  }
  while (!core_->messages.empty()) {
    const Cycle sent = core_->messages.next_event();
    const auto message = core_->messages.pop(sent);
    line_.raise(sent + link_cycles_,
                {command_processor::kWaveMessage | message.message, index_, message.m0});
  }
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
      link_cycles_(link_cycles),
      last_request_(core_->compute_units(), 0) {
  for (unsigned i = 0; i < request.size(); ++i) {
    request[i].register_b_transport(this, &LtGds::take_request, static_cast<int>(i));
  }
}

void LtGds::take_request(int unit, tlm::tlm_generic_payload& trans, sc_time& delay) {
  const auto* record = record_of<gds::Request>(trans);
  if (record == nullptr) return;
  const auto index = static_cast<unsigned>(unit);
  take_order();
  push(core_->compute_unit(index).request, *record, cycle_from(now() + delay),
       last_request_[index]);
  wake();
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
    gds::Port& port = core_->compute_unit(i);
    while (!port.taken.empty()) {
      const Cycle sent = port.taken.next_event();
      const gds::Taken record = port.taken.pop(sent);
      if (taken[i].size() != 0)
        send_record(taken[i], payload(), record, until(sent + link_cycles_));
    }
    while (!port.response.empty()) {
      const Cycle sent = port.response.next_event();
      if (response[i].size() != 0) {
        send_record(response[i], payload(), *port.response.front(sent), until(sent + link_cycles_));
      }
      port.response.drop(sent);
    }
  }
}

}  // namespace cuvette::gpu
