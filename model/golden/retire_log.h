// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "golden/log_format.h"
#include "golden/machine.h"
#include "wave/retire_record.h"

namespace cuvette::golden {

/// Machine that wrote a log.
struct LogMachine {
  std::string engine;  ///< "golden" or "ca"
  std::string target;  ///< with features, as hsa::parse_target reads it
  bool sramecc = false, poison = false;
  uint64_t shared_aperture = 0, private_aperture = 0;
};

/// A code object as bytes and where it was loaded: the address of its first page.
struct LogCode {
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};

struct LogDispatch {
  std::string kernel;
  uint64_t descriptor = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint16_t, 3> workgroup{1, 1, 1};
  uint64_t kernarg = 0;
  uint32_t group_bytes = 0, private_bytes = 0;  ///< whole
  uint64_t packet_address = 0, queue_address = 0, dispatch_id = 0;
  uint64_t scratch_base = 0;
  std::array<uint32_t, 4> scratch_descriptor{};
  std::vector<uint32_t> preload;  ///< kernel arguments that user SGPRs hold at the start
};

/// Writes a retirement log (cosim.md has the format): what the machine is, code objects as
/// they are, dispatches, and every record; enough to run it again without anything else. Records of
/// a wave may come out of order: they are written in order.
class LogWriter {
 public:
  /// Binary when the path ends in ".bin".
  LogWriter(const std::string& path, const LogMachine& machine);
  ~LogWriter();  ///< writes the end entry

  void code(const LogCode& code);  ///< again: nothing
  void dispatch(const LogDispatch& dispatch);
  void record(const wave::RetireRecord& record);
  /// Records that still wait for older ones are written. Error: the file cannot be written.
  base::Status end_dispatch();

 private:
  struct Wave {
    uint64_t next = 0;
    std::map<uint64_t, wave::RetireRecord> early;
  };
  void write(const wave::RetireRecord& record);

  std::string path_;
  LogSink sink_;
  std::map<uint64_t, bool> codes_;  // by address
  std::map<uint64_t, Wave> waves_;
};

/// Next entry of a log.
struct LogEntry {
  enum class Kind : uint8_t { End, Machine, Code, Preload, Dispatch, Record } kind = Kind::End;
  LogMachine machine;
  LogCode code;
  LogDispatch dispatch;  ///< of Preload: `preload` alone
  /// Words and length only of the instruction; flags of writes as logged.
  wave::RetireRecord record;
};

class LogReader {
 public:
  explicit LogReader(const std::string& path) : source_(path) {}
  /// Errors: not a log, damaged, truncated, impossible values.
  base::Result<LogEntry> next();
  base::Error error(const std::string& what) const { return source_.error(what); }

 private:
  base::Status read_record(wave::RetireRecord& record);
  LogSource source_;
};

}  // namespace cuvette::golden
