// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The checker of the TLM-2.0 base protocol: silent about what is right, and one broken rule at a
// time is named. Initiator and target are played by the tests.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "ip/tlm/base_protocol_checker.h"

#include <functional>

#include <gmock/gmock.h>

namespace cuvette::ip {
namespace {

using sc_core::sc_time;
using testing::HasSubstr;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

sc_time ns(double n) {
  return sc_time(n, sc_core::SC_NS);
}

/// A target whose answers are functions.
struct Target : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  tlm::tlm_target_socket<64> socket{"socket"};
  std::function<void(tlm_generic_payload&, sc_time&)> blocking;
  std::function<tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_time&)> forward;

  explicit Target(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  void b_transport(tlm_generic_payload& t, sc_time& d) override { blocking(t, d); }
  tlm_sync_enum nb_transport_fw(tlm_generic_payload& t, tlm_phase& p, sc_time& d) override {
    return forward(t, p, d);
  }
  bool get_direct_mem_ptr(tlm_generic_payload&, tlm::tlm_dmi&) override { return true; }
  unsigned transport_dbg(tlm_generic_payload& t) override { return t.get_data_length() + 1; }
};

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<64> socket{"socket"};
  std::function<tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_time&)> backward;

  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  tlm_sync_enum nb_transport_bw(tlm_generic_payload& t, tlm_phase& p, sc_time& d) override {
    return backward(t, p, d);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct NoFree : tlm::tlm_mm_interface {
  void free(tlm_generic_payload*) override {}
};

struct Bench {
  Target target{"target"};
  Initiator initiator{"initiator"};
  BaseProtocolChecker checker{"checker"};
  NoFree manager;
  unsigned char data[8] = {};

  Bench() {
    initiator.socket.bind(checker.target);
    checker.initiator.bind(target.socket);
    target.blocking = [](tlm_generic_payload& t, sc_time& d) {
      sc_core::wait(ns(3));
      d += ns(1);
      t.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    target.forward = [](tlm_generic_payload&, tlm_phase&, sc_time&) { return tlm::TLM_ACCEPTED; };
    initiator.backward = [](tlm_generic_payload&, tlm_phase&, sc_time&) {
      return tlm::TLM_ACCEPTED;
    };
  }
  void fill(tlm_generic_payload& t, uint64_t address = 0x40) {
    t.set_mm(&manager);
    t.acquire();
    t.set_command(tlm::TLM_READ_COMMAND);
    t.set_address(address);
    t.set_data_ptr(data);
    t.set_data_length(8);
    t.set_streaming_width(8);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  tlm_sync_enum forward(tlm_generic_payload& t, tlm_phase phase,
                        sc_time d = sc_core::SC_ZERO_TIME) {
    return initiator.socket->nb_transport_fw(t, phase, d);
  }
  tlm_sync_enum backward(tlm_generic_payload& t, tlm_phase phase,
                         sc_time d = sc_core::SC_ZERO_TIME) {
    return target.socket->nb_transport_bw(t, phase, d);
  }
  /// Ends a transaction the right way.
  void respond(tlm_generic_payload& t) {
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    backward(t, tlm::BEGIN_RESP);
    forward(t, tlm::END_RESP);
  }
  /// As an SC_THREAD would.
  void in_thread(const std::function<void()>& body) {
    sc_core::sc_spawn(body);
    sc_core::sc_start();
  }
};

/// In one process: SystemC elaborates once. Every case gets a payload; what it breaks is `rule`, no
/// more and no less.
TEST(BaseProtocolChecker, NamesEachBrokenRule) {
  Bench b;
  using Case = std::function<void(tlm_generic_payload&)>;
  const auto blocking = [&](tlm_generic_payload& t) {
    sc_time d = ns(2);
    b.initiator.socket->b_transport(t, d);
  };
  const auto good_target = b.target.blocking;
  const auto spoil_blocking = [&](Case spoil) {
    return Case([&, spoil](tlm_generic_payload& t) {
      b.target.blocking = [&, spoil](tlm_generic_payload& u, sc_time& d) {
        good_target(u, d);
        spoil(u);
      };
      blocking(t);
      b.target.blocking = good_target;
    });
  };
  const auto answered = [&](tlm_sync_enum answer, tlm_phase phase) {
    return [answer, phase](tlm_generic_payload& u, tlm_phase& p, sc_time&) {
      if (p != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
      if (phase == tlm::BEGIN_RESP || answer == tlm::TLM_COMPLETED) {
        u.set_response_status(tlm::TLM_OK_RESPONSE);
      }
      p = phase;
      return answer;
    };
  };
  const auto accepts = b.target.forward;
  unsigned char enables[2] = {0xff, 0x00};
  struct {
    const char* rule;
    Case run;
  } cases[] = {
      {"", blocking},
      {"",
       [&](tlm_generic_payload& t) {
         t.set_byte_enable_ptr(enables);
         t.set_byte_enable_length(2);
         blocking(t);
       }},
      {"data pointer",
       [&](tlm_generic_payload& t) {
         t.set_data_ptr(nullptr);
         blocking(t);
       }},
      {"data length",
       [&](tlm_generic_payload& t) {
         t.set_data_length(0);
         blocking(t);
       }},
      {"streaming width",
       [&](tlm_generic_payload& t) {
         t.set_streaming_width(0);
         blocking(t);
       }},
      {"response status",
       [&](tlm_generic_payload& t) {
         t.set_response_status(tlm::TLM_OK_RESPONSE);
         blocking(t);
       }},
      {"DMI hint",
       [&](tlm_generic_payload& t) {
         t.set_dmi_allowed(true);
         blocking(t);
       }},
      {"byte enable length",
       [&](tlm_generic_payload& t) {
         t.set_byte_enable_ptr(enables);
         t.set_byte_enable_length(0);
         blocking(t);
       }},
      {"byte enables",
       [&](tlm_generic_payload& t) {
         enables[1] = 1;
         t.set_byte_enable_ptr(enables);
         t.set_byte_enable_length(2);
         blocking(t);
         enables[1] = 0;
       }},
      {"response status", spoil_blocking([](tlm_generic_payload& u) {
         u.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
       })},
      {"modifiability", spoil_blocking([](tlm_generic_payload& u) { u.set_data_length(4); })},
      {"modifiability", spoil_blocking([](tlm_generic_payload& u) { u.set_write(); })},
      {"", spoil_blocking([](tlm_generic_payload& u) { u.set_address(0x1000); })},
      {"timing annotation",
       [&](tlm_generic_payload& t) {
         b.target.blocking = [](tlm_generic_payload& u, sc_time& d) {
           d = sc_core::SC_ZERO_TIME;
           u.set_response_status(tlm::TLM_OK_RESPONSE);
         };
         blocking(t);
         b.target.blocking = good_target;
       }},
      // The four phases, in full and shortened in every way there is.
      {"",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::END_REQ);
         b.respond(t);
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.respond(t);  // BEGIN_RESP stands for END_REQ
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.target.forward = answered(tlm::TLM_UPDATED, tlm::END_REQ);
         b.forward(t, tlm::BEGIN_REQ);
         b.respond(t);
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.target.forward = answered(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
         b.forward(t, tlm::BEGIN_REQ);
         b.forward(t, tlm::END_RESP);
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.target.forward = answered(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
         b.forward(t, tlm::BEGIN_REQ);
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.initiator.backward = [](tlm_generic_payload&, tlm_phase& p, sc_time&) {
           p = tlm::END_RESP;
           return tlm::TLM_UPDATED;
         };
         b.forward(t, tlm::BEGIN_REQ);
         t.set_response_status(tlm::TLM_OK_RESPONSE);
         b.backward(t, tlm::BEGIN_RESP);
       }},
      {"answer to a call",
       [&](tlm_generic_payload& t) {
         b.target.forward = answered(tlm::TLM_UPDATED, tlm::END_RESP);
         b.forward(t, tlm::BEGIN_REQ);
         b.target.forward = accepts;
         b.respond(t);
       }},
      {"response status",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::BEGIN_RESP);
         b.forward(t, tlm::END_RESP);
       }},
      {"modifiability",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         t.set_streaming_width(4);
         b.respond(t);
       }},
      {"modifiability",
       [&](tlm_generic_payload& t) {
         b.target.forward = [](tlm_generic_payload& u, tlm_phase&, sc_time&) {
           u.set_data_length(4);
           u.set_response_status(tlm::TLM_OK_RESPONSE);
           return tlm::TLM_COMPLETED;
         };
         b.forward(t, tlm::BEGIN_REQ);
       }},
      {"",
       [&](tlm_generic_payload& t) {  // an interconnect may map the address
         b.target.forward = [](tlm_generic_payload& u, tlm_phase&, sc_time&) {
           u.set_address(0x1000);
           u.set_response_status(tlm::TLM_OK_RESPONSE);
           return tlm::TLM_COMPLETED;
         };
         b.forward(t, tlm::BEGIN_REQ);
       }},
      {"timing annotation",
       [&](tlm_generic_payload& t) {
         b.target.forward = [](tlm_generic_payload&, tlm_phase& p, sc_time& d) {
           if (p == tlm::BEGIN_REQ) d = ns(1);
           return tlm::TLM_ACCEPTED;
         };
         b.forward(t, tlm::BEGIN_REQ, ns(2));
         b.respond(t);
       }},
      {"timing annotation",
       [&](tlm_generic_payload& t) {
         b.initiator.backward = [](tlm_generic_payload&, tlm_phase&, sc_time& d) {
           d = ns(1);
           return tlm::TLM_ACCEPTED;
         };
         b.forward(t, tlm::BEGIN_REQ);
         t.set_response_status(tlm::TLM_OK_RESPONSE);
         b.backward(t, tlm::BEGIN_RESP, ns(2));
         b.forward(t, tlm::END_RESP);
       }},
      {"",
       [&](tlm_generic_payload& t) {
         b.target.forward = [](tlm_generic_payload& u, tlm_phase&, sc_time& d) {
           d += ns(3);
           u.set_response_status(tlm::TLM_OK_RESPONSE);
           return tlm::TLM_COMPLETED;
         };
         b.forward(t, tlm::BEGIN_REQ, ns(2));
       }},
      {"END_REQ, but the request had ended",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::END_REQ);
         b.backward(t, tlm::END_REQ);
         b.respond(t);
       }},
      {"BEGIN_RESP twice",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         t.set_response_status(tlm::TLM_OK_RESPONSE);
         b.backward(t, tlm::BEGIN_RESP);
         b.backward(t, tlm::BEGIN_RESP);
         b.forward(t, tlm::END_RESP);
       }},
      {"END_RESP without BEGIN_RESP",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.forward(t, tlm::END_RESP);
       }},
      {"not under way", [&](tlm_generic_payload& t) { b.backward(t, tlm::END_REQ); }},
      {"on the forward path",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.forward(t, tlm::END_REQ);
         b.respond(t);
       }},
      {"on the backward path",
       [&](tlm_generic_payload& t) {
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::END_RESP);
         b.respond(t);
       }},
      {"memory management",
       [&](tlm_generic_payload& t) {
         t.set_mm(nullptr);
         b.forward(t, tlm::BEGIN_REQ);
         b.respond(t);
       }},
      {"request exclusion",
       [&](tlm_generic_payload& t) {
         tlm_generic_payload other;
         b.fill(other, 0x80);
         b.forward(t, tlm::BEGIN_REQ);
         b.forward(other, tlm::BEGIN_REQ);
         b.respond(t);
         b.respond(other);
       }},
      {"response exclusion",
       [&](tlm_generic_payload& t) {
         tlm_generic_payload other;
         b.fill(other, 0x80);
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::END_REQ);
         b.forward(other, tlm::BEGIN_REQ);
         b.backward(other, tlm::END_REQ);
         t.set_response_status(tlm::TLM_OK_RESPONSE);
         other.set_response_status(tlm::TLM_OK_RESPONSE);
         b.backward(t, tlm::BEGIN_RESP);
         b.backward(other, tlm::BEGIN_RESP);
         b.forward(t, tlm::END_RESP);
         b.forward(other, tlm::END_RESP);
       }},
      {"",
       [&](tlm_generic_payload& t) {  // two under way, answered the other way round
         tlm_generic_payload other;
         b.fill(other, 0x80);
         b.forward(t, tlm::BEGIN_REQ);
         b.backward(t, tlm::END_REQ);
         b.forward(other, tlm::BEGIN_REQ);
         b.backward(other, tlm::END_REQ);
         b.respond(other);
         b.respond(t);
       }},
      {"transport_dbg", [&](tlm_generic_payload& t) { b.initiator.socket->transport_dbg(t); }},
      {"DMI pointer",
       [&](tlm_generic_payload& t) {
         tlm::tlm_dmi dmi;
         b.initiator.socket->get_direct_mem_ptr(t, dmi);
       }},
  };
  b.in_thread([&] {
    size_t known = 0;
    unsigned number = 0;
    for (auto& c : cases) {
      SCOPED_TRACE("case " + std::to_string(number++) + " " + c.rule);
      b.target.forward = accepts;
      b.initiator.backward = [](tlm_generic_payload&, tlm_phase&, sc_time&) {
        return tlm::TLM_ACCEPTED;
      };
      tlm_generic_payload t;
      b.fill(t);
      c.run(t);
      const auto& all = b.checker.violations();
      EXPECT_EQ(all.size() - known, *c.rule == '\0' ? 0u : 1u) << b.checker.report();
      if (all.size() > known && *c.rule != '\0') {
        EXPECT_THAT(all.back().rule + ": " + all.back().what, HasSubstr(c.rule));
      }
      known = all.size();
      EXPECT_EQ(b.checker.under_way(), 0u);
    }
  });
  EXPECT_GT(b.checker.blocking(), 0u);
  EXPECT_GT(b.checker.non_blocking(), 0u);

  // Not from a thread.
  const size_t known = b.checker.violations().size();
  tlm_generic_payload t;
  b.fill(t);
  b.target.blocking = [](tlm_generic_payload& u, sc_time&) {
    u.set_response_status(tlm::TLM_OK_RESPONSE);
  };
  sc_time d = sc_core::SC_ZERO_TIME;
  b.initiator.socket->b_transport(t, d);
  ASSERT_EQ(b.checker.violations().size(), known + 1);
  EXPECT_EQ(b.checker.violations().back().rule, "b_transport (11.1)");
  EXPECT_THAT(b.checker.report(),
              HasSubstr("checker: b_transport (11.1): read of 8 bytes at 0x40:"));
}

}  // namespace
}  // namespace cuvette::ip
