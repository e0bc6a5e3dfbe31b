/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * bare_driver ENGINE MACHINE CODE_OBJECT [LOG]: brings the GPU up, runs saxpy from two queues that
 * depend on each other, lets a third dispatch fault, handles that, provides scratch memory to one
 * that asks for it, goes on, and lets the kernel queue map one more. */
#include <cuvette_registers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_driver.h"

enum { ITEMS = 1000, GROUP = 64, VMID = 8, PASID = 0x77 };
enum { EVENT_FIRST = 1001, EVENT_SECOND, EVENT_LOST, EVENT_AFTER, EVENT_SCRATCH, EVENT_MAPPED };
#define PATIENCE 10000000u /* cycles */

#define TRY(call)               \
  do {                          \
    if ((call) != 0) return -1; \
  } while (0)
#define EXPECT(condition, what)                \
  do {                                         \
    if (!(condition)) {                        \
      fprintf(stderr, "expected: %s\n", what); \
      return -1;                               \
    }                                          \
  } while (0)

static unsigned interrupts; /* counted by the callback, in the machine's thread */

static void on_interrupt(void* context, cuvette_machine* machine,
                         const cuvette_interrupt* interrupt) {
  (void)machine;
  (void)interrupt;
  ++*(unsigned*)context;
}

static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  void* data = NULL;
  long end = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end > 0 && fseek(file, 0, SEEK_SET) == 0) data = malloc((size_t)end);
  if (data != NULL && fread(data, 1, (size_t)end, file) != (size_t)end) {
    free(data);
    data = NULL;
  }
  if (file != NULL) fclose(file);
  *bytes = data != NULL ? (size_t)end : 0;
  return data;
}

typedef struct arguments { /* of &saxpy */
  uint32_t n;
  float alpha;
  uint64_t x, y;
} arguments;

static int submit(gpu_driver* gpu, const gpu_queue* q, const gpu_kernel* saxpy, const arguments* a,
                  uint64_t signal) {
  uint8_t bytes[24]; /* as they lie in its kernarg segment */
  const size_t pointer = saxpy->small ? 4 : 8;
  memcpy(bytes, &a->n, 4);
  memcpy(bytes + 4, &a->alpha, 4);
  memcpy(bytes + 8, &a->x, pointer); /* least significant byte first, here and there */
  memcpy(bytes + 8 + pointer, &a->y, pointer);
  return gpu_dispatch(gpu, q, saxpy, ITEMS, GROUP, bytes, 8 + 2 * pointer, signal);
}

/* An address that the kernel can name and nobody has given. */
static uint64_t nowhere(const gpu_kernel* saxpy) {
  return saxpy->small ? 0x76543000u : 0x765432100000u;
}

static int new_array(gpu_driver* gpu, const gpu_kernel* saxpy, float start, float step,
                     uint64_t* address) {
  float values[ITEMS];
  unsigned i;
  for (i = 0; i < ITEMS; ++i) values[i] = start + step * (float)i;
  if (cuvette_memory_allocate(gpu->machine, sizeof values, 0, saxpy->memory, address) !=
          CUVETTE_OK ||
      cuvette_memory_write(gpu->machine, *address, values, sizeof values) != CUVETTE_OK) {
    return -1;
  }
  return 0;
}

static int check_array(cuvette_machine* machine, uint64_t address, float start, float step) {
  float values[ITEMS];
  unsigned i;
  if (cuvette_memory_read(machine, address, values, sizeof values) != CUVETTE_OK) return -1;
  for (i = 0; i < ITEMS; ++i) {
    const float expected = start + step * (float)i;
    if (values[i] == expected) continue;
    fprintf(stderr, "y[%u]: expected %g, found %g\n", i, (double)expected, (double)values[i]);
    return -1;
  }
  return 0;
}

