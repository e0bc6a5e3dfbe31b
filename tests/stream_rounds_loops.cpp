// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_rounds_loops.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace cuvette::golden::steady {
namespace {

constexpr unsigned kMostPointers = 4;
constexpr unsigned kWide[kMostPointers] = {2, 4, 24, 26}, kOffsets[kMostPointers] = {6, 7, 28, 29};
// VGPRs of which all lanes hold the same: a step, all ones.
constexpr unsigned kUniform = 10, kOnes = 11, kTemporary = 30;
constexpr unsigned kGroupData = 3, kAccumulator = 1, kDataEnd = kData + 4 * kGroupData;
/// The piece of the layout that most pointers walk through.
constexpr PartsMemory::Part kLong{0x2dff4, 0xafff8, true};
constexpr uint64_t kMiddle = 0x70000;  // a multiple of 4 GiB
constexpr int64_t kRow = 256;          // bytes of all lanes

Operand constant(unsigned value) {
  return {Operand::Constant, value};
}

template <class T>
bool contains(const std::vector<T>& list, const T& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool is_store(const Op& op) {
  return op.kind == Op::Memory && op.store;
}
bool writes_scc(const Op& op) {
  return op.kind == Op::Scalar && op.scalar != Salu::Mov;
}

}  // namespace

PartsMemory::Layout rounds_layout() {
  PartsMemory::Layout layout;
  layout.bytes = 12 << 16;
  layout.parts = {{0, 0x28000, true}, {0x28000, 0x2c000, false}, kLong, {0xb0000, 0xbfff0, true}};
  layout.first = (uint64_t{2} << 32) - kMiddle;
  return layout;
}

std::vector<uint8_t> nice_memory(PartsMemory& memory) {
  Random random(5);
  for (size_t at = 0; at + 4 <= memory.bytes.size(); at += 4) {
    const uint32_t number = random.nice_float();
    std::memcpy(&memory.bytes[at], &number, sizeof number);
  }
  memory.put();
  return memory.get();
}

Case Loops::make() {
  State& state = out_.before;
  for (LaneRow& row : state.rows) {
    for (uint32_t& lane : row) lane = random_.nice_float();
  }
  for (uint32_t& sgpr : state.sgpr) sgpr = random_.bits();
  state.set_pair(isa::kExecLo, ~uint64_t{0});
  state.scc = random_.pick(2) == 0;
  state.rows[kOnes].fill(~0u);
  const bool specials = random_.percent(mix_.specials);
  separate_ = random_.percent(mix_.separate);
  // Many loops without any of what is in the way of many rounds.
  if (random_.percent(35)) mix_.share = 0;
  for (unsigned n = 0; n < 4; ++n) {
    state.sgpr[kFloats + n] =
        specials && random_.pick(6) == 0 ? random_.special_float() : random_.nice_float();
  }
  end_ = make_end(random_, state, memory_, random_.percent(mix_.wild_end));
  make_pointers();
  assemble();
  state.memory = nice_;
  if (specials) fill_memory();
  choose_run();
  return std::move(out_);
}

// Pointers.

void Loops::make_pointers() {
  const unsigned count = 1 + random_.pick(kMostPointers);
  for (unsigned n = 0; n < count; ++n) {
    Pointer p;
    p.step = step_of((kLong.end - kLong.begin) / count);
    p.first =
        (kLong.begin + (kLong.end - kLong.begin) / count * n + 4 * random_.pick(64)) & ~uint64_t{3};
    p.first += memory_.begin;
    if (p.step < 0) p.first -= p.step * static_cast<int64_t>(end_.rounds);
    if (random_.percent(mix_.leave)) {
      p.first = leaving(p.step);
    } else if (n > 0 && random_.percent(mix_.overlap)) {
      const Pointer& other = pointers_[random_.pick(n)];
      if (random_.percent(70)) {
        p.step = other.step;
      } else if (random_.percent(40)) {
        p.step = random_.one_of<int64_t>({0, 0, -other.step, 2 * other.step, other.step + 4});
      }
      p.first = close_to(other, p.step);
    }
    pointers_.push_back(p);
    if (random_.percent(mix_.wild_address)) {
      wild_pointer(n);
    } else {
      steady_pointer(n);
    }
  }
}

/// One with which all rounds fit into `room`, or nearly.
int64_t Loops::step_of(uint64_t room) {
  const bool odd = random_.percent(mix_.odd_steps);
  for (unsigned tries = 0; tries < 20; ++tries) {
    const int64_t step =
        odd ? random_.one_of<int64_t>({4, 128, 0, -256, -1024, -4096, 252, 260, 1, 2, 258, 64, 8,
                                       -4, -128, 512, 4 * int64_t{random_.pick(300)}})
            : random_.one_of<int64_t>({256, 256, 512, 1024, 4096});
    if (static_cast<uint64_t>(std::abs(step)) * (end_.rounds + 1) + 6 * kRow < room) return step;
  }
  return odd ? 4 : 256;
}

/// Near the end of some piece, so that it is left, or entered, by some lanes or all at once.
uint64_t Loops::leaving(int64_t step) {
  const PartsMemory::Part& part = memory_.parts[random_.pick(memory_.parts.size())];
  const uint64_t edge = memory_.begin + random_.one_of({part.begin, part.end, part.end});
  const int64_t before = step * random_.pick(end_.rounds + 1) + 4 * random_.pick(65);
  const unsigned byte = random_.percent(10) ? random_.pick(4) : 0;
  return (edge & ~uint64_t{3}) - static_cast<uint64_t>(before) + byte;
}

/// Close to the other one in the first round or, where they do not go together, in any.
uint64_t Loops::close_to(const Pointer& other, int64_t step) {
  const int64_t round = step == other.step ? 0 : random_.pick(end_.rounds + 1);
  const int64_t near = random_.one_of<int64_t>(
      {0, 0, 4, 128, 252, 256, 260, 4 * int64_t{random_.pick(64)}, step, step, 2 * step, step + 4,
       step - 4, step - 252, step + 256, step * (2 + random_.pick(40)), 3 * step + 8});
  const int64_t meet = (other.step - step) * round;
  return other.first + static_cast<uint64_t>(meet + (random_.pick(2) == 0 ? near : -near));
}

unsigned Loops::mask() {
  return random_.one_of({kVcc, kVcc, kMask, kMask + 2});
}

void Loops::set_wide(const Pointer& p) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t here = p.first + 4 * lane;
    out_.before.rows[p.r][lane] = static_cast<uint32_t>(here);
    out_.before.rows[p.r + 1][lane] = static_cast<uint32_t>(here >> 32);
  }
}

