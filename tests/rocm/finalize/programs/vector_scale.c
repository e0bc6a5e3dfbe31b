// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The shortest HSA 1.0 program: a BRIG module from a file is finalized, its kernel dispatched. A
// variable of the program is read and written by the host between two dispatches.
#include "common.h"

enum { kCount = 1000, kFactor = 7 };

static int differ(const uint32_t* out, uint32_t bias) {
  int wrong = 0;
  for (uint32_t i = 0; i < kCount; ++i) wrong += out[i] != kFactor * (3 * i + 5) + bias;
  // Behind the end nothing is written.
  for (uint32_t i = kCount; i < kCount + 24; ++i) wrong += out[i] != 0xabababab;
  return wrong;
}

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "vector_scale.brig";
  CHECK(hsa_init());
  hsa_agent_t agent = kernel_agent();
  hsa_ext_finalizer_1_00_pfn_t finalizer = finalizer_functions(agent);
  hsa_profile_t profile;
  hsa_machine_model_t machine_model;
  hsa_isa_t isa;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_PROFILE, &profile));
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_MACHINE_MODEL, &machine_model));
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));

  hsa_ext_module_t module = read_module(file);
  hsa_ext_program_t program;
  CHECK(finalizer.hsa_ext_program_create(machine_model, profile,
                                         HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &program));
  CHECK(finalizer.hsa_ext_program_add_module(program, module));
  hsa_ext_control_directives_t control_directives;
  memset(&control_directives, 0, sizeof control_directives);
  hsa_code_object_t code_object;
  CHECK(finalizer.hsa_ext_program_finalize(program, isa, 0, control_directives, "",
                                           HSA_CODE_OBJECT_TYPE_PROGRAM, &code_object));
  CHECK(finalizer.hsa_ext_program_destroy(program));
  free(module);

  hsa_executable_t executable;
  CHECK(hsa_executable_create(profile, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  CHECK(hsa_executable_load_code_object(executable, agent, code_object, ""));
  CHECK(hsa_executable_freeze(executable, ""));
  CHECK(hsa_code_object_destroy(code_object));
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol(executable, NULL, "&__vector_scale_kernel", agent, 0, &symbol));
  kernel_t kernel = kernel_of(symbol);
  uint64_t bias = 0;
  CHECK(hsa_executable_get_symbol(executable, NULL, "&bias", agent, 0, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &bias));

  hsa_region_t fine = agent_region(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  uint32_t* in = allocate(fine, kCount * sizeof *in);
  uint32_t* out = allocate(fine, (kCount + 24) * sizeof *out);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = 3 * i + 5;
  memset(out, 0xab, (kCount + 24) * sizeof *out);
  struct {
    uint32_t *in, *out, factor, count;
  } arguments = {in, out, kFactor, kCount};
  if (kernel.kernarg_bytes != sizeof arguments) {
    printf("the kernel takes %u bytes of arguments\n", kernel.kernarg_bytes);
    return 1;
  }
  void* kernargs = allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_KERNARG), sizeof arguments);
  memcpy(kernargs, &arguments, sizeof arguments);

  uint32_t queue_size = 0;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &queue_size));
  hsa_queue_t* queue;
  CHECK(hsa_queue_create(agent, queue_size < 1024 ? queue_size : 1024, HSA_QUEUE_TYPE_SINGLE, NULL,
                         NULL, UINT32_MAX, UINT32_MAX, &queue));
  hsa_signal_t signal;
  CHECK(hsa_signal_create(1, 0, NULL, &signal));
  dispatch(queue, kernel, kernargs, 1024, 256, signal);
  wait_for(signal);
  int wrong = differ(out, 1000);
  printf("%d values, %d differ\n", kCount, wrong);

  uint32_t value = 0;
  CHECK(hsa_memory_copy(&value, (const void*)bias, sizeof value));
  wrong += value != 1000;
  value = 2000;
  CHECK(hsa_memory_copy((void*)bias, &value, sizeof value));
  hsa_signal_store_relaxed(signal, 1);
  dispatch(queue, kernel, kernargs, 1024, 128, signal);
  wait_for(signal);
  int again = differ(out, 2000);
  printf("%d values with another bias, %d differ\n", kCount, again);

  CHECK(hsa_signal_destroy(signal));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_memory_free(kernargs));
  CHECK(hsa_memory_free(out));
  CHECK(hsa_memory_free(in));
  CHECK(hsa_shut_down());
  printf(wrong + again == 0 ? "passed\n" : "FAILED\n");
  return wrong + again != 0;
}
