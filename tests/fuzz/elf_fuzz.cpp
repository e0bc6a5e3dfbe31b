// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a code object. Seeds: the objects under build/<preset>/kernels.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hsa/code_object.h"
#include "hsa/dispatch.h"
#include "hsa/kernarg.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuvette::hsa;
  // The first byte picks the machine, so that objects of every target get past the target check.
  if (size == 0) return 0;
  TargetId machine = default_machine(static_cast<Processor>(data[0] % kProcessors));
  if ((data[0] & 0x80) != 0) machine.xnack = Feature::On;
  DeviceMemory memory;
  const auto code = load_code_object(data + 1, size - 1, "fuzz", memory, machine);
  if (!code) return 0;
  for (const KernelInfo& kernel : code->kernels) {
    (void)initial_layout(kernel).ok();
    std::vector<std::vector<uint8_t>> args;
    for (const KernelArg* arg : explicit_args(kernel)) {
      args.emplace_back(std::min<uint64_t>(arg->size, 1 << 16), uint8_t{0});
    }
    (void)fill_kernarg(kernel, args, {}, {}).ok();
  }
  return 0;
}