/// Lane 0 holds `offset`, and the base is what makes that `first`.
void Loops::set_based(const Pointer& p, uint32_t offset) {
  out_.before.set_pair(p.base, p.first - offset);
  for (unsigned lane = 0; lane < kLanes; ++lane) out_.before.rows[p.r][lane] = offset + 4 * lane;
}

void Loops::steady_pointer(unsigned n) {
  Pointer& p = pointers_[n];
  p.based = random_.pick(2) == 0;
  p.r = p.based ? kOffsets[n] : kWide[n];
  if (!p.based) {
    set_wide(p);
    tails_.push_back(wide_step(p, n, p.r));
    return;
  }
  p.base = kBases + 2 * n;
  if (random_.percent(30)) {
    walk_base(p, n);
    return;
  }
  set_based(p, 0x10000000 + random_.bits() % 0x40000000);
  walk_offset(p, n, p.step);
}

/// The offset's part of the way.
void Loops::walk_offset(const Pointer& p, unsigned n, int64_t by) {
  const bool minus = by < 0 && random_.pick(2) == 0;
  const auto amount = static_cast<uint32_t>(minus ? -by : by);
  const bool small = amount <= 64 && random_.pick(2) == 0;
  const Operand step = small ? constant(amount) : s(kSteps + n);
  if (!small) out_.before.sgpr[kSteps + n] = amount;
  if (!minus) {
    tails_.push_back({random_.pick(4) == 0 ? valu(Do::Add, p.r, v(p.r), step)
                                           : valu(Do::Add, p.r, step, v(p.r))});
  } else {
    tails_.push_back({random_.pick(2) == 0 ? valu(Do::Sub, p.r, v(p.r), step)
                                           : valu(Do::Subrev, p.r, step, v(p.r))});
  }
}

