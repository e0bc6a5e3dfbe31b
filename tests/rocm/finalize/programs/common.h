// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Steps of every HSA 1.0 program: find an agent for kernels, its memory, the finalizer.
#ifndef COMMON_H
#define COMMON_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                 \
  do {                                                                              \
    const hsa_status_t check_status = (call);                                       \
    if (check_status != HSA_STATUS_SUCCESS) {                                       \
      const char* text = "";                                                        \
      hsa_status_string(check_status, &text);                                       \
      printf("%s:%d: %s: %#x %s\n", __FILE__, __LINE__, #call, check_status, text); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

// The first agent that takes kernel dispatches.
static inline hsa_status_t find_kernel_agent(hsa_agent_t agent, void* data) {
  hsa_agent_feature_t features;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features));
  if ((features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) == 0) return HSA_STATUS_SUCCESS;
  *(hsa_agent_t*)data = agent;
  return HSA_STATUS_INFO_BREAK;
}

static inline hsa_agent_t kernel_agent(void) {
  hsa_agent_t agent = {0};
  if (hsa_iterate_agents(find_kernel_agent, &agent) != HSA_STATUS_INFO_BREAK) {
    printf("no agent takes kernel dispatches\n");
    exit(1);
  }
  return agent;
}

// A region of the global segment with a flag, of those in which programs may allocate.
typedef struct {
  hsa_region_global_flag_t flag;
  hsa_region_t region;
} region_search_t;

static inline hsa_status_t find_region(hsa_region_t region, void* data) {
  region_search_t* search = data;
  hsa_region_segment_t segment;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_region_global_flag_t flags;
  bool allowed = false;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
  if (!allowed || (flags & search->flag) == 0) return HSA_STATUS_SUCCESS;
  search->region = region;
  return HSA_STATUS_INFO_BREAK;
}

static inline hsa_region_t agent_region(hsa_agent_t agent, hsa_region_global_flag_t flag) {
  region_search_t search = {flag, {0}};
  if (hsa_agent_iterate_regions(agent, find_region, &search) != HSA_STATUS_INFO_BREAK) {
    printf("no region with flag %d\n", flag);
    exit(1);
  }
  return search.region;
}

static inline void* allocate(hsa_region_t region, size_t bytes) {
  void* memory = NULL;
  CHECK(hsa_memory_allocate(region, bytes, &memory));
  return memory;
}

// The functions of the finalizer extension, which the system and the agent have to support.
static inline hsa_ext_finalizer_1_00_pfn_t finalizer_functions(hsa_agent_t agent) {
  bool supported = false;
  CHECK(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &supported));
  if (supported) {
    CHECK(hsa_agent_extension_supported(HSA_EXTENSION_FINALIZER, agent, 1, 0, &supported));
  }
  if (!supported) {
    printf("no finalizer\n");
    exit(1);
  }
  hsa_ext_finalizer_1_00_pfn_t functions;
  CHECK(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0, &functions));
  return functions;
}

// A BRIG module from a file.
static inline hsa_ext_module_t read_module(const char* name) {
  FILE* file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  void* module = malloc(bytes);
  if (fread(module, 1, bytes, file) != (size_t)bytes) {
    printf("%s: not read\n", name);
    exit(1);
  }
  fclose(file);
  return module;
}

// Properties of a kernel that a dispatch needs.
typedef struct {
  uint64_t object;
  uint32_t kernarg_bytes, group_bytes, private_bytes;
} kernel_t;

static inline kernel_t kernel_of(hsa_executable_symbol_t symbol) {
  kernel_t kernel;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                       &kernel.object));
  CHECK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg_bytes));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &kernel.group_bytes));
  CHECK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes));
  return kernel;
}

// Puts a packet of one dimension into the queue and rings its doorbell.
static inline void dispatch(hsa_queue_t* queue, kernel_t kernel, void* kernargs, uint32_t grid,
                            uint16_t workgroup, hsa_signal_t completion) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_kernel_dispatch_packet_t* packet =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + index % queue->size;
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = workgroup;
  packet->workgroup_size_y = 1;
  packet->workgroup_size_z = 1;
  packet->grid_size_x = grid;
  packet->grid_size_y = 1;
  packet->grid_size_z = 1;
  packet->private_segment_size = kernel.private_bytes;
  packet->group_segment_size = kernel.group_bytes;
  packet->kernel_object = kernel.object;
  packet->kernarg_address = kernargs;
  packet->completion_signal = completion;
  const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE;
  const uint32_t setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  __atomic_store_n((uint32_t*)packet, header | setup << 16, __ATOMIC_RELEASE);
  hsa_signal_store_release(queue->doorbell_signal, index);
}

static inline void wait_for(hsa_signal_t signal) {
  while (hsa_signal_wait_acquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                 HSA_WAIT_STATE_BLOCKED) != 0) {
  }
}

#endif
