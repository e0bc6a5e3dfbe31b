// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace cuvette::oracle {

/// Client of LLVM 19 for questions about machine code. Runs tests/oracle/llvm_oracle as a child
/// over pipes and starts it again when LLVM crashes on a request. One child per object, no threads.
/// Requests go out in batches: give many at once. Throws std::runtime_error when the child cannot
/// be run or breaks the protocol.
class LlvmOracle {
 public:
  enum class Status {
    Ok,
    Soft,   ///< LLVM decodes the words and calls the result undefined
    Fail,   ///< no instruction, or the text does not assemble
    Crash,  ///< LLVM crashed or hung on this request
  };

  struct Disassembly {
    Status status = Status::Fail;
    unsigned bytes = 0;  ///< length of the instruction, Ok and Soft
    std::string text;    ///< tabs as blanks, Ok and Soft
  };

  struct Assembly {
    Status status = Status::Fail;
    std::vector<uint32_t> words;  ///< Ok
    std::string message;          ///< Fail
  };

  LlvmOracle() = default;
  ~LlvmOracle();
  LlvmOracle(const LlvmOracle&) = delete;
  LlvmOracle& operator=(const LlvmOracle&) = delete;

  /// The first instruction of each case (1 to 8 words), in order.
  std::vector<Disassembly> disassemble(const std::string& target,
                                       const std::vector<std::vector<uint32_t>>& cases);
  Disassembly disassemble(const std::string& target, const std::vector<uint32_t>& words);

  /// Each text is one instruction without labels.
  std::vector<Assembly> assemble(const std::string& target, const std::vector<std::string>& texts);
  Assembly assemble(const std::string& target, const std::string& text);

  /// Request lines (without newline) to reply lines, "crash" for those LLVM died on.
  std::vector<std::string> exchange(const std::vector<std::string>& requests);

  /// Number of times that the child died under a request.
  unsigned crashes() const { return crashes_; }

 private:
  void start();
  void stop();
  size_t run(const std::vector<std::string>& requests, size_t first,
             std::vector<std::string>& replies);

  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  unsigned crashes_ = 0;
};

}  // namespace cuvette::oracle
