/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * c_driver ENGINE MACHINE CODE_OBJECT: loads sum.cl as compiled by clang, runs a kernel that needs
 * hidden arguments, a global variable and dynamic group memory, then one that hangs, asks who waits
 * for what, and gets rid of it. Ctrl-C ends a wait. C99 on cuvette.h alone; c_interface.md. */
#include <cuvette.h>
#include <cuvette_registers.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 64, GROUPS = 4, ITEMS = GROUP * GROUPS, OFFSET = 7, PACKETS = 64 };
enum { INVALID = 1, DOORBELL = 10 };

static cuvette_machine* machine;

static void fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, cuvette_error_text());
  exit(1);
}

static void must(int status, const char* what) {
  if (status != CUVETTE_OK) fail(what);
}

static void on_signal(int number) {
  (void)number;
  cuvette_cancel(machine); /* allowed here: the wait under way ends */
}

static void write_register(uint32_t offset, uint64_t value) {
  must(cuvette_register_write(machine, offset, (uint32_t)value), "register");
}

/* Memory that host and GPU look at while the other one works is CUVETTE_MEMORY_FINE_GRAINED. */
static uint64_t allocate(uint64_t bytes, uint32_t flags) {
  uint64_t address = 0;
  must(cuvette_memory_allocate(machine, bytes, 0, flags, &address), "memory");
  return address;
}

static void store(uint64_t address, const void* data, size_t bytes) {
  must(cuvette_memory_write(machine, address, data, bytes), "write");
}

static void store64(uint64_t address, uint64_t value) {
  store(address, &value, sizeof value);
}

static void* read_file(const char* name, size_t* bytes) {
  FILE* file = fopen(name, "rb");
  char* data;
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) <= 0) {
    fprintf(stderr, "%s: cannot be read\n", name);
    exit(2);
  }
  rewind(file);
  data = malloc((size_t)size);
  if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) exit(2);
  fclose(file);
  *bytes = (size_t)size;
  return data;
}

/* ---- one queue, in the first slot of the first micro engine ---- */

typedef struct queue {
  uint64_t ring, address, next;
} queue;

static void activate(const queue* q) {
  const uint64_t report = q->address + 128; /* where its read index is */
  write_register(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE, q->ring >> 8);
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE_HI, q->ring >> 40);
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, report);
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, report >> 32);
  write_register(CUVETTE_REG_CP_HQD_PQ_CONTROL, /* PACKETS of 16 dwords */
                 9u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_AQL_CONTROL,
                 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
                 DOORBELL * 2 << 2 | CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
  write_register(CUVETTE_REG_CP_HQD_ACTIVE, 1);
}

static void make_queue(queue* q) {
  unsigned i;
  q->next = 0;
  q->ring = allocate(64 * PACKETS, CUVETTE_MEMORY_FINE_GRAINED);
  q->address = allocate(256, CUVETTE_MEMORY_WITHIN_4GIB | CUVETTE_MEMORY_FINE_GRAINED);
  for (i = 0; i < PACKETS; ++i) store64(q->ring + 64 * (uint64_t)i, INVALID);
  store64(q->address + 8, q->ring);
  store64(q->address + 24, PACKETS);
  store64(q->address + 136, 128); /* from the read index back to the queue */
  write_register(CUVETTE_REG_CP_MEC_CNTL, 0);
  write_register(CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK);
  activate(q);
}

/* Its waves end where they are, and it is gone from its slot. */
static void reset_queue(void) {
  uint32_t active = 1;
  unsigned tries;
  write_register(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2);
  for (tries = 0; tries < 100 && active != 0; ++tries) {
    must(cuvette_advance(machine, 1000), "reset");
    must(cuvette_register_read(machine, CUVETTE_REG_CP_HQD_ACTIVE, &active), "reset");
  }
  if (active != 0) fail("the queue does not go away");
}

/* A signal of 1 that the packet's end makes 0; its event raises an interrupt. */
static uint64_t make_signal(void) {
  const uint64_t signal = allocate(64, CUVETTE_MEMORY_FINE_GRAINED);
  const uint64_t mailbox = allocate(64, CUVETTE_MEMORY_FINE_GRAINED);
  store64(signal, 1);
  store64(signal + 8, 1);
  store64(signal + 16, mailbox);
  store64(signal + 24, 1);
  return signal;
}

static void dispatch(queue* q, const cuvette_kernel* kernel, const cuvette_launch* launch,
                     const cuvette_argument* arguments, size_t count, uint64_t signal) {
  /* Dispatch, barrier bit, fences of system scope; the dimensions in the upper half. */
  const uint32_t header = 2u | 1u << 8 | 2u << 9 | 2u << 11 | launch->dimensions << 16;
  uint8_t* segment = calloc(1, kernel->kernarg_bytes + 1u);
  const uint64_t kernarg = allocate(kernel->kernarg_bytes + 64u, CUVETTE_MEMORY_FINE_GRAINED);
  const uint64_t packet = q->ring + 64 * (q->next % PACKETS);
  uint8_t body[60] = {0};
  const uint32_t group = kernel->group_bytes + launch->dynamic_group_bytes;
  unsigned d;
  must(cuvette_kernarg(kernel, launch, arguments, count, segment, kernel->kernarg_bytes),
       "arguments");
  store(kernarg, segment, kernel->kernarg_bytes);
  free(segment);
  for (d = 0; d < 3; ++d) {
    const uint16_t size = (uint16_t)launch->workgroup[d];
    memcpy(body + 2 * d, &size, 2);
    memcpy(body + 8 + 4 * d, &launch->grid[d], 4);
  }
  memcpy(body + 20, &kernel->private_bytes, 4);
  memcpy(body + 24, &group, 4);
  memcpy(body + 28, &kernel->kernel_object, 8);
  memcpy(body + 36, &kernarg, 8);
  memcpy(body + 52, &signal, 8);
  store(packet + 4, body, sizeof body);
  store(packet, &header, sizeof header); /* last: the packet is valid now */
  must(cuvette_doorbell(machine, DOORBELL, q->next++), "doorbell");
}

