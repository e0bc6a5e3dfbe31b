// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsa/small_model.h"
#include "hsa/stack_shortage.h"
#include "run/code.h"
#include "run/launch_check.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;

class Session {
 public:
  Session(const DispatchFile& file, Engine& engine) : file_(file), engine_(engine) {}

  Result<SessionResult> run(Contents contents) {
    if (!file_.dispatches.empty() && is_small_model(file_.dispatches.front().code)) {
      use_small_addresses();
    }
    if (auto s = allocate(); !s.ok()) return s.error();
    for (const auto& dispatch : file_.dispatches) {
      if (auto s = run_dispatch(dispatch); !s.ok()) return placed(s.error(), dispatch.where);
      if (!result_.report.failures.empty()) break;  // later dispatches would run on wrong data
    }
    engine_.finish(result_.report);
    if (auto s = read_back(contents); !s.ok()) return s.error();
    if (result_.report.failures.empty()) check_expectations(file_, signal_values_, result_);
    return std::move(result_);
  }

 private:
  static Error placed(Error error, const base::Location& where) {
    if (error.where.file.empty()) error.where = where;
    return error;
  }

  /// The process has addresses of 32 bits; those that are flat addresses of group and private
  /// memory stay free.
  void use_small_addresses() {
    small_ = true;
    const uint64_t last = engine_.last_aperture() >> 32;
    hsa::DeviceAllocator::Config config;
    config.first = std::max(hsa::kSmallModelFirst, last + hsa::kSmallModelAperture);
    config.end = hsa::kSmallModelEnd;
    engine_.memory().allocator() = hsa::DeviceAllocator(config);
  }

  /// All code of a process has one address size (HSAIL PRM 2.9).
  Status check_model(const Code& code) {
    const auto [known, fresh] = small_code_.try_emplace(load_key(code, {}), small_);
    if (fresh) known->second = is_small_model(code);
    if (known->second == small_) return {};
    const auto name = [](bool small) { return small ? "small" : "large"; };
    return Error(
        fmt::format("code of the {} machine model, expected the {} one of the file's first "
                    "code: a process has one address size",
                    name(known->second), name(small_)));
  }

  Status check_stack(const KernelShape& shape, uint32_t stack_bytes) const {
    const uint64_t bytes = uint64_t{shape.private_bytes} + stack_bytes;
    if (!small_ || stack_bytes == 0 || bytes <= hsa::kSmallModelAperture) return {};
    return Error(
        fmt::format("kernel '{}' has {} bytes of private memory with its stack, expected at "
                    "most {}, the flat addresses that the small machine model has for them",
                    shape.name, bytes, hsa::kSmallModelAperture));
  }

  static hsa::DeviceMemory::Options named(std::string name) {
    hsa::DeviceMemory::Options options;
    options.name = std::move(name);
    return options;
  }

  Status allocate() {
    for (const auto& buffer : file_.buffers) {
      hsa::DeviceMemory::Options options = named("buffer " + buffer.name);
      options.type = hsa::page_type(buffer.grain);
      auto address = engine_.memory().allocate(buffer.initial.size(), options);
      if (!address) {
        return Error(fmt::format("buffer '{}': {}", buffer.name, address.error().what),
                     buffer.where);
      }
      if (!engine_.memory().write(*address, buffer.initial.data(), buffer.initial.size()).ok()) {
        return Error(fmt::format("buffer '{}' cannot be written", buffer.name), buffer.where);
      }
      buffers_[buffer.name] = *address;
    }
    for (const auto& dispatch : file_.dispatches) {
      for (const auto& argument : dispatch.arguments) {
        if (auto s = allocate_object(argument); !s.ok()) return placed(s.error(), argument.where);
      }
    }
    return {};
  }

  Status allocate_object(const Argument& argument) {
    if (argument.kind == Argument::Kind::Signal && signals_.count(argument.name) == 0) {
      const int64_t value = argument.signal_value;
      if (small_ && value != static_cast<int32_t>(value)) {
        return Error(fmt::format(
            "signal '{}' starts with {}, expected -2^31 to 2^31-1 (small machine model)",
            argument.name, value));
      }
      auto signal = hsa::Signal::create(engine_.memory(), value);
      if (!signal) return signal.error();
      signals_[argument.name] = signal->handle();
    }
    if (argument.kind == Argument::Kind::Queue && queues_.count(argument.name) == 0) {
      hsa::Queue::Config config;
      config.size = static_cast<uint32_t>(argument.amount == 0 ? 64 : argument.amount);
      auto queue = hsa::Queue::create(engine_.memory(), config);
      if (!queue) return queue.error();
      queues_[argument.name] = queue->address();
    }
    return {};
  }

