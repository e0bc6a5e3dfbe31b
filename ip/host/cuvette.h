/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcuvette: a GPU behind plain C, for drivers, firmware and runtimes that have no silicon yet.
 * C99 and C++. c_interface.md walks through a driver; the registers and their fields are in
 * cuvette_registers.h.
 *
 * Time is counted in cycles of the machine's clock since it was opened. It passes only while a call
 * that waits (cuvette_advance, cuvette_run_until_idle, cuvette_wait_interrupt, cuvette_run_kernel)
 * is under way in some thread, or while cuvette_clock lets it; every other call happens at one
 * instant. While somebody waits, calls of other threads are
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

typedef struct cuvette_machine cuvette_machine; /* made by cuvette_open, ended by cuvette_close */

typedef enum cuvette_status {
  CUVETTE_OK = 0,                /* the call has done its work */
  CUVETTE_ERROR_ARGUMENT = 1,    /* null, a wrong size, an unknown engine, a struct too new */
  CUVETTE_ERROR_DESCRIPTION = 2, /* no such machine description, or one that does not hold */
  CUVETTE_ERROR_ONCE = 3,        /* lt and ca: another one of them is open in this process */
  CUVETTE_ERROR_ACCESS = 4,      /* the register or doorbell refused the access */
  CUVETTE_ERROR_MEMORY = 5,      /* not mapped, not permitted, misaligned, or nothing left */
  CUVETTE_ERROR_TIMEOUT = 6,     /* the event waited for has not come */
  CUVETTE_ERROR_CALL = 7,        /* not inside a callback */
  CUVETTE_ERROR_FILE = 8,        /* the host-event log cannot be written */
  CUVETTE_ERROR_INTERNAL = 9,    /* the simulation broke off; every later call says so too */
  CUVETTE_ERROR_CANCELLED = 10,  /* cuvette_cancel has ended the wait; the machine stands still */
  CUVETTE_ERROR_WATCHDOG = 11,   /* a watchdog has; cuvette_hang_report says who waits for what */
  CUVETTE_ERROR_KERNEL = 12      /* the kernel has failed; the text says where it was */
} cuvette_status;

/* Interrupts of the chip to the host (docs/reference/registers.md "Interrupts"). */
#define CUVETTE_INTERRUPT_EVENT 0u         /* a completion signal's event; context: its id */
#define CUVETTE_INTERRUPT_MESSAGE 0x10000u /* + SIMM16 of S_SENDMSG; context: M0 */
#define CUVETTE_INTERRUPT_UNKNOWN_DOORBELL 0x20000u /* queue: the doorbell; context: the value */
#define CUVETTE_INTERRUPT_DEQUEUED 0x20001u         /* a queue is gone from its slot */
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
  uint32_t type;           /* the packet's type field, free for programs */
  uint64_t return_address; /* 0: nothing is asked for */
  uint64_t arg[4];         /* the packet's arguments */
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
  /* Watchdogs: a wait ends with CUVETTE_ERROR_WATCHDOG when the machine is busy and nothing has got
   * on (no packet taken or completed, no wave begun, no interrupt) for so long. 0: none. On golden
   * a kernel of more than 4,000,000,000 instructions stops its queue beside that. */
  uint64_t watchdog_cycles; /* looked at borders; on golden also instructions of one kernel */
  double watchdog_seconds;  /* of the host, while a wait is under way */
  /* Changes of the description, "l2.slice.ways=32", as --set of `cuvette run` has them; null: none.
   * Not with a log. */
  const char* const* settings;
  size_t setting_count; /* elements of `settings` */
} cuvette_options;

/* CUVETTE_API_VERSION of the library. */
uint32_t cuvette_version(void);
/* Reason for which the last failed call of this thread failed; "" when none has. Valid until the
 * thread's next call. */
const char* cuvette_error_text(void);
/* "CUVETTE_ERROR_ACCESS" and so on. */
const char* cuvette_status_name(int status);

/* The machine belongs to this process: in a child that is forked later every call on it is
 * CUVETTE_ERROR_CALL, and cuvette_close does nothing.
 *
 * golden: any number per process, beside each other. lt and ca: one of them at a time, because
 * SystemC has one simulation per process; the next one after cuvette_close. *machine is null on
 * error. */
