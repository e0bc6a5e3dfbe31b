/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcuvette_cosim: the golden reference for a simulator of your own. Plain C (C99), versioned; no
 * SystemC, LLVM or Verilator behind it. cosim.md tells how it is used and what the rules are;
 * cuvette_cosim_pkg.sv is the same for SystemVerilog.
 *
 * Calls come from one thread per cuvette_cosim. Functions that return int return 1 on success and 0
 * otherwise; cuvette_cosim_text() then says why. Calls for one wave come in its program order,
 * calls for different waves in any order. The first mismatch is kept: every load, start, launch,
 * step, retirement and observation after it does nothing and returns 0; failed, text and get_counts
 * go on. Structs start with `size`, sizeof as the caller compiled it, so that later versions can
 * grow them.
 */
#ifndef CUVETTE_COSIM_H
#define CUVETTE_COSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUVETTE_COSIM_VERSION 1u
#define CUVETTE_COSIM_LANES 64

typedef struct cuvette_cosim cuvette_cosim;

/* Parts of a record that are compared besides pc, words and registers: a set of bits. */
enum cuvette_cosim_compare {
  CUVETTE_COSIM_EXEC = 1,       /* EXEC before the instruction */
  CUVETTE_COSIM_ACCESSES = 2,   /* lane, space, kind, address, size, bytes */
  CUVETTE_COSIM_STATUS = 4,     /* MODE and TRAPSTS after */
  CUVETTE_COSIM_CACHE_BITS = 8, /* of accesses; also scope and memory type */
  CUVETTE_COSIM_FLAGS = 16,     /* floating-point flags, trap */
  CUVETTE_COSIM_ALL = 31,
  CUVETTE_COSIM_STATUS_REGISTER = 32 /* STATUS after; apart from ALL: `status` of the record is
                                        younger, and a device may have bits golden has not */
};

typedef struct cuvette_cosim_options {
  size_t size;
  const char* target;        /* "gfx900", "gfx906", "gfx908", "gfx90a" or "gfx942" */
  int sramecc;               /* D16 loads write whole registers */
  uint64_t shared_aperture;  /* upper half of flat addresses in LDS; 0: the default */
  uint64_t private_aperture; /* 0: the default */
  uint32_t compare;          /* enum cuvette_cosim_compare */
} cuvette_cosim_options;

/* Initial state of a wavefront. */
typedef struct cuvette_cosim_wave {
  size_t size;
  uint64_t id;        /* never used before */
  uint64_t pc, exec;  /* pc: a multiple of 4 */
  uint32_t mode;      /* the MODE register */
  uint32_t lds_bytes; /* of the work-group */
  uint32_t workgroup; /* waves of one work-group share LDS */
  /* VGPRs at most 256, AccVGPRs at most 256 on gfx908, none before; both together at most 512 from
   * gfx90a on. SGPRs at most 102. */
  uint16_t vgprs, accvgprs, sgprs;
  uint64_t scratch_base; /* address of its scratch memory */
  const uint32_t* sgpr;  /* sgpr_count values from s0, by scalar operand code, at most 128 */
  uint32_t sgpr_count;
  uint32_t vgpr_count;  /* registers at vgpr */
  const uint32_t* vgpr; /* vgpr_count times 64 lanes from v0 */
} cuvette_cosim_wave;

/* A dispatch of a kernel of a loaded code object; golden computes how its waves start. */
typedef struct cuvette_cosim_dispatch {
  size_t size;
  const char* kernel;    /* null: the only one */
  uint32_t grid[3];      /* work-items */
  uint16_t workgroup[3]; /* work-items */
  uint64_t kernarg;      /* address of the kernarg segment */
  uint32_t dynamic_group_bytes, stack_bytes;
  uint64_t packet_address, queue_address, dispatch_id, scratch_base;
} cuvette_cosim_dispatch;

enum { CUVETTE_COSIM_VGPR = 0, CUVETTE_COSIM_AGPR = 1 };
enum {
  CUVETTE_COSIM_GLOBAL = 0,
  CUVETTE_COSIM_LDS = 1,
  CUVETTE_COSIM_GDS = 2,
  CUVETTE_COSIM_SCALAR = 3
};
enum {
  CUVETTE_COSIM_LOAD = 0,
  CUVETTE_COSIM_STORE = 1,
  CUVETTE_COSIM_ATOMIC = 2,
  CUVETTE_COSIM_ATOMIC_RETURN = 3
};
/* Operations of atomics, in the order of base/atomic_op.h. */
enum {
  CUVETTE_COSIM_SWAP,
  CUVETTE_COSIM_CMPSWAP,
  CUVETTE_COSIM_ADD,
  CUVETTE_COSIM_SUB,
  CUVETTE_COSIM_RSUB,
  CUVETTE_COSIM_SMIN,
  CUVETTE_COSIM_UMIN,
  CUVETTE_COSIM_SMAX,
  CUVETTE_COSIM_UMAX,
  CUVETTE_COSIM_AND,
  CUVETTE_COSIM_OR,
  CUVETTE_COSIM_XOR,
  CUVETTE_COSIM_INC,
  CUVETTE_COSIM_DEC,
  CUVETTE_COSIM_MSKOR,
  CUVETTE_COSIM_FADD,
  CUVETTE_COSIM_FMIN,
  CUVETTE_COSIM_FMAX,
  CUVETTE_COSIM_FCMPSWAP,
  CUVETTE_COSIM_PK_ADD_F16,
  CUVETTE_COSIM_PK_ADD_BF16
};
#define CUVETTE_COSIM_SCC 253u /* scalar code of SCC; VCC 106, 107; M0 124; EXEC 126, 127 */