/* The next event is the completion of a packet with this event number, from this slot. */
static int expect_done(gpu_driver* gpu, const gpu_queue* q, uint32_t number) {
  gpu_event e;
  EXPECT(gpu_next_event(gpu, PATIENCE, &e) == 0, "an interrupt");
  EXPECT(e.client == GPU_CLIENT_CP && e.source == GPU_SOURCE_DONE, "a completion");
  EXPECT(e.context[0] == number, "its event number");
  EXPECT(e.ring == (q->pipe | q->me << 2 | q->queue << 4), "its slot");
  EXPECT(e.vmid == VMID && e.pasid == PASID, "its address space");
  printf("  cycle %llu: event %u of queue %u.%u.%u\n", (unsigned long long)e.cycle,
         (unsigned)number, (unsigned)q->me, (unsigned)q->pipe, (unsigned)q->queue);
  return 0;
}

/* y = 2 x + y, then, from the other queue and after it, y = 3 x + y. */
static int two_queues(gpu_driver* gpu, const gpu_queue* first, const gpu_queue* second,
                      const gpu_kernel* saxpy) {
  uint64_t done, done_again;
  int64_t left = 1;
  arguments a;
  a.n = ITEMS;
  a.alpha = 2.0f;
  TRY(new_array(gpu, saxpy, 0.0f, 1.0f, &a.x));
  TRY(new_array(gpu, saxpy, 1.0f, 0.0f, &a.y));
  TRY(gpu_signal(gpu, 1, EVENT_FIRST, &done));
  TRY(gpu_signal(gpu, 1, EVENT_SECOND, &done_again));
  TRY(gpu_barrier(gpu, second, done, 0));
  a.alpha = 3.0f;
  TRY(submit(gpu, second, saxpy, &a, done_again));
  if (cuvette_advance(gpu->machine, 20000) != CUVETTE_OK) return -1;
  TRY(gpu_signal_value(gpu, done_again, &left));
  EXPECT(left == 1, "the second queue waits");
  a.alpha = 2.0f;
  TRY(submit(gpu, first, saxpy, &a, done));
  TRY(expect_done(gpu, first, EVENT_FIRST));
  TRY(expect_done(gpu, second, EVENT_SECOND));
  TRY(gpu_signal_value(gpu, done_again, &left));
  EXPECT(left == 0, "the last signal is 0");
  return check_array(gpu->machine, a.y, 1.0f, 5.0f);
}

/* A dispatch that writes where nothing is: its queue stops, the chip says where, the driver takes
 * the queue out, clears the fault, and a new queue in the same slot works. */
static int fault(gpu_driver* gpu, gpu_queue* q, const gpu_kernel* saxpy) {
  uint64_t done, error = 0;
  uint32_t status = 0, page = 0;
  int64_t left = 0;
  arguments a;
  gpu_event e;
  char text[1024];
  a.n = ITEMS;
  a.alpha = 1.0f;
  TRY(new_array(gpu, saxpy, 0.0f, 1.0f, &a.x));
  a.y = nowhere(saxpy);
  TRY(gpu_signal(gpu, 1, EVENT_LOST, &done));
  TRY(submit(gpu, q, saxpy, &a, done));
  EXPECT(gpu_next_event(gpu, PATIENCE, &e) == 0, "an interrupt for the fault");
  EXPECT(e.client == GPU_CLIENT_UTCL2 && e.source == GPU_SOURCE_FAULT, "a memory fault");
  EXPECT(e.vmid == VMID && e.context[0] == (uint32_t)(nowhere(saxpy) >> 12), "its page");
  if (cuvette_register_read(gpu->machine, CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS, &status) ||
      cuvette_register_read(gpu->machine, CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_LO32, &page)) {
    return -1;
  }
  EXPECT((status & CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS__VMID__MASK) >>
                 CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS__VMID__SHIFT ==
             VMID,
         "VMID of the latched fault");
  EXPECT(page == (uint32_t)(nowhere(saxpy) >> 12), "page of the latched fault");
  TRY(gpu_queue_error(gpu, q, &error));
  EXPECT(error == 0x20000000u, "the queue says memory fault");
  TRY(gpu_signal_value(gpu, done, &left));
  EXPECT(left == 1, "the completion signal is as it was");
  if (cuvette_take_reports(gpu->machine, text, sizeof text) != CUVETTE_OK) return -1;
  EXPECT(text[0] != 0, "words about the wave");
  text[strcspn(text, "\n")] = 0; /* the first one */
  printf("  cycle %llu: fault at page 0x%x\n  %s\n", (unsigned long long)e.cycle, (unsigned)page,
         text);

  TRY(gpu_queue_destroy(gpu, q));
  if (cuvette_register_write(
          gpu->machine, CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
          CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR__MASK) ||
      cuvette_register_read(gpu->machine, CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS, &status)) {
    return -1;
  }
  EXPECT(status == 0, "the fault is cleared");
  TRY(gpu_queue_create(gpu, q, q->me, q->pipe, q->queue, q->doorbell));
  TRY(gpu_signal(gpu, 1, EVENT_AFTER, &done));
  TRY(new_array(gpu, saxpy, 4.0f, 0.0f, &a.y));
  TRY(submit(gpu, q, saxpy, &a, done));
  TRY(expect_done(gpu, q, EVENT_AFTER));
  return check_array(gpu->machine, a.y, 4.0f, 1.0f);
}

