// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsail/exec.h"

namespace cuvette::hsail {

/// A kernel dispatch. Sizes in work-items.
struct Dispatch {
  CodeRef kernel = 0;  ///< a definition
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> workgroup{1, 1, 1};
  unsigned dimensions = 1;           ///< 1 to 3; sizes of the others are 1
  uint64_t dynamic_group_bytes = 0;  ///< added to the kernel's static group memory
  uint64_t kernarg_address = 0;      ///< result of kernargbaseptr and lda_kernarg
  uint64_t completion_signal = 0;    ///< result of packetcompletionsig
  uint64_t packet_id = 0;            ///< result of packetid
  std::vector<uint8_t> kernarg;      ///< at least as long as the kernel's arguments
};

/// An instruction that computed a value the HSAIL PRM leaves undefined, and how often (lanes).
struct UndefinedUse {
  CodeRef instruction = 0;
  std::string why;  ///< reason, for messages
  uint64_t lanes = 0;
};

/// Behaviour where the HSAIL PRM leaves the result undefined.
enum class OnUndefined : uint8_t {
  kUsual,  ///< note what has a result, stop at memory that is not there; races are not looked for
  kStop,   ///< stop
  kGoOn,   ///< note it; loads of memory that is not there give 0, stores and atomics do nothing
};

/// Engine hsail: interprets one dispatch at a time, straight from the HSAIL PRM.
///
/// Wavefronts of Options::wavesize. Lanes that part at a branch meet again at its immediate
/// post-dominator (2.12). Wavefronts take turns in bounded slices, so that waiting in a loop for
/// another wavefront or for external memory makes progress; work-groups start in the order of their
/// flattened id (2.2.3), some of them resident at a time. Everything is deterministic.
class Machine {
 public:
  /// Limits, and the machine that is interpreted.
  struct Options {
    uint64_t instruction_limit = uint64_t{1} << 36;  ///< of one dispatch, counted per wavefront
    uint64_t slice = 512;                            ///< instructions of a wavefront in a row
    unsigned resident_groups = 4;                    ///< work-groups that take turns
    unsigned wavesize = 64;            ///< work-items of a wavefront: a power of two up to 256
    uint64_t group_limit = 64 * 1024;  ///< bytes of group memory a work-group can have
    uint64_t private_limit = uint64_t{1}
                             << 20;  ///< bytes of private and spill memory of a work-item
    OnUndefined on_undefined = OnUndefined::kUsual;
    std::string target = "gfx908";  ///< target of the matrix instructions and their rounding
  };

  /// `module` must be validated and outlive the machine, as must `port`.
  Machine(const Module& module, MemoryPort& port, VariableAddresses addresses, Options options);
  Machine(const Module& module, MemoryPort& port, VariableAddresses addresses)
      : Machine(module, port, std::move(addresses), Options{}) {}
  ~Machine();

  /// Prepares a dispatch. Errors: sizes out of range or against the kernel's control directives,
  /// short kernarg, too much group or private memory (private memory that is made flat has 64 KiB
  /// in the small machine model), instructions that are not supported, in the small machine model
  /// addresses at or above 4 GiB.
  base::Status start(const Dispatch& dispatch);
  /// Runs up to `instructions`; true when the dispatch is complete. Errors stop it and carry file,
  /// line and column of the instruction: an access out of bounds, a misaligned atomic, a barrier
  /// not reached by the whole work-group, the instruction limit.
  base::Result<bool> advance(uint64_t instructions);
  /// start() and advance() to the end.
  base::Status run(const Dispatch& dispatch);

  uint64_t instructions() const { return executed_; }  ///< of this dispatch, per wavefront
  uint64_t wavefronts() const { return wavefronts_; }  ///< started in this dispatch
  /// In program order.
  std::vector<UndefinedUse> undefined_uses() const;
  /// True when not all of the memory was watched for races.
  bool missed_races() const { return races_ != nullptr && races_->overflowed(); }

 private:
  struct Wave;
  struct Group;

  void admit_groups();
  std::unique_ptr<Group> make_group(uint64_t flat);
  void make_wave(const Group& group, uint32_t first_item, Wave* wave);
  void start_activation(const CodeBlock& block, const LaneMask& mask, Wave* wave);
  /// Runs a wavefront for up to `budget` instructions; the number used.
  uint64_t run_wave(Group& group, Wave& wave, uint64_t budget);
  /// The wavefront has ended.
  void finish(Group& group, Wave& wave);
  void branch(const Group& group, Wave& wave, const Op& op);
  void call(Group& group, Wave& wave, const Op& op);
  void enter(Wave& wave, uint32_t caller, const Op& op, uint32_t pc, uint32_t block,
             const LaneMask& mask);
  void return_from(Wave& wave);
  void fbarrier(Group& group, Wave& wave, const Op& op);
  void satisfy(Group& group, CodeRef fbarrier);
  void arrive(Group& group, Wave& wave, const Op& op);
  void release_barriers(Group& group);
  /// A slice of the work-group has executed a barrier.
  void count_barrier(Group& group, uint32_t pc, uint64_t slice, uint32_t first_item) const;
  /// At the end of a work-group: all of it has executed the same barriers as often (9.1.2).
  void compare_barriers(const Group& group);
  /// Stops the dispatch when no wavefront of the work-group can ever go on.
  void find_deadlock(Group& group);
  void stop(const Group& group, const Wave& wave, unsigned lane, const std::string& what);
  void note_undefined(const Group& group, const Wave& wave, uint32_t pc, const LaneMask& lanes,
                      const std::string& why);
  /// Effect of an instruction that orders memory on the search for races, behind its accesses.
  void order_races(const Op& op, const ExecContext& c);
  void note_race(const Group& group, const Wave& wave, uint32_t pc, ExecContext& c);
  void stop_at(CodeRef ref, const Group& group, const Wave& wave, unsigned lane,
               const std::string& what);
  std::string where_each_wave_is() const;

  const Module& module_;
  MemoryPort& port_;
  VariableAddresses addresses_;
  Options options_;
  Program program_;
  DispatchState dispatch_;
  std::vector<uint8_t> region_;  ///< amd:gcn
  uint64_t private_limit_ = 0;   ///< Options::private_limit, and what flat addresses reach
  std::vector<std::unique_ptr<Group>> resident_;
  uint64_t next_group_ = 0;
  uint64_t total_groups_ = 0;
  uint64_t executed_ = 0;
  uint64_t wavefronts_ = 0;
  size_t turn_group_ = 0;
  size_t turn_wave_ = 0;
  uint64_t turn_used_ = 0;  ///< instructions of the current turn
  bool end_turn_ = false;   ///< set by a wavefront that waits for others
  bool failed_ = false;
  base::Error error_;
  std::map<std::pair<uint32_t, std::string>, uint64_t> undefined_;
  std::unique_ptr<RaceWatch> races_;
};

}  // namespace cuvette::hsail
