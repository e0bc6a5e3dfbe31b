// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "ip/tlm/interposer.h"

/// Protocol checkers for TLM-2.0 sockets.
namespace cuvette::ip {

/// Rules of the TLM base protocol, for sockets of any width.
///
/// Checked: attributes of a payload when it is handed over (command, pointers, lengths, byte
/// enables, response status, DMI hint; 14.4 to 14.17), which of them the other side may change
/// (14.7), who may call b_transport (11.1), delays that shrink, phases in their order with the
/// answers that go with them, one request and one response at a time (15.2), a
/// memory manager in non-blocking transport (14.5), transactions that never end.
class BaseProtocolRules : public Interposer {
 public:
  /// Breach of a rule by a transaction.
  struct Violation {
    sc_core::sc_time time;
    std::string rule;  ///< "request exclusion", with its section
    std::string what;  ///< command, address and what was found
  };
  const std::vector<Violation>& violations() const { return violations_; }
  /// One line per violation.
  std::string report() const;
  /// Transactions that came through, blocking and not.
  uint64_t blocking() const { return blocking_; }
  uint64_t non_blocking() const { return non_blocking_; }
  /// Non-blocking transactions that have not ended: none once the initiator has all its answers.
  size_t under_way() const { return under_way_.size(); }

 protected:
  explicit BaseProtocolRules(const sc_core::sc_module_name& name);

 private:
  enum class Stage : uint8_t { Request, RequestEnded, Response };
  /// Attributes that may not change while a transaction is on its way.
  struct Fixed {
    tlm::tlm_command command;
    uint64_t address;
    unsigned char* data;
    unsigned char* enables;
    unsigned length, streaming, enables_length;
  };
  struct State {
    Stage stage = Stage::Request;
    Fixed fixed;
  };
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& trans, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& trans) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  void expect(bool good, const char* rule, const Payload& trans, const std::string& what);
  void check_new(const Payload& trans);
  void check_fixed(const Payload& trans, const Fixed& fixed, bool address_too);
  void check_response(const Payload& trans);
  void check_delay(const Payload& trans, const sc_core::sc_time& before,
                   const sc_core::sc_time& after);
  void begin_request(Payload& trans);
  void end_request(const Payload& trans, State& state);
  void begin_response(const Payload& trans, State& state);
  void end_response(const Payload& trans);
  /// Checks the phase that the callee returned, for a call forwards or backwards.
  void check_answer(const Payload& trans, bool forward, const tlm::tlm_phase& before,
                    const tlm::tlm_phase& after, tlm::tlm_sync_enum answer);

  std::vector<Violation> violations_;
  std::map<const Payload*, State> under_way_;
  const Payload* request_ = nullptr;   // on the request channel
  const Payload* response_ = nullptr;  // on the response channel
  uint64_t blocking_ = 0, non_blocking_ = 0;
};

/// Protocol checker between an initiator and a target of the base protocol: passes everything on
/// and records breaches of IEEE 1666-2011 chapters 14 and 15. Takes no time. Bind
/// initiator.bind(checker.target) and checker.initiator.bind(target).
template <unsigned Width>
using BaseProtocolCheckerOf = InterposerOf<BaseProtocolRules, Width>;
using BaseProtocolChecker = BaseProtocolCheckerOf<64>;

}  // namespace cuvette::ip
