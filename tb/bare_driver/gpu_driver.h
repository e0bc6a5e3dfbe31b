/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bare driver of the GPU in C99: what firmware or a kernel driver does, on nothing but the
 * registers (cuvette_registers.h) and cuvette.h. c_interface.md walks through it. Functions
 * return 0, or -1 after having said on standard error what failed. */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include <cuvette.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_QUEUE_PACKETS 64u
#define GPU_PACKET_BYTES 64u
#define GPU_RING_ENTRIES 32u /* of the interrupt ring, one more than it holds */

typedef struct gpu_driver {
  cuvette_machine* machine;
  uint32_t vmid, pasid;
  uint64_t ring, ring_pointer; /* the interrupt ring, and where its write pointer is copied */
  uint32_t ring_read;          /* bytes */
} gpu_driver;

typedef struct gpu_queue {
  uint32_t me, pipe, queue; /* the slot */
  uint32_t doorbell;
  uint64_t ring, descriptor; /* packets; amd_queue_t */
  uint64_t mqd, inactive;    /* memory queue descriptor; signal that says why it stopped */
} gpu_queue;

typedef struct gpu_kernel {
  uint64_t object; /* address of the kernel descriptor */
  uint32_t group_bytes, private_bytes, kernarg_bytes;
  int small;       /* its addresses have 32 bits (HSAIL's small machine model) */
  uint32_t memory; /* CUVETTE_MEMORY_* of all it reaches */
} gpu_kernel;

/* An entry of the interrupt ring, taken apart. */
typedef struct gpu_event {
  uint32_t client, source, ring, vmid, pasid;
  uint64_t cycle;
  uint32_t context[4];
} gpu_event;
enum { GPU_CLIENT_CP = 20, GPU_CLIENT_UTCL2 = 27 };
enum {
  GPU_SOURCE_FAULT = 0,
  GPU_SOURCE_DONE = 181,
  GPU_SOURCE_BAD_PACKET = 183,
  GPU_SOURCE_DOORBELL = 200
};

/* Resets the chip, lets the micro engines run, sets apertures of `vmid` and the interrupt ring. */
int gpu_start(gpu_driver* gpu, cuvette_machine* machine, uint32_t vmid, uint32_t pasid);
int gpu_reset(gpu_driver* gpu);

/* A user-mode queue in a slot of the hardware, from its memory queue descriptor. */
int gpu_queue_create(gpu_driver* gpu, gpu_queue* queue, uint32_t me, uint32_t pipe, uint32_t slot,
                     uint32_t doorbell);
int gpu_queue_destroy(gpu_driver* gpu, gpu_queue* queue);
/* The same without the slot: its descriptor is ready, somebody else maps it. */
int gpu_queue_prepare(gpu_driver* gpu, gpu_queue* queue, uint32_t me, uint32_t pipe, uint32_t slot,
                      uint32_t doorbell);

/* The kernel queue: a ring of PM4 packets that the micro engine's scheduler reads. */
#define GPU_KERNEL_DWORDS 256u
typedef struct gpu_kernel_queue {
  gpu_queue slot;            /* ring, descriptor of the hardware, doorbell */
  uint64_t written;          /* dwords ever put into the ring */
  uint64_t fence, completed; /* where the last packet says so, and what it will say */
} gpu_kernel_queue;
int gpu_kernel_queue_create(gpu_driver* gpu, gpu_kernel_queue* kernel, uint32_t me, uint32_t pipe,
                            uint32_t slot, uint32_t doorbell);
/* MAP_QUEUES into its slot, UNMAP_QUEUES by its doorbell; both wait until it is done. `reset`: its
 * waves end where they are. */
int gpu_map(gpu_driver* gpu, gpu_kernel_queue* kernel, const gpu_queue* queue);
int gpu_unmap(gpu_driver* gpu, gpu_kernel_queue* kernel, const gpu_queue* queue, int reset);

/* The bits its inactive signal holds; 0: it works. */
int gpu_queue_error(gpu_driver* gpu, const gpu_queue* queue, uint64_t* error);

/* Answers a queue whose inactive signal says 1: scratch memory for so many waves at a time, with so
 * many bytes for a work-item. The packet that waits for it goes on. */
int gpu_provide_scratch(gpu_driver* gpu, const gpu_queue* queue, uint32_t item_bytes,
                        uint32_t waves);

/* The first kernel of an ELF code object (version 3 and later, no relocations) of either machine
 * model. */
int gpu_load(gpu_driver* gpu, const void* elf, size_t bytes, gpu_kernel* kernel);

/* A signal whose completion raises an interrupt with `event`. */
int gpu_signal(gpu_driver* gpu, int64_t value, uint32_t event, uint64_t* signal);
int gpu_signal_value(gpu_driver* gpu, uint64_t signal, int64_t* value);
/* Puts a packet into the ring and rings the doorbell. */
int gpu_submit(gpu_driver* gpu, const gpu_queue* queue, const uint8_t packet[GPU_PACKET_BYTES]);
int gpu_dispatch(gpu_driver* gpu, const gpu_queue* queue, const gpu_kernel* kernel, uint32_t grid,
                 uint16_t group, const void* arguments, size_t bytes, uint64_t signal);
int gpu_barrier(gpu_driver* gpu, const gpu_queue* queue, uint64_t wait_for, uint64_t signal);

/* The next entry of the interrupt ring; waits up to `cycles`. 1: the ring stayed empty. */
int gpu_next_event(gpu_driver* gpu, uint64_t cycles, gpu_event* event);

#endif
