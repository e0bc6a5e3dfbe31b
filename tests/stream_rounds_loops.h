// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "steady_loop_run.h"
#include "stream_rounds_scalars.h"

// Random loops of streams for golden_stream_rounds_test.cpp.
namespace cuvette::golden::steady {

/// Twelve pages of the host across a multiple of 4 GiB: a long piece with that in the middle, and
/// around it read-only memory, holes, and short pieces.
PartsMemory::Layout rounds_layout();

/// Contents of that memory, holes as zeros: numbers that neither overflow nor cancel.
std::vector<uint8_t> nice_memory(PartsMemory& memory);

/// How often something occurs, in percent, or how many there are at most.
struct Mix {
  unsigned groups = 4, loads = 3;
  unsigned share = 5;       ///< a register of any group in place of one of its own
  unsigned separate = 50;   ///< loops in which no group touches what another one stores
  unsigned in_place = 50;   ///< the result is in a loaded register
  unsigned accumulate = 5;  ///< the result is added to what the round before left
  unsigned specials = 10;   ///< loops with NaNs and the like in their data
  unsigned subnormals = 0;  ///< of those, with mostly subnormals
  unsigned overlap = 0;     ///< a pointer begins close to another one
  unsigned odd_steps = 5;   ///< steps that are not 256 or some of them, forwards
  unsigned leave = 0;       ///< a pointer leaves its piece of memory in one of the rounds
  unsigned wild_end = 0;
  unsigned compares = 0;      ///< a compare in the middle of a round
  unsigned scalars = 1;       ///< units of scalar arithmetic
  unsigned unsteady = 0;      ///< of them, what does not grow steadily
  unsigned wild_address = 0;  ///< address arithmetic that is not a pointer's step at the end
  unsigned oddities = 15;     ///< something that no stream has
  unsigned limit = 15;        ///< stopped anywhere
  bool short_slices = false;
};

struct Case {
  Loop loop;
  State before;
  Judgement how;
};

class Loops {
 public:
  /// `nice`: bytes of memory with numbers that neither overflow nor cancel.
  Loops(uint64_t seed, const Mix& mix, const PartsMemory& memory, const std::vector<uint8_t>& nice)
      : random_(seed), mix_(mix), memory_(memory), nice_(nice) {}

  Case make();

 private:
  struct Pointer {
    bool based = false;
    unsigned base = kBase;  ///< if based
    unsigned r = 0;
    uint64_t first = 0;  ///< address of lane 0
    int64_t step = 0;
  };
  /// Who an access goes to.
  struct Place {
    unsigned pointer = 0;
    int32_t offset = 0;

    bool operator==(const Place&) const = default;
  };

  // Pointers.
  void make_pointers();
  int64_t step_of(uint64_t room);
  uint64_t first_of(unsigned n, int64_t step);
  uint64_t leaving(int64_t step);
  uint64_t close_to(const Pointer& other, int64_t step);
  void set_wide(const Pointer& p);
  void set_based(const Pointer& p, uint32_t offset);
  void steady_pointer(unsigned n);
  void wild_pointer(unsigned n);
  void walk_offset(const Pointer& p, unsigned n, int64_t by);
  void walk_base(const Pointer& p, unsigned n);
  Unit wide_step(const Pointer& p, unsigned n, unsigned d);
  void from_another(const Pointer& p, unsigned n);
  void from_offset(const Pointer& p, unsigned n);
  void twice(const Pointer& p, unsigned n);
  void low_only(const Pointer& p, unsigned n);
  void uniform_step(const Pointer& p, unsigned n);
  unsigned mask();

  // The body.
  void add_group(unsigned n);
  Op float_op(unsigned n, const std::vector<unsigned>& loaded);
  Place any_place();
  Place load_place();
  Place store_place(const std::vector<Place>& loads);
  Op access(const Place& at, bool store, unsigned d);
  unsigned data(unsigned group);
  void insert(const Unit& unit);
  void oddity();
  void assemble();
  void add_end();
  void fill_memory();
  void choose_run();

  Random random_;
  Mix mix_;
  const PartsMemory& memory_;
  const std::vector<uint8_t>& nice_;
  Case out_;
  End end_;
  std::vector<Pointer> pointers_;
  bool separate_ = false;
  std::vector<Place> loaded_, stored_;  ///< by groups before
  std::vector<Unit> heads_, tails_;
};

}  // namespace cuvette::golden::steady