/* A packet that wants scratch memory of a queue that has none: the queue asks, the driver provides
 * some, and the packet goes on. */
static int scratch(gpu_driver* gpu, const gpu_queue* q, const gpu_kernel* saxpy) {
  gpu_kernel needy = *saxpy;
  uint64_t done, error = 0;
  int64_t left = 0;
  arguments a;
  gpu_event e;
  char text[1024];
  needy.private_bytes = 20;
  a.n = ITEMS;
  a.alpha = 2.0f;
  TRY(new_array(gpu, saxpy, 0.0f, 1.0f, &a.x));
  TRY(new_array(gpu, saxpy, 7.0f, 0.0f, &a.y));
  TRY(gpu_signal(gpu, 1, EVENT_SCRATCH, &done));
  TRY(submit(gpu, q, &needy, &a, done));
  EXPECT(gpu_next_event(gpu, PATIENCE, &e) == 0, "an interrupt for the scratch memory");
  EXPECT(e.client == GPU_CLIENT_CP && e.source == GPU_SOURCE_BAD_PACKET, "a packet that waits");
  EXPECT(e.context[0] >> 10 == 1, "for scratch memory");
  TRY(gpu_queue_error(gpu, q, &error));
  EXPECT(error == 1, "the queue says the same");
  if (cuvette_take_reports(gpu->machine, text, sizeof text) != CUVETTE_OK) return -1;
  EXPECT(strstr(text, "wants 20 bytes of scratch memory per work-item") != NULL, "and how much");
  if (cuvette_advance(gpu->machine, 20000) != CUVETTE_OK) return -1;
  TRY(gpu_signal_value(gpu, done, &left));
  EXPECT(left == 1, "the packet waits");
  printf("  cycle %llu: scratch memory is asked for\n", (unsigned long long)e.cycle);
  TRY(gpu_provide_scratch(gpu, q, needy.private_bytes, 4));
  TRY(expect_done(gpu, q, EVENT_SCRATCH));
  TRY(gpu_queue_error(gpu, q, &error));
  EXPECT(error == 0, "the queue works");
  return check_array(gpu->machine, a.y, 7.0f, 2.0f);
}

/* A queue that the kernel queue maps when somebody rings for it, twice: it comes back after having
 * been taken away. */
