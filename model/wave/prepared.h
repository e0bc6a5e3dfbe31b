// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/instruction.h"
#include "wave/execute.h"
#include "wave/lane_op.h"
#include "wave/state.h"

// The short way for plain instructions: looked up once when an instruction is decoded, so that
// executing it is a few checks and one call. Same results as execute(), for which it stands. A
// Prepared of shortness None has no short way.
namespace cuvette::wave {

/// Device memory as the host sees it, for the short way of memory instructions.
class HostWindows {
 public:
  virtual ~HostWindows() = default;
  /// Where [address, address + bytes) is in the host; null when it is not mapped for this access or
  /// not in one piece. Pieces found once are remembered: forget_windows() when what is mapped
  /// changes.
  uint8_t* window(uint64_t address, unsigned bytes, bool write) {
    uint8_t* const host = known_window(address, bytes, write);
    return host != nullptr ? host : find_window(address, bytes, write);
  }
  /// The same, but null also when the piece has not been asked for lately.
  uint8_t* known_window(uint64_t address, unsigned bytes, bool write) const {
    const Window* const w = known_piece(address, bytes, write);
    return w != nullptr ? w->host + (address - w->first) : nullptr;
  }
  /// A piece of device memory that is contiguous in the host: valid for addresses [first, end),
  /// which have no multiple of 2^kWindowShift between them.
  struct Window {
    uint64_t first = 1, end = 0;
    uint8_t* host = nullptr;
  };
  /// known_window() with all that is known of it; until the next call of window().
  const Window* known_piece(uint64_t address, unsigned bytes, bool write) const {
    // Multiplied, as buffers like to be a power of two apart.
    const uint64_t spread = (address >> kWindowShift) * 0x9e3779b97f4a7c15;
    const Window& w = (write ? write_ : read_)[spread >> (64 - kWindowBits)];
    const bool inside = address >= w.first && address < w.end && bytes <= w.end - address;
    return inside ? &w : nullptr;
  }

  /// Whether accesses through a window have to be told, stores before they happen: as one piece, or
  /// `bytes` bytes for every lane at first + offset[lane].
  bool watched = false;
  virtual void touch(uint64_t address, unsigned bytes, bool write) = 0;
  virtual void touch_lanes(uint64_t first, const uint32_t (&offset)[kLanes], uint64_t lanes,
                           unsigned bytes, bool write) = 0;

 protected:
  static constexpr unsigned kWindowShift = 16, kWindowBits = 6;
  /// Looks it up and remembers the piece with keep_window().
  virtual uint8_t* find_window(uint64_t address, unsigned bytes, bool write) = 0;
  void keep_window(const Window& window, bool write) {
    const uint64_t spread = (window.first >> kWindowShift) * 0x9e3779b97f4a7c15;
    (write ? write_ : read_)[spread >> (64 - kWindowBits)] = window;
  }
  void forget_windows() {
    read_ = {};
    write_ = {};
  }

 private:
  using Windows = std::array<Window, size_t{1} << kWindowBits>;
  Windows read_{}, write_{};
};

/// What the short way needs besides the wave: memory, and who owns the host's MXCSR while a wave
/// runs a slice. F32 instructions of the short way need enter() before them; their exception flags
/// gather in MXCSR and reach TRAPSTS with leave(), at the latest when the slice ends. Anything that
/// reads TRAPSTS, or runs foreign code, needs leave() before it.
class HostSlice {
 public:
  explicit HostSlice(ScalarState& scalar) : scalar_(scalar) {}
  HostSlice(const HostSlice&) = delete;
  HostSlice& operator=(const HostSlice&) = delete;
  ~HostSlice() { leave(); }

  HostWindows* memory = nullptr;  ///< null: memory instructions go the long way
  uint8_t* lds = nullptr;         ///< of the work-group
  uint64_t lds_bytes = 0;
  /// First addresses of the last loads of a loop (wave/steady.h), to fetch what comes next.
  static constexpr size_t kTrails = 16;
  uint64_t trails[kTrails] = {};
  /// Where the last accesses of streams were (wave/stream.h): those that begin at one of the `room`
  /// addresses from `first` on are at `host` and what follows, and all is well with them.
  struct Near {
    uint64_t first = 0, room = 0;
    uint8_t* host = nullptr;
  };
  static constexpr size_t kNears = 16;
  Near near_loads[kNears], near_stores[kNears];
  /// F32 instructions keep subnormal numbers from the host; enter() says whether they may.
  bool careful = false;
  /// Set by a piece that stands for several (wave/stream.h) when it returns false: how many it did.
  size_t pieces_done = 0;
  /// One has met a subnormal number, as far as the flags tell; with leave().
  bool met_subnormals = false;

