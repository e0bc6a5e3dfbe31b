// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types that the parts of the memory exchange (docs/reference/memory.md).
package memory_unit_pkg;

  import memory_pkg::*;

  // Number of a 64-byte block among those of a port.
  localparam int unsigned BlockBits = 58;
  typedef logic [BlockBits-1:0] block_t;

  // Part of a request that concerns the bytes.
  typedef struct packed {
    logic [63:0]                id;
    mem_op_e                    op;
    atomic_op_e                 atomic;
    logic                       wide;       // an atomic of 8 bytes
    logic                       flush;
    logic [63:0]                address;
    logic [BlockBytes-1:0]      byte_mask;
    logic [BlockBytes-1:0][7:0] data;
    block_t                     block;
    logic                       exists;     // there are bytes at the address
  } work_t;

  // One command to the rows of the banks.
  typedef enum logic [1:0] {
    RowNone,
    RowActivate,
    RowPrecharge
  } row_command_e;

  function automatic logic is_atomic(input mem_op_e op);
    return (op == MemAtomic) || (op == MemAtomicReturn);
  endfunction

  function automatic logic is_store(input mem_op_e op);
    return (op == MemWrite) || is_atomic(op);
  endfunction

  // True if it reads or writes bytes: the others are only answered.
  function automatic logic touches(input mem_op_e op);
    return (op == MemRead) || is_store(op);
  endfunction

endpackage