static int mapped(gpu_driver* gpu, const gpu_kernel* saxpy) {
  gpu_kernel_queue kernel;
  gpu_queue q;
  uint64_t done;
  unsigned round;
  arguments a;
  gpu_event e;
  TRY(gpu_kernel_queue_create(gpu, &kernel, 2, 0, 0, 12));
  TRY(gpu_queue_prepare(gpu, &q, 1, 2, 5, 40));
  a.n = ITEMS;
  a.alpha = 2.0f;
  TRY(new_array(gpu, saxpy, 0.0f, 1.0f, &a.x));
  TRY(new_array(gpu, saxpy, 1.0f, 0.0f, &a.y));
  for (round = 0; round < 2; ++round) {
    TRY(gpu_signal(gpu, 1, EVENT_MAPPED, &done));
    TRY(submit(gpu, &q, saxpy, &a, done));
    EXPECT(gpu_next_event(gpu, PATIENCE, &e) == 0, "an interrupt for the doorbell");
    EXPECT(e.source == GPU_SOURCE_DOORBELL && e.context[0] == 2 * q.doorbell, "nobody has it");
    TRY(gpu_map(gpu, &kernel, &q));
    TRY(expect_done(gpu, &q, EVENT_MAPPED));
    TRY(gpu_unmap(gpu, &kernel, &q, (int)round));
  }
  TRY(gpu_queue_destroy(gpu, &kernel.slot));
  return check_array(gpu->machine, a.y, 1.0f, 4.0f);
}

static int bring_up(cuvette_machine* machine, const void* code, size_t bytes) {
  gpu_driver gpu;
  gpu_queue first, second;
  gpu_kernel saxpy;
  char text[1024];
  uint32_t value = 0;
  TRY(gpu_start(&gpu, machine, VMID, PASID));
  EXPECT(cuvette_register_read(machine, 0x40, &value) == CUVETTE_ERROR_ACCESS, "no register there");
  if (cuvette_take_reports(machine, text, sizeof text) != CUVETTE_OK) return -1;
  TRY(gpu_load(&gpu, code, bytes, &saxpy));
  TRY(gpu_queue_create(&gpu, &first, 1, 0, 2, 16));
  TRY(gpu_queue_create(&gpu, &second, 2, 3, 7, 300));
  TRY(two_queues(&gpu, &first, &second, &saxpy));
  TRY(fault(&gpu, &second, &saxpy));
  TRY(scratch(&gpu, &first, &saxpy));
  TRY(gpu_queue_destroy(&gpu, &first));
  TRY(gpu_queue_destroy(&gpu, &second));
  TRY(mapped(&gpu, &saxpy));
  if (cuvette_take_reports(machine, text, sizeof text) != CUVETTE_OK) return -1;
  EXPECT(text[0] == 0, "nothing else went wrong");
  return 0;
}

int main(int count, char** words) {
  cuvette_options options;
  cuvette_machine* machine = NULL;
  uint64_t cycle = 0;
  size_t bytes = 0;
  void* code;
  int result;
  if (count != 4 && count != 5) {
    fprintf(stderr, "usage: %s ENGINE MACHINE CODE_OBJECT [LOG]\n", words[0]);
    return 2;
  }
  code = read_file(words[3], &bytes);
  if (code == NULL) {
    fprintf(stderr, "%s: cannot be read\n", words[3]);
    return 2;
  }
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.engine = words[1];
  options.machine = words[2];
  options.log = count == 5 ? words[4] : NULL;
  options.on_interrupt = on_interrupt;
  options.context = &interrupts;
  if (cuvette_open(&options, &machine) != CUVETTE_OK) {
    fprintf(stderr, "%s\n", cuvette_error_text());
    return 2;
  }
  result = bring_up(machine, code, bytes);
  if (cuvette_cycle(machine, &cycle) != CUVETTE_OK) result = -1;
  if (cuvette_close(machine) != CUVETTE_OK) result = -1;
  free(code);
  printf("%s: %llu cycles, %u interrupts\n", result == 0 ? "PASSED" : "FAILED",
         (unsigned long long)cycle, interrupts);
  return result == 0 ? 0 : 1;
}