  /// Whether MXCSR is as the F32 fields of MODE say; enter() makes it so.
  bool ready() const { return scalar_.mode.raw == mode_; }
  /// From the next enter() on.
  void be_careful() { wants_care_ = true; }
  void enter();
  /// Host flags to TRAPSTS, MXCSR as it was found.
  void leave() {
    if (mode_ != kNone) restore(0);
  }
  /// leave() without the host's opinion on invalid operations. Right only when every instruction
  /// with an invalid operation since the last leave() is the present one.
  void leave_without_invalid();

 private:
  void restore(uint32_t dropped);

  ScalarState& scalar_;
  static constexpr uint64_t kNone = ~uint64_t{0};
  uint64_t mode_ = kNone;  ///< MODE that MXCSR stands for, or that it is not ours
  uint32_t found_ = 0;     ///< MXCSR before
  bool wants_care_ = false;
};

/// How the short way of an instruction may be used.
enum class Shortness : uint8_t {
  None,      ///< only execute() will do
  Straight,  ///< no event but those without effect in golden; PC is neither read nor written
  Nothing,   ///< the same, and run() does nothing at all
  Float,     ///< as Straight, and HostSlice must be ready(); it still is afterwards
  Jump,      ///< reads and writes PC, nothing else; the PC behind the instruction must be set
};

inline constexpr uint8_t kNoTrail = 0xff;

struct StreamGroup;

struct Prepared {
  /// False: nothing has been done, and execute() must do it.
  using Run = bool (*)(const Prepared&, WaveState&, HostSlice&);
  using ScalarHandler = Outcome (*)(WaveState&, const isa::Instruction&);

  Run run = nullptr;
  const isa::Instruction* instruction = nullptr;
  union {
    LaneHandler lanes = nullptr;
    ScalarHandler scalar;
    const StreamGroup* stream;  ///< wave/stream.h
  };
  uint32_t modes = 0;  ///< MODE bits that rule the short way out
  uint16_t vgprs = 0;  ///< the wave needs at least so many registers
  uint16_t sgprs = 0;  ///< and so many SGPRs
  uint32_t dst = 0;    ///< byte offset of the result's first VGPR in the file
  /// Byte offset of each source: a VGPR in the file, a scalar register in ScalarState, a constant
  /// in *instruction.
  uint32_t src[3] = {};
  uint8_t instructions = 1;  ///< itself, and those behind it that do nothing
  uint8_t length = 0;        ///< dwords of code of all of them
  uint8_t dst_dwords = 0;
  uint8_t sources = 0;   ///< operands that are not masks
  uint8_t scalars = 0;   ///< bit per source: not a VGPR; bit 4 + source: a constant
  int8_t mask_in = -1;   ///< which source is the mask; -1 none
  int8_t mask_out = -1;  ///< which destination is the mask
  uint8_t trail = 0;     ///< steady loads: which of HostSlice::trails is theirs, or kNoTrail
  bool writes_exec = false;
  Shortness shortness = Shortness::None;
  uint8_t pieces = 1;   ///< that run() does: itself, and those behind it (join_rows)
  uint32_t stride = 0;  ///< rows for lane 0 alone (lanes/lane0.h): from lane to lane

  static uint32_t offset_of(unsigned vgpr) { return vgpr * static_cast<uint32_t>(sizeof(LaneRow)); }
  /// The register at an offset. The file is an array of rows without gaps.
  static uint32_t* row(const WaveState& wave, uint32_t offset) {
    return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(wave.v.arch) + offset);
  }
  /// A source that is no VGPR.
  const uint32_t* scalar_source(const WaveState& wave, unsigned s) const {
    const auto* base = base::bit(scalars, 4 + s) ? reinterpret_cast<const char*>(instruction)
                                                 : reinterpret_cast<const char*>(&wave.s);
    return reinterpret_cast<const uint32_t*>(base + src[s]);
  }
  uint64_t mask_source(const WaveState& wave) const {
    return wave.s.pair(instruction->src[mask_in].index & ~1u);
  }
  void write_mask(WaveState& wave, uint64_t mask) const {
    wave.s.set_pair(instruction->dst[mask_out].index & ~1u, mask);
  }
  /// Whether the short way is open to this wave now.
  bool fits(const WaveState& wave) const {
    return (wave.s.mode.raw & modes) == 0 && vgprs <= wave.v.arch_count &&
           vgprs <= wave.alloc.vgprs && sgprs <= wave.alloc.sgprs;
  }
};

/// A Prepared::Run for every VALU row that has a short way: by handlers that work on rows through
/// LaneOp.
bool run_lanes(const Prepared& p, WaveState& wave, HostSlice& slice);

/// `instruction` must stay where it is.
Prepared prepare(const isa::Instruction& instruction);

/// F32 rows of the same kind next to each other: the first does them all, what EXEC and MODE say is
/// looked at once. For code whose pieces are run in order, Prepared::pieces further each time;
/// those in the middle remain what they are. All must stay next to each other.
void join_rows(std::span<Prepared> code);

static_assert(sizeof(Prepared) <= 64, "one cache line");

}  // namespace cuvette::wave
