// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_hsail.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "hsa/signal.h"
#include "hsa/target.h"
#include "hsail/brig.h"
#include "hsail/control_directives.h"
#include "hsail/device_port.h"
#include "hsail/layout.h"
#include "hsail/link.h"
#include "hsail/machine.h"
#include "hsail/names.h"
#include "run/code.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;

/// Wavefront instructions after which a kernel counts as endless.
constexpr uint64_t kHsailWatchdog = 1'000'000'000;

/// A module with its variables in device memory.
struct LoadedModule {
  hsail::Module module;
  hsail::VariableAddresses addresses;
};

class HsailEngine final : public Engine {
 public:
  HsailEngine(const EngineOptions& options, const std::string& target) : port_(memory_) {
    machine_options_.target = target;
    machine_options_.wavesize = options.wavesize;
    machine_options_.on_undefined = options.undefined == "stop"    ? hsail::OnUndefined::kStop
                                    : options.undefined == "go-on" ? hsail::OnUndefined::kGoOn
                                                                   : hsail::OnUndefined::kUsual;
    machine_options_.instruction_limit = options.watchdog != 0 ? options.watchdog : kHsailWatchdog;
  }

  hsa::DeviceMemory& memory() override { return memory_; }
  uint64_t last_aperture() const override {
    const hsail::FlatSpace flat = hsail::flat_space(hsail::MachineModel::kLarge);
    return std::max(flat.group.base, flat.private_segment.base);
  }

  Result<KernelShape> load(const Dispatch& dispatch,
                           const hsa::ExternalVariables& externals) override {
    auto loaded = load_module(dispatch.code, externals);
    if (!loaded) return loaded.error();
    current_ = *loaded;
    const hsail::Module& module = current_->module;
    auto kernel = find_kernel(module, dispatch.kernel);
    if (!kernel) return kernel.error();
    kernel_ = *kernel;
    auto layout = hsail::kernel_layout(module, kernel_);
    if (!layout) return layout.error();
    layout_ = std::move(*layout);

    KernelShape shape;
    shape.name = module.code[kernel_].as<hsail::Executable>().name;
    for (const auto& place : layout_.kernarg.places) {
      const auto& variable = module.code[place.variable].as<hsail::Variable>();
      Parameter p;
      p.name = variable.name.empty() ? "" : variable.name.substr(1);
      p.offset = place.offset;
      p.size = place.bytes;
      if (!variable.is_array) p.type = element_from_name(hsail::name(variable.type));
      shape.parameters.push_back(std::move(p));
    }
    shape.kernarg_bytes = layout_.kernarg.bytes;
    shape.group_bytes = static_cast<uint32_t>(layout_.group.bytes);
    shape.wavefront = machine_options_.wavesize;
    auto limits = hsail::launch_limits(module, kernel_, machine_options_.wavesize);
    if (!limits) return limits.error();
    shape.limits = *limits;
    return shape;
  }

