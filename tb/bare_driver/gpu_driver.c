/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "gpu_driver.h"

#include <cuvette_registers.h>
#include <stdio.h>
#include <string.h>

/* HSA and Compute ABI: where things lie in packets, queues and signals. */
enum {
  PACKET_BARRIER_AND = 3,
  PACKET_DISPATCH = 2,
  PACKET_INVALID = 1,
  HEADER_BARRIER = 1 << 8,
  HEADER_SYSTEM_FENCES = 2 << 9 | 2 << 11
};
enum { QUEUE_BYTES = 256, QUEUE_WRITE_INDEX = 56, QUEUE_READ_INDEX = 128, QUEUE_INACTIVE = 192 };
enum { QUEUE_SCRATCH = 140 }; /* compute_tmpring_size and what follows */
enum { SIGNAL_BYTES = 64, SIGNAL_VALUE = 8, SIGNAL_MAILBOX = 16, SIGNAL_EVENT = 24 };

#define TRY(call)               \
  do {                          \
    if ((call) != 0) return -1; \
  } while (0)

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, cuvette_error_text());
  return -1;
}

static int write_register(gpu_driver* gpu, uint32_t offset, uint32_t value) {
  if (cuvette_register_write(gpu->machine, offset, value) == CUVETTE_OK) return 0;
  return failed("register write");
}

static int read_register(gpu_driver* gpu, uint32_t offset, uint32_t* value) {
  if (cuvette_register_read(gpu->machine, offset, value) == CUVETTE_OK) return 0;
  return failed("register read");
}

static int write_memory(gpu_driver* gpu, uint64_t address, const void* data, size_t bytes) {
  if (cuvette_memory_write(gpu->machine, address, data, bytes) == CUVETTE_OK) return 0;
  return failed("memory write");
}

static int read_memory(gpu_driver* gpu, uint64_t address, void* data, size_t bytes) {
  if (cuvette_memory_read(gpu->machine, address, data, bytes) == CUVETTE_OK) return 0;
  return failed("memory read");
}

/* Memory that host and GPU look at while the other one works is fine-grained. */
static int allocate(gpu_driver* gpu, uint64_t bytes, uint32_t flags, uint64_t* address) {
  flags |= CUVETTE_MEMORY_FINE_GRAINED;
  if (cuvette_memory_allocate(gpu->machine, bytes, 0, flags, address) == CUVETTE_OK) return 0;
  return failed("allocation");
}

/* The machine is little-endian, whatever the host is. */
static void put(uint8_t* bytes, size_t at, uint64_t value, unsigned count) {
  unsigned i;
  for (i = 0; i < count; ++i) bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t* bytes, size_t at, unsigned count) {
  uint64_t value = 0;
  unsigned i;
  for (i = 0; i < count; ++i) value |= (uint64_t)bytes[at + i] << 8 * i;
  return value;
}

static int select(gpu_driver* gpu, uint32_t me, uint32_t pipe, uint32_t queue, uint32_t vmid) {
  return write_register(gpu, CUVETTE_REG_GRBM_GFX_CNTL,
                        me << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT |
                            pipe << CUVETTE_REG_GRBM_GFX_CNTL__PIPEID__SHIFT |
                            queue << CUVETTE_REG_GRBM_GFX_CNTL__QUEUEID__SHIFT |
                            vmid << CUVETTE_REG_GRBM_GFX_CNTL__VMID__SHIFT);
}

/* ---- the chip ---- */

