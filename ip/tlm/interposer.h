// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>
#include <utility>

namespace cuvette::ip {

/// Interposer between an initiator and a target of the base protocol, for sockets of any width.
/// What derives from it passes everything on.
class Interposer : public sc_core::sc_module,
                   public tlm::tlm_fw_transport_if<>,
                   public tlm::tlm_bw_transport_if<> {
 protected:
  explicit Interposer(const sc_core::sc_module_name& name) : sc_module(name) {}
  virtual tlm::tlm_fw_transport_if<>& forward() = 0;   ///< the target
  virtual tlm::tlm_bw_transport_if<>& backward() = 0;  ///< the initiator
};

/// Interposer of a kind with its sockets, `Width` bits wide. Bind initiator.bind(it.target) and
/// it.initiator.bind(target).
template <class Kind, unsigned Width>
class InterposerOf final : public Kind {
 public:
  template <class... Arguments>
  explicit InterposerOf(const sc_core::sc_module_name& name, Arguments&&... arguments)
      : Kind(name, std::forward<Arguments>(arguments)...),
        target("target"),
        initiator("initiator") {
    target.bind(*this);
    initiator.bind(*this);
  }
  tlm::tlm_target_socket<Width> target;        ///< for the initiator
  tlm::tlm_initiator_socket<Width> initiator;  ///< for the target

 private:
  tlm::tlm_fw_transport_if<>& forward() override { return *initiator.operator->(); }
  tlm::tlm_bw_transport_if<>& backward() override { return *target.operator->(); }
};

}  // namespace cuvette::ip
