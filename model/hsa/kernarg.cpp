// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/kernarg.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuvette::hsa {
namespace {

constexpr uint32_t kMaxKernargBytes = 1 << 20;

/// The value of one hidden argument. Block counts leave out a partial last group, whose size is the
/// remainder (LLVM AMDGPU usage, "Code Object V5 Metadata").
uint64_t hidden_value(ArgKind kind, const HiddenValues& h) {
  auto axis = [kind](ArgKind x) { return static_cast<unsigned>(kind) - static_cast<unsigned>(x); };
  switch (kind) {
    case ArgKind::HiddenBlockCountX:
    case ArgKind::HiddenBlockCountY:
    case ArgKind::HiddenBlockCountZ: {
      const unsigned i = axis(ArgKind::HiddenBlockCountX);
      return h.grid[i] / std::max(h.workgroup[i], 1u);
    }
    case ArgKind::HiddenGroupSizeX:
    case ArgKind::HiddenGroupSizeY:
    case ArgKind::HiddenGroupSizeZ:
      return h.workgroup[axis(ArgKind::HiddenGroupSizeX)];
    case ArgKind::HiddenRemainderX:
    case ArgKind::HiddenRemainderY:
    case ArgKind::HiddenRemainderZ: {
      const unsigned i = axis(ArgKind::HiddenRemainderX);
      return h.grid[i] % std::max(h.workgroup[i], 1u);
    }
    case ArgKind::HiddenGlobalOffsetX:
    case ArgKind::HiddenGlobalOffsetY:
    case ArgKind::HiddenGlobalOffsetZ:
      return h.global_offset[axis(ArgKind::HiddenGlobalOffsetX)];
    case ArgKind::HiddenGridDims:
      return h.dimensions;
    case ArgKind::HiddenPrintfBuffer:
      return h.printf_buffer;
    case ArgKind::HiddenHostcallBuffer:
      return h.hostcall_buffer;
    case ArgKind::HiddenDefaultQueue:
      return h.default_queue;
    case ArgKind::HiddenCompletionAction:
      return h.completion_action;
    case ArgKind::HiddenMultigridSyncArg:
      return h.multigrid_sync;
    case ArgKind::HiddenHeapV1:
      return h.heap_v1;
    case ArgKind::HiddenDynamicLdsSize:
      return h.dynamic_lds_bytes;
    case ArgKind::HiddenPrivateBase:
      return h.private_base_hi;
    case ArgKind::HiddenSharedBase:
      return h.shared_base_hi;
    case ArgKind::HiddenQueuePtr:
      return h.queue_ptr;
    default:
      return 0;  // hidden_none
  }
}

/// Null pointers with an offset: fields of what the hidden arguments point to.
constexpr uint64_t kBehindNull = 0x10000;

/// Service that a hidden pointer is needed for; null when the argument is none, or is always
/// served.
const char* service_of(ArgKind kind) {
  switch (kind) {
    case ArgKind::HiddenPrintfBuffer:
      return "printf of OpenCL needs a printf or host-call buffer";
    case ArgKind::HiddenHostcallBuffer:
      return "printf, assert and malloc need a host-call buffer";
    case ArgKind::HiddenHeapV1:
      return "malloc needs a device heap";
    case ArgKind::HiddenDefaultQueue:
    case ArgKind::HiddenCompletionAction:
      return "enqueue_kernel needs a device queue";
    case ArgKind::HiddenMultigridSyncArg:
      return "synchronization of grids needs a cooperative launch";
    default:
      return nullptr;
  }
}

std::string describe(const KernelArg& arg, size_t index) {
  return arg.name.empty() ? fmt::format("argument {}", index)
                          : fmt::format("argument {} ({})", index, arg.name);
}

}  // namespace

std::vector<const KernelArg*> explicit_args(const KernelInfo& kernel) {
  std::vector<const KernelArg*> out;
  for (const KernelArg& arg : kernel.args) {
    if (!arg.hidden()) out.push_back(&arg);
  }
  return out;
}