static int start_interrupts(gpu_driver* gpu) {
  uint32_t log2_dwords = 0;
  uint32_t me, pipe;
  while ((1u << log2_dwords) < GPU_RING_ENTRIES * 8) ++log2_dwords;
  for (me = 1; me < 3; ++me) {
    for (pipe = 0; pipe < 4; ++pipe) {
      TRY(select(gpu, me, pipe, 0, 0));
      TRY(write_register(gpu, CUVETTE_REG_CPC_INT_CNTL,
                         CUVETTE_REG_CPC_INT_CNTL__TIME_STAMP_INT_ENABLE__MASK |
                             CUVETTE_REG_CPC_INT_CNTL__OPCODE_ERROR_INT_ENABLE__MASK));
    }
  }
  TRY(select(gpu, 0, 0, 0, 0));
  TRY(write_register(gpu, CUVETTE_REG_IH_RB_BASE, (uint32_t)(gpu->ring >> 8)));
  TRY(write_register(gpu, CUVETTE_REG_IH_RB_BASE_HI, (uint32_t)(gpu->ring >> 40)));
  TRY(write_register(gpu, CUVETTE_REG_IH_RB_WPTR_ADDR_LO, (uint32_t)gpu->ring_pointer));
  TRY(write_register(gpu, CUVETTE_REG_IH_RB_WPTR_ADDR_HI, (uint32_t)(gpu->ring_pointer >> 32)));
  TRY(write_register(gpu, CUVETTE_REG_IH_VMID_0_LUT + 4 * gpu->vmid, gpu->pasid));
  return write_register(gpu, CUVETTE_REG_IH_RB_CNTL,
                        CUVETTE_REG_IH_RB_CNTL__RB_ENABLE__MASK |
                            log2_dwords << CUVETTE_REG_IH_RB_CNTL__RB_SIZE__SHIFT |
                            CUVETTE_REG_IH_RB_CNTL__WPTR_WRITEBACK_ENABLE__MASK |
                            CUVETTE_REG_IH_RB_CNTL__ENABLE_INTR__MASK);
}

int gpu_reset(gpu_driver* gpu) {
  TRY(write_register(gpu, CUVETTE_REG_GRBM_SOFT_RESET,
                     CUVETTE_REG_GRBM_SOFT_RESET__SOFT_RESET_CP__MASK));
  TRY(write_register(gpu, CUVETTE_REG_GRBM_SOFT_RESET, 0));
  /* State behind a reset: halted micro engines, doorbells that nobody hears. */
  TRY(write_register(gpu, CUVETTE_REG_CP_MEC_CNTL, 0));
  TRY(write_register(gpu, CUVETTE_REG_CP_PQ_STATUS,
                     CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK));
  TRY(select(gpu, 0, 0, 0, gpu->vmid));
  /* Bits 63:48 of the apertures: LDS at 1 << 48, scratch at 2 << 48. */
  TRY(write_register(gpu, CUVETTE_REG_SH_MEM_BASES,
                     1u << CUVETTE_REG_SH_MEM_BASES__SHARED_BASE__SHIFT |
                         2u << CUVETTE_REG_SH_MEM_BASES__PRIVATE_BASE__SHIFT));
  TRY(write_register(gpu, CUVETTE_REG_SH_MEM_CONFIG,
                     3u << CUVETTE_REG_SH_MEM_CONFIG__ALIGNMENT_MODE__SHIFT)); /* unaligned */
  TRY(select(gpu, 0, 0, 0, 0));
  return start_interrupts(gpu);
}

int gpu_start(gpu_driver* gpu, cuvette_machine* machine, uint32_t vmid, uint32_t pasid) {
  uint32_t signature = 0;
  memset(gpu, 0, sizeof *gpu);
  gpu->machine = machine;
  gpu->vmid = vmid;
  gpu->pasid = pasid;
  TRY(read_register(gpu, CUVETTE_REG_CUVETTE_SIGNATURE, &signature));
  if (signature != 0x56554343u) {
    fprintf(stderr, "no GPU here: signature 0x%08x\n", (unsigned)signature);
    return -1;
  }
  TRY(allocate(gpu, GPU_RING_ENTRIES * 32, 0, &gpu->ring));
  TRY(allocate(gpu, 64, 0, &gpu->ring_pointer));
  return gpu_reset(gpu);
}