/// The base walks, and mostly has to carry in one of the rounds; sometimes the offset with it.
void Loops::walk_base(const Pointer& p, unsigned n) {
  const int64_t of_offset = random_.percent(30) ? random_.one_of<int64_t>({256, 4, -256}) : 0;
  const int64_t by = p.step - of_offset;
  const auto in_a_while = static_cast<uint32_t>(by) * random_.pick(end_.rounds + 1);
  const uint32_t low = random_.percent(70) ? 0u - in_a_while : random_.bits();
  set_based(p, static_cast<uint32_t>(p.first) - low);
  if (of_offset != 0) walk_offset(p, n, of_offset);
  const unsigned amount = kFreeEnd + n;
  out_.before.sgpr[amount] = static_cast<uint32_t>(by < 0 ? -by : by);
  const Operand high = random_.pick(2) == 0 ? s(kZero) : constant(0);
  tails_.push_back({scalar(by < 0 ? Salu::SubU : Salu::AddU, p.base, s(p.base), s(amount)),
                    scalar(by < 0 ? Salu::Subb : Salu::Addc, p.base + 1, s(p.base + 1), high)});
}

/// `d` from the pointer's pair.
Unit Loops::wide_step(const Pointer& p, unsigned n, unsigned d) {
  const unsigned carries = mask();
  const auto amount = static_cast<uint32_t>(p.step < 0 ? -p.step : p.step);
  const bool add_negative = p.step < 0 && random_.pick(3) == 0;
  const bool small = amount <= 64 && !add_negative && random_.pick(2) == 0;
  const Operand step = small ? constant(amount) : s(kSteps + n);
  if (!small) out_.before.sgpr[kSteps + n] = add_negative ? 0u - amount : amount;
  if (p.step >= 0 || add_negative) {
    return {valu(Do::AddCo, d, step, v(p.r), carries),
            valu(Do::Addc, d + 1, add_negative ? v(kOnes) : constant(0), v(p.r + 1), carries)};
  }
  return {valu(Do::SubrevCo, d, step, v(p.r), carries),
          valu(Do::Subbrev, d + 1, constant(0), v(p.r + 1), carries)};
}

void Loops::wild_pointer(unsigned n) {
  Pointer& p = pointers_[n];
  switch (random_.pick(6)) {
    case 0:
      return n > 0 ? from_another(p, n) : from_offset(p, n);
    case 1:
      return from_offset(p, n);
    case 2:
      return twice(p, n);
    case 3:
      return low_only(p, n);
    case 4:
      return uniform_step(p, n);
    default:
      // A step that crosses the end of 32 bits.
      p.first = memory_.begin + kMiddle -
                static_cast<uint64_t>(p.step) * random_.pick(end_.rounds) - 4 * random_.pick(64);
      return steady_pointer(n);
  }
}

/// So much behind another one, said in every round.
void Loops::from_another(const Pointer& p, unsigned n) {
  const Pointer& other = pointers_[random_.pick(n)];
  Pointer& self = pointers_[n];
  self.r = kWide[n];
  self.step = other.step;
  set_wide(p);
  if (other.based) {
    self.based = true;
    self.base = other.base;
    const uint32_t distance = static_cast<uint32_t>(p.first - other.first);
    out_.before.sgpr[kSteps + n] = distance;
    self.first = other.first + distance;
    heads_.push_back({valu(Do::Add, p.r, s(kSteps + n), v(other.r))});
    return;
  }
  const unsigned carries = mask();
  out_.before.sgpr[kSteps + n] = static_cast<uint32_t>(p.first - other.first);
  heads_.push_back({valu(Do::AddCo, p.r, s(kSteps + n), v(other.r), carries),
                    valu(Do::Addc, p.r + 1, constant(0), v(other.r + 1), carries)});
}

/// As compilers say base + offset, with the high half from an SGPR.
void Loops::from_offset(const Pointer& p, unsigned n) {
  Pointer& self = pointers_[n];
  self.base = kBases + 2 * n;
  self.r = kOffsets[n];
  set_based(p, random_.bits() % 0x80000000);
  walk_offset(p, n, p.step);
  self.r = kWide[n];
  set_wide(p);
  const unsigned carries = mask();
  heads_.push_back({valu(Do::Mov, kTemporary, s(p.base + 1)),
                    valu(Do::AddCo, p.r, s(p.base), v(kOffsets[n]), carries),
                    valu(Do::Addc, p.r + 1, constant(0), v(kTemporary), carries)});
}

