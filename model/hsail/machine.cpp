// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/machine.h"

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "hsail/text.h"
#include "hsail/wave.h"

namespace cuvette::hsail {

namespace {

base::Error error_at(const Module& m, CodeRef ref, const std::string& what) {
  base::Location where;
  where.file = m.file_of(m.code[ref].at);
  where.line = m.code[ref].at.line;
  where.column = m.code[ref].at.column;
  where.offset = m.code[ref].at.offset;
  return base::Error(what, where);
}

std::string triple(const std::array<uint32_t, 3>& v) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

/// Message for an address that the small machine model cannot reach (2.9).
constexpr const char* kBeyond =
    " at or above 4 GiB, expected 32-bit addresses (small machine model)";

}  // namespace

Machine::Machine(const Module& module, MemoryPort& port, VariableAddresses addresses,
                 Options options)
    : module_(module),
      port_(port),
      addresses_(std::move(addresses)),
      options_(std::move(options)) {}

Machine::~Machine() = default;

base::Status Machine::start(const Dispatch& d) {
  if (!base::is_power_of_two(options_.wavesize) || options_.wavesize > kMostLanes) {
    return base::Error("WAVESIZE " + std::to_string(options_.wavesize) +
                       ", expected a power of two from 1 to " + std::to_string(kMostLanes));
  }
  auto program = build_program(module_, d.kernel, addresses_, options_.target, options_.wavesize);
  if (!program.ok()) return program.error();
  program_ = std::move(*program);
  const auto bad = [&](const std::string& what) { return error_at(module_, d.kernel, what); };
  if (d.dimensions < 1 || d.dimensions > 3) return bad("a dispatch has 1 to 3 dimensions");
  uint64_t items = 1;
  total_groups_ = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t grid = d.grid[i];
    const uint64_t size = d.workgroup[i];
    const std::string dimension = " in dimension " + std::to_string(i);
    if (grid == 0 || size == 0) return bad("grid or work-group size 0" + dimension);
    if (i >= d.dimensions && (grid != 1 || size != 1)) {
      return bad("sizes of unused dimensions are 1");
    }
    if (size > 0xffff) return bad("work-group size above 65535" + dimension);
    items *= size;
    dispatch_.grid[i] = d.grid[i];
    dispatch_.workgroup[i] = d.workgroup[i];
    dispatch_.groups[i] = static_cast<uint32_t>((grid + size - 1) / size);
    if (total_groups_ > (uint64_t{1} << 40) / dispatch_.groups[i])
      return bad("the grid is too large");
    total_groups_ *= dispatch_.groups[i];
  }
  hsa::LaunchSize launch;
  launch.grid = {d.grid[0], d.grid[1], d.grid[2]};
  launch.workgroup = {d.workgroup[0], d.workgroup[1], d.workgroup[2]};
  launch.dimensions = d.dimensions;
  launch.dynamic_group_bytes = d.dynamic_group_bytes;
  launch.wavefront = options_.wavesize;
  if (const std::string broken = hsa::broken_limit(program_.limits, launch); !broken.empty()) {
    return bad(broken);
  }
  if (items > kMostItems) {
    return bad("a work-group has at most " + std::to_string(kMostItems) + " work-items");
  }
  const KernelLayout& layout = program_.layout;
  if (program_.model == MachineModel::kSmall) {
    if (d.kernarg_address >= hsa::kSmallModelEnd)
      return bad("the kernarg segment lies" + std::string(kBeyond));
    for (const auto& [variable, address] : addresses_) {
      if (address < hsa::kSmallModelEnd) continue;
      return error_at(
          module_, variable,
          "variable '" + module_.code[variable].as<Variable>().name + "' lies" + kBeyond);
    }
  }
  private_limit_ = options_.private_limit;
  if (program_.private_to_flat) {
    private_limit_ = std::min(private_limit_, program_.flat.private_segment.bytes);
  }
  uint64_t arguments = 0;
  for (const Place& p : layout.kernarg.places) arguments = std::max(arguments, p.offset + p.bytes);
  if (d.kernarg.size() < arguments) {
    return bad("the kernel's arguments take " + std::to_string(arguments) +
               " bytes, the kernarg segment has " + std::to_string(d.kernarg.size()));
  }
  if (layout.group.bytes > options_.group_limit ||
      d.dynamic_group_bytes > options_.group_limit - layout.group.bytes) {
    return bad("more than " + std::to_string(options_.group_limit) + " bytes of group memory");
  }
  const uint64_t own = layout.private_segment.bytes + program_.blocks[0].layout.spill.bytes;
  if (own > private_limit_) {
    return bad("kernel '" + module_.code[d.kernel].as<Executable>().name + "' has " +
               std::to_string(own) + ", more than " + std::to_string(private_limit_) +
               " bytes of private memory");
  }
  dispatch_.dimensions = d.dimensions;
  dispatch_.kernarg_address = d.kernarg_address;
  dispatch_.kernarg = d.kernarg;
  dispatch_.completion_signal = d.completion_signal;
  dispatch_.packet_id = d.packet_id;
  dispatch_.wave_slots = std::max(1u, options_.resident_groups) * (kMostItems / options_.wavesize);
  region_.assign(layout.region_bytes, 0);
  dispatch_.group_bytes = layout.group.bytes + d.dynamic_group_bytes;
  resident_.clear();
  undefined_.clear();
  races_ = options_.on_undefined == OnUndefined::kUsual ? nullptr : std::make_unique<RaceWatch>();
  next_group_ = executed_ = wavefronts_ = 0;
  turn_group_ = turn_wave_ = 0;
  turn_used_ = 0;
  failed_ = false;
  return {};
}