int cuvette_open(const cuvette_options* options, cuvette_machine** machine);
/* Ends the log. No call may be under way or come later. The status says whether the log is whole;
 * the machine is gone in any case. Null is allowed. */
int cuvette_close(cuvette_machine* machine);

/* The target of the machine's description, "gfx908", cut off at `bytes`: what code is made for. */
int cuvette_target(cuvette_machine* machine, char* text, size_t bytes);

/* Registers: byte offset in the aperture (CUVETTE_REG_*), 32 bits. */
int cuvette_register_read(cuvette_machine* machine, uint32_t offset, uint32_t* value);
int cuvette_register_write(cuvette_machine* machine, uint32_t offset, uint32_t value);
/* Doorbell `index`, 64 bits. */
int cuvette_doorbell(cuvette_machine* machine, uint32_t index, uint64_t value);
/* The first CUVETTE_DOORBELLS doorbells as plain memory, a page, the library's: a thread stores
 * 8 bytes, and while cuvette_clock lets time pass, the doorbell is rung at a border soon after. The
 * value is ~0 at first; storing the value that is there rings nothing. */
#define CUVETTE_DOORBELLS 1024u
int cuvette_doorbells(cuvette_machine* machine, volatile uint64_t** doorbells);

/* Device memory, seen by host and GPU at the same address; new memory is 0. Nothing is given
 * twice, so that stale addresses fault. Alignment: 0 (256) or a power of two up to 1 GiB. */
#define CUVETTE_MEMORY_READ_ONLY 1u   /* for the GPU and for cuvette_memory_write */
#define CUVETTE_MEMORY_EXECUTABLE 2u  /* code */
#define CUVETTE_MEMORY_WITHIN_4GIB 4u /* not across a multiple of 4 GiB (amd_queue_t) */
#define CUVETTE_MEMORY_BELOW_4GIB 8u  /* from 1 MiB on: code of HSAIL's small machine model */
/* The memory type (memory.md): one of these at most; neither: coarse-grained, where host and
 * kernel see each other's stores behind fences of system scope of packets only. Signals, queues,
 * kernel arguments and whatever both sides poll belong in fine-grained memory. */
#define CUVETTE_MEMORY_FINE_GRAINED 16u
#define CUVETTE_MEMORY_UNCACHED 32u
int cuvette_memory_allocate(cuvette_machine* machine, uint64_t bytes, uint64_t alignment,
                            uint32_t flags, uint64_t* address);
/* Frees a block by its address; later accesses fault. Attached memory stays the caller's. */
int cuvette_memory_free(cuvette_machine* machine, uint64_t address);
/* Memory of the host as such a block, in place: the GPU's accesses are to `host`, where `bytes`
 * rounded up to 64 are, aligned to 8. The caller keeps it until cuvette_memory_free or the
 * machine's end, and may access it while no time passes. While time passes, aligned loads and
 * stores of up to 8 bytes to memory that is CUVETTE_MEMORY_FINE_GRAINED or CUVETTE_MEMORY_UNCACHED
 * are allowed, atomic ones of the language: signals and flags in plain memory. Not with a log. */
int cuvette_memory_attach(cuvette_machine* machine, void* host, uint64_t bytes, uint64_t alignment,
                          uint32_t flags, uint64_t* address);
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

/* A clock that runs by itself: not 0: a thread of the library lets time pass from now on, whoever
 * waits; 0: it stands still. While the machine is idle, a quantum passes each half millisecond of
 * the host. Cycles of a run then depend on the host. Interrupts are told as ever, and
 * cuvette_wait_interrupt waits for those behind it. A cancel ends the waits of callers; the clock
 * goes on. A watchdog stops it, and the call with 0 says so: CUVETTE_ERROR_WATCHDOG. cuvette_close
 * ends it. */
int cuvette_clock(cuvette_machine* machine, int runs);

/* Ends the waits that are under way, in whatever thread, with CUVETTE_ERROR_CANCELLED; with none
 * under way, the next one. May be called at any time from any thread, any callback and any signal
 * handler, and returns at once; the waits end within a tenth of a second.
 *
 * Nothing is lost: the machine stands still where it was, every other call works, and the next wait
 * goes on from there. On golden a kernel that is under way goes on piece by piece then, one in each
 * cycle. To get rid of a kernel that hangs, dequeue its queue with a reset (CP_HQD_DEQUEUE_REQUEST)
 * and wait for that. */