/// Two steps in a round, both after its use or one before it.
void Loops::twice(const Pointer& p, unsigned n) {
  Pointer& self = pointers_[n];
  self.based = true;
  self.base = kBases + 2 * n;
  self.r = kOffsets[n];
  const uint32_t offset = random_.percent(15) ? random_.bits() : 0x10000000;
  set_based(p, offset);
  const auto part = random_.one_of<int64_t>({256, 1024, -256, 4});
  out_.before.sgpr[kSteps + n] = static_cast<uint32_t>(part);
  out_.before.sgpr[kFreeEnd + n] = static_cast<uint32_t>(p.step - part);
  const bool both = random_.pick(2) == 0;
  (both ? tails_ : heads_).push_back({valu(Do::Add, p.r, s(kSteps + n), v(p.r))});
  tails_.push_back({valu(Do::Add, p.r, s(kFreeEnd + n), v(p.r))});
}

/// The low half alone, or an offset that wraps around.
void Loops::low_only(const Pointer& p, unsigned n) {
  Pointer& self = pointers_[n];
  self.based = random_.pick(2) == 0;
  self.base = kBases + 2 * n;
  self.r = self.based ? kOffsets[n] : kWide[n];
  const auto in_a_while = static_cast<uint32_t>(p.step) * random_.pick(2 * end_.rounds);
  if (self.based) {
    set_based(p, 0u - in_a_while - 4 * random_.pick(64));
  } else {
    set_wide(p);
  }
  walk_offset(p, n, p.step);
}

/// The step is a VGPR, written in every round or once and for all.
void Loops::uniform_step(const Pointer& p, unsigned n) {
  Pointer& self = pointers_[n];
  self.r = kWide[n];
  set_wide(p);
  const auto amount = static_cast<uint32_t>(p.step < 0 ? -p.step : p.step);
  // Only one pointer's; others have the same then, and go somewhere else.
  out_.before.rows[kUniform].fill(amount);
  out_.before.sgpr[kSteps + n] = amount;
  const unsigned carries = mask();
  Unit step = {
      valu(p.step < 0 ? Do::SubCo : Do::AddCo, p.r, v(p.r), v(kUniform), carries),
      valu(p.step < 0 ? Do::Subbrev : Do::Addc, p.r + 1, constant(0), v(p.r + 1), carries)};
  if (random_.pick(2) == 0) step.insert(step.begin(), valu(Do::Mov, kUniform, s(kSteps + n)));
  tails_.push_back(step);
}

// The body.

unsigned Loops::data(unsigned group) {
  if (random_.percent(mix_.share)) return kData + random_.pick(kDataEnd - kData);
  return kData + kGroupData * group + random_.pick(kGroupData);
}

Loops::Place Loops::any_place() {
  Place out;
  out.pointer = random_.pick(pointers_.size());
  const int64_t step = std::abs(pointers_[out.pointer].step);
  // A loop of several rows per round, and others.
  if (step >= 2 * kRow) {
    out.offset = static_cast<int32_t>(kRow * random_.pick(std::min<int64_t>(step / kRow, 8)));
  }
  if (random_.percent(mix_.overlap / 2)) {
    out.offset = random_.one_of<int32_t>({4, 8, 128, 252, 256, 260, 1024, 2048, 4092, -4, -256});
  }
  return out;
}

Loops::Place Loops::load_place() {
  Place out = any_place();
  for (unsigned tries = 0; separate_ && tries < 20 && contains(stored_, out); ++tries) {
    out = any_place();
  }
  return out;
}

/// Where the group has loaded from, or elsewhere.
Loops::Place Loops::store_place(const std::vector<Place>& loads) {
  const auto next = [&] {
    return random_.percent(55) ? loads[random_.pick(loads.size())] : any_place();
  };
  Place out = next();
  const auto taken = [&] { return contains(stored_, out) || contains(loaded_, out); };
  for (unsigned tries = 0; separate_ && tries < 20 && taken(); ++tries) out = next();
  return out;
}

