// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "golden/retire_log.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "run/machine_code.h"

namespace cuvette::run {

/// The retirement log of one engine: opened with the first dispatch.
class RetireLogger {
 public:
  /// Without a log when the options name none.
  RetireLogger(const EngineOptions& options, const machine::GpuConfig& description)
      : path_(options.log), engine_(options.engine), poison_(options.poison) {
    shared_aperture_ = description.shared_aperture;
    private_aperture_ = description.private_aperture;
  }

  bool on() const { return !path_.empty(); }
  /// The present kernel of `code`; `dispatch` needs neither its name nor its descriptor.
  void start(const MachineCode& code, const hsa::DeviceMemory& memory,
             golden::LogDispatch dispatch);
  void record(const wave::RetireRecord& record) { writer_->record(record); }
  /// Error: the file cannot be written.
  base::Status end();

 private:
  std::string path_, engine_;
  bool poison_ = false;
  uint64_t shared_aperture_ = 0, private_aperture_ = 0;
  std::unique_ptr<golden::LogWriter> writer_;
};

}  // namespace cuvette::run
