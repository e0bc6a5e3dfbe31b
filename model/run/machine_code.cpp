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

}  // namespace

base::Result<KernelShape> MachineCode::load(const Dispatch& dispatch,
                                            const hsa::ExternalVariables& externals) {
  const std::string key = load_key(dispatch.code, externals);
  auto found = loaded_.find(key);
  if (found == loaded_.end()) {
    auto files = read_code(dispatch.code);
    if (!files) return files.error();
    auto object = code_object_for(*files, hsa::facts(target_.processor).name, externals);
    if (!object) return object.error();
    auto code = hsa::load_code_object(*object, files->front().path, memory_, target_);
    if (!code) return code.error();
    found = loaded_.emplace(key, Object{std::move(*code), std::move(*object)}).first;
  }
  auto kernel = found->second.code.find(dispatch.kernel);
  if (!kernel) return kernel.error();
  current_ = &found->second;
  kernel_ = *kernel;
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
                                                        const hsa::HiddenValues& base) const {
  hsa::HiddenValues hidden = base;
  for (unsigned d = 0; d < 3; ++d) {
    hidden.grid[d] = launch.grid[d];
    hidden.workgroup[d] = launch.workgroup[d];
  }
  hidden.dimensions = launch.dimensions;
  hidden.dynamic_lds_bytes = launch.dynamic_group_bytes;
  return hsa::fill_kernarg(*kernel_, arguments.values, hidden, arguments.hidden);
}

}  // namespace cuvette::run
