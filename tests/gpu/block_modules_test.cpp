// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/block_modules.h"

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "hsa/backing.h"

// Blocks alone in a foreign testbench: sockets of every channel, times of the core.
namespace cuvette {
namespace {

using sc_core::sc_time;

const sc_time kPeriod(1, sc_core::SC_NS);

/// Takes messages of one channel, with the cycle of each.
template <class M>
class Sink : public sc_core::sc_module {
 public:
  explicit Sink(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Sink::take);
  }
  tlm_utils::simple_target_socket<Sink, 64, gpu::RecordProtocol<M>> socket;
  std::vector<std::pair<uint64_t, M>> got;
  sc_core::sc_event came;

 private:
  void take(tlm::tlm_generic_payload& trans, sc_time&) {
    const M* message = gpu::record_of<M>(trans);
    ASSERT_NE(message, nullptr);
    got.emplace_back(sc_core::sc_time_stamp().value() / kPeriod.value(), *message);
    came.notify(sc_core::SC_ZERO_TIME);
  }
};

/// Sends messages of one channel from a thread.
template <class M>
class Source : public sc_core::sc_module {
 public:
  explicit Source(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_HAS_PROCESS(Source);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Source, 64, gpu::RecordProtocol<M>> socket;
  std::deque<M> messages;

 private:
  void run() {
    for (; !messages.empty(); messages.pop_front()) {
      gpu::send_record(socket, messages.front(), sc_core::SC_ZERO_TIME);
    }
  }
};

TEST(BlockModules, LocalDataShare) {
  lds::LdsModule block("lds", lds::Config{.latency_cycles = 64}, kPeriod);
  Source<lds::Request> source("source");
  Sink<lds::Response> sink("sink");
  source.socket.bind(block.in<lds::Request>("request"));
  block.out<lds::Response>("response").bind(sink.socket);
  for (unsigned n = 0; n < 12; ++n) {
    lds::Request r;
    r.id = n;
    r.limit = 4096;
    r.kind = n < 6 ? wave::MemoryKind::Store : wave::MemoryKind::Load;
    r.exec = ~uint64_t{0};
    for (unsigned l = 0; l < 64; ++l) {
      r.offset[0][l] = 4 * (64 * (n % 6) + l);
      r.data[0][l] = 1000 * n + l;
    }
    source.messages.push_back(r);
  }
  sc_core::sc_start(sc_time(2, sc_core::SC_US));
  ASSERT_EQ(sink.got.size(), 12u);
  for (unsigned n = 0; n < 12; ++n) {
    EXPECT_EQ(sink.got[n].second.id, n);
    if (n >= 6) {
      EXPECT_EQ(sink.got[n].second.data[0][63], 1000 * (n - 6) + 63);
    }
  }
  // docs/reference/lds.md: 64 cycles unloaded, two groups of 32 lanes each.
  EXPECT_EQ(sink.got[0].first, 64u);
  EXPECT_EQ(sink.got[1].first, 66u);
}

TEST(BlockModules, CacheOverMemory) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(0x10000, 0x1000).ok());
  cache::Config config;
  config.role = cache::Role::L2;
  cache::CacheModule l2("l2", config, kPeriod);
  memory::Config of_memory;
  of_memory.latency_cycles = 100;
  of_memory.backing = &backing;
  memory::MemoryModule memory("memory", of_memory, kPeriod);
  l2.out<memory::MemReq>("down_request").bind(memory.in<memory::MemReq>("request"));
  memory.out<memory::MemResp>("response").bind(l2.in<memory::MemResp>("down_response"));
  Source<memory::MemReq> source("source");
  Sink<memory::MemResp> sink("sink");
  source.socket.bind(l2.in<memory::MemReq>("up_request"));
  l2.out<memory::MemResp>("up_response").bind(sink.socket);
  for (unsigned n = 0; n < 3; ++n) {
    memory::MemReq r;
    r.id = n;
    r.op = n == 0 ? memory::MemOp::Write : memory::MemOp::Read;
    r.address = 0x10040;
    r.byte_mask = ~uint64_t{0};
    r.data.fill(0x5a);
    source.messages.push_back(r);
  }
  sc_core::sc_start(sc_time(2, sc_core::SC_US));
  ASSERT_EQ(sink.got.size(), 3u);
  for (const auto& [time, answer] : sink.got) {
    EXPECT_EQ(answer.status, memory::MemStatus::Ok);
    if (answer.id != 0) {
      EXPECT_EQ(answer.data[17], 0x5a);
    }
  }
}

TEST(BlockModules, GlobalDataShare) {
  gds::GdsModule block("gds", gds::Config{}, kPeriod);
  Source<gds::Request> source("source");
  Source<spi::WaveOrder> waves("waves");
  Sink<gds::Taken> taken("taken");
  Sink<gds::Response> sink("sink");
  source.socket.bind(block.in<gds::Request>("request"));
  waves.socket.bind(block.in<spi::WaveOrder>("waves"));
  block.out<gds::Taken>("taken").bind(taken.socket);
  block.out<gds::Response>("response").bind(sink.socket);
  for (unsigned n = 0; n < 2; ++n) {
    gds::Request r;
    r.id = n;
    r.kind = n == 0 ? wave::MemoryKind::Store : wave::MemoryKind::Load;
    r.exec[0] = 1;
    r.offset[0][0] = 128;
    r.data[0][0] = 77;
    source.messages.push_back(r);
  }
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_EQ(taken.got.size(), 2u);
  ASSERT_EQ(sink.got.size(), 2u);
  EXPECT_EQ(sink.got[1].second.data[0][0], 77u);
}

