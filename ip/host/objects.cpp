// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Code objects, their kernels and arguments.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "handle.h"
#include "hsa/kernarg.h"
#include "hsa/launch_limits.h"

using cuvette::host::Call;
using cuvette::host::CallKind;
using namespace cuvette::c_interface;
namespace host = cuvette::host;

namespace {

bool is_good(cuvette_object* object, const cuvette_kernel* out) {
  if (object == nullptr) {
    wrong_argument("the object is null");
    return false;
  }
  if (out == nullptr || out->size != sizeof *out) {
    wrong_argument("no place for the kernel, or one of another version of this interface");
    return false;
  }
  return true;
}

cuvette_kernel kernel_of(cuvette_object* object, const cuvette::hsa::KernelInfo& k) {
  cuvette_kernel kernel{};
  kernel.size = sizeof kernel;
  kernel.object = object;
  kernel.kernel_object = k.descriptor;
  kernel.kernarg_bytes = k.kernarg_bytes;
  kernel.kernarg_alignment = std::max<uint32_t>(k.kernarg_alignment, 16);
  kernel.group_bytes = k.group_bytes;
  kernel.private_bytes = k.private_bytes;
  kernel.dynamic_stack = k.dynamic_stack ? 1 : 0;
  kernel.arguments = static_cast<uint32_t>(cuvette::hsa::explicit_args(k).size());
  kernel.index = static_cast<uint32_t>(&k - object->code->kernels.data());
  return kernel;
}

int find_kernel(cuvette_object* object, const char* name, cuvette_kernel* out) {
  if (!is_good(object, out)) return CUVETTE_ERROR_ARGUMENT;
  const auto found = object->code->find(name == nullptr ? "" : name);
  if (!found) return wrong_argument(found.error().what);
  *out = kernel_of(object, **found);
  return CUVETTE_OK;
}

int kernel_at(cuvette_object* object, uint32_t index, cuvette_kernel* out, char* name,
              size_t name_bytes) {
  if (!is_good(object, out)) return CUVETTE_ERROR_ARGUMENT;
  const auto& kernels = object->code->kernels;
  if (index >= kernels.size()) {
    return wrong_argument("kernel " + std::to_string(index) + ", the code object has " +
                          std::to_string(kernels.size()));
  }
  *out = kernel_of(object, kernels[index]);
  put(name, name_bytes, kernels[index].name);
  return CUVETTE_OK;
}

bool is_found(const cuvette_kernel* kernel) {
  return kernel != nullptr && kernel->size == sizeof *kernel && kernel->object != nullptr &&
         kernel->index < kernel->object->code->kernels.size();
}

int argument_at(const cuvette_kernel* kernel, uint32_t index, cuvette_argument_info* out) {
  if (!is_found(kernel)) return wrong_argument("the kernel is not one of cuvette_find_kernel");
  if (out == nullptr || out->size != sizeof *out) {
    return wrong_argument("no place for the argument, or one of another version of this interface");
  }
  const cuvette::hsa::KernelInfo& k = kernel->object->code->kernels[kernel->index];
  const auto args = cuvette::hsa::explicit_args(k);
  if (index >= args.size()) {
    return wrong_argument("argument " + std::to_string(index) + ", kernel '" + k.name + "' has " +
                          std::to_string(args.size()));
  }
  const cuvette::hsa::KernelArg& arg = *args[index];
  cuvette_argument_info info{};
  info.size = sizeof info;
  info.bytes = arg.size;
  info.offset = arg.offset;
  put(info.kind, sizeof info.kind, arg.kind_name);
  put(info.type, sizeof info.type, arg.type_name);
  put(info.name, sizeof info.name, arg.name);
  *out = info;
  return CUVETTE_OK;
}

int kernarg(const cuvette_kernel* kernel, const cuvette_launch* launch,
            const cuvette_argument* arguments, size_t count, void* segment, size_t bytes) {
  if (!is_found(kernel)) return wrong_argument("the kernel is not one of cuvette_find_kernel");
  if (launch == nullptr || launch->size != sizeof *launch || launch->dimensions < 1 ||
      launch->dimensions > 3 || (launch->hidden == nullptr && launch->hidden_count != 0)) {
    return wrong_argument("the launch is missing, of another version, or without dimensions");
  }
  if (arguments == nullptr && count != 0) return wrong_argument("the arguments are null");
  const cuvette_machine& machine = *kernel->object->machine;
  const cuvette::hsa::KernelInfo& k = kernel->object->code->kernels[kernel->index];
  if (segment == nullptr && k.kernarg_bytes != 0) return wrong_argument("no place for the segment");
  if (bytes < k.kernarg_bytes) {
    return wrong_argument("room for " + std::to_string(bytes) + " bytes, kernel '" + k.name +
                          "' has a kernarg segment of " + std::to_string(k.kernarg_bytes));
  }
  cuvette::hsa::LaunchSize size;
  cuvette::hsa::HiddenValues hidden;
  for (unsigned d = 0; d < 3; ++d) {
    if (launch->grid[d] == 0 || launch->workgroup[d] == 0 || launch->workgroup[d] > 0xffff)
      return wrong_argument("a size of the grid or the work-group is 0 or too large");
    size.grid[d] = hidden.grid[d] = launch->grid[d];
    hidden.workgroup[d] = launch->workgroup[d];
    size.workgroup[d] = static_cast<uint16_t>(launch->workgroup[d]);
    hidden.global_offset[d] = launch->global_offset[d];
  }
  size.dimensions = hidden.dimensions = launch->dimensions;
  size.dynamic_group_bytes = hidden.dynamic_lds_bytes = launch->dynamic_group_bytes;
  const std::string broken = cuvette::hsa::broken_limit(k.limits, size);
  if (!broken.empty()) return wrong_argument("kernel '" + k.name + "': " + broken);
  hidden.queue_ptr = launch->queue;
  hidden.private_base_hi = static_cast<uint32_t>(machine.private_aperture >> 32);
  hidden.shared_base_hi = static_cast<uint32_t>(machine.shared_aperture >> 32);
  std::vector<std::vector<uint8_t>> values;
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].data == nullptr) return wrong_argument("an argument is null");
    const auto* first = static_cast<const uint8_t*>(arguments[i].data);
    values.emplace_back(first, first + arguments[i].bytes);
  }
  std::map<std::string, uint64_t> overrides;
  for (size_t i = 0; i < launch->hidden_count; ++i) {
    if (launch->hidden[i].name == nullptr) return wrong_argument("a hidden argument has no name");
    overrides[launch->hidden[i].name] = launch->hidden[i].value;
  }
  const auto filled = cuvette::hsa::fill_kernarg(k, values, hidden, overrides);
  if (!filled) return wrong_argument(filled.error().what);
  if (!filled->empty()) std::memcpy(segment, filled->data(), filled->size());
  return CUVETTE_OK;
}

}  // namespace

