// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "isa/decode.h"
#include "wave/executor/decoder.h"

namespace cuvette::compute_unit {

/// The sequencer's classes: one instruction of each per turn (isa_notes 5).
enum class IssueClass : uint8_t { Valu, Vmem, Scalar, Lds, Branch, Internal };
inline constexpr unsigned kIssueClasses = 6;

/// An instruction, decoded once for all waves of all compute units.
struct Code {
  enum class Way : uint8_t { Illegal, Scalar, Memory, Matrix, Vector };

  isa::Decoded decoded;    ///< its instruction is valid unless `way` is Illegal
  wave::MicroOp op;        ///< memory instructions have none
  Way way = Way::Illegal;  ///< kind of its execution; Illegal: `decoded` says why
  IssueClass issue_class = IssueClass::Internal;  ///< one instruction of each issues per turn
  uint32_t row = 0;                               ///< isa::index_of
  bool scalar_result = false;  ///< a vector instruction that writes SGPRs, VCC or EXEC
  const char* refusal = "";    ///< a vector instruction the compute unit has no way for
  /// Cycles of the issue port of a simd that executes at issue, the same for all; 0: not known.
  mutable std::atomic<uint16_t> cycles{0};

  const isa::Instruction& instruction() const { return decoded.instruction; }
};

class CodeReader;

/// Instructions by their words, with an index by address. Entries stay where they are. Compute
/// units on several host threads share one, each through a CodeReader: the index changes in
/// publish() alone, so that what it says does not depend on who was first.
class CodeStore {
 public:
  explicit CodeStore(isa::Target target);

  /// Publishes the instructions that readers have found since the last call, a later reader's words
  /// in place of an earlier's. While no reader looks.
  void publish();
  /// For wave::Context.
  const wave::LaneRow* constants() const { return decoder_.constants(); }

 private:
  friend class CodeReader;
  static constexpr unsigned kPageDwords = 1024;
  using Page = std::array<const Code*, kPageDwords>;
  using Words = std::array<uint32_t, 4>;
  static uint64_t page_of(uint64_t pc) { return pc / 4 / kPageDwords; }

  const Page* page(uint64_t pc) const;
  void put(uint64_t pc, const Code& code);
  const Code& entry(const isa::Decoded& decoded);
  void prepare(Code& code);

  isa::Target target_;
  std::mutex mutex_;  // of the next two
  wave::Decoder decoder_;
  std::map<Words, Code> codes_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> known_;  // by address
  std::vector<CodeReader*> readers_;
  std::atomic<bool> fresh_{false};  // some reader has something to publish
};

/// One compute unit's way to instructions: those that all know, and before they are published those
/// that it has found itself.
class CodeReader {
 public:
  /// A store of its own when `shared` is null.
  CodeReader(const std::shared_ptr<CodeStore>& shared, isa::Target target);
  CodeReader(const CodeReader&) = delete;
  CodeReader& operator=(const CodeReader&) = delete;
  ~CodeReader();

  /// The instruction at `pc`, which begins with `count` dwords at `words`. Way::Illegal, valid
  /// until the next call: none begins so, or more words are needed (DecodeStatus::Truncated).
  const Code& find(uint64_t pc, const uint32_t* words, unsigned count);
  /// Instruction that was last found at `pc`; null when none was.
  const Code* known(uint64_t pc) const;
  const CodeStore& store() const { return *store_; }

 private:
  friend class CodeStore;
  struct Found {
    uint64_t pc = 0;
    const Code* code = nullptr;
  };
  const CodeStore::Page* page(uint64_t pc) const {
    const uint64_t number = CodeStore::page_of(pc);
    if (page_ != nullptr && number == page_number_) return page_;
    page_number_ = number;
    return page_ = store_->page(pc);
  }

  std::shared_ptr<CodeStore> store_;
  bool shared_;
  mutable uint64_t page_number_ = 0;  // of the page looked at last
  mutable const CodeStore::Page* page_ = nullptr;
  std::vector<Found> found_;  // since publish()
  Code illegal_;
};

}  // namespace cuvette::compute_unit
