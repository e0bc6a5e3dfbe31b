// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that puts packets into its own queue: the host puts the first of a chain there and waits
// for all of them.
#include "common.h"

enum { kLinks = 200, kItems = 100, kQueueSize = 64 };

typedef struct {
  hsa_queue_t* queue;
  hsa_signal_t doorbell;
  void* arguments;
  uint32_t* counts;
  uint64_t object;
  hsa_signal_t done;
  uint32_t left;
  uint32_t unused[3];
} arguments_t;

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "chain.brig";
  CHECK(hsa_init());
  hsa_agent_t agent = kernel_agent();
  hsa_ext_finalizer_1_00_pfn_t finalizer = finalizer_functions(agent);
  hsa_profile_t profile;
  hsa_isa_t isa;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_PROFILE, &profile));
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));
  hsa_ext_module_t module = read_module(file);
  hsa_ext_program_t program;
  CHECK(finalizer.hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, profile,
                                         HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &program));
  CHECK(finalizer.hsa_ext_program_add_module(program, module));
  hsa_ext_control_directives_t control_directives;
  memset(&control_directives, 0, sizeof control_directives);
  hsa_code_object_t code_object;
  CHECK(finalizer.hsa_ext_program_finalize(program, isa, 0, control_directives, NULL,
                                           HSA_CODE_OBJECT_TYPE_PROGRAM, &code_object));
  CHECK(finalizer.hsa_ext_program_destroy(program));
  hsa_executable_t executable;
  CHECK(hsa_executable_create(profile, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  CHECK(hsa_executable_load_code_object(executable, agent, code_object, ""));
  CHECK(hsa_executable_freeze(executable, ""));
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol(executable, NULL, "&chain", agent, 0, &symbol));
  const kernel_t kernel = kernel_of(symbol);

  hsa_queue_t* queue;
  CHECK(hsa_queue_create(agent, kQueueSize, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
                         UINT32_MAX, &queue));
  hsa_signal_t done;
  CHECK(hsa_signal_create(kLinks, 0, NULL, &done));
  hsa_region_t fine = agent_region(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  hsa_region_t kernarg = agent_region(agent, HSA_REGION_GLOBAL_FLAG_KERNARG);
  uint32_t* counts = allocate(fine, kLinks * sizeof *counts);
  memset(counts, 0, kLinks * sizeof *counts);
  arguments_t* arguments = allocate(kernarg, kLinks * sizeof *arguments);
  for (uint32_t i = 0; i < kLinks; ++i) {
    arguments[i] = (arguments_t){.queue = queue,
                                 .doorbell = queue->doorbell_signal,
                                 .arguments = arguments,
                                 .counts = counts,
                                 .object = kernel.object,
                                 .done = done,
                                 .left = i};
  }
  dispatch(queue, kernel, &arguments[kLinks - 1], kItems, 64, done);
  wait_for(done);

  int wrong = sizeof(arguments_t) != 64 || hsa_queue_load_write_index_relaxed(queue) != kLinks;
  for (int i = 0; i < kLinks; ++i) wrong += counts[i] != kItems;
  printf("%d packets, %d differ\n", kLinks, wrong);
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_destroy(code_object));
  CHECK(hsa_memory_free(arguments));
  CHECK(hsa_memory_free(counts));
  free(module);
  CHECK(hsa_shut_down());
  printf(wrong == 0 ? "passed\n" : "FAILED\n");
  return wrong != 0;
}