extern "C" {

int cuvette_load(cuvette_machine* machine, const void* elf, size_t bytes, cuvette_object** object) {
  if (object == nullptr) return wrong_argument("no place for the object");
  *object = nullptr;
  if (elf == nullptr || bytes == 0) return wrong_argument("the code object is missing");
  if (bytes > host::kMostAccessBytes) return wrong_argument("a code object of more than 1 GiB");
  return guarded([&] {
    Call call;
    call.kind = CallKind::Load;
    const auto* first = static_cast<const uint8_t*>(elf);
    call.data.assign(first, first + bytes);
    const int status = make_call(machine, call);
    if (status != CUVETTE_OK) return status;
    auto made = std::make_unique<cuvette_object>();
    made->machine = machine;
    made->code = call.code;
    const std::lock_guard lock(machine->objects_mutex);
    *object = machine->objects.emplace_back(std::move(made)).get();
    return int{CUVETTE_OK};
  });
}

int cuvette_unload(cuvette_object* object) {
  if (object == nullptr) return wrong_argument("the object is null");
  return guarded([&] {
    cuvette_machine& machine = *object->machine;
    Call call;
    call.kind = CallKind::Unload;
    call.address = object->code->block;
    const int status = make_call(&machine, call);
    if (status != CUVETTE_OK) return status;
    const std::lock_guard lock(machine.objects_mutex);
    std::erase_if(machine.objects, [object](const auto& o) { return o.get() == object; });
    return int{CUVETTE_OK};
  });
}

int cuvette_find_kernel(cuvette_object* object, const char* name, cuvette_kernel* kernel) {
  return guarded([&] { return find_kernel(object, name, kernel); });
}

int cuvette_kernel_at(cuvette_object* object, uint32_t index, cuvette_kernel* kernel, char* name,
                      size_t name_bytes) {
  return guarded([&] { return kernel_at(object, index, kernel, name, name_bytes); });
}

int cuvette_argument_at(const cuvette_kernel* kernel, uint32_t index, cuvette_argument_info* info) {
  return guarded([&] { return argument_at(kernel, index, info); });
}

int cuvette_find_symbol(cuvette_object* object, const char* name, uint64_t* address,
                        uint64_t* bytes) {
  if (object == nullptr || name == nullptr || address == nullptr)
    return wrong_argument("the object, the name or the place for the address is null");
  return guarded([&] {
    for (const auto& symbol : object->code->symbols) {
      if (symbol.name != name) continue;
      *address = symbol.address;
      if (bytes != nullptr) *bytes = symbol.bytes;
      return int{CUVETTE_OK};
    }
    return wrong_argument(std::string("no variable or function is named '") + name +
                          "' in the code object");
  });
}

int cuvette_kernarg(const cuvette_kernel* kernel, const cuvette_launch* launch,
                    const cuvette_argument* arguments, size_t count, void* segment, size_t bytes) {
  return guarded([&] { return kernarg(kernel, launch, arguments, count, segment, bytes); });
}

}  // extern "C"