  Status run_dispatch(const Dispatch& dispatch) {
    if (auto s = check_model(dispatch.code); !s.ok()) return s;
    auto shape = engine_.load(dispatch, externals_of(dispatch.code));
    if (!shape) return shape.error();
    ArgumentBytes arguments;
    arguments.hidden = dispatch.hidden;
    if (auto s = bind(dispatch, *shape, arguments); !s.ok()) return s;

    Launch launch;
    launch.grid = dispatch.grid;
    launch.workgroup = dispatch.workgroup;
    launch.dimensions = dispatch.dimensions;
    launch.dynamic_group_bytes = arguments.dynamic_group_bytes;
    // Code objects v4 do not report a dynamic stack; finalized code has this symbol then.
    const bool dynamic = shape->dynamic_stack || engine_.symbol(hsa::kStackShortage);
    launch.stack_bytes = dynamic ? dispatch.stack_bytes : 0;
    if (auto s = check_stack(*shape, launch.stack_bytes); !s.ok()) return s;
    if (auto s = check_launch(dispatch, *shape, launch, engine_.room); !s.ok()) return s;
    auto bytes = engine_.kernarg(launch, arguments);
    if (!bytes) return bytes.error();
    hsa::DeviceMemory::Options options = named("the kernarg segment of " + shape->name);
    options.type = hsa::page_type(hsa::Grain::Fine);
    auto address = engine_.memory().allocate(std::max<size_t>(bytes->size(), 64), options);
    if (!address) return address.error();
    launch.kernarg = *address;
    if (!bytes->empty() && !engine_.memory().write(*address, bytes->data(), bytes->size()).ok()) {
      return Error("the kernarg segment cannot be written");
    }
    auto signal = hsa::Signal::create(engine_.memory(), 1);
    if (!signal) return signal.error();
    launch.completion_signal = signal->handle();
    if (auto s = engine_.run(launch, result_.report); !s.ok()) return s;
    if (!result_.report.failures.empty()) tell_stack(*shape, launch);
    return {};
  }

  /// Code that has used up its private memory says how much it lacks (hsa/stack_shortage.h).
  void tell_stack(const KernelShape& shape, const Launch& launch) {
    const auto address = engine_.symbol(hsa::kStackShortage);
    uint32_t lacks = 0;
    if (!address || !engine_.memory().read_value(*address, &lacks) || lacks == 0) return;
    result_.report.failures.push_back(fmt::format(
        "kernel '{}': a work-item needs {} bytes of private memory or more, the dispatch has {} "
        "({} of the kernel and 'stack_bytes: {}'): functions and alloca would overwrite each other",
        shape.name, uint64_t{shape.private_bytes} + launch.stack_bytes + lacks,
        uint64_t{shape.private_bytes} + launch.stack_bytes, shape.private_bytes,
        launch.stack_bytes));
  }

  hsa::ExternalVariables externals_of(const Code& code) const {
    hsa::ExternalVariables out;
    for (const auto& [name, external] : code.externals) {
      const uint64_t size = file_.find_buffer(external.buffer)->initial.size();
      out[name] = {buffers_.at(external.buffer) + external.offset, size - external.offset,
                   external.where};
    }
    return out;
  }

  /// Arguments to bytes, checked against the kernel's parameters.
  Status bind(const Dispatch& dispatch, const KernelShape& shape, ArgumentBytes& out) {
    if (dispatch.arguments.size() != shape.parameters.size()) {
      return Error(fmt::format("kernel '{}' takes {} arguments, found {}", shape.name,
                               shape.parameters.size(), dispatch.arguments.size()),
                   dispatch.where);
    }
    uint32_t group = shape.group_bytes;
    for (size_t i = 0; i < shape.parameters.size(); ++i) {
      const Argument& argument = dispatch.arguments[i];
      const Parameter& parameter = shape.parameters[i];
      auto bytes = bytes_of(argument, parameter, shape.group_bytes, group);
      if (!bytes) return placed(bytes.error(), argument.where);
      out.values.push_back(std::move(*bytes));
    }
    out.dynamic_group_bytes = group - shape.group_bytes + dispatch.group_bytes;
    return {};
  }