/* ---- queues ---- */

/* Dwords of the memory queue descriptor (v9_mqd); from 128 on they are registers in their order. */
enum {
  MQD_BYTES = 2048,
  MQD_UNITS_SE0 = 23, /* COMPUTE_STATIC_THREAD_MGMT, also of SE1 */
  MQD_UNITS_SE2 = 26,
  MQD_UNITS_SE4 = 39,
  MQD_UNITS_SE6 = 41,
  MQD_BASE = 128,
  MQD_VMID = 131,
  MQD_PRIORITY = 134,
  MQD_RING = 136,
  MQD_READ_REPORT = 139,
  MQD_WRITE_POLL = 141,
  MQD_DOORBELL = 143,
  MQD_CONTROL = 145,
  MQD_AQL = 181,
  MQD_END = 184
};

static void put_address(uint8_t* mqd, unsigned dword, uint64_t address) {
  put(mqd, 4 * dword, address, 8);
}

static void fill_mqd(const gpu_driver* gpu, const gpu_queue* q, uint8_t* mqd) {
  uint32_t log2_dwords = 0;
  while ((1u << log2_dwords) < GPU_QUEUE_PACKETS * GPU_PACKET_BYTES / 4) ++log2_dwords;
  put(mqd, 0, 0xc0310800u, 4);
  /* Every compute unit of every shader engine. */
  put(mqd, 4 * MQD_UNITS_SE0, ~0ull, 8);
  put(mqd, 4 * MQD_UNITS_SE2, ~0ull, 8);
  put(mqd, 4 * MQD_UNITS_SE4, ~0ull, 8);
  put(mqd, 4 * MQD_UNITS_SE6, ~0ull, 8);
  put_address(mqd, MQD_BASE, q->mqd);
  put(mqd, 4 * MQD_VMID, gpu->vmid, 4);
  put(mqd, 4 * MQD_PRIORITY, 15, 4);
  put_address(mqd, MQD_RING, q->ring >> 8);
  put_address(mqd, MQD_READ_REPORT, q->descriptor + QUEUE_READ_INDEX);
  put_address(mqd, MQD_WRITE_POLL, q->descriptor + QUEUE_WRITE_INDEX);
  /* In dwords, and a doorbell has two. */
  put(mqd, 4 * MQD_DOORBELL,
      q->doorbell * 2 << CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT, 4);
  put(mqd, 4 * MQD_CONTROL, (log2_dwords - 1) << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT,
      4);
  put(mqd, 4 * MQD_AQL, 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT, 4);
}

/* Every slot of the ring belongs to the producer at first. */
static int clear_ring(gpu_driver* gpu, uint64_t ring) {
  uint8_t packets[GPU_QUEUE_PACKETS * GPU_PACKET_BYTES];
  size_t at;
  memset(packets, 0, sizeof packets);
  for (at = 0; at < sizeof packets; at += GPU_PACKET_BYTES) packets[at] = PACKET_INVALID;
  return write_memory(gpu, ring, packets, sizeof packets);
}

static int load_slot(gpu_driver* gpu, const gpu_queue* q, const uint8_t* mqd) {
  uint32_t i, doorbell = 0;
  TRY(select(gpu, q->me, q->pipe, q->queue, 0));
  for (i = MQD_BASE; i < MQD_END; ++i) {
    TRY(write_register(gpu, CUVETTE_REG_CP_MQD_BASE_ADDR + 4 * (i - MQD_BASE),
                       (uint32_t)get(mqd, 4 * i, 4)));
  }
  TRY(read_register(gpu, CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL, &doorbell));
  TRY(write_register(gpu, CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
                     doorbell | CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK));
  TRY(write_register(gpu, CUVETTE_REG_CP_HQD_ACTIVE, 1));
  return select(gpu, 0, 0, 0, 0);
}