std::unique_ptr<Machine::Group> Machine::make_group(uint64_t flat) {
  auto group = std::make_unique<Group>();
  GroupState& s = group->state;
  s.number = static_cast<uint32_t>(flat);
  uint64_t rest = flat;
  uint32_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    s.id[i] = static_cast<uint32_t>(rest % dispatch_.groups[i]);
    rest /= dispatch_.groups[i];
    const uint64_t start = uint64_t{s.id[i]} * dispatch_.workgroup[i];
    s.size[i] = static_cast<uint32_t>(
        std::min<uint64_t>(dispatch_.workgroup[i], dispatch_.grid[i] - start));
    items *= s.size[i];
  }
  s.memory.resize(dispatch_.group_bytes);
  const unsigned lanes = program_.wavesize;
  group->waves.resize((items + lanes - 1) / lanes);
  for (size_t w = 0; w < group->waves.size(); ++w) {
    make_wave(*group, static_cast<uint32_t>(w * lanes), &group->waves[w]);
  }
  return group;
}

void Machine::make_wave(const Group& group, uint32_t first_item, Wave* wave) {
  const auto& size = group.state.size;
  const uint32_t items = size[0] * size[1] * size[2];
  wave->first_item = first_item;
  wave->memory = LaneFrames(program_.wavesize);
  for (auto& ids : wave->ids) ids.resize(program_.wavesize);
  for (uint32_t lane = 0; lane < program_.wavesize && first_item + lane < items; ++lane) {
    const uint32_t item = first_item + lane;  // 2.6: lanes follow the current flattened id
    wave->born.set(lane);
    wave->ids[0][lane] = item % size[0];
    wave->ids[1][lane] = item / size[0] % size[1];
    wave->ids[2][lane] = item / size[0] / size[1];
  }
  wave->live = wave->born;
  wave->memory.limit = private_limit_;
  wave->memory.private_top = program_.layout.private_segment.bytes;
  wave->memory.private_segment.reserve(wave->memory.private_top);
  start_activation(program_.blocks[0], wave->live, wave);
}

