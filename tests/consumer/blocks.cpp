// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A user's testbench around each of the twelve blocks alone: one SystemC module per block, its
// sockets bound, a message through those that answer by themselves.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/block_modules.h"
#include "gpu/registries.h"
#include "hsa/memory.h"

namespace {

using namespace cuvette;
using sc_core::sc_time;

const sc_time kPeriod(1, sc_core::SC_NS);
unsigned failures = 0;

void check(bool good, const std::string& what) {
  if (good) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

/// Takes what comes; keeps the last message.
template <class M>
class Sink : public sc_core::sc_module {
 public:
  explicit Sink(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Sink::take);
  }
  tlm_utils::simple_target_socket<Sink, 64, gpu::RecordProtocol<M>> socket;
  M last{};
  unsigned count = 0;

 private:
  void take(tlm::tlm_generic_payload& trans, sc_time&) {
    if (const M* message = gpu::record_of<M>(trans)) last = *message, ++count;
  }
};
/// Gives messages from a thread.
template <class M>
class Source : public sc_core::sc_module {
 public:
  explicit Source(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_HAS_PROCESS(Source);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Source, 64, gpu::RecordProtocol<M>> socket;
  std::vector<M> messages;

 private:
  void run() {
    for (const M& m : messages) gpu::send_record(socket, m, sc_core::SC_ZERO_TIME);
  }
};

/// Ends of the channels of one block, bound.
class Ends {
 public:
  template <class M, class Module>
  Sink<M>& sink(Module& block, const std::string& channel, unsigned port = 0) {
    auto made = std::make_shared<Sink<M>>(sc_core::sc_gen_unique_name("sink"));
    block.template out<M>(channel, port).bind(made->socket);
    all_.push_back(made);
    return *made;
  }
  template <class M, class Module>
  Source<M>& source(Module& block, const std::string& channel, unsigned port = 0) {
    auto made = std::make_shared<Source<M>>(sc_core::sc_gen_unique_name("source"));
    made->socket.bind(block.template in<M>(channel, port));
    all_.push_back(made);
    return *made;
  }