  Result<uint64_t> function_handle(const std::string& name) const override {
    const hsail::Module& module = current_->module;
    for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref) {
      if (module.code[ref].kind != hsail::Kind::kIndirectFunction) continue;
      const auto& function = module.code[ref].as<hsail::Executable>();
      if (function.is_definition() && function.name == name)
        return hsail::function_handle(ref, module.machine_model());
    }
    return no_indirect_function(name);
  }

  Result<std::vector<uint8_t>> kernarg(const Launch&, const ArgumentBytes& arguments) override {
    if (!arguments.hidden.empty()) return Error("HSAIL kernels have no hidden arguments");
    kernarg_.assign(layout_.kernarg.bytes, 0);
    for (size_t i = 0; i < arguments.values.size(); ++i) {
      std::memcpy(kernarg_.data() + layout_.kernarg.places[i].offset, arguments.values[i].data(),
                  arguments.values[i].size());
    }
    return kernarg_;
  }

  Status run(const Launch& launch, EngineReport& report) override {
    hsail::Dispatch dispatch;
    dispatch.kernel = kernel_;
    dispatch.grid = launch.grid;
    dispatch.workgroup = {launch.workgroup[0], launch.workgroup[1], launch.workgroup[2]};
    dispatch.dimensions = launch.dimensions;
    dispatch.dynamic_group_bytes = launch.dynamic_group_bytes;
    dispatch.kernarg_address = launch.kernarg;
    dispatch.kernarg = kernarg_;
    dispatch.completion_signal = launch.completion_signal;
    dispatch.packet_id = next_packet_++;
    hsail::Machine machine(current_->module, port_, current_->addresses, machine_options_);
    if (auto s = machine.start(dispatch); !s.ok()) return s;
    for (bool done = false; !done;) {
      auto advanced = machine.advance(uint64_t{1} << 20);
      if (!advanced) {
        report.failures.push_back(advanced.error().str());
        break;
      }
      done = *advanced;
    }
    report.instructions += machine.instructions();
    report.waves += machine.wavefronts();
    report.by_status["exact"] += machine.instructions();
    report.dispatches.push_back(statistics_of(launch, machine));
    for (const auto& use : machine.undefined_uses()) {
      std::string& what = report.not_exact[place_of(use.instruction)].reason;
      if (!what.empty()) what += "; ";
      what += fmt::format("undefined by the PRM in {} lanes: {}", use.lanes, use.why);
    }
    if (machine.missed_races())
      report.not_exact["races"].reason = "looked for in a part of the memory only";
    if (!report.failures.empty()) return {};
    auto before = hsa::Signal(memory_, launch.completion_signal).update(hsa::AtomicOp::Sub, 1);
    return before ? Status() : Status(before.error());
  }

 private:
  /// "file:line:column", or the offset in BRIG.
  std::string place_of(hsail::CodeRef instruction) const {
    const hsail::Module& module = current_->module;
    const hsail::Position& at = module.code[instruction].at;
    base::Location where;
    where.file = module.file_of(at);
    where.line = at.line;
    where.column = at.column;
    where.offset = at.offset;
    return where.str();
  }

  DispatchStatistics statistics_of(const Launch& launch, const hsail::Machine& machine) const {
    DispatchStatistics d;
    d.kernel = current_->module.code[kernel_].as<hsail::Executable>().name;
    d.grid = launch.grid;
    d.workgroup = launch.workgroup;
    d.workgroups = 1;
    for (unsigned n = 0; n < 3; ++n) {
      d.workgroups *= (uint64_t{launch.grid[n]} + launch.workgroup[n] - 1) / launch.workgroup[n];
    }
    d.waves = machine.wavefronts();
    d.instructions = machine.instructions();
    return d;
  }

  Result<const LoadedModule*> load_module(const Code& code,
                                          const hsa::ExternalVariables& externals) {
    const std::string key = load_key(code, externals);
    if (const auto found = modules_.find(key); found != modules_.end()) return &found->second;
    auto files = read_code(code);
    if (!files) return files.error();
    std::vector<hsail::Module> modules;
    for (const CodeFile& file : *files) {
      if (!is_hsail(file.kind)) {
        return Error(file.kind == CodeKind::OpenCl
                         ? "OpenCL C becomes machine code, which cannot be interpreted; use "
                           "another engine"
                         : "a machine code object cannot be interpreted; use another engine",
                     {.file = file.path});
      }
      auto module = hsail::load_module(file.bytes.data(), file.bytes.size(), file.path);
      if (!module) return module.error();
      modules.push_back(std::move(*module));
    }
    std::vector<const hsail::Module*> program;
    program.reserve(modules.size());
    for (const hsail::Module& module : modules) program.push_back(&module);
    auto linked = hsail::link(program);
    if (!linked) return linked.error();
    LoadedModule loaded;
    loaded.module = std::move(*linked);
    auto addresses = hsail::load_variables(loaded.module, memory_, externals);
    if (!addresses) return addresses.error();
    loaded.addresses = std::move(*addresses);
    return &modules_.emplace(key, std::move(loaded)).first->second;
  }

  static Result<hsail::CodeRef> find_kernel(const hsail::Module& module, const std::string& name) {
    const auto kernels = module.kernels();
    std::string names;
    hsail::CodeRef found = 0;
    for (const auto ref : kernels) {
      const auto& kernel = module.code[ref].as<hsail::Executable>();
      if (kernel.name == name || kernel.name == "&" + name) {
        // The one of the program before those of its modules.
        if (found == 0 || kernel.linkage == hsail::Linkage::kProgram) found = ref;
      }
      names += (names.empty() ? "" : ", ") + kernel.name;
    }
    if (found != 0) return found;
    if (name.empty() && kernels.size() == 1) return kernels.front();
    if (kernels.empty()) return Error("no kernel in this module");
    return Error(name.empty() ? fmt::format("'kernel' must name one of {}", names)
                              : fmt::format("no kernel is named '{}', there is: {}", name, names));
  }

  hsa::DeviceMemory memory_;
  hsail::DevicePort port_;
  hsail::Machine::Options machine_options_;
  std::map<std::string, LoadedModule> modules_;
  const LoadedModule* current_ = nullptr;
  hsail::CodeRef kernel_ = 0;
  hsail::KernelLayout layout_;
  std::vector<uint8_t> kernarg_;
  uint64_t next_packet_ = 0;  ///< as in a queue that holds the dispatches of the file
};

}  // namespace

Result<std::unique_ptr<Engine>> make_hsail_engine(const EngineOptions& options,
                                                  const std::string& machine_target) {
  const std::string target = options.target.empty() ? machine_target : options.target;
  if (auto parsed = hsa::parse_target(target); !parsed) return parsed.error();
  return std::unique_ptr<Engine>(std::make_unique<HsailEngine>(options, target));
}

}  // namespace cuvette::run
