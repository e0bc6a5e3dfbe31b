/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcuvette: a GPU behind plain C, for drivers, firmware and runtimes that have no silicon yet.
 * C99 and C++. docs/firmware.md walks through a driver; the registers and their fields are in
 * cuvette_registers.h.
 *
 * Time is counted in cycles of the machine's clock since it was opened. It passes only while a call
 * that waits (cuvette_advance, cuvette_run_until_idle, cuvette_wait_interrupt) is under way in some
 * thread; every other call happens at one instant. While somebody waits, calls of other threads are
 * taken at the next border: time is cut into quanta of cuvette_options.quantum cycles, and also
 * where a wait ends. A program of one thread therefore always gets the same cycles; for one of
 * several, the host-event log (cuvette_options.log) says which call came when, and
 * `cuvette run --replay-host FILE` does it again, cycle for cycle.
 *
 * Calls may come from any thread at any time; they take turns. The callbacks run in a thread of the
 * library and may make calls themselves, but none that waits or closes.
 *
 * Functions return a cuvette_status. Structs start with `size`, sizeof as the caller compiled it,
 * so that later versions can grow them. */
#ifndef CUVETTE_H
#define CUVETTE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUVETTE_API_VERSION 1u

typedef struct cuvette_machine cuvette_machine;

typedef enum cuvette_status {
  CUVETTE_OK = 0,
  CUVETTE_ERROR_ARGUMENT = 1,    /* null, a wrong size, an unknown engine, a struct too new */
  CUVETTE_ERROR_DESCRIPTION = 2, /* no such machine description, or one that does not hold */
  CUVETTE_ERROR_ONCE = 3,        /* lt and ca: this process has opened one of them before */
  CUVETTE_ERROR_ACCESS = 4,      /* the register or doorbell refused the access */
  CUVETTE_ERROR_MEMORY = 5,      /* not mapped, not permitted, misaligned, or nothing left */
  CUVETTE_ERROR_TIMEOUT = 6,     /* what was waited for has not come */
  CUVETTE_ERROR_CALL = 7,        /* not inside a callback */
  CUVETTE_ERROR_FILE = 8,        /* the host-event log cannot be written */
  CUVETTE_ERROR_INTERNAL = 9     /* the simulation broke off; every later call says so too */
} cuvette_status;

/* What left the chip for the host (docs/registers.md "Interrupts"). */
#define CUVETTE_INTERRUPT_EVENT 0u         /* a completion signal's event; context: its id */
#define CUVETTE_INTERRUPT_MESSAGE 0x10000u /* + SIMM16 of S_SENDMSG; context: M0 */
#define CUVETTE_INTERRUPT_UNKNOWN_DOORBELL 0x20000u /* queue: the doorbell; context: the value */
#define CUVETTE_INTERRUPT_DEQUEUED 0x20001u
typedef struct cuvette_interrupt {
  size_t size;
  uint64_t cycle;   /* when it left; callbacks come at the border after */
  uint32_t source;  /* one of the above, or the error bits of a queue */
  uint32_t queue;   /* number of the queue, counted from 0 as they were made known */
  uint64_t context; /* event id, fault address, ... */
} cuvette_interrupt;

/* An agent dispatch packet (HSA). Addresses are those of its queue. */
typedef struct cuvette_agent_dispatch {
  size_t size;
  uint64_t cycle;
  uint32_t queue;
  uint32_t type;
  uint64_t return_address; /* 0: nothing is asked for */
  uint64_t arg[4];
} cuvette_agent_dispatch;

typedef struct cuvette_options {
  size_t size;
  /* "lt": loosely timed, for software; "ca": cycle-approximate, with caches; "golden": the
   * reference without time: kernels run as a whole, one after the other, and take one cycle. */
  const char* engine;
  const char* machine;     /* a name ("mi100", "small") or a file; null: "mi100" */
  const char* machine_dir; /* where names are looked for first; null: only the usual places */
  const char* log;         /* host-event log to write; null: none */
  uint32_t quantum;        /* cycles between borders; 0: 1000. With lt also TLM's global quantum */
  int poison;              /* registers of waves start with a pattern instead of 0 */
  /* Called for every interrupt, in order. May be null. */
  void (*on_interrupt)(void* context, cuvette_machine* machine, const cuvette_interrupt* interrupt);
  /* Serves an agent dispatch packet at its cycle: not 0 when it has done what the packet asks.
   * Memory calls alone are allowed inside. Null, or 0: the packet stops its queue. */
  int (*on_agent_dispatch)(void* context, cuvette_machine* machine,
                           const cuvette_agent_dispatch* packet);
  void* context;
} cuvette_options;