int gpu_queue_prepare(gpu_driver* gpu, gpu_queue* q, uint32_t me, uint32_t pipe, uint32_t slot,
                      uint32_t doorbell) {
  uint8_t queue[QUEUE_BYTES];
  uint8_t mqd[MQD_BYTES];
  memset(q, 0, sizeof *q);
  q->me = me;
  q->pipe = pipe;
  q->queue = slot;
  q->doorbell = doorbell;
  TRY(allocate(gpu, GPU_QUEUE_PACKETS * GPU_PACKET_BYTES, 0, &q->ring));
  TRY(allocate(gpu, QUEUE_BYTES, CUVETTE_MEMORY_WITHIN_4GIB, &q->descriptor));
  TRY(allocate(gpu, MQD_BYTES, 0, &q->mqd));
  TRY(gpu_signal(gpu, 0, 0, &q->inactive));
  TRY(clear_ring(gpu, q->ring));

  memset(queue, 0, sizeof queue);
  put(queue, 4, 1, 4); /* takes kernel dispatches */
  put(queue, 8, q->ring, 8);
  put(queue, 24, GPU_QUEUE_PACKETS, 4);
  put(queue, 64, 1u << 16, 4); /* bits 63:32 of the apertures */
  put(queue, 68, 2u << 16, 4);
  put(queue, QUEUE_READ_INDEX + 8, QUEUE_READ_INDEX, 4); /* how the chip finds the start */
  put(queue, QUEUE_INACTIVE, q->inactive, 8);
  TRY(write_memory(gpu, q->descriptor, queue, sizeof queue));

  memset(mqd, 0, sizeof mqd);
  fill_mqd(gpu, q, mqd);
  return write_memory(gpu, q->mqd, mqd, sizeof mqd);
}

int gpu_queue_create(gpu_driver* gpu, gpu_queue* q, uint32_t me, uint32_t pipe, uint32_t slot,
                     uint32_t doorbell) {
  uint8_t mqd[MQD_BYTES];
  TRY(gpu_queue_prepare(gpu, q, me, pipe, slot, doorbell));
  TRY(read_memory(gpu, q->mqd, mqd, sizeof mqd));
  return load_slot(gpu, q, mqd);
}

int gpu_queue_destroy(gpu_driver* gpu, gpu_queue* q) {
  uint32_t active = 1;
  unsigned tries;
  TRY(select(gpu, q->me, q->pipe, q->queue, 0));
  TRY(write_register(gpu, CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 1));
  for (tries = 0; tries < 1000 && (active & 1) != 0; ++tries) {
    if (cuvette_advance(gpu->machine, 1000) != CUVETTE_OK) return failed("time");
    TRY(read_register(gpu, CUVETTE_REG_CP_HQD_ACTIVE, &active));
  }
  TRY(select(gpu, 0, 0, 0, 0));
  if ((active & 1) == 0) return 0;
  fprintf(stderr, "a queue does not leave its slot\n");
  return -1;
}

int gpu_queue_error(gpu_driver* gpu, const gpu_queue* q, uint64_t* error) {
  int64_t value = 0;
  TRY(gpu_signal_value(gpu, q->inactive, &value));
  *error = (uint64_t)value;
  return 0;
}