/// Frame, registers and variables of the first or one more activation.
void Machine::start_activation(const CodeBlock& block, const LaneMask& mask, Wave* wave) {
  Activation a;
  a.block = static_cast<uint32_t>(&block - program_.blocks.data());
  a.mask = mask;
  a.policies = block.policies;
  LaneFrames& memory = wave->memory;
  a.private_before = memory.private_top;
  a.frames_before = memory.frames_top;
  if (a.block != 0) {
    a.private_base = base::align_up(memory.private_top, block.layout.private_segment.alignment);
    memory.private_top = a.private_base + block.layout.private_segment.bytes;
    memory.private_segment.reserve(memory.private_top);
  }
  a.spill_base = memory.frames_top;
  a.arg_base = a.spill_base + block.layout.spill.bytes;
  a.arg_bytes = block.layout.arg.bytes;
  memory.frames_top = a.arg_base + a.arg_bytes;
  memory.frames.reserve(memory.frames_top);
  a.storage = wave->storage.size();
  wave->storage.resize(a.storage + uint64_t{std::max(block.slots, 1u)} * program_.wavesize);
  for (size_t i = 0; i < block.constants.size(); ++i) {
    std::fill_n(
        wave->storage.begin() +
            static_cast<std::ptrdiff_t>(a.storage + (block.first_constant + i) * program_.wavesize),
        program_.wavesize, block.constants[i]);
  }
  wave->activations.push_back(a);
  wave->frames.push_back(
      {block.first, UINT32_MAX, mask, static_cast<uint32_t>(wave->activations.size() - 1)});
}

void Machine::admit_groups() {
  while (next_group_ < total_groups_ && resident_.size() < std::max(1u, options_.resident_groups)) {
    resident_.push_back(make_group(next_group_++));
    uint32_t place = 0;
    const auto taken = [&](const std::unique_ptr<Group>& g) {
      return g != resident_.back() && g->place == place;
    };
    while (std::any_of(resident_.begin(), resident_.end(), taken)) ++place;
    resident_.back()->place = place;
    wavefronts_ += resident_.back()->waves.size();
  }
}

base::Result<bool> Machine::advance(uint64_t instructions) {
  if (failed_) return error_;
  uint64_t left = instructions;
  for (;;) {
    admit_groups();
    if (resident_.empty()) return true;
    if (left == 0) return false;
    if (turn_group_ >= resident_.size()) turn_group_ = 0;
    Group& group = *resident_[turn_group_];
    if (turn_wave_ < group.waves.size()) {
      Wave& wave = group.waves[turn_wave_];
      if (wave.state == Wave::State::kRunning) {
        // The rest of the turn, so that the order does not depend on the caller's portions.
        const uint64_t budget = std::min({std::max<uint64_t>(options_.slice, 1) - turn_used_, left,
                                          options_.instruction_limit - executed_});
        const uint64_t used = run_wave(group, wave, budget);
        executed_ += used;
        turn_used_ += used;
        left -= used;
        if (!failed_ && executed_ >= options_.instruction_limit) {
          stop(group, wave, kNoLane,
               "instruction limit of " + std::to_string(options_.instruction_limit) + " reached; " +
                   where_each_wave_is());
        }
        if (failed_) return error_;
        const bool goes_on =
            wave.state == Wave::State::kRunning && turn_used_ < options_.slice && !end_turn_;
        end_turn_ = false;
        if (goes_on) continue;
      }
      ++turn_wave_;
      turn_used_ = 0;
      continue;
    }
    turn_wave_ = 0;
    release_barriers(group);
    if (!failed_) find_deadlock(group);
    if (failed_) return error_;
    if (group.done()) {
      compare_barriers(group);
      if (failed_) return error_;
      if (races_ != nullptr) races_->end_group(group.state.number);
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(turn_group_));
    } else {
      ++turn_group_;
    }
  }
}

base::Status Machine::run(const Dispatch& dispatch) {
  if (base::Status s = start(dispatch); !s.ok()) return s;
  for (;;) {
    const base::Result<bool> done = advance(UINT64_MAX);
    if (!done.ok()) return done.error();
    if (*done) return {};
  }
}