/// Ends every wave that is launched, after a time.
class WaveEnder : public sc_core::sc_module {
 public:
  explicit WaveEnder(const sc_core::sc_module_name& name)
      : sc_module(name), launched("launched"), done("done") {
    SC_HAS_PROCESS(WaveEnder);
    SC_THREAD(run);
  }
  Sink<spi::WaveLaunch> launched;
  tlm_utils::simple_initiator_socket<WaveEnder, 64, gpu::RecordProtocol<spi::WaveDone>> done;

 private:
  void run() {
    for (size_t n = 0;; ++n) {
      while (launched.got.size() == n) wait(launched.came);
      wait(20 * kPeriod);
      const spi::WaveLaunch& wave = launched.got[n].second;
      spi::WaveDone end;
      end.id = wave.id;
      end.simd = wave.simd;
      end.slot = wave.slot;
      end.dispatch = wave.dispatch;
      end.workgroup = wave.workgroup;
      gpu::send_record(done, end, sc_core::SC_ZERO_TIME);
    }
  }
};

TEST(BlockModules, Spi) {
  spi::SpiModule block("spi", spi::Config{}, kPeriod);
  Source<spi::Dispatch> source("source");
  Source<spi::Cancel> cancel("cancel");
  Source<spi::Save> save("save");
  Source<spi::SavedGroup> restore("restore");
  Sink<spi::DispatchDone> ended("ended");
  Sink<spi::SavedGroup> saved("saved");
  Sink<spi::WaveOrder> order("order");
  Sink<spi::WaveCommand> command("command");
  WaveEnder waves("waves");
  source.socket.bind(block.in<spi::Dispatch>("dispatch"));
  cancel.socket.bind(block.in<spi::Cancel>("cancel"));
  save.socket.bind(block.in<spi::Save>("save"));
  restore.socket.bind(block.in<spi::SavedGroup>("restore"));
  waves.done.bind(block.in<spi::WaveDone>("done"));
  block.out<spi::DispatchDone>("dispatch_done").bind(ended.socket);
  block.out<spi::SavedGroup>("saved").bind(saved.socket);
  block.out<spi::WaveOrder>("wave_order").bind(order.socket);
  block.out<spi::WaveCommand>("command").bind(command.socket);
  block.out<spi::WaveLaunch>("launch").bind(waves.launched.socket);
  spi::Dispatch grid;
  grid.id = 9;
  grid.entry = 0x4000;
  grid.grid = {200, 1, 1};
  grid.workgroup = {100, 1, 1};
  source.messages.push_back(grid);
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  // Two work-groups of two waves, the second with 36 work-items.
  ASSERT_EQ(waves.launched.got.size(), 4u);
  EXPECT_EQ(waves.launched.got[0].second.exec, ~uint64_t{0});
  EXPECT_EQ(waves.launched.got[1].second.exec, (uint64_t{1} << 36) - 1);
  EXPECT_EQ(waves.launched.got[3].second.workgroup_id[0], 1u);
  EXPECT_EQ(order.got.size(), 8u);  // begin and end of each
  ASSERT_EQ(ended.got.size(), 1u);
  EXPECT_EQ(ended.got[0].second.id, 9u);
  EXPECT_FALSE(ended.got[0].second.error);
}

TEST(BlockModules, UnknownChannelIsTold) {
  lds::LdsModule block("lds", lds::Config{}, kPeriod);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  EXPECT_THROW(block.in<lds::Request>("requests"), sc_core::sc_report);
  EXPECT_THROW(block.in<lds::Response>("request"), sc_core::sc_report);
}

TEST(BlockModules, ConfigurationsThatCannotBeAreTold) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  EXPECT_THROW(lds::LdsModule("no_lanes", {1, 0}, kPeriod), sc_core::sc_report);
  EXPECT_THROW(lds::LdsModule("no_period", {}, sc_core::SC_ZERO_TIME), sc_core::sc_report);
  EXPECT_THROW(memory::MemoryModule("no_bytes", {}, kPeriod), sc_core::sc_report);
  EXPECT_THROW(crossbar::CrossbarModule("pieces", {1, 1, 100}, kPeriod), sc_core::sc_report);
  const auto refuses = [](const char* name, auto change) {
    cache::Config config;
    change(config);
    EXPECT_THROW(cache::CacheModule(name, config, kPeriod), sc_core::sc_report) << name;
  };
  refuses("no_ways", [](cache::Config& c) { c.ways = 0; });
  refuses("no_line", [](cache::Config& c) { c.line_bytes = 100; });
  refuses("odd_size", [](cache::Config& c) { c.bytes = 1000; });
  refuses("no_policy", [](cache::Config& c) { c.replacement = "foo"; });
}

}  // namespace

// Modules that need a registry for their inner blocks: they compile.
template class gpu::BlockModule<simd::Simd>;
template class gpu::BlockModule<matrix_core::MatrixCore>;
template class gpu::BlockModule<compute_unit::ComputeUnit>;

}  // namespace cuvette