/* ---- what it does ---- */

static int run_sum(queue* q, cuvette_object* object) {
  int32_t in[ITEMS], out[GROUPS];
  cuvette_kernel kernel = {sizeof kernel, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  cuvette_launch launch;
  cuvette_argument arguments[3];
  uint64_t input, output, bias = 0;
  const uint32_t local = 0; /* offset in the dynamic group memory: it begins behind the static */
  int i, group, wrong = 0;
  must(cuvette_find_kernel(object, "sum", &kernel), "sum");
  must(cuvette_find_symbol(object, "bias", &bias, NULL), "bias");
  input = allocate(sizeof in, 0);
  output = allocate(sizeof out, 0);
  for (i = 0; i < ITEMS; ++i) in[i] = i * i - 17 * i;
  store(input, in, sizeof in);
  memset(&launch, 0, sizeof launch);
  launch.size = sizeof launch;
  launch.dimensions = 1;
  for (i = 0; i < 3; ++i) launch.grid[i] = launch.workgroup[i] = 1;
  launch.grid[0] = ITEMS;
  launch.workgroup[0] = GROUP;
  launch.dynamic_group_bytes = GROUP * sizeof(int32_t);
  launch.global_offset[0] = OFFSET;
  launch.queue = q->address;
  arguments[0].data = &input;
  arguments[0].bytes = sizeof input;
  arguments[1].data = &output;
  arguments[1].bytes = sizeof output;
  arguments[2].data = &local;
  arguments[2].bytes = sizeof local;
  dispatch(q, &kernel, &launch, arguments, 3, make_signal());
  must(cuvette_wait_interrupt(machine, 100000000), "wait");
  must(cuvette_memory_read(machine, output, out, sizeof out), "read");
  for (group = 0; group < GROUPS; ++group) {
    int32_t expected = 5 + GROUPS * 1000 + OFFSET;
    for (i = 0; i < GROUP; ++i) expected += in[group * GROUP + i];
    if (out[group] == expected) continue;
    printf("group %d: %d, expected %d\n", group, (int)out[group], (int)expected);
    wrong = 1;
  }
  printf("sum: %d groups%s, bias at 0x%llx\n", GROUPS, wrong ? " WRONG" : "",
         (unsigned long long)bias);
  return wrong;
}

static int run_hang(queue* q, cuvette_object* object) {
  cuvette_kernel kernel = {sizeof kernel, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  cuvette_launch launch;
  cuvette_argument argument;
  cuvette_hang report;
  cuvette_hang_wave wave;
  char text[4096];
  uint64_t flag;
  int i, status;
  must(cuvette_find_kernel(object, "hang", &kernel), "hang");
  flag = allocate(64, CUVETTE_MEMORY_FINE_GRAINED);
  memset(&launch, 0, sizeof launch);
  launch.size = sizeof launch;
  launch.dimensions = 1;
  for (i = 0; i < 3; ++i) launch.grid[i] = launch.workgroup[i] = 1;
  launch.queue = q->address;
  argument.data = &flag;
  argument.bytes = sizeof flag;
  dispatch(q, &kernel, &launch, &argument, 1, make_signal());
  status = cuvette_wait_interrupt(machine, 1000000000000);
  if (status != CUVETTE_ERROR_WATCHDOG && status != CUVETTE_ERROR_CANCELLED) fail("the watchdog");
  printf("%s\n", cuvette_error_text());
  memset(&report, 0, sizeof report);
  report.size = sizeof report;
  report.text = text;
  report.text_bytes = sizeof text;
  report.waves = &wave;
  report.wave_size = sizeof wave;
  report.wave_room = 1;
  must(cuvette_hang_report(machine, &report), "report");
  fputs(text, stdout);
  if (report.wave_count != 1 || strcmp(wave.kernel, "hang") != 0) {
    printf("expected one wave of the kernel 'hang'\n");
    return 1;
  }
  reset_queue();
  make_queue(q);
  return 0;
}

int main(int argc, char** argv) {
  cuvette_options options;
  cuvette_object* object = NULL;
  queue q;
  void* code;
  size_t bytes = 0;
  int wrong;
  if (argc != 4) {
    fprintf(stderr, "c_driver ENGINE MACHINE CODE_OBJECT\n");
    return 2;
  }
  code = read_file(argv[3], &bytes);
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.engine = argv[1];
  options.machine = argv[2];
  options.watchdog_cycles = 500000;
  options.watchdog_seconds = 60;
  must(cuvette_open(&options, &machine), "open");
  signal(SIGINT, on_signal);
  must(cuvette_load(machine, code, bytes, &object), argv[3]);
  free(code);
  make_queue(&q);
  wrong = run_sum(&q, object);
  wrong |= run_hang(&q, object);
  wrong |= run_sum(&q, object); /* as if nothing had been */
  must(cuvette_close(machine), "close");
  printf(wrong ? "FAILED\n" : "PASSED\n");
  return wrong;
}
