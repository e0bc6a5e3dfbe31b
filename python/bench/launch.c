/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * launch CODE_OBJECT COUNT: microseconds of a launch of saxpy on engine golden, from the arguments
 * to the end of the wait, as a C program does it: "place" with queue, kernel arguments and signals
 * in memory that both sides see, "calls" with cuvette_memory_write and _read. What launches from
 * Python are compared with (launch_overhead.py). */
#define _POSIX_C_SOURCE 199309L
#include <cuvette.h>
#include <cuvette_registers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 64, PACKETS = 64, INVALID = 1, DOORBELL = 10 };

static cuvette_machine* machine;
static uint8_t ring_bytes[64 * PACKETS] __attribute__((aligned(4096)));
static uint8_t queue_bytes[256] __attribute__((aligned(4096)));
static uint8_t signal_bytes[64] __attribute__((aligned(4096)));
static uint8_t mailbox_bytes[64] __attribute__((aligned(4096)));
static uint8_t kernarg_bytes[4096] __attribute__((aligned(4096)));
static uint64_t ring, queue, signal_address, mailbox, kernarg;

static void must(int status, const char* what) {
  if (status == CUVETTE_OK) return;
  fprintf(stderr, "%s: %s\n", what, cuvette_error_text());
  exit(1);
}

static uint64_t attach(void* memory, uint64_t bytes, uint32_t flags) {
  uint64_t address = 0;
  must(cuvette_memory_attach(machine, memory, bytes, 0, flags | CUVETTE_MEMORY_FINE_GRAINED,
                             &address),
       "memory");
  return address;
}

static void put(void* at, uint64_t value, size_t bytes) {
  memcpy(at, &value, bytes);
}

static void write_register(uint32_t offset, uint64_t value) {
  must(cuvette_register_write(machine, offset, (uint32_t)value), "register");
}

static void make_queue(void) {
  unsigned i;
  ring = attach(ring_bytes, sizeof ring_bytes, 0);
  queue = attach(queue_bytes, sizeof queue_bytes, CUVETTE_MEMORY_WITHIN_4GIB);
  signal_address = attach(signal_bytes, sizeof signal_bytes, 0);
  mailbox = attach(mailbox_bytes, sizeof mailbox_bytes, 0);
  kernarg = attach(kernarg_bytes, sizeof kernarg_bytes, 0);
  for (i = 0; i < PACKETS; ++i) put(ring_bytes + 64 * i, INVALID, 4);
  put(queue_bytes + 8, ring, 8);
  put(queue_bytes + 24, PACKETS, 4);
  put(queue_bytes + 136, 128, 4);
  put(signal_bytes, 1, 8);
  put(signal_bytes + 16, mailbox, 8);
  put(signal_bytes + 24, 1, 4);
  write_register(CUVETTE_REG_CP_MEC_CNTL, 0);
  write_register(CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK);
  write_register(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE, ring >> 8);
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE_HI, ring >> 40);
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, queue + 128);
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, (queue + 128) >> 32);
  write_register(CUVETTE_REG_CP_HQD_PQ_CONTROL,
                 9u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_AQL_CONTROL,
                 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
                 DOORBELL * 2 << 2 | CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
  write_register(CUVETTE_REG_CP_HQD_ACTIVE, 1);
}

/* Memory of the GPU: in place, or by a call. */
static void store(int calls, uint64_t address, void* place, const void* data, size_t bytes) {
  if (calls) {
    must(cuvette_memory_write(machine, address, data, bytes), "write");
  } else {
    memcpy(place, data, bytes);
  }
}

static uint64_t signal_value(int calls) {
  uint64_t value = 0;
  if (calls) {
    must(cuvette_memory_read(machine, signal_address + 8, &value, sizeof value), "read");
  } else {
    memcpy(&value, signal_bytes + 8, sizeof value);
  }
  return value;
}

static void launch_kernel(int calls, const cuvette_kernel* kernel, uint64_t index, uint64_t x,
                          uint64_t y) {
  const uint32_t n = ITEMS;
  const float alpha = 1.0f;
  const uint64_t one = 1;
  const uint32_t header = 2u | 1u << 8 | 2u << 9 | 2u << 11 | 1u << 16;
  cuvette_argument arguments[4] = {
      {&n, sizeof n}, {&alpha, sizeof alpha}, {&x, sizeof x}, {&y, sizeof y}};
  cuvette_launch launch = {sizeof launch, 1, {ITEMS, 1, 1}, {ITEMS, 1, 1}, 0, {0, 0, 0}, 0, 0, 0};
  uint8_t segment[4096], body[60] = {0};
  const uint64_t slot = index % PACKETS * 64;
  unsigned d;
  launch.queue = queue;
  must(cuvette_kernarg(kernel, &launch, arguments, 4, segment, sizeof segment), "arguments");
  store(calls, kernarg, kernarg_bytes, segment, kernel->kernarg_bytes);
  store(calls, signal_address + 8, signal_bytes + 8, &one, sizeof one);
  for (d = 0; d < 3; ++d) {
    put(body + 2 * d, launch.workgroup[d], 2);
    put(body + 8 + 4 * d, launch.grid[d], 4);
  }
  put(body + 20, kernel->private_bytes, 4);
  put(body + 24, kernel->group_bytes, 4);
  put(body + 28, kernel->kernel_object, 8);
  put(body + 36, kernarg, 8);
  put(body + 52, signal_address, 8);
  store(calls, ring + slot + 4, ring_bytes + slot + 4, body, sizeof body);
  store(calls, ring + slot, ring_bytes + slot, &header, sizeof header);
  must(cuvette_doorbell(machine, DOORBELL, index), "doorbell");
  while (signal_value(calls) != 0) must(cuvette_wait_interrupt(machine, 1000000000), "wait");
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  static float x[ITEMS] __attribute__((aligned(64))), y[ITEMS] __attribute__((aligned(64)));
  static uint8_t code[1 << 20];
  cuvette_options options;
  cuvette_object* object = NULL;
  cuvette_kernel kernel;
  uint64_t index = 0, x_address, y_address;
  size_t bytes;
  long count;
  int calls;
  FILE* file;
  if (argc != 3 || (file = fopen(argv[1], "rb")) == NULL || (count = atol(argv[2])) < 1) {
    fprintf(stderr, "launch CODE_OBJECT COUNT\n");
    return 2;
  }
  bytes = fread(code, 1, sizeof code, file);
  fclose(file);
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.engine = "golden";
  options.machine = "small";
  must(cuvette_open(&options, &machine), "open");
  must(cuvette_load(machine, code, bytes, &object), argv[1]);
  memset(&kernel, 0, sizeof kernel);
  kernel.size = sizeof kernel;
  must(cuvette_find_kernel(object, "saxpy", &kernel), "saxpy");
  make_queue();
  x_address = attach(x, sizeof x, 0);
  y_address = attach(y, sizeof y, 0);
  for (bytes = 0; bytes < ITEMS; ++bytes) x[bytes] = 1.0f;
  for (calls = 0; calls < 2; ++calls) {
    const double begin = seconds();
    long i;
    for (i = 0; i < count; ++i) launch_kernel(calls, &kernel, index++, x_address, y_address);
    printf("%s %.2f\n", calls ? "calls" : "place", (seconds() - begin) / (double)count * 1e6);
  }
  must(cuvette_close(machine), "close");
  return y[0] == 2.0f * (float)count ? 0 : 1;
}