int cuvette_cancel(cuvette_machine* machine);

/* States of a queue in a hang report, at this instant. */
#define CUVETTE_QUEUE_IDLE 0u    /* no valid packet, nothing under way */
#define CUVETTE_QUEUE_RUNNING 1u /* packets are under way */
#define CUVETTE_QUEUE_WAITING 2u /* its next packet waits */
#define CUVETTE_QUEUE_FAILED 3u  /* stopped by an error */
#define CUVETTE_QUEUE_LEAVING 4u /* is being taken out of its slot */
#define CUVETTE_NONE 0xffffffffu
typedef struct cuvette_hang_queue {
  uint32_t queue;    /* number, as in interrupts */
  uint32_t doorbell; /* index, or CUVETTE_NONE */
  uint32_t vmid;
  uint32_t state;         /* CUVETTE_QUEUE_* */
  uint64_t queue_address; /* amd_queue_t; 0: none */
  uint64_t next_packet;   /* not taken yet */
  uint32_t under_way;     /* packets that have started and are not complete */
  uint32_t barrier_bit;   /* not 0: the next packet waits for earlier ones by its barrier bit */
  uint64_t wait_address;  /* signal or value that the next packet waits for, the first; 0: none */
  int64_t wait_value;     /* its present value */
  uint64_t packet;        /* the oldest one under way: its number, */
  uint64_t kernel_object; /* kernel (0: none) */
  uint64_t completion_signal; /* and signal (0: none) */
} cuvette_hang_queue;
typedef struct cuvette_hang_wave {
  uint64_t wave;  /* unique for the run */
  uint32_t queue; /* of its dispatch, or CUVETTE_NONE */
  uint32_t simd;  /* its place, or CUVETTE_NONE: golden has none */
  uint32_t compute_unit;
  uint32_t slot;                            /* of the SIMD */
  uint64_t packet;                          /* number of its dispatch's packet */
  uint64_t pc;                              /* of the next instruction */
  uint32_t vm_count, lgkm_count, exp_count; /* operations under way */
  uint32_t at_barrier;                      /* not 0: waits at S_BARRIER */
  uint32_t halted;                          /* not 0: by a debugger */
  uint32_t reserved;
  char kernel[64];      /* name, cut off; of code that cuvette_load has loaded, else "" */
  char instruction[64]; /* text of the next instruction */
  char waits_for[64];   /* in words */
} cuvette_hang_wave;
typedef struct cuvette_hang {
  size_t size;
  /* Room for what is wanted, filled from the front; null: not wanted. */
  char* text;        /* a line per queue, packet and wave; cut off at text_bytes, ends with 0 */
  size_t text_bytes; /* room at `text`, the 0 included */
  cuvette_hang_queue* queues;
  size_t queue_size; /* sizeof(cuvette_hang_queue) */
  size_t queue_room; /* elements of `queues` */
  cuvette_hang_wave* waves;
  size_t wave_size; /* sizeof(cuvette_hang_wave) */
  size_t wave_room; /* elements of `waves` */
  /* Numbers of queues and waves, whatever there was room for. */
  size_t queue_count;
  size_t wave_count;
} cuvette_hang;
/* During a wait of another thread: at the next border. Behind a wait that was cancelled or ended by
 * a watchdog: the waves that hang, on every engine. */
int cuvette_hang_report(cuvette_machine* machine, cuvette_hang* report);

/* A register of a wave at the place that a report tells, `lanes` values of a vector register or one
 * of another. `index`: 0x200 + scalar operand code, 0x400 + VGPR, 0x500 + accumulation register,
 * and the others of SQ_IND_INDEX (docs/reference/registers.md). CUVETTE_ERROR_ARGUMENT: no wave is
 * there, or no such register; golden has no such places. */
int cuvette_wave_read(cuvette_machine* machine, const cuvette_hang_wave* wave, uint32_t index,
                      uint32_t* values, size_t lanes);

/* Reports of waves and registers since the last call, lines ended by '\n', cut off at
 * `bytes`; always ends with 0. */
int cuvette_take_reports(cuvette_machine* machine, char* text, size_t bytes);