Op Loops::access(const Place& at, bool store, unsigned d) {
  const Pointer& p = pointers_[at.pointer];
  Op op;
  op.kind = Op::Memory;
  op.store = store;
  op.d = d;
  op.a = v(p.r);
  op.based = p.based;
  op.base = p.base;
  op.offset = at.offset;
  return op;
}

Op Loops::float_op(unsigned n, const std::vector<unsigned>& loaded) {
  const auto any = [&] { return loaded[random_.pick(loaded.size())]; };
  const auto operand = [&] { return random_.percent(mix_.share) ? data(n) : any(); };
  const bool sums = random_.percent(mix_.accumulate);
  Op op = valu(random_.one_of({Do::AddF, Do::SubF, Do::MulF, Do::Fmac, Do::Fma}), 0,
               random_.percent(35) ? s(kFloats + random_.pick(4)) : v(any()), v(operand()));
  if (random_.percent(20)) std::swap(op.a, op.b);
  // A scalar that moves is a number too.
  if (op.a.kind == Operand::Sgpr && random_.percent(5)) op.a = s(kSteps + random_.pick(4));
  op.c = v(operand());
  op.d = random_.percent(mix_.in_place) ? any() : data(n);
  if (sums) {
    op.d = random_.pick(2) == 0 ? kAccumulator : data(n);
    if (op.what != Do::Fmac)
      (random_.pick(2) == 0 && op.a.kind == Operand::Vgpr ? op.a : op.b) = v(op.d);
  }
  return op;
}

void Loops::add_group(unsigned n) {
  Unit& body = out_.loop.body;
  std::vector<unsigned> loaded;
  std::vector<Place> places;
  const unsigned loads = 1 + random_.pick(mix_.loads);
  for (unsigned k = 0; k < loads; ++k) {
    const bool share = random_.percent(mix_.share);
    loaded.push_back(share ? data(n) : kData + kGroupData * n + k);
    places.push_back(load_place());
    body.push_back(access(places.back(), false, loaded.back()));
    if (random_.percent(8)) body.push_back(nothing(k));
  }
  if (random_.percent(10)) body.push_back(nothing(0));
  const Op op = float_op(n, loaded);
  body.push_back(op);
  const Place to = store_place(places);
  body.push_back(access(to, true, random_.percent(97) ? op.d : data(n)));
  loaded_.insert(loaded_.end(), places.begin(), places.end());
  stored_.push_back(to);
}

/// Where streams can have something, each instruction behind the one before; mostly together.
void Loops::insert(const Unit& unit) {
  Unit& body = out_.loop.body;
  size_t at = random_.pick(body.size() + 1);
  for (const Op& op : unit) {
    const bool splits = at < body.size() && is_store(body[at]);
    if (splits && !random_.percent(2)) ++at;
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), op);
    ++at;
    if (at < body.size() && !writes_scc(body[at]) && random_.percent(20)) ++at;
  }
}

/// What is in the way: an address that is data too, lanes that are not like others, and the like.
void Loops::oddity() {
  const auto any = [this](auto wanted) -> Op* {
    Unit& body = out_.loop.body;
    for (unsigned tries = 0; tries < 20; ++tries) {
      Op& op = body[random_.pick(body.size())];
      if (wanted(op)) return &op;
    }
    return nullptr;
  };
  const auto is_float = [](const Op& op) {
    return op.kind == Op::Valu && op.what >= Do::AddF && op.what <= Do::Fma;
  };
  const unsigned address = pointers_[random_.pick(pointers_.size())].r;
  switch (random_.pick(8)) {
    case 0:
    case 1:
      if (Op* op = any(is_float)) op->b = v(random_.pick(4) == 0 ? kUniform : address);
      return;
    case 2:
      if (Op* op = any(is_store)) op->d = address;
      return;
    case 3:
      if (Op* op = any([](const Op& o) { return o.kind == Op::Memory && !o.store; })) {
        op->d = address;
      }
      return;
    case 4:
      out_.before.rows[address][random_.pick(kLanes)] += random_.one_of<uint32_t>({4, 256});
      return;
    case 5:
      out_.before.set_pair(isa::kExecLo, ~uint64_t{0} ^ uint64_t{1} << random_.pick(kLanes));
      return;
    case 6:  // the same in all lanes, for floats
      return insert({valu(Do::Mov, data(random_.pick(4)), s(kFloats + random_.pick(4)))});
    default: {
      const unsigned d = data(random_.pick(4));
      return insert({valu(Do::Xor, d, v(d), v(data(random_.pick(4))))});
    }
  }
}