void Machine::stop(const Group& group, const Wave& wave, unsigned lane, const std::string& what) {
  const uint32_t pc = wave.frames.empty() ? 0 : wave.frames.back().pc;
  stop_at(pc < program_.ops.size() ? program_.ops[pc].ref : program_.kernel, group, wave, lane,
          what);
}

void Machine::stop_at(CodeRef ref, const Group& group, const Wave& wave, unsigned lane,
                      const std::string& what) {
  std::string text = what + " (work-group " + triple(group.state.id);
  if (lane < kNoLane) {
    text += ", work-item " + triple({wave.ids[0][lane], wave.ids[1][lane], wave.ids[2][lane]});
  }
  text += ", kernel " + module_.code[program_.kernel].as<Executable>().name + ", '" +
          print_entry(module_, ref) + "')";
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::replace(text.begin(), text.end(), '\n', ' ');
  error_ = error_at(module_, ref, text);
  failed_ = true;
}

void Machine::note_undefined(const Group& group, const Wave& wave, uint32_t pc,
                             const LaneMask& lanes, const std::string& why) {
  undefined_[{pc, why}] += lanes.count();
  if (options_.on_undefined == OnUndefined::kStop && !failed_)
    stop_at(program_.ops[pc].ref, group, wave, lanes.first(), "undefined by the PRM: " + why);
}

void Machine::order_races(const Op& op, const ExecContext& c) {
  const MemoryOrder order = module_.code[op.ref].as<Inst>().order;
  const bool both = order == MemoryOrder::kAcquireRelease;
  // Behind its access: who sees what a release stored is behind that store, too.
  if (both || order == MemoryOrder::kRelease) races_->release(c.access.wave, c.access.group);
  if (both || order == MemoryOrder::kAcquire) races_->acquire(c.access.wave, c.access.group);
}

void Machine::note_race(const Group& group, const Wave& wave, uint32_t pc, ExecContext& c) {
  std::string why = "lanes store different values to one place";
  if (c.raced_with != RaceWatch::kOwnLanes) {
    const CodeRef other = program_.ops[c.raced_with].ref;
    why = "race with '" + print_entry(module_, other) + "' of another wavefront at " +
          place_text(module_.code[other].at);
    std::replace(why.begin(), why.end(), '\t', ' ');
    why.erase(std::remove(why.begin(), why.end(), '\n'), why.end());
  }
  c.raced_with = RaceWatch::kNone;
  LaneMask lanes;
  lanes.set(c.raced_lane);
  note_undefined(group, wave, pc, lanes, why);
}

std::string Machine::where_each_wave_is() const {
  constexpr size_t kShown = 4;
  std::string text;
  size_t shown = 0;
  size_t more = 0;
  for (const auto& group : resident_) {
    for (const Wave& w : group->waves) {
      if (w.state == Wave::State::kDone || w.frames.empty()) continue;
      if (shown == kShown) {
        ++more;
        continue;
      }
      const uint32_t pc = w.frames.back().pc;
      const CodeRef ref = pc < program_.ops.size() ? program_.ops[pc].ref : program_.kernel;
      text += (shown++ == 0 ? "wavefront " : ", wavefront ") +
              std::to_string(w.first_item / program_.wavesize) + " of group " +
              triple(group->state.id) +
              (w.state == Wave::State::kAtBarrier    ? " waits at the barrier in "
               : w.state == Wave::State::kAtFbarrier ? " waits at the fbarrier in "
                                                     : " is at ") +
              place_text(module_.code[ref].at);
    }
  }
  if (more > 0) text += " and " + std::to_string(more) + " more";
  return text;
}

std::vector<UndefinedUse> Machine::undefined_uses() const {
  std::vector<UndefinedUse> uses;
  uses.reserve(undefined_.size());
  for (const auto& [key, lanes] : undefined_) {
    uses.push_back({program_.ops[key.first].ref, key.second, lanes});
  }
  return uses;
}

}  // namespace cuvette::hsail