/* Fields of amd_queue_t by their offsets (Compute ABI); the signal comes last. */
int gpu_provide_scratch(gpu_driver* gpu, const gpu_queue* q, uint32_t item_bytes, uint32_t waves) {
  const uint32_t wave_kib = (item_bytes * 64 + 1023) / 1024;
  const uint64_t bytes = (uint64_t)wave_kib * 1024 * waves;
  uint64_t memory = 0;
  uint8_t fields[48];
  /* Only waves use it: coarse-grained. */
  if (cuvette_memory_allocate(gpu->machine, bytes, 0, 0, &memory) != CUVETTE_OK) {
    return failed("allocation");
  }
  memset(fields, 0, sizeof fields);
  put(fields, 0, waves | wave_kib << 12, 4); /* compute_tmpring_size: WAVES, WAVESIZE */
  put(fields, 4, memory, 4); /* the buffer descriptor: swizzled, dword by dword, 64 lanes */
  put(fields, 8, (memory >> 32 & 0xffff) | 1u << 31, 4);
  put(fields, 12, 0xffffffffu, 4);
  put(fields, 16, 0x00e80000u, 4);
  put(fields, 20, memory, 8);
  put(fields, 28, bytes, 8);
  put(fields, 36, item_bytes, 4);
  TRY(write_memory(gpu, q->descriptor + QUEUE_SCRATCH, fields, 40));
  memset(fields, 0, 8);
  return write_memory(gpu, q->inactive + SIGNAL_VALUE, fields, 8);
}

/* ---- the kernel queue ---- */

/* PM4, type 3: opcodes and bits of tests/ledger/gfx9_packets.csv. */
enum { PM4_MAP_QUEUES = 0xa2, PM4_UNMAP_QUEUES = 0xa3, PM4_QUERY_STATUS = 0xa4 };

static int put_packet(gpu_driver* gpu, gpu_kernel_queue* k, uint32_t opcode, const uint32_t* body,
                      uint32_t count) {
  uint32_t i;
  for (i = 0; i <= count; ++i, ++k->written) {
    uint8_t word[4];
    put(word, 0, i == 0 ? 3u << 30 | (count - 1) << 16 | opcode << 8 : body[i - 1], 4);
    TRY(write_memory(gpu, k->slot.ring + 4 * (k->written % GPU_KERNEL_DWORDS), word, sizeof word));
  }
  return 0;
}

/* A status query behind what is in the ring: its fence says that all of it is over. */
static int run_kernel_queue(gpu_driver* gpu, gpu_kernel_queue* k) {
  uint32_t query[6] = {1u << 30, 0, 0, 0, 0, 0};
  uint8_t bytes[8];
  unsigned tries;
  ++k->completed;
  query[2] = (uint32_t)k->fence;
  query[3] = (uint32_t)(k->fence >> 32);
  query[4] = (uint32_t)k->completed;
  TRY(put_packet(gpu, k, PM4_QUERY_STATUS, query, 6));
  if (cuvette_doorbell(gpu->machine, k->slot.doorbell, k->written) != CUVETTE_OK) {
    return failed("doorbell");
  }
  for (tries = 0; tries < 1000; ++tries) {
    TRY(read_memory(gpu, k->fence, bytes, sizeof bytes));
    if (get(bytes, 0, 8) == k->completed) return 0;
    if (cuvette_advance(gpu->machine, 1000) != CUVETTE_OK) return failed("time");
  }
  fprintf(stderr, "the kernel queue does not answer\n");
  return -1;
}

int gpu_kernel_queue_create(gpu_driver* gpu, gpu_kernel_queue* k, uint32_t me, uint32_t pipe,
                            uint32_t slot, uint32_t doorbell) {
  uint8_t mqd[MQD_BYTES];
  uint64_t report = 0;
  uint32_t schedulers = 0;
  memset(k, 0, sizeof *k);
  k->slot.me = me;
  k->slot.pipe = pipe;
  k->slot.queue = slot;
  k->slot.doorbell = doorbell;
  TRY(allocate(gpu, GPU_KERNEL_DWORDS * 4, 0, &k->slot.ring));
  TRY(allocate(gpu, MQD_BYTES, 0, &k->slot.mqd));
  TRY(allocate(gpu, 8, 0, &report));
  TRY(allocate(gpu, 8, 0, &k->fence));
  memset(mqd, 0, sizeof mqd); /* VMID 0, no AQL */
  put(mqd, 0, 0xc0310800u, 4);
  put_address(mqd, MQD_BASE, k->slot.mqd);
  put_address(mqd, MQD_RING, k->slot.ring >> 8);
  put_address(mqd, MQD_READ_REPORT, report);
  put(mqd, 4 * MQD_DOORBELL,
      doorbell * 2 << CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT, 4);
  put(mqd, 4 * MQD_CONTROL, 7u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT, 4);
  TRY(write_memory(gpu, k->slot.mqd, mqd, sizeof mqd));
  TRY(read_register(gpu, CUVETTE_REG_RLC_CP_SCHEDULERS, &schedulers));
  schedulers = (schedulers & ~CUVETTE_REG_RLC_CP_SCHEDULERS__scheduler0__MASK) | 0x80u | me << 5 |
               pipe << 3 | slot;
  TRY(write_register(gpu, CUVETTE_REG_RLC_CP_SCHEDULERS, schedulers));
  return load_slot(gpu, &k->slot, mqd);
}

