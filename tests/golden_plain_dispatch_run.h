// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "golden/machine.h"
#include "golden_plain_dispatch_eval.h"
#include "wave/lanes/host_float.h"

// Dispatches of straight-line kernels on the golden machine, against their evaluation and against a
// machine that is observed and therefore goes instruction by instruction.
namespace cuvette::golden::plain {

/// Dispatches one after the other on one machine.
struct Case {
  Kernel kernel;
  Memory memory;  ///< all of it but the code and the arguments
  std::vector<Dispatch> dispatches;
  Setup setup;
  wave::lanes::HostLevel level = wave::lanes::HostLevel::Avx512;  ///< of the host, at most
  bool careful = false;  ///< as if the host were slow with subnormals
};

/// Where code, arguments and packet are, unless a case says otherwise.
inline constexpr uint64_t kEntry = uint64_t{1} << 45, kKernarg = kEntry + (uint64_t{1} << 32),
                          kPacket = kEntry + (uint64_t{2} << 32);
inline constexpr unsigned kArgumentWords = 16;

/// What happened, for the shares that a test expects.
struct Verdict {
  bool wild = false, watchdog = false;
  uint64_t waves = 0, items = 0, stores = 0;
  // As golden says, with several threads.
  uint64_t race_bytes = 0;
  bool restarted = false;
};
/// Fails the test where golden differs. Gives what the evaluation found; `memory`, if given, gets
/// what it left.
Verdict judge(const Case& one, Memory* memory = nullptr);

/// For messages.
std::string text_of(const Case& one);

}  // namespace cuvette::golden::plain
