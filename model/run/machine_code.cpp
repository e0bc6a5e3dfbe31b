// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/machine_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "hsa/symbol_names.h"
#include "run/code.h"

namespace cuvette::run {
namespace {

Parameter parameter_of(const hsa::KernelArg& arg, size_t index) {
  Parameter p;
  p.name = arg.name.empty() ? fmt::format("#{}", index) : arg.name;
  p.offset = arg.offset;
  p.size = arg.size;
  if (arg.kind == hsa::ArgKind::GlobalBuffer) p.kind = Parameter::Kind::GlobalPointer;
  if (arg.kind == hsa::ArgKind::DynamicSharedPointer) p.kind = Parameter::Kind::LocalPointer;
  if (arg.kind == hsa::ArgKind::ByValue) p.type = element_from_name(arg.type_name);
  return p;
}

/// By its formats, or because the device library's allocator of the printf buffer is linked in.
bool calls_printf(const hsa::LoadedCode& code) {
  return !code.printf.empty() ||
         std::any_of(code.symbols.begin(), code.symbols.end(), [](const auto& symbol) {
           return symbol.is_function && symbol.name == "__printf_alloc";
         });
}

}  // namespace

base::Result<const MachineCode::Program*> MachineCode::program(
    const Code& code, const hsa::ExternalVariables& externals) {
  const std::string key = load_key(code, externals);
  if (const auto found = loaded_.find(key); found != loaded_.end()) return &found->second;
  auto files = read_code(code);
  if (!files) return files.error();
  auto objects = code_objects_for(*files, target_, externals);
  if (!objects) return objects.error();
  Program program;
  for (MachineObject& object : *objects) {
    auto loaded = hsa::load_code_object(object.bytes, object.name, memory_, target_);
    if (!loaded) {
      base::Error error = loaded.error();
      // Objects that the finalizer has made are in no file.
      if (is_hsail(files->front().kind)) error.where = {.file = error.where.file};
      return error;
    }
    program.push_back({std::move(*loaded), std::move(object.bytes)});
  }
  return &loaded_.emplace(key, std::move(program)).first->second;
}

/// The kernel, which one object has to have.
base::Status MachineCode::choose(const Program& program, const std::string& name) {
  if (program.size() == 1) {
    auto kernel = program.front().code.find(name);
    if (!kernel) return kernel.error();
    current_ = &program.front();
    kernel_ = *kernel;
    return {};
  }
  const Object* only = nullptr;
  std::string names;
  size_t fitting = 0;
  for (const Object& object : program) {
    for (const hsa::KernelInfo& k : object.code.kernels) {
      names += (names.empty() ? "" : ", ") + k.name;
    }
    // No name: there has to be one kernel in all of them.
    const bool fits = name.empty() ? !object.code.kernels.empty() : object.code.find(name).ok();
    if (!fits) continue;
    ++fitting;
    only = &object;
  }
  if (fitting == 1) {
    auto kernel = only->code.find(name);
    if (!kernel) return kernel.error();
    current_ = only;
    kernel_ = *kernel;
    return {};
  }
  return base::Error(
      name.empty()  ? fmt::format("'kernel' must name one of: {}", names)
      : fitting > 1 ? fmt::format("{} code objects have a kernel '{}', expected one", fitting, name)
                    : fmt::format("no kernel '{}', expected one of: {}", name, names));
}

base::Result<KernelShape> MachineCode::load(const Dispatch& dispatch,
                                            const hsa::ExternalVariables& externals) {
  auto loaded = program(dispatch.code, externals);
  if (!loaded) return loaded.error();
  if (auto status = choose(**loaded, dispatch.kernel); !status) return status.error();
  if (!kernel_->has_metadata) {
    return base::Error(
        fmt::format("kernel '{}' has no metadata: its arguments are unknown", kernel_->name));
  }
  KernelShape shape;
  shape.name = kernel_->name;
  const auto args = hsa::explicit_args(*kernel_);
  for (size_t i = 0; i < args.size(); ++i) shape.parameters.push_back(parameter_of(*args[i], i));
  shape.kernarg_bytes = kernel_->kernarg_bytes;
  shape.group_bytes = kernel_->group_bytes;
  shape.private_bytes = kernel_->private_bytes;
  shape.dynamic_stack = kernel_->dynamic_stack;
  shape.vgprs = kernel_->vgpr_count;
  shape.sgprs = kernel_->sgpr_count;
  shape.limits = kernel_->limits;
  return shape;
}

base::Status MachineCode::check(const Launch& launch) const {
  hsa::LaunchSize size;
  for (size_t d = 0; d < 3; ++d) {
    size.grid[d] = launch.grid[d];
    size.workgroup[d] = launch.workgroup[d];
  }
  size.dimensions = launch.dimensions;
  size.dynamic_group_bytes = launch.dynamic_group_bytes;
  const std::string broken = hsa::broken_limit(kernel_->limits, size);
  if (broken.empty()) return {};
  return base::Error(fmt::format("kernel '{}': {}", kernel_->name, broken));
}

base::Result<uint64_t> MachineCode::function_handle(const std::string& name) const {
  for (const hsa::LoadedSymbol& symbol : current_->code.symbols) {
    const bool kernel = std::any_of(current_->code.kernels.begin(), current_->code.kernels.end(),
                                    [&](const auto& k) { return k.name == symbol.name; });
    if (symbol.is_function && !kernel && hsa::hsail_name(symbol.name) == name)
      return symbol.address;
  }
  return no_indirect_function(name);
}

std::optional<uint64_t> MachineCode::symbol(const std::string& name) const {
  for (const hsa::LoadedSymbol& symbol : current_->code.symbols)
    if (symbol.name == name) return symbol.address;
  return std::nullopt;
}

base::Result<std::vector<uint8_t>> MachineCode::kernarg(const Launch& launch,
                                                        const ArgumentBytes& arguments,
                                                        const hsa::HiddenValues& base) {
  hsa::HiddenValues hidden = base;
  for (unsigned d = 0; d < 3; ++d) {
    hidden.grid[d] = launch.grid[d];
    hidden.workgroup[d] = launch.workgroup[d];
  }
  hidden.dimensions = launch.dimensions;
  hidden.dynamic_lds_bytes = launch.dynamic_group_bytes;
  auto segment = hsa::fill_kernarg(*kernel_, arguments.values, hidden, arguments.hidden);
  unserved_.clear();
  if (segment) unserved_ = hsa::unserved_pointers(*kernel_, *segment);
  const std::string printf = hsa::arg_kind_name(hsa::ArgKind::HiddenPrintfBuffer);
  // The object's printf metadata decides whether a null pointer was for printf: a kernel may
  // declare more than it uses and, where the device library reads the buffer, less.
  if (calls_printf(current_->code) && arguments.hidden.count(printf) == 0) unserved_ = {printf};
  return segment;
}

std::string MachineCode::hint_about(const std::vector<uint64_t>& fault_addresses) const {
  for (const uint64_t address : fault_addresses) {
    std::string hint = hsa::null_pointer_hint(kernel_->name, unserved_, address);
    if (!hint.empty()) return hint;
  }
  return {};
}

}  // namespace cuvette::run