int gpu_map(gpu_driver* gpu, gpu_kernel_queue* k, const gpu_queue* q) {
  uint32_t body[6];
  body[0] = 1u << 29 | (q->me - 1) << 18 | q->pipe << 16 | q->queue << 13 | gpu->vmid << 8;
  body[1] = q->doorbell * 2 << 2;
  body[2] = (uint32_t)q->mqd;
  body[3] = (uint32_t)(q->mqd >> 32);
  body[4] = (uint32_t)(q->descriptor + QUEUE_WRITE_INDEX);
  body[5] = (uint32_t)((q->descriptor + QUEUE_WRITE_INDEX) >> 32);
  TRY(put_packet(gpu, k, PM4_MAP_QUEUES, body, 6));
  return run_kernel_queue(gpu, k);
}

int gpu_unmap(gpu_driver* gpu, gpu_kernel_queue* k, const gpu_queue* q, int reset) {
  uint32_t body[5] = {1u << 29, 0, 0, 0, 0};
  if (reset) body[0] |= 1;
  body[1] = q->doorbell * 2 << 2;
  TRY(put_packet(gpu, k, PM4_UNMAP_QUEUES, body, 5));
  return run_kernel_queue(gpu, k);
}

/* ---- signals and packets ---- */

int gpu_signal(gpu_driver* gpu, int64_t value, uint32_t event, uint64_t* signal) {
  uint8_t bytes[SIGNAL_BYTES];
  memset(bytes, 0, sizeof bytes);
  TRY(allocate(gpu, SIGNAL_BYTES + 64, 0, signal));
  put(bytes, 0, 1, 8); /* a user signal */
  put(bytes, SIGNAL_VALUE, (uint64_t)value, 8);
  if (event != 0) put(bytes, SIGNAL_MAILBOX, *signal + SIGNAL_BYTES, 8);
  put(bytes, SIGNAL_EVENT, event, 4);
  return write_memory(gpu, *signal, bytes, sizeof bytes);
}

int gpu_signal_value(gpu_driver* gpu, uint64_t signal, int64_t* value) {
  uint8_t bytes[8];
  TRY(read_memory(gpu, signal + SIGNAL_VALUE, bytes, sizeof bytes));
  *value = (int64_t)get(bytes, 0, 8);
  return 0;
}

int gpu_submit(gpu_driver* gpu, const gpu_queue* q, const uint8_t packet[GPU_PACKET_BYTES]) {
  uint8_t word[8];
  uint64_t index = 0, slot;
  unsigned tries;
  if (cuvette_memory_atomic(gpu->machine, CUVETTE_ATOMIC_ADD, 8, q->descriptor + QUEUE_WRITE_INDEX,
                            1, 0, &index) != CUVETTE_OK) {
    return failed("write index");
  }
  slot = q->ring + index % GPU_QUEUE_PACKETS * GPU_PACKET_BYTES;
  for (tries = 0;; ++tries) { /* the slot may still be the chip's */
    TRY(read_memory(gpu, slot, word, 4));
    if (word[0] == PACKET_INVALID) break;
    if (tries == 1000 || cuvette_advance(gpu->machine, 1000) != CUVETTE_OK) return failed("ring");
  }
  /* The header goes last: it hands the slot over. */
  TRY(write_memory(gpu, slot + 4, packet + 4, GPU_PACKET_BYTES - 4));
  TRY(write_memory(gpu, slot, packet, 4));
  if (cuvette_doorbell(gpu->machine, q->doorbell, index) != CUVETTE_OK) return failed("doorbell");
  return 0;
}

