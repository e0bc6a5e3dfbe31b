// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Group memory and barriers: a program of two modules that are part of this file (BRIG from
// memory), finalized with control directives. The kernel is found by a walk over the symbols; the
// code object is stored and loaded again before it is used. Data goes to coarse-grained memory and
// back.
#include "common.h"

// REDUCE_BRIG and COMBINE_BRIG: the files of the modules.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "reduce_brig: .incbin \"" REDUCE_BRIG
    "\"\n"
    ".balign 16\n"
    "combine_brig: .incbin \"" COMBINE_BRIG
    "\"\n"
    ".text\n");
extern char reduce_brig[], combine_brig[];

enum { kGroups = 12, kGroupSize = 256 };

static uint32_t expected(const uint32_t* in) {
  uint32_t part[kGroupSize];
  memcpy(part, in, sizeof part);
  for (int step = kGroupSize / 2; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) {
      const uint32_t sum = part[i] + part[i + step];
      part[i] = sum << 1 | sum >> 31;
    }
  }
  return part[0];
}

static hsa_status_t count_module(hsa_ext_program_t program, hsa_ext_module_t module, void* data) {
  (void)program;
  int* modules = data;
  const char* expected_module = *modules == 0 ? reduce_brig : combine_brig;
  if ((const char*)module != expected_module) return HSA_STATUS_ERROR;
  ++*modules;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t store(size_t size, hsa_callback_data_t data, void** address) {
  (void)data;
  *address = malloc(size);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_kernel(hsa_executable_t executable, hsa_executable_symbol_t symbol,
                                void* data) {
  (void)executable;
  hsa_symbol_kind_t kind;
  uint32_t length = 0;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
  char* name = calloc(length + 1, 1);
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
  const bool found = kind == HSA_SYMBOL_KIND_KERNEL && strcmp(name, "&reduce") == 0;
  free(name);
  if (!found) return HSA_STATUS_SUCCESS;
  *(hsa_executable_symbol_t*)data = symbol;
  return HSA_STATUS_INFO_BREAK;
}

int main(void) {
  CHECK(hsa_init());
  hsa_agent_t agent = kernel_agent();
  hsa_profile_t profile;
  hsa_isa_t isa;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_PROFILE, &profile));
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));

  hsa_ext_program_t program;
  CHECK(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, profile,
                               HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, "", &program));
  CHECK(hsa_ext_program_add_module(program, (hsa_ext_module_t)reduce_brig));
  CHECK(hsa_ext_program_add_module(program, (hsa_ext_module_t)combine_brig));
  int modules = 0;
  CHECK(hsa_ext_program_iterate_modules(program, count_module, &modules));
  hsa_ext_control_directives_t control_directives;
  memset(&control_directives, 0, sizeof control_directives);
  control_directives.control_directives_mask = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 9;
  control_directives.max_dynamic_group_size = 0;
  control_directives.required_dim = 1;
  control_directives.required_workgroup_size = (hsa_dim3_t){kGroupSize, 1, 1};
  hsa_code_object_t code_object;
  CHECK(hsa_ext_program_finalize(program, isa, HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO,
                                 control_directives, NULL, HSA_CODE_OBJECT_TYPE_PROGRAM,
                                 &code_object));
  CHECK(hsa_ext_program_destroy(program));

  void* stored = NULL;
  size_t bytes = 0;
  CHECK(
      hsa_code_object_serialize(code_object, store, (hsa_callback_data_t){0}, "", &stored, &bytes));
  CHECK(hsa_code_object_destroy(code_object));
  CHECK(hsa_code_object_deserialize(stored, bytes, "", &code_object));
  free(stored);

  hsa_executable_t executable;
  CHECK(hsa_executable_create(profile, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  CHECK(hsa_executable_load_code_object(executable, agent, code_object, ""));
  CHECK(hsa_executable_freeze(executable, ""));
  hsa_executable_symbol_t symbol;
  if (hsa_executable_iterate_symbols(executable, find_kernel, &symbol) != HSA_STATUS_INFO_BREAK) {
    printf("no kernel &reduce\n");
    return 1;
  }
  kernel_t kernel = kernel_of(symbol);
  printf("%d modules, kernel with %u bytes of group memory\n", modules, kernel.group_bytes);

  const size_t in_bytes = kGroups * kGroupSize * sizeof(uint32_t);
  const size_t out_bytes = kGroups * sizeof(uint32_t);
  uint32_t* in = malloc(in_bytes);
  uint32_t out[kGroups];
  uint32_t seed = 1;
  for (int i = 0; i < kGroups * kGroupSize; ++i) {
    seed = seed * 1664525 + 1013904223;
    in[i] = seed;
  }
  hsa_region_t coarse = agent_region(agent, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  void* device_in = allocate(coarse, in_bytes);
  void* device_out = allocate(coarse, out_bytes);
  CHECK(hsa_memory_assign_agent(device_in, agent, HSA_ACCESS_PERMISSION_RW));
  CHECK(hsa_memory_copy(device_in, in, in_bytes));
  void** kernargs = allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_KERNARG), 16);
  kernargs[0] = device_in;
  kernargs[1] = device_out;

  hsa_queue_t* queue;
  CHECK(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &queue));
  hsa_signal_t signal;
  CHECK(hsa_signal_create(1, 0, NULL, &signal));
  dispatch(queue, kernel, kernargs, kGroups * kGroupSize, kGroupSize, signal);
  wait_for(signal);
  CHECK(hsa_memory_copy(out, device_out, out_bytes));
  int wrong = modules != 2;
  for (int g = 0; g < kGroups; ++g) wrong += out[g] != expected(in + g * kGroupSize);
  printf("%d work-groups, %d differ\n", kGroups, wrong);

  CHECK(hsa_signal_destroy(signal));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_destroy(code_object));
  CHECK(hsa_memory_free(kernargs));
  CHECK(hsa_memory_free(device_in));
  CHECK(hsa_memory_free(device_out));
  free(in);
  CHECK(hsa_shut_down());
  printf(wrong == 0 ? "passed\n" : "FAILED\n");
  return wrong != 0;
}
