// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "hsail/wave.h"

// Function calls (HSAIL PRM chapter 10). The lanes of one call run together; lanes that call
// different functions run one function after the other.
namespace cuvette::hsail {

namespace {

/// True if the arguments of an indirect function are those of a signature (10.8.2).
bool signature_fits(const Module& m, CodeRef signature, CodeRef function) {
  const Executable& s = m.code[signature].as<Executable>();
  const Executable& f = m.code[function].as<Executable>();
  if (s.out_arg_count != f.out_arg_count || s.in_arg_count != f.in_arg_count) return false;
  const auto same = [&](CodeRef a, CodeRef b) {
    const Variable& x = m.code[a].as<Variable>();
    const Variable& y = m.code[b].as<Variable>();
    return x.type == y.type && x.is_array == y.is_array && x.dim == y.dim && x.align == y.align;
  };
  for (CodeRef i = 0; i < s.out_arg_count; ++i) {
    if (!same(signature + 1 + i, function + 1 + i)) return false;
  }
  for (CodeRef i = 0; i < s.in_arg_count; ++i) {
    if (!same(s.first_in_arg + i, f.first_in_arg + i)) return false;
  }
  return true;
}

constexpr size_t kMostActivations = 4096;

}  // namespace

void LaneMemory::reserve(uint64_t bytes) {
  if (bytes <= stride_) return;
  const uint64_t stride = std::max<uint64_t>({bytes, 2 * stride_, 64});
  std::vector<uint8_t> larger(stride * lanes_);
  for (unsigned lane = 0; lane < lanes_ && stride_ != 0; ++lane) {
    std::memcpy(larger.data() + lane * stride, at(lane, 0), stride_);
  }
  bytes_ = std::move(larger);
  stride_ = stride;
}

void Machine::call(Group& group, Wave& wave, const Op& op) {
  const CallPlan& plan = program_.calls[op.plan];
  const uint32_t caller = wave.frames.back().activation;
  const LaneMask mask = wave.frames.back().mask;
  const uint32_t pc = wave.frames.back().pc;
  const uint64_t* selector = wave.storage.data() + wave.activations[caller].storage +
                             uint64_t{op.src[0]} * program_.wavesize;
  std::map<uint32_t, LaneMask> ways;  // place in plan.blocks, lanes
  for (unsigned lane = mask.first(); lane < program_.wavesize; ++lane) {
    if (!mask.has(lane)) continue;
    uint64_t choice = op.opcode == Opcode::kCall ? 0 : selector[lane];
    if (op.opcode == Opcode::kIcall) {
      const uint64_t handle = choice;
      const auto is_it = [&](uint32_t block) {
        return function_handle(program_.blocks[block].executable, program_.model) == handle;
      };
      const auto found = std::find_if(plan.blocks.begin(), plan.blocks.end(), is_it);
      if (found == plan.blocks.end()) {
        return stop(group, wave, lane,
                    "icall of a value that is no handle of an indirect function");
      }
      choice = static_cast<uint64_t>(found - plan.blocks.begin());
      const CodeRef function = program_.blocks[*found].executable;
      if (!signature_fits(module_, plan.signature, function)) {
        return stop(group, wave, lane,
                    "icall of '" + module_.code[function].as<Executable>().name +
                        "', whose arguments are not those of the signature");
      }
    } else if (choice >= plan.blocks.size()) {
      return stop(group, wave, lane, "scall index beyond the list of functions");
    } else {
      // Lanes that call one function stay together, whatever their index (HSAIL PRM 2.12.2).
      const auto first = std::find(plan.blocks.begin(), plan.blocks.end(), plan.blocks[choice]);
      choice = static_cast<uint64_t>(first - plan.blocks.begin());
    }
    ways[static_cast<uint32_t>(choice)].set(lane);
  }
  if (wave.activations.size() + ways.size() > kMostActivations) {
    return stop(group, wave, mask.first(),
                "more than " + std::to_string(kMostActivations) + " nested calls");
  }
  ++wave.frames.back().pc;
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
    enter(wave, caller, op, pc, plan.blocks[way->first], way->second);
  }
  if (wave.memory.private_top > wave.memory.limit || wave.memory.frames_top > wave.memory.limit) {
    stop(group, wave, mask.first(),
         "kernel '" + module_.code[program_.kernel].as<Executable>().name + "': the calls need " +
             std::to_string(std::max(wave.memory.private_top, wave.memory.frames_top)) +
             ", more than " + std::to_string(wave.memory.limit) + " bytes of private memory");
  }
}

/// One more activation, with its input arguments.
void Machine::enter(Wave& wave, uint32_t caller, const Op& op, uint32_t pc, uint32_t block,
                    const LaneMask& mask) {
  const CodeBlock& callee = program_.blocks[block];
  const CallPlan& plan = program_.calls[op.plan];
  start_activation(callee, mask, &wave);
  Activation& a = wave.activations.back();
  a.call = pc;
  a.caller = caller;
  const Activation& from = wave.activations[caller];
  // 13.5: what the kernel or an indirect function enables goes with direct calls only.
  a.policies = op.opcode == Opcode::kIcall ? callee.policies : from.policies;
  const SegmentLayout& actuals = program_.blocks[from.block].layout.arg;
  const CodeRef first = module_.code[callee.executable].as<Executable>().first_in_arg;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const CodeRef formal_ref = first + static_cast<CodeRef>(i);
    const Place* actual = actuals.find(plan.inputs[i]);
    const Place* formal = callee.layout.arg.find(formal_ref);
    if (formal_ref == callee.layout.variadic) {  // the last of the variables
      a.arg_bytes += actual->bytes;
      wave.memory.frames_top += actual->bytes;
      wave.memory.frames.reserve(wave.memory.frames_top);
    }
    mask.each([&](unsigned lane) {
      std::memcpy(wave.memory.frames.at(lane, a.arg_base + formal->offset),
                  wave.memory.frames.at(lane, from.arg_base + actual->offset), actual->bytes);
    });
  }
}

/// The last activation has ended: its output argument goes to the caller.
void Machine::return_from(Wave& wave) {
  const Activation a = wave.activations.back();
  const Activation& to = wave.activations[a.caller];
  const CodeBlock& callee = program_.blocks[a.block];
  const CallPlan& plan = program_.calls[program_.ops[a.call].plan];
  const SegmentLayout& actuals = program_.blocks[to.block].layout.arg;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Place* actual = actuals.find(plan.outputs[i]);
    const Place* formal = callee.layout.arg.find(callee.executable + 1 + static_cast<CodeRef>(i));
    a.mask.each([&](unsigned lane) {
      std::memcpy(wave.memory.frames.at(lane, to.arg_base + actual->offset),
                  wave.memory.frames.at(lane, a.arg_base + formal->offset), formal->bytes);
    });
  }
  wave.memory.private_top = a.private_before;
  wave.memory.frames_top = a.frames_before;
  wave.storage.resize(a.storage);
  wave.activations.pop_back();
}

}  // namespace cuvette::hsail