/* Counters since the machine was opened. Called for each counter in this thread,
 * before cuvette_counters returns; the names live as long as the call. Blocks, instances and
 * counters are those of the statistics (docs/reference/statistics.md), and "machine" with "waves"
 * and "instructions", "instruction" with the number of executed ones by mnemonic. */
typedef void (*cuvette_on_counter)(void* context, const char* block, uint32_t instance,
                                   const char* counter, uint64_t value);
int cuvette_counters(cuvette_machine* machine, cuvette_on_counter each, void* context);

/* Performance counters by their public names (docs/reference/counters.md) on lt and ca, all of one
 * instant, since the machine was opened or cuvette_counters_mark was called last: "SQ_WAVES" is the
 * sum of the instances, "TCC_HIT[3]" one of them, "SQ:4" one by block and event number,
 * "VALUUtilization" a derived one; no names are those of all counters of the machine's target.
 * `missing` is null, or says why there is no value (the model does not count it, a division by 0);
 * `value` is a NaN then. Called for each name in this thread, before the call returns.
 * CUVETTE_ERROR_ARGUMENT: a name that is none, with the nearest one; CUVETTE_ERROR_CALL: golden
 * counts none. */
typedef void (*cuvette_on_named_counter)(void* context, const char* name, double value,
                                         const char* missing);
int cuvette_counters_by_name(cuvette_machine* machine, const char* const* names, size_t count,
                             cuvette_on_named_counter each, void* context);
/* Begins the interval of cuvette_counters_by_name anew. */
int cuvette_counters_mark(cuvette_machine* machine);

/* An instruction that a wave has retired: what it wrote. Pointers live as long as the callback. */
typedef struct cuvette_vector_write {
  uint32_t accumulation; /* not 0: an accumulation register */
  uint32_t index;        /* of the register */
  uint64_t lanes;        /* written ones, by bit */
  const uint32_t* data;  /* 64 lanes; 0 where nothing was written */
} cuvette_vector_write;
typedef struct cuvette_scalar_write {
  uint32_t code;  /* scalar operand code: SGPRs from 0 on, VCC 106, M0 124, EXEC 126 */
  uint32_t value; /* new value */
} cuvette_scalar_write;
typedef struct cuvette_retirement {
  size_t size;
  uint64_t cycle;
  uint64_t wave;  /* as in cuvette_hang_wave */
  uint64_t order; /* among the wave's instructions as it issues them, from 0 on */
  uint64_t pc;
  uint64_t exec;           /* before the instruction */
  const char* instruction; /* its text */
  const uint32_t* words;   /* its machine code */
  size_t word_count;       /* words of 32 bits */
  const cuvette_vector_write* vector_writes;
  size_t vector_write_count;                 /* elements of `vector_writes` */
  const cuvette_scalar_write* scalar_writes; /* of changed values */
  size_t scalar_write_count;                 /* elements of `scalar_writes` */
} cuvette_retirement;
/* Called for every instruction from now on, when its effects are complete; null: never again.
 * Memory calls and cuvette_cycle alone are allowed inside. Makes simulation much slower.
 * CUVETTE_ERROR_CALL: waves are under way; not with a log. */
typedef void (*cuvette_on_retirement)(void* context, cuvette_machine* machine,
                                      const cuvette_retirement* retirement);
int cuvette_watch_retirements(cuvette_machine* machine, cuvette_on_retirement each, void* context);

/* Code objects, as clang and `cuvette finalize` write them (versions 2 to 6): segments in memory of
 * their own, relocated, with their variables. `elf` is copied. An object ends with its machine or
 * with cuvette_unload, which takes its memory away: no kernel of it may run then. */
typedef struct cuvette_object cuvette_object;
int cuvette_load(cuvette_machine* machine, const void* elf, size_t bytes, cuvette_object** object);
int cuvette_unload(cuvette_object* object);