 private:
  std::vector<std::shared_ptr<void>> all_;
};

}  // namespace

int sc_main(int, char**) {
  Ends ends;
  hsa::SparseMemory backing;
  check(backing.reserve(0x10000, 0x1000).ok(), "memory");

  lds::LdsModule lds("lds", {}, kPeriod);
  lds::Request lds_request;
  lds_request.id = 7;
  lds_request.limit = 4096;
  ends.source<lds::Request>(lds, "request").messages = {lds_request};
  auto& lds_answer = ends.sink<lds::Response>(lds, "response");

  gds::GdsModule gds("gds", {}, kPeriod);
  gds::Request gds_request;
  gds_request.id = 8;
  ends.source<gds::Request>(gds, "request").messages = {gds_request};
  ends.source<spi::WaveOrder>(gds, "waves");
  ends.sink<gds::Taken>(gds, "taken");
  auto& gds_answer = ends.sink<gds::Response>(gds, "response");

  memory::Config of_memory;
  of_memory.backing = &backing;
  memory::MemoryModule memory("memory", of_memory, kPeriod);
  memory::MemReq request;
  request.id = 9;
  request.address = 0x10000;
  request.byte_mask = 1;
  ends.source<memory::MemReq>(memory, "request").messages = {request};
  auto& memory_answer = ends.sink<memory::MemResp>(memory, "response");

  cache::Config of_cache;
  of_cache.role = cache::Role::L2;
  cache::CacheModule l2("l2", of_cache, kPeriod);
  ends.source<memory::MemReq>(l2, "up_request").messages = {request};
  ends.sink<memory::MemResp>(l2, "up_response");
  auto& miss = ends.sink<memory::MemReq>(l2, "down_request");
  ends.source<memory::MemResp>(l2, "down_response");

  crossbar::Config of_crossbar;
  of_crossbar.sources = 1;
  crossbar::CrossbarModule crossbar("crossbar", of_crossbar, kPeriod);
  ends.source<memory::MemReq>(crossbar, "source_request").messages = {request};
  ends.sink<memory::MemResp>(crossbar, "source_response");
  auto& to_slice = ends.sink<memory::MemReq>(crossbar, "slice_request");
  ends.source<memory::MemResp>(crossbar, "slice_response");
  ends.source<crossbar::Aperture>(crossbar, "aperture");
  ends.sink<memory::MemReq>(crossbar, "aperture_store");

  spi::SpiModule spi("spi", {}, kPeriod);
  spi::Dispatch dispatch;
  dispatch.id = 11;
  dispatch.grid = {0, 1, 1};  // no such grid: answered with an error
  ends.source<spi::Dispatch>(spi, "dispatch").messages = {dispatch};
  auto& refused = ends.sink<spi::DispatchDone>(spi, "dispatch_done");
  ends.source<spi::Cancel>(spi, "cancel");
  ends.sink<spi::WaveOrder>(spi, "wave_order");
  ends.source<spi::Save>(spi, "save");
  ends.sink<spi::SavedGroup>(spi, "saved");
  ends.source<spi::SavedGroup>(spi, "restore");
  ends.sink<spi::WaveLaunch>(spi, "launch");
  ends.sink<spi::WaveCommand>(spi, "command");
  ends.source<spi::WaveDone>(spi, "done");

  valu::ValuModule valu("valu", {}, kPeriod);
  ends.source<valu::Request>(valu, "request");
  ends.sink<valu::Response>(valu, "response");

  vrf::VrfModule vrf("vrf", {}, kPeriod);
  vrf::Write write;
  write.address.row = 3;
  write.lanes = ~uint64_t{0};
  write.data[5] = 55;
  vrf::Read read;
  read.address.row = 3;
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) ends.source<vrf::Write>(vrf, "write", p);
  std::vector<Sink<vrf::ReadData>*> rows;
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    auto& source = ends.source<vrf::Read>(vrf, "read", p);
    if (p == 2) source.messages = {read};
    rows.push_back(&ends.sink<vrf::ReadData>(vrf, "read_data", p));
  }
  wave::LaneRow lanes{};
  lanes[5] = 55;
  vrf.core().rows().write(vrf::WritePort::Backdoor, 0, write.address, write.lanes, lanes);

  matrix_core::MatrixCoreModule matrix("matrix_core", {}, kPeriod);
  ends.source<matrix_core::Operands>(matrix, "operands");
  ends.sink<matrix_core::Result>(matrix, "result");

  gpu::Registries registries = gpu::tlm_registries();
  simd::Config of_simd;
  of_simd.valus = &registries.valus;
  of_simd.vrfs = &registries.vrfs;
  simd::SimdModule simd("simd", registries.simds.make("tlm", of_simd), kPeriod);
  ends.source<simd::Issue>(simd, "issue");
  ends.sink<simd::Retire>(simd, "retire");
  ends.source<simd::Fill>(simd, "fill");
  ends.source<simd::ReadRow>(simd, "read");
  ends.sink<simd::RowData>(simd, "row_data");

  hsa::AddressSpace space;
  compute_unit::Config of_unit;
  of_unit.simd = of_simd;
  of_unit.simds_registry = &registries.simds;
  of_unit.lds_registry = &registries.lds;
  of_unit.matrix_registry = &registries.matrix_cores;
  of_unit.address_space = &space;
  compute_unit::ComputeUnitModule unit("compute_unit",
                                       registries.compute_units.make("tlm", of_unit), kPeriod);
  spi::WaveLaunch wave;  // at an address without code: it ends with an error
  wave.id = 12;
  wave.exec = 1;
  wave.vgpr_count = 4;
  wave.sgpr_count = 16;
  wave.pc = 0x400;
  ends.source<spi::WaveLaunch>(unit, "launch").messages = {wave};
  auto& ended = ends.sink<spi::WaveDone>(unit, "done");
  ends.source<spi::WaveCommand>(unit, "command");
  ends.source<spi::WaveCommand>(unit, "debug");
  for (const char* name : {"vector", "scalar", "instruction"}) {
    ends.sink<memory::MemReq>(unit, std::string(name) + "_request");
    ends.source<memory::MemResp>(unit, std::string(name) + "_response");
  }
  ends.sink<gds::Request>(unit, "gds_request");
  ends.source<gds::Taken>(unit, "gds_taken");
  ends.source<gds::Response>(unit, "gds_response");
  ends.sink<compute_unit::Message>(unit, "messages");

  command_processor::Config of_processor;
  of_processor.address_space = &space;
  command_processor::CommandProcessorModule processor(
      "command_processor", registries.command_processors.make("tlm", of_processor), kPeriod);
  ends.source<command_processor::Doorbell>(processor, "doorbell");
  ends.sink<command_processor::Interrupt>(processor, "interrupt");
  ends.source<command_processor::Dequeue>(processor, "dequeue");
  auto& statuses = ends.sink<command_processor::QueueStatus>(processor, "queue_status");
  ends.sink<command_processor::AgentDispatch>(processor, "agent_dispatch");
  ends.source<command_processor::AgentDone>(processor, "agent_done");
  ends.sink<command_processor::RegisterAccess>(processor, "register_access");
  ends.source<command_processor::RegisterDone>(processor, "register_done");
  ends.source<command_processor::RegisterLaunch>(processor, "register_launch");
  ends.sink<memory::MemReq>(processor, "memory_request");
  ends.source<memory::MemResp>(processor, "memory_response");
  for (unsigned p = 0; p < 3; ++p) {
    ends.sink<memory::MemReq>(processor, "near_request", p);
    ends.source<memory::MemResp>(processor, "near_response", p);
  }
  ends.sink<memory::MemReq>(processor, "far_request");
  ends.source<memory::MemResp>(processor, "far_response");
  ends.sink<spi::Dispatch>(processor, "dispatch");
  ends.source<spi::DispatchDone>(processor, "dispatch_done");
  ends.sink<spi::Cancel>(processor, "cancel");
  ends.sink<spi::Save>(processor, "save");
  ends.source<spi::SavedGroup>(processor, "saved");
  ends.sink<spi::SavedGroup>(processor, "restore");
  command_processor::QueueBinding queue;  // an amd_queue_t that is not there: the queue fails
  queue.queue_address = 0x5000;
  const uint32_t number = processor.core().bind(queue, 1);

  sc_core::sc_start(sc_time(5, sc_core::SC_US));
  check(lds_answer.count == 1 && lds_answer.last.id == 7, "lds answers");
  check(gds_answer.count == 1 && gds_answer.last.id == 8, "gds answers");
  check(memory_answer.count == 1 && memory_answer.last.id == 9, "memory answers");
  check(miss.count == 1 && miss.last.address == 0x10000, "the cache asks below");
  check(to_slice.count == 1 && to_slice.last.address == 0x10000, "the crossbar asks the slice");
  check(refused.count == 1 && refused.last.id == 11 && refused.last.error, "the spi refuses");
  check(rows[2]->count == 1 && rows[2]->last.data[5] == 55, "the vrf reads");
  check(ended.count == 1 && ended.last.id == 12 && ended.last.error, "the wave ends");
  check(statuses.count == 1 && statuses.last.queue == number, "the queue fails");
  if (failures == 0) std::printf("11 blocks alone\n");
  return failures == 0 ? 0 : 1;
}
