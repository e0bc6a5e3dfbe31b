// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tlm>

#include "base/result.h"
#include "machine/gpu_config.h"
#include "run/engine.h"

namespace cuvette::run {

/// Recording of the TLM-2.0 sockets of an engine in one file (docs/reference/traces.md). Its
/// recorders refuse DMI: every access is a transaction.
class SocketRecording {
 public:
  /// The file of EngineOptions::transactions with its window. Errors: it cannot be opened; a filter
  /// of other things than compute units, or of one that the machine lacks.
  static base::Result<std::unique_ptr<SocketRecording>> make(const EngineOptions& options,
                                                             const machine::GpuConfig& description);
  ~SocketRecording();

  /// Binds two sockets with a recorder between them, which adds nothing to the file if the filter
  /// leaves the compute unit of that name out. While the simulation elaborates.
  void bind(const std::string& name, tlm::tlm_base_initiator_socket_b<64>& from,
            tlm::tlm_base_target_socket_b<64>& to);
  /// Ends the file, and says in the report what is in it.
  void finish(EngineReport& report);

 private:
  struct Impl;
  explicit SocketRecording(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cuvette::run
