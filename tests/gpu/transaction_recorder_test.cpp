// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The recorder of TLM-2.0 transactions between an initiator and a target that the test plays: the
// file says what passed and when, what passes is the same, and windows leave out.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "ip/tlm/transaction_recorder.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

namespace cuvette::ip {
namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

sc_time ns(double n) {
  return sc_time(n, sc_core::SC_NS);
}

struct Target : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  tlm::tlm_target_socket<64> socket{"socket"};
  std::function<tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_time&)> forward;

  explicit Target(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  void b_transport(tlm_generic_payload& t, sc_time& d) override {
    sc_core::wait(ns(3));
    d += ns(1);
    for (unsigned i = 0; t.is_read() && i < t.get_data_length(); ++i) {
      t.get_data_ptr()[i] = static_cast<unsigned char>(0xa0 + i);
    }
    t.set_dmi_allowed(true);
    t.set_response_status(t.get_address() < 0x1000 ? tlm::TLM_OK_RESPONSE
                                                   : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm_sync_enum nb_transport_fw(tlm_generic_payload& t, tlm_phase& p, sc_time& d) override {
    return forward(t, p, d);
  }
  bool get_direct_mem_ptr(tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_end_address(0xfff);
    return true;
  }
  unsigned transport_dbg(tlm_generic_payload& t) override { return t.get_data_length(); }
};

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<64> socket{"socket"};
  uint64_t invalidated = 0;

  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  tlm_sync_enum nb_transport_bw(tlm_generic_payload&, tlm_phase&, sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64) override {
    invalidated = first;
  }
};

struct NoFree : tlm::tlm_mm_interface {
  void free(tlm_generic_payload*) override {}
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// In one process: SystemC elaborates once.
TEST(TransactionRecorder, WritesWhatPasses) {
  const std::string all = testing::TempDir() + "cuvette_all.txlog";
  const std::string some = testing::TempDir() + "cuvette_some.txlog";
  TransactionFile file(all), window(some, ns(100), ns(199));
  TransactionRecording::Options refusing;
  refusing.dmi = false;
  refusing.data_bytes = 2;
  Target target("target");
  Initiator initiator("initiator");
  TransactionRecorder first("first", file);
  TransactionRecorder second("second", window, refusing, "way");
  initiator.socket.bind(first.target);
  first.initiator.bind(second.target);
  second.initiator.bind(target.socket);

  NoFree manager;
  unsigned char data[4] = {1, 2, 3, 4};
  unsigned char enables[2] = {0xff, 0};
  const auto fill = [&](tlm_generic_payload& t, tlm::tlm_command command, uint64_t address) {
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(data);
    t.set_data_length(4);
    t.set_streaming_width(4);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  };
  tlm_generic_payload phased(&manager), under_way(&manager), early(&manager);
  sc_core::sc_spawn([&] {
    tlm_generic_payload t;
    sc_time delay = ns(2);
    fill(t, tlm::TLM_WRITE_COMMAND, 0x40);
    t.set_byte_enable_ptr(enables);
    t.set_byte_enable_length(2);
    initiator.socket->b_transport(t, delay);  // at 0 ns
    EXPECT_EQ(delay, ns(3));
    EXPECT_FALSE(t.is_dmi_allowed()) << "one of the two refuses it";
    t.set_byte_enable_ptr(nullptr);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(t, dmi));
    EXPECT_FALSE(dmi.is_read_allowed());
    EXPECT_EQ(initiator.socket->transport_dbg(t), 4u);
    target.socket->invalidate_direct_mem_ptr(7, 8);
    EXPECT_EQ(initiator.invalidated, 7u);

    sc_core::wait(ns(97));  // it is 100 ns
    delay = sc_core::SC_ZERO_TIME;
    fill(t, tlm::TLM_READ_COMMAND, 0x2000);
    initiator.socket->b_transport(t, delay);
    EXPECT_EQ(t.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(data[3], 0xa3);

    // Four phases: the target answers the request at once, and the response comes later.
    phased.acquire();
    fill(phased, tlm::TLM_READ_COMMAND, 0x80);
    target.forward = [](tlm_generic_payload&, tlm_phase& p, sc_time& d) {
      if (p == tlm::END_RESP) return tlm::TLM_COMPLETED;
      p = tlm::END_REQ;
      d += ns(5);
      return tlm::TLM_UPDATED;
    };
    tlm_phase phase = tlm::BEGIN_REQ;
    delay = ns(1);
    EXPECT_EQ(initiator.socket->nb_transport_fw(phased, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm_phase(tlm::END_REQ));
    sc_core::wait(ns(7));  // it is 110 ns
    phased.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(target.socket->nb_transport_bw(phased, phase, delay), tlm::TLM_ACCEPTED);
    sc_core::wait(ns(10));
    phase = tlm::END_RESP;
    EXPECT_EQ(initiator.socket->nb_transport_fw(phased, phase, delay), tlm::TLM_COMPLETED);

    // Completed by the target at once.
    early.acquire();
    fill(early, tlm::TLM_WRITE_COMMAND, 0xc0);
    target.forward = [](tlm_generic_payload& u, tlm_phase&, sc_time& d) {
      u.set_response_status(tlm::TLM_OK_RESPONSE);
      d += ns(4);
      return tlm::TLM_COMPLETED;
    };
    phase = tlm::BEGIN_REQ;
    delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(initiator.socket->nb_transport_fw(early, phase, delay), tlm::TLM_COMPLETED);

    sc_core::wait(ns(180));  // it is 300 ns
    under_way.acquire();
    fill(under_way, tlm::TLM_READ_COMMAND, 0x100);
    target.forward = [](tlm_generic_payload&, tlm_phase&, sc_time&) { return tlm::TLM_ACCEPTED; };
    phase = tlm::BEGIN_REQ;
    EXPECT_EQ(initiator.socket->nb_transport_fw(under_way, phase, delay), tlm::TLM_ACCEPTED);
  });
  sc_core::sc_start();
  first.finish();
  second.finish();
  EXPECT_EQ(first.blocking(), 2u);
  EXPECT_EQ(second.non_blocking(), 3u);
  EXPECT_EQ(file.transactions(), 5u);
  EXPECT_EQ(window.transactions(), 3u);
  EXPECT_EQ(file.close(), "");
  EXPECT_EQ(window.close(), "");

  EXPECT_EQ(text_of(all),
            "scv_tr_stream (ID 1, name \"first\", kind \"[TLM][base-protocol]\")\n"
            "scv_tr_generator (ID 2, name \"read\", scv_tr_stream 1,\n)\n"
            "scv_tr_generator (ID 3, name \"write\", scv_tr_stream 1,\n)\n"
            "scv_tr_generator (ID 4, name \"ignore\", scv_tr_stream 1,\n)\n"
            "tx_begin 1 3 2 ns\n"
            "tx_record_attribute 1 \"address\" UNSIGNED = 64\n"
            "tx_record_attribute 1 \"length\" UNSIGNED = 4\n"
            "tx_record_attribute 1 \"enabled_bytes\" UNSIGNED = 2\n"
            "tx_record_attribute 1 \"data\" STRING = \"01020304\"\n"
            "tx_record_attribute 1 \"response\" STRING = \"TLM_OK_RESPONSE\"\n"
            "tx_end 1 3 6 ns\n"
            "tx_begin 2 2 100 ns\n"
            "tx_record_attribute 2 \"address\" UNSIGNED = 8192\n"
            "tx_record_attribute 2 \"length\" UNSIGNED = 4\n"
            "tx_record_attribute 2 \"data\" STRING = \"a0a1a2a3\"\n"
            "tx_record_attribute 2 \"response\" STRING = \"TLM_ADDRESS_ERROR_RESPONSE\"\n"
            "tx_end 2 2 104 ns\n"
            "tx_begin 3 2 104 ns\n"
            "tx_record_attribute 3 \"address\" UNSIGNED = 128\n"
            "tx_record_attribute 3 \"length\" UNSIGNED = 4\n"
            "tx_record_attribute 3 \"end_req\" STRING = \"109 ns\"\n"
            "tx_record_attribute 3 \"begin_resp\" STRING = \"110 ns\"\n"
            "tx_record_attribute 3 \"data\" STRING = \"a0a1a2a3\"\n"
            "tx_record_attribute 3 \"response\" STRING = \"TLM_OK_RESPONSE\"\n"
            "tx_end 3 2 120 ns\n"
            "tx_begin 4 3 120 ns\n"
            "tx_record_attribute 4 \"address\" UNSIGNED = 192\n"
            "tx_record_attribute 4 \"length\" UNSIGNED = 4\n"
            "tx_record_attribute 4 \"data\" STRING = \"a0a1a2a3\"\n"
            "tx_record_attribute 4 \"response\" STRING = \"TLM_OK_RESPONSE\"\n"
            "tx_end 4 3 124 ns\n"
            "tx_begin 5 2 304 ns\n"
            "tx_record_attribute 5 \"address\" UNSIGNED = 256\n"
            "tx_record_attribute 5 \"length\" UNSIGNED = 4\n"
            "tx_record_attribute 5 \"ended\" UNSIGNED = 0\n"
            "tx_end 5 2 304 ns\n");
  const std::string part = text_of(some);
  EXPECT_THAT(part, testing::HasSubstr("name \"way\""));
  EXPECT_THAT(part, testing::HasSubstr("tx_begin 1 2 100 ns\n"));
  EXPECT_THAT(part, testing::HasSubstr("\"data\" STRING = \"a0a1\"\n"));
  EXPECT_THAT(part, testing::Not(testing::HasSubstr("a0a1a2")));
  EXPECT_THAT(part, testing::Not(testing::HasSubstr(" 304 ns")));
}

TEST(TransactionFile, SaysWhyItIsNotWritten) {
  TransactionFile missing("/no/such/folder/a.txlog");
  EXPECT_FALSE(missing.is_open());
  EXPECT_NE(missing.close(), "");
  TransactionFile full("/dev/full");
  EXPECT_TRUE(full.is_open());
  full.add_stream("s", "k");
  EXPECT_NE(full.close(), "");
}

}  // namespace
}  // namespace cuvette::ip