void Loops::assemble() {
  const unsigned groups = 1 + random_.pick(mix_.groups);
  for (unsigned n = 0; n < groups; ++n) add_group(n);
  Scalars scalars(random_, out_.before, static_cast<unsigned>(end_.rounds));
  std::vector<Unit> units;
  for (unsigned n = random_.pick(mix_.scalars + 1); n > 0; --n) {
    units.push_back(random_.percent(mix_.unsteady) ? scalars.unsteady() : scalars.steady());
  }
  if (random_.percent(mix_.compares)) units.push_back(scalars.compare());
  Unit& body = out_.loop.body;
  for (const Unit& unit : units) insert(unit);
  // Pointers go on at the end or, at times, between their uses.
  for (const Unit& unit : heads_) body.insert(body.begin(), unit.begin(), unit.end());
  for (const Unit& unit : tails_) {
    if (random_.percent(15)) {
      insert(unit);
    } else {
      body.insert(body.end(), unit.begin(), unit.end());
    }
  }
  if (random_.percent(mix_.oddities)) oddity();
  add_end();
}

/// What does not write SCC may come between the compare and the branch.
void Loops::add_end() {
  Unit& body = out_.loop.body;
  const bool vector_last = !body.empty() && body.back().kind == Op::Valu;
  if (!vector_last || !random_.percent(30)) {
    body.insert(body.end(), end_.ops.begin(), end_.ops.end());
  } else {
    const Op last = body.back();
    body.pop_back();
    Unit ops = end_.ops;
    ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(random_.pick(ops.size()) + 1), last);
    body.insert(body.end(), ops.begin(), ops.end());
  }
  out_.loop.again = end_.again;
}

/// Few or many, where pointers go.
void Loops::fill_memory() {
  const bool subnormals = random_.percent(mix_.subnormals);
  const unsigned count = subnormals ? 20000 : random_.one_of<unsigned>({1, 2, 5, 30, 500, 5000});
  std::vector<uint8_t>& bytes = out_.before.memory;
  for (unsigned n = 0; n < count; ++n) {
    const Pointer& p = pointers_[random_.pick(pointers_.size())];
    const int64_t way = p.step * random_.pick(end_.rounds + 1) + 4 * random_.pick(kLanes);
    const uint64_t at = p.first + static_cast<uint64_t>(way) - memory_.begin;
    const uint32_t value = subnormals ? random_.bits() & 0x80ffffff : random_.special_float();
    if (at + 4 > bytes.size() || !memory_.allows(memory_.begin + at, false) ||
        !memory_.allows(memory_.begin + at + 3, false)) {
      continue;
    }
    std::memcpy(&bytes[at], &value, 4);
  }
}

void Loops::choose_run() {
  Judgement& how = out_.how;
  const uint64_t all = end_.rounds * (out_.loop.body.size() + 1);
  how.limit = !end_.ends                    ? all + random_.pick(40)
              : random_.percent(mix_.limit) ? 1 + random_.pick(all)
                                            : kNoLimit;
  const auto slice = [this] {
    return random_.pick(3) == 0 ? 200 + random_.pick(3000) : 1 + random_.pick(200);
  };
  const unsigned way = mix_.short_slices ? 0 : random_.pick(5);
  if (way <= 1) how.slice[static_cast<size_t>(HostLevel::Avx2)] = slice();
  if (way == 0 || way == 2) how.slice[static_cast<size_t>(HostLevel::Avx512)] = slice();
  if (mix_.short_slices) {
    how.slice[static_cast<size_t>(HostLevel::None)] = slice();
    how.slice[static_cast<size_t>(HostLevel::Baseline)] = slice();
  }
}

}  // namespace cuvette::golden::steady