typedef struct cuvette_cosim_vector_write {
  uint32_t kind, index; /* CUVETTE_COSIM_VGPR or _AGPR; register number of the wave */
  uint64_t lanes;       /* written */
  uint32_t data[CUVETTE_COSIM_LANES];
} cuvette_cosim_vector_write;

typedef struct cuvette_cosim_scalar_write {
  uint32_t code, value; /* scalar operand code; a write that changes nothing may be left out */
} cuvette_cosim_scalar_write;

/* Contiguous bytes of one lane's access, at most 16; lanes ascending. Scalar accesses: lane 0. */
typedef struct cuvette_cosim_access {
  uint8_t lane, space, kind, atomic, bytes; /* CUVETTE_COSIM_GLOBAL ..., _LOAD ..., _SWAP ... */
  uint8_t glc, slc, scc, nv;                /* cache bits of the instruction, 0 or 1 */
  uint8_t scope;                            /* 0 wave, 1 work-group, 2 agent, 3 system */
  uint8_t fault, memory_type;
  uint64_t address;
  uint8_t data[16];     /* loaded, stored, or an atomic's operand, then its compare value */
  uint8_t old_data[16]; /* returned by an atomic */
  uint64_t serial;      /* only given, by cuvette_cosim_step */
} cuvette_cosim_access;

typedef struct cuvette_cosim_record {
  size_t size;
  uint64_t wave, order;                /* issue index within the wave, from 0 */
  uint64_t pc, exec;                   /* EXEC before */
  uint32_t words[4];                   /* those beyond `length` are not looked at */
  uint32_t length;                     /* of words; compared */
  uint32_t mode, trapsts, flags, trap; /* MODE, TRAPSTS after; flags raised; id of S_TRAP or 0 */
  const cuvette_cosim_vector_write* vector_writes;
  const cuvette_cosim_scalar_write* scalar_writes;
  const cuvette_cosim_access* accesses;
  uint32_t vector_write_count, scalar_write_count, access_count;
  uint32_t status; /* STATUS after, as S_GETREG gives it */
} cuvette_cosim_record;

typedef struct cuvette_cosim_counts {
  size_t size;
  uint64_t instructions, registers, lanes, accesses;
  uint64_t loads_determined, loads_chosen, loads_rejected;
} cuvette_cosim_counts;

/* CUVETTE_COSIM_VERSION of the library. */
uint32_t cuvette_cosim_version(void);

/* Null when the target is unknown or the struct is of a newer version. */
cuvette_cosim* cuvette_cosim_create(const cuvette_cosim_options* options);
void cuvette_cosim_destroy(cuvette_cosim* cosim);

/* Memory before the run; what is never loaded does not exist. Bytes are copied. */
int cuvette_cosim_load(cuvette_cosim* cosim, uint64_t address, const void* bytes, size_t count);
/* An ELF code object, first page at `address` (a multiple of 4096). `entry` may be null; gets the
 * address of the first instruction of the first kernel by name. */
int cuvette_cosim_load_code_object(cuvette_cosim* cosim, uint64_t address, const void* bytes,
                                   size_t count, uint64_t* entry);
int cuvette_cosim_start(cuvette_cosim* cosim, const cuvette_cosim_wave* wave);
/* Wave `index` of the flattened work-group `group`, under the name `id`. */
int cuvette_cosim_launch(cuvette_cosim* cosim, const cuvette_cosim_dispatch* dispatch,
                         uint32_t group, uint32_t index, uint64_t id);

/* Golden alone executes the wave's next instruction. *record is valid until the next call. Stores
 * and atomics take the next place in the coherence log. Loads obey the rule of observation: where
 * waves share memory and a load has several legal values, cuvette_cosim_observe_load comes before,
 * otherwise it is a mismatch. A wave that was never started or has ended is an error, no mismatch.
 */
int cuvette_cosim_step(cuvette_cosim* cosim, uint64_t wave, const cuvette_cosim_record** record);
/* The device retired an instruction; golden executes it and compares. */
int cuvette_cosim_retire(cuvette_cosim* cosim, const cuvette_cosim_record* device);
/* The device saw these bytes for the load with issue index `order`: each lane's, ascending. */
int cuvette_cosim_observe_load(cuvette_cosim* cosim, uint64_t wave, uint64_t order, uint64_t lanes,
                               const uint8_t* bytes, size_t count);
/* A store or atomic of the device took this place in the coherence log; serials never fall. A lane
 * that stores nothing to memory others see (not active, out of range, in LDS, faulting, 64 or more)
 * has no place: a mismatch, at once when it is known, otherwise when the instruction retires. */
int cuvette_cosim_observe_store(cuvette_cosim* cosim, uint64_t wave, uint64_t order, uint8_t lane,
                                uint64_t serial);

/* 1 after the first mismatch. */
int cuvette_cosim_failed(const cuvette_cosim* cosim);
/* 1 at the end of a run in which something was compared and nothing differs. */
int cuvette_cosim_passed(const cuvette_cosim* cosim);
/* The first mismatch, else the last error, else "". Valid until the next call. */
const char* cuvette_cosim_text(const cuvette_cosim* cosim);
int cuvette_cosim_get_counts(const cuvette_cosim* cosim, cuvette_cosim_counts* counts);

#ifdef __cplusplus
}
#endif

#endif