base::Result<std::vector<uint8_t>> fill_kernarg(const KernelInfo& kernel,
                                                const std::vector<std::vector<uint8_t>>& arguments,
                                                const HiddenValues& hidden,
                                                const std::map<std::string, uint64_t>& overrides) {
  auto fail = [&kernel](const std::string& what) {
    return base::Error(fmt::format("kernel {}: {}", kernel.name, what));
  };
  if (!kernel.has_metadata) return fail("its code object has no argument metadata");
  if (kernel.kernarg_bytes > kMaxKernargBytes) {
    return fail(
        fmt::format("kernarg segment of {} bytes, at most 1 MiB expected", kernel.kernarg_bytes));
  }
  const size_t expected = explicit_args(kernel).size();
  if (arguments.size() != expected) {
    return fail(fmt::format("{} arguments given, {} expected", arguments.size(), expected));
  }
  for (const auto& given : overrides) {
    const bool known = std::any_of(
        kernel.args.begin(), kernel.args.end(),
        [&given](const KernelArg& arg) { return arg.hidden() && arg.kind_name == given.first; });
    if (!known) return fail(fmt::format("it has no hidden argument '{}'", given.first));
  }

  std::vector<uint8_t> segment(kernel.kernarg_bytes, 0);
  size_t next = 0;
  for (const KernelArg& arg : kernel.args) {
    if (arg.size > segment.size() || arg.offset > segment.size() - arg.size) {
      return fail(fmt::format("{} argument at {}, {} bytes, lies outside its segment of {} bytes",
                              arg.kind_name, arg.offset, arg.size, segment.size()));
    }
    if (arg.kind == ArgKind::Unknown) {
      return fail(fmt::format("unknown argument kind '{}'", arg.kind_name));
    }
    if (!arg.hidden()) {
      const auto& bytes = arguments[next];
      if (bytes.size() != arg.size) {
        return fail(fmt::format("{}: {} bytes given, {} expected", describe(arg, next),
                                bytes.size(), arg.size));
      }
      std::copy(bytes.begin(), bytes.end(), segment.begin() + static_cast<ptrdiff_t>(arg.offset));
      ++next;
      continue;
    }
    auto given = overrides.find(arg.kind_name);
    const uint64_t value =
        given != overrides.end() ? given->second : hidden_value(arg.kind, hidden);
    if (arg.size < 8 && (value >> (8 * arg.size)) != 0) {
      return fail(
          fmt::format("{}: {:#x} does not fit its {} bytes", arg.kind_name, value, arg.size));
    }
    for (uint64_t i = 0; i < std::min<uint64_t>(arg.size, 8); ++i) {
      segment[arg.offset + i] = static_cast<uint8_t>(value >> (8 * i));
    }
  }
  return segment;
}

std::vector<std::string> unserved_pointers(const KernelInfo& kernel,
                                           const std::vector<uint8_t>& segment) {
  std::vector<std::string> out;
  for (const KernelArg& arg : kernel.args) {
    if (service_of(arg.kind) == nullptr) continue;
    if (arg.size > segment.size() || arg.offset > segment.size() - arg.size) continue;
    const auto first = segment.begin() + static_cast<ptrdiff_t>(arg.offset);
    const auto last = first + static_cast<ptrdiff_t>(arg.size);
    if (std::all_of(first, last, [](uint8_t b) { return b == 0; })) out.push_back(arg.kind_name);
  }
  return out;
}

std::string null_pointer_hint(const std::string& kernel, const std::vector<std::string>& unserved,
                              uint64_t address) {
  if (address >= kBehindNull || unserved.empty()) return {};
  std::string list;
  for (const std::string& name : unserved) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", name, service_of(arg_kind(name)));
  }
  return fmt::format(
      "address {:#x} lies behind a null pointer; kernel '{}' takes hidden arguments that are null, "
      "for no runtime serves them here: {}",
      address, kernel, list);
}

}  // namespace cuvette::hsa