/* CUVETTE_API_VERSION of the library. */
uint32_t cuvette_version(void);
/* Why the last call of this thread that failed did so; "" when none has. Valid until the thread's
 * next call. */
const char* cuvette_error_text(void);
/* "CUVETTE_ERROR_ACCESS" and so on. */
const char* cuvette_status_name(int status);

/* golden: any number per process, beside each other. lt and ca: one of them per process, ever,
 * because SystemC elaborates once; CUVETTE_ERROR_ONCE afterwards, also after cuvette_close.
 * *machine is null on error. */
int cuvette_open(const cuvette_options* options, cuvette_machine** machine);
/* Ends the log. No call may be under way or come later. The status says whether the log is whole;
 * the machine is gone in any case. Null is allowed. */
int cuvette_close(cuvette_machine* machine);

/* Registers: byte offset in the aperture (CUVETTE_REG_*), 32 bits. */
int cuvette_register_read(cuvette_machine* machine, uint32_t offset, uint32_t* value);
int cuvette_register_write(cuvette_machine* machine, uint32_t offset, uint32_t value);
/* Doorbell `index`, 64 bits. */
int cuvette_doorbell(cuvette_machine* machine, uint32_t index, uint64_t value);

/* Device memory, seen by host and GPU at the same address; new memory is 0. Nothing is given
 * twice, so that stale addresses fault. Alignment: 0 (256) or a power of two up to 1 GiB. */
#define CUVETTE_MEMORY_READ_ONLY 1u   /* for the GPU and for cuvette_memory_write */
#define CUVETTE_MEMORY_EXECUTABLE 2u  /* code */
#define CUVETTE_MEMORY_WITHIN_4GIB 4u /* not across a multiple of 4 GiB (amd_queue_t) */
#define CUVETTE_MEMORY_BELOW_4GIB 8u  /* from 1 MiB on: code of HSAIL's small machine model */
/* The memory type (docs/memory.md): one of these at most; neither: coarse-grained, where host and
 * kernel see each other's stores behind fences of system scope of packets only. Signals, queues,
 * kernel arguments and whatever both sides poll belong in fine-grained memory. */
#define CUVETTE_MEMORY_FINE_GRAINED 16u
#define CUVETTE_MEMORY_UNCACHED 32u
int cuvette_memory_allocate(cuvette_machine* machine, uint64_t bytes, uint64_t alignment,
                            uint32_t flags, uint64_t* address);
int cuvette_memory_free(cuvette_machine* machine, uint64_t address);
/* All or nothing; what may be read ends at the next multiple of 64 behind a block, whose bytes are
 * 0 there. Aligned accesses of 4 and 8 bytes are whole to the GPU. */
int cuvette_memory_read(cuvette_machine* machine, uint64_t address, void* data, size_t bytes);
int cuvette_memory_write(cuvette_machine* machine, uint64_t address, const void* data,
                         size_t bytes);
/* One atomic operation on 4 or 8 aligned bytes. `compare` counts for CUVETTE_ATOMIC_CAS alone,
 * `old` may be null. */
#define CUVETTE_ATOMIC_SWAP 0u
#define CUVETTE_ATOMIC_CAS 1u
#define CUVETTE_ATOMIC_ADD 2u
#define CUVETTE_ATOMIC_SUB 3u
#define CUVETTE_ATOMIC_AND 4u
#define CUVETTE_ATOMIC_OR 5u
#define CUVETTE_ATOMIC_XOR 6u
int cuvette_memory_atomic(cuvette_machine* machine, uint32_t operation, uint32_t bytes,
                          uint64_t address, uint64_t operand, uint64_t compare, uint64_t* old);

/* The present cycle. */
int cuvette_cycle(cuvette_machine* machine, uint64_t* cycle);
/* Lets time pass: `cycles` exactly. */
int cuvette_advance(cuvette_machine* machine, uint64_t cycles);
/* Until nothing is left to happen before the host does something; a queue that waits for a signal
 * is not idle. Ends at a border. */
int cuvette_run_until_idle(cuvette_machine* machine, uint64_t most_cycles);
/* Until an interrupt comes that nobody had been told of when the call came: on_interrupt has been
 * called then. */
int cuvette_wait_interrupt(cuvette_machine* machine, uint64_t most_cycles);

/* What waves and registers complained about since the last call, lines ended by '\n', cut off at
 * `bytes`; always ends with 0. */
int cuvette_take_reports(cuvette_machine* machine, char* text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
