// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Agent dispatch packets: a kernel puts them into a queue that this program serves, and waits for
// the answers. The host sleeps until the kernel rings the queue's doorbell. A second kernel lowers
// a signal per work-item, each of which the host waits for.
#include "common.h"

enum { kGroups = 24, kGroupSize = 64, kQueueSize = 8 };

static uint64_t answer_of(uint16_t function, const uint64_t* arg) {
  return function == 1 ? arg[0] * arg[1] : arg[0] * 1000 - arg[1];
}

// Serves what is in the queue from `read` on; the next packet's number.
static uint64_t serve(hsa_queue_t* queue, uint64_t read, int* bad) {
  for (;; ++read) {
    hsa_agent_dispatch_packet_t* packet =
        (hsa_agent_dispatch_packet_t*)queue->base_address + read % queue->size;
    const uint16_t header = __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE);
    const int type = header >> HSA_PACKET_HEADER_TYPE & 0xff;
    if (read >= hsa_queue_load_write_index_acquire(queue) || type == HSA_PACKET_TYPE_INVALID) {
      return read;
    }
    if (type != HSA_PACKET_TYPE_AGENT_DISPATCH) ++*bad;
    *(uint64_t*)packet->return_address = answer_of(packet->type, packet->arg);
    const hsa_signal_t done = packet->completion_signal;
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
    hsa_queue_store_read_index_release(queue, read + 1);
    hsa_signal_subtract_release(done, 1);
  }
}

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "ask_host.brig";
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
  CHECK(hsa_executable_get_symbol(executable, NULL, "&ask_host", agent, 0, &symbol));
  kernel_t kernel = kernel_of(symbol);
  CHECK(hsa_executable_get_symbol(executable, NULL, "&lower_all", agent, 0, &symbol));
  kernel_t lower_all = kernel_of(symbol);

  hsa_region_t fine = agent_region(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  hsa_signal_t doorbell;
  CHECK(hsa_signal_create(-1, 0, NULL, &doorbell));
  hsa_queue_t* service;
  CHECK(hsa_soft_queue_create(fine, kQueueSize, HSA_QUEUE_TYPE_MULTI,
                              HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &service));
  uint64_t* answers = allocate(fine, kGroups * sizeof *answers);
  uint64_t* out = allocate(fine, kGroups * sizeof *out);
  hsa_signal_t* signals = allocate(fine, kGroups * sizeof *signals);
  for (int g = 0; g < kGroups; ++g) CHECK(hsa_signal_create(1, 0, NULL, &signals[g]));
  memset(out, 0, kGroups * sizeof *out);
  struct {
    hsa_queue_t* queue;
    hsa_signal_t doorbell;
    uint64_t* answers;
    hsa_signal_t* signals;
    uint64_t* out;
  } arguments = {service, doorbell, answers, signals, out};
  void* kernargs = allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_KERNARG), sizeof arguments);
  memcpy(kernargs, &arguments, sizeof arguments);

  hsa_queue_t* queue;
  CHECK(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &queue));
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  dispatch(queue, kernel, kernargs, kGroups * kGroupSize, kGroupSize, done);

  int bad = 0;
  uint64_t read = 0;
  hsa_signal_value_t last = -1;
  while (read < kGroups) {
    // Numbers of packets may come in any order: whatever is new may be one to serve.
    last = hsa_signal_wait_acquire(doorbell, HSA_SIGNAL_CONDITION_NE, last, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED);
    read = serve(service, read, &bad);
  }
  wait_for(done);

  int wrong = 0;
  for (uint64_t g = 0; g < kGroups; ++g) {
    const uint64_t expected = g % 2 == 0 ? g * (g + 7) : g * 1000 - (g + 7);
    wrong += out[g] != expected + 1;
  }
  printf("%d answers, %d packets of another type, %d differ\n", kGroups, bad, wrong);

  for (int g = 0; g < kGroups; ++g) {
    wrong += hsa_signal_load_acquire(signals[g]) != 0;
    hsa_signal_store_relaxed(signals[g], 1);
  }
  hsa_signal_store_relaxed(done, 1);
  memcpy(kernargs, &signals, sizeof signals);
  dispatch(queue, lower_all, kernargs, kGroups, kGroupSize, done);
  for (int g = 0; g < kGroups; ++g) wait_for(signals[g]);
  wait_for(done);
  printf("%d signals lowered\n", kGroups);

  for (int g = 0; g < kGroups; ++g) CHECK(hsa_signal_destroy(signals[g]));
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_queue_destroy(service));
  CHECK(hsa_signal_destroy(doorbell));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_destroy(code_object));
  CHECK(hsa_memory_free(kernargs));
  CHECK(hsa_memory_free(signals));
  CHECK(hsa_memory_free(out));
  CHECK(hsa_memory_free(answers));
  free(module);
  CHECK(hsa_shut_down());
  printf(wrong + bad == 0 ? "passed\n" : "FAILED\n");
  return wrong + bad != 0;
}