  /// `fixed`: bytes of group memory the kernel has itself; `group`: those given out so far.
  Result<std::vector<uint8_t>> bytes_of(const Argument& a, const Parameter& p, uint32_t fixed,
                                        uint32_t& group) {
    const auto mismatch = [&](const std::string& found) {
      return Error(fmt::format("argument '{}' of the kernel expects {}, found {}", p.name,
                               expected(p), found));
    };
    const size_t address = small_ ? 4 : 8;
    std::vector<uint8_t> bytes = a.value;
    const auto put = [&bytes](uint64_t value, size_t size) {
      bytes.resize(size);
      std::memcpy(bytes.data(), &value, std::min<size_t>(size, 8));
    };
    switch (a.kind) {
      case Argument::Kind::Value:
        if (p.kind == Parameter::Kind::LocalPointer) return mismatch("a value");
        if (a.type && p.type && *a.type != *p.type) return mismatch(std::string(name_of(*a.type)));
        if (bytes.size() != p.size) return mismatch(fmt::format("{} bytes", bytes.size()));
        break;
      case Argument::Kind::Reference:
        if (p.kind == Parameter::Kind::LocalPointer || p.size != address ||
            (p.type && *p.type != (small_ ? Element::U32 : Element::U64))) {
          return mismatch(fmt::format("a buffer ({} bytes)", address));
        }
        put(buffers_.at(a.name) + a.offset, address);
        break;
      case Argument::Kind::Local:
        // Dynamic group memory lies behind the static part, each piece aligned to 16 bytes.
        group = static_cast<uint32_t>(base::align_up(group, 16));
        if (p.size != 4 && p.size != 8) return mismatch("a group address");
        put(group, p.size);
        group += static_cast<uint32_t>(a.amount);
        break;
      case Argument::Kind::GroupOffset:
        if (p.size != 4) return mismatch("a group offset (4 bytes)");
        put(fixed + a.amount, 4);
        break;
      case Argument::Kind::Signal:
        if (p.size != 8) return mismatch("a signal (8 bytes)");
        put(signals_.at(a.name), 8);
        break;
      case Argument::Kind::Queue:
        if (p.size != address) return mismatch(fmt::format("a queue ({} bytes)", address));
        put(queues_.at(a.name), address);
        break;
      case Argument::Kind::Image:
      case Argument::Kind::Sampler: {
        if (p.size != 8) return mismatch("a handle (8 bytes)");
        auto handle = object_of(a);
        if (!handle) return handle.error();
        put(*handle, 8);
        break;
      }
      case Argument::Kind::Function: {
        if (p.size != address) return mismatch(fmt::format("a code handle ({} bytes)", address));
        auto handle = engine_.function_handle(a.name);
        if (!handle) return handle.error();
        put(*handle, address);
        break;
      }
    }
    return bytes;
  }

  Result<uint64_t> object_of(const Argument& a) {
    if (a.kind == Argument::Kind::Sampler) return hsa::create_sampler(engine_.memory(), a.sampler);
    hsa::Image image = a.image;
    image.data = buffers_.at(a.name) + a.offset;
    return hsa::create_image(engine_.memory(), image);
  }

  static std::string expected(const Parameter& p) {
    if (p.type) return std::string(name_of(*p.type));
    if (p.kind == Parameter::Kind::GlobalPointer) return "a buffer";
    if (p.kind == Parameter::Kind::LocalPointer) return "group memory";
    return fmt::format("{} bytes", p.size);
  }

  bool is_used(const std::string& buffer) const {
    const auto expects = [&](const Expectation& e) { return e.buffer == buffer; };
    return file_.dumps.count(buffer) != 0 ||
           std::any_of(file_.expectations.begin(), file_.expectations.end(), expects);
  }
  Status read_back(Contents contents) {
    for (const auto& buffer : file_.buffers) {
      if (contents == Contents::Used && !is_used(buffer.name)) continue;
      auto& bytes = result_.buffers[buffer.name];
      bytes.resize(buffer.initial.size());
      if (!engine_.memory().read(buffers_[buffer.name], bytes.data(), bytes.size()).ok()) {
        return Error(fmt::format("buffer '{}' cannot be read back", buffer.name), buffer.where);
      }
    }
    for (const auto& [name, handle] : signals_) {
      auto value = hsa::Signal(engine_.memory(), handle).load();
      if (!value) return value.error();
      signal_values_[name] = small_ ? static_cast<int32_t>(*value) : *value;
    }
    return {};
  }

  const DispatchFile& file_;
  Engine& engine_;
  bool small_ = false;  ///< the code has addresses and signal values of 32 bits (HSAIL PRM 2.9)
  std::map<std::string, bool> small_code_;  ///< the same of code, by load_key()
  SessionResult result_;
  std::map<std::string, uint64_t> buffers_, signals_, queues_;
  std::map<std::string, int64_t> signal_values_;
};

}  // namespace

Result<SessionResult> run_session(const DispatchFile& file, Engine& engine, Contents contents) {
  return Session(file, engine).run(contents);
}

}  // namespace cuvette::run