int gpu_dispatch(gpu_driver* gpu, const gpu_queue* q, const gpu_kernel* kernel, uint32_t grid,
                 uint16_t group, const void* arguments, size_t bytes, uint64_t signal) {
  uint8_t packet[GPU_PACKET_BYTES];
  uint64_t kernarg = 0;
  TRY(allocate(gpu, kernel->kernarg_bytes > bytes ? kernel->kernarg_bytes : bytes, kernel->memory,
               &kernarg));
  TRY(write_memory(gpu, kernarg, arguments, bytes));
  memset(packet, 0, sizeof packet);
  put(packet, 0, PACKET_DISPATCH | HEADER_BARRIER | HEADER_SYSTEM_FENCES, 2);
  put(packet, 2, 1, 2); /* dimensions */
  put(packet, 4, group, 2);
  put(packet, 6, 1, 2);
  put(packet, 8, 1, 2);
  put(packet, 12, grid, 4);
  put(packet, 16, 1, 4);
  put(packet, 20, 1, 4);
  put(packet, 24, kernel->private_bytes, 4);
  put(packet, 28, kernel->group_bytes, 4);
  put(packet, 32, kernel->object, 8);
  put(packet, 40, kernarg, 8);
  put(packet, 56, signal, 8);
  return gpu_submit(gpu, q, packet);
}

int gpu_barrier(gpu_driver* gpu, const gpu_queue* q, uint64_t wait_for, uint64_t signal) {
  uint8_t packet[GPU_PACKET_BYTES];
  memset(packet, 0, sizeof packet);
  put(packet, 0, PACKET_BARRIER_AND | HEADER_SYSTEM_FENCES, 2);
  put(packet, 8, wait_for, 8);
  put(packet, 56, signal, 8);
  return gpu_submit(gpu, q, packet);
}

/* ---- interrupts ---- */

static int ring_end(gpu_driver* gpu, uint32_t* end) {
  uint8_t word[4];
  TRY(read_memory(gpu, gpu->ring_pointer, word, sizeof word));
  *end = (uint32_t)get(word, 0, 4);
  return 0;
}

int gpu_next_event(gpu_driver* gpu, uint64_t cycles, gpu_event* event) {
  uint8_t entry[32];
  uint32_t end = 0;
  unsigned i;
  TRY(ring_end(gpu, &end));
  if (end == gpu->ring_read) {
    const int status = cuvette_wait_interrupt(gpu->machine, cycles);
    if (status == CUVETTE_ERROR_TIMEOUT) return 1;
    if (status != CUVETTE_OK) return failed("interrupt");
    TRY(ring_end(gpu, &end));
    if (end == gpu->ring_read) return 1;
  }
  TRY(read_memory(gpu, gpu->ring + gpu->ring_read, entry, sizeof entry));
  gpu->ring_read = (gpu->ring_read + 32) % (GPU_RING_ENTRIES * 32);
  TRY(write_register(gpu, CUVETTE_REG_IH_RB_RPTR, gpu->ring_read));
  event->client = entry[0];
  event->source = entry[1];
  event->ring = entry[2];
  event->vmid = entry[3] & 15;
  event->cycle = get(entry, 4, 6);
  event->pasid = (uint32_t)get(entry, 12, 2);
  for (i = 0; i < 4; ++i) event->context[i] = (uint32_t)get(entry, 16 + 4 * i, 4);
  return 0;
}