/* A kernel of an object: what a dispatch packet needs to know. */
typedef struct cuvette_kernel {
  size_t size;
  cuvette_object* object;     /* the object it was found in */
  uint64_t kernel_object;     /* for the packet: address of the descriptor */
  uint32_t kernarg_bytes;     /* hidden arguments included */
  uint32_t kernarg_alignment; /* at least 16 */
  uint32_t group_bytes;       /* static; the packet wants the dynamic ones added */
  uint32_t private_bytes;     /* of a work-item; with dynamic_stack at least */
  uint32_t dynamic_stack;     /* not 0: the packet adds the stack of its choice */
  uint32_t arguments;         /* explicit ones */
  uint32_t index;             /* among the kernels of its object, by name */
} cuvette_kernel;
/* By name, with or without ".kd"; null or "": the only one. `kernel->size` must be set. */
int cuvette_find_kernel(cuvette_object* object, const char* name, cuvette_kernel* kernel);
/* The kernel with that number in the object, and its name, cut off at `name_bytes`; null: not
 * wanted. CUVETTE_ERROR_ARGUMENT: there are no more. */
int cuvette_kernel_at(cuvette_object* object, uint32_t index, cuvette_kernel* kernel, char* name,
                      size_t name_bytes);
/* Explicit argument `index` of a kernel, as its object describes it. */
typedef struct cuvette_argument_info {
  size_t size;
  uint64_t bytes;
  uint64_t offset; /* in the kernarg segment */
  char kind[32];   /* "by_value", "global_buffer", "dynamic_shared_pointer", ... */
  char type[64]; /* as its source names it: "float", "int*", "u64"; "" where the object does not */
  char name[64]; /* the same */
} cuvette_argument_info;
int cuvette_argument_at(const cuvette_kernel* kernel, uint32_t index, cuvette_argument_info* info);
/* A global variable or function by its name in the symbol table. `bytes` may be null. */
int cuvette_find_symbol(cuvette_object* object, const char* name, uint64_t* address,
                        uint64_t* bytes);

typedef struct cuvette_argument {
  const void* data; /* as the kernel expects it: a buffer is its address, 8 bytes */
  size_t bytes;
} cuvette_argument;
/* A hidden argument that the library cannot know: "hidden_printf_buffer", "hidden_heap_v1", ... */
typedef struct cuvette_hidden {
  const char* name;
  uint64_t value;
} cuvette_hidden;
/* Inputs of the hidden arguments. */
typedef struct cuvette_launch {
  size_t size;
  uint32_t dimensions;          /* 1 to 3 */
  uint32_t grid[3];             /* work-items, as in the packet; those beyond `dimensions` are 1 */
  uint32_t workgroup[3];        /* work-items */
  uint32_t dynamic_group_bytes; /* beyond the kernel's static group_bytes */
  uint64_t global_offset[3];    /* of OpenCL, in work-items */
  uint64_t queue;               /* amd_queue_t that gets the packet; 0 if the kernel does not ask */
  const cuvette_hidden* hidden;
  size_t hidden_count; /* elements of `hidden` */
} cuvette_launch;
/* The kernarg segment of a dispatch: `count` explicit arguments in order, each of its size, and the
 * hidden ones of the kernel's code object version. `segment` has kernel->kernarg_bytes, for
 * cuvette_memory_write. CUVETTE_ERROR_ARGUMENT: a number or size that is wrong, a launch that
 * breaks a limit of the kernel, in words. */
int cuvette_kernarg(const cuvette_kernel* kernel, const cuvette_launch* launch,
                    const cuvette_argument* arguments, size_t count, void* segment, size_t bytes);

/* A dispatch from its arguments to its end, on a queue of the library: the last slot of micro
 * engine 1 (pipe 3, queue 7) with doorbell CUVETTE_DOORBELLS - 1, made at the first call.
 * `launch->queue` is 0. Waits at most so many cycles; time passes. No other thread selects slots
 * (GRBM_GFX_CNTL) meanwhile; its value is 0 afterwards. CUVETTE_ERROR_KERNEL: the queue has stopped
 * with an error; the text has its bits and the reports of the waves, of a memory fault with the
 * address, the block of memory it is in or behind, and the offset. CUVETTE_ERROR_MEMORY:
 * also more than 131,056 bytes of private memory for a work-item. CUVETTE_ERROR_TIMEOUT: the kernel
 * has been ended (not on golden, where watchdogs end kernels). CUVETTE_ERROR_CANCELLED,
 * CUVETTE_ERROR_WATCHDOG: it is ended by the next call of this function. */
int cuvette_run_kernel(const cuvette_kernel* kernel, const cuvette_launch* launch,
                       const cuvette_argument* arguments, size_t count, uint64_t most_cycles);

#ifdef __cplusplus
}
#endif

#endif
