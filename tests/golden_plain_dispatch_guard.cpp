// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {

Cond opposite(Cond cond) {
  return static_cast<Cond>(7 - static_cast<unsigned>(cond));
}

Cond mirrored(Cond cond) {
  switch (cond) {
    case Cond::Lt:
      return Cond::Gt;
    case Cond::Gt:
      return Cond::Lt;
    case Cond::Le:
      return Cond::Ge;
    case Cond::Ge:
      return Cond::Le;
    default:
      return cond;
  }
}

void add_narrow(std::vector<Op>& ops, const Guard& g) {
  const Source mask = s(g.mask), exec = s(kExec), saved = s(g.saved);
  const auto add = [&ops](const Op& op) { ops.push_back(op); };
  const auto save = [&] { add(op(What::SMov64, g.saved, exec)); };
  const auto find = [&](What what, Cond cond) {
    const Source a = g.turned ? g.index : g.bound, b = g.turned ? g.bound : g.index;
    add(compare(what, cond, g.type, a, b, g.mask));
  };
  if (g.narrow == Narrow::Cmpx) {
    save();
    return find(What::Cmpx, g.cond);
  }
  const bool others = g.narrow >= Narrow::XorSave && g.narrow <= Narrow::Else;
  find(What::Cmp, others ? opposite(g.cond) : g.cond);
  switch (g.narrow) {
    case Narrow::AndSave:
      return add(op(What::SAndSave, g.saved, mask));
    case Narrow::OrSave:
      add(op(What::SOrSave, g.saved, mask));
      return add(op(What::SAnd64, kExec, exec, mask));
    case Narrow::XorSave:
      return add(op(What::SXorSave, g.saved, mask));
    case Narrow::Andn1Save:
      return add(op(What::SAndn1Save, g.saved, mask));
    case Narrow::Andn2:
      save();
      return add(op(What::SAndn264, kExec, exec, mask));
    case Narrow::Xor:
      save();
      return add(op(What::SXor64, kExec, mask, exec));
    case Narrow::Else:
      add(op(What::SAndSave, g.saved, mask));
      return add(op(What::SAndn2Save, kFree[1], saved));
    case Narrow::And:
      save();
      return add(op(What::SAnd64, kExec, mask, exec));
    default:
      save();
      return add(op(What::SMov64, kExec, mask));
  }
}

std::vector<size_t> open_guard(std::vector<Op>& ops, const Guard& guard) {
  add_narrow(ops, guard);
  const auto branch = [&ops](What what) {
    ops.push_back(op(what, 0));
    return std::vector<size_t>{ops.size() - 1};
  };
  switch (guard.leave) {
    case Leave::Execz:
      return branch(What::SBranchExecz);
    case Leave::Vccz:
      return branch(What::SBranchVccz);
    case Leave::Scc0:
      return branch(What::SBranchScc0);
    case Leave::Execnz: {
      const size_t over = branch(What::SBranchExecnz)[0];
      ops.push_back(op(What::End, 0));
      ops[over].target = ops.size();
      return {};
    }
    case Leave::ExecnzTo: {
      const size_t over = branch(What::SBranchExecnz)[0];
      const auto away = branch(What::SBranch);
      ops[over].target = ops.size();
      return away;
    }
    default:
      return {};
  }
}

void close_guard(std::vector<Op>& ops, const Guard& guard, const std::vector<size_t>& branches) {
  for (const size_t branch : branches) ops[branch].target = ops.size();
  if (guard.close == Close::Or) {
    ops.push_back(op(What::SOr64, kExec, s(kExec), s(guard.saved)));
  } else if (guard.close == Close::Move) {
    ops.push_back(op(What::SMov64, kExec, s(guard.saved)));
  }
}

GuardLines& GuardLines::all_arguments() {
  add(s_load(kBounds[0], 4, 0, 4 * kBoundWord));
  arguments();
  return *this;
}

GuardLines& GuardLines::close() {
  close_guard(ops, open_.back().first, open_.back().second);
  open_.pop_back();
  return *this;
}

GuardLines& GuardLines::saxpy(bool based) {
  if (based) {
    Lines::based(0).based(1);
  } else {
    wide(0).wide(1);
  }
  load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
  return *this;
}

std::vector<Op> guarded_saxpy(const Guard& guard, uint32_t stride, bool based) {
  GuardLines lines;
  lines.all_arguments().index(stride);
  return lines.open(guard).saxpy(based).close().end();
}

void set_bounds(Dispatch& dispatch, uint64_t first, uint64_t second) {
  const uint64_t bounds[] = {first, second};
  for (unsigned n = 0; n < 2; ++n) {
    dispatch.arguments[kBoundWord + 2 * n] = static_cast<uint32_t>(bounds[n]);
    dispatch.arguments[kBoundWord + 2 * n + 1] = static_cast<uint32_t>(bounds[n] >> 32);
  }
}

Case guarded_case(const std::vector<Op>& ops, uint32_t items, uint16_t size, uint64_t first,
                  uint64_t second) {
  Case out = case_of(ops, items, size);
  set_bounds(out.dispatches[0], first, second);
  return out;
}

void map_only(Case& one, std::vector<Interval> ranges) {
  one.memory = {};
  std::erase_if(ranges, [](const Interval& range) { return range.begin == range.end; });
  ranges.push_back({one.setup.kernarg, one.setup.kernarg + 4 * kArgumentWords});
  map_ranges(one.memory, std::move(ranges));
}

}  // namespace cuvette::golden::plain
