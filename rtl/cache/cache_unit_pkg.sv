// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types that the parts of a cache exchange (docs/reference/cache.md).
package cache_unit_pkg;

  import memory_pkg::*;
  import cache_pkg::*;

  localparam int unsigned MaxPorts  = 16;                  // requesters of a cache
  localparam int unsigned MaxMisses = 256;                 // under way
  localparam int unsigned BlockBits = 64 - $clog2(BlockBytes);

  typedef logic [BlockBits-1:0]         block_t;   // number of a 64-byte block
  typedef logic [BlockBytes-1:0]        bytes_t;   // a bit per byte of one
  typedef logic [BlockBytes-1:0][7:0]   data_t;
  typedef logic [$clog2(MaxPorts)-1:0]  port_t;
  typedef logic [$clog2(MaxMisses)-1:0] entry_t;   // of the misses, or of what was passed on

  // A request and its requester's port.
  typedef struct packed {
    port_t    port;
    mem_req_t request;
  } asked_t;

  // An answer and the port it is for.
  typedef struct packed {
    port_t     port;
    mem_resp_t response;
  } answer_t;

  // Kind of an entry of the stages.
  typedef enum logic [2:0] {
    StepAccess,   // a request from a port
    StepReplay,   // one that has waited for a fill
    StepInstall,  // a fill: the block takes its place
    StepClean,    // a line is written back and kept
    StepDrop      // a line loses its clean bytes
  } step_e;

  // Action on a request in the last stage.
  typedef enum logic [3:0] {
    ActAppend,   // waits behind a miss
    ActRead,     // is answered with bytes of the line
    ActFault,    // is answered with the fault of its fill
    ActFill,     // its block is asked for below
    ActStore,    // is kept, dirty
    ActThrough,  // goes below, and into a line that is held
    ActPass,     // goes below, and the block is held no more
    ActAtomic,   // is done here
    ActInstall,
    ActClean,
    ActDrop
  } act_e;

  // Purpose of a request to the level below, in the low bits of its id; above it the entry,
  // and a count of write-backs.
  typedef enum logic [1:0] {
    BelowFill,
    BelowForward,
    BelowWrite,
    BelowMaintain
  } below_e;

  typedef struct packed {
    logic [63 - $bits(entry_t) - 2:0] count;
    entry_t                           entry;
    below_e                           why;
  } below_id_t;

  function automatic logic keeps_dirty(input role_e role);
    return (role == RoleScalar) || (role == RoleL2);
  endfunction

  function automatic logic is_maintenance(input mem_op_e op);
    return (op == MemInvalidate) || (op == MemWriteback);
  endfunction

  function automatic logic is_atomic(input mem_op_e op);
    return (op == MemAtomic) || (op == MemAtomicReturn);
  endfunction

  function automatic logic is_coherent_type(input mtype_e mtype);
    return (mtype == MtypeCoherentlyCached) || (mtype == MtypeUncached);
  endfunction

  // A read may not be answered from what is held: the L2 looks at the memory type, the others at
  // the scope.
  function automatic logic passes(input role_e role, input scope_e scope, input logic glc,
                                  input mtype_e mtype);
    if (role == RoleL2) return is_coherent_type(mtype);
    return (scope == ScopeWave) ? glc : (scope >= ScopeAgent);
  endfunction

endpackage
