// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the compute unit (docs/compute_unit.md, model/compute_unit/compute_unit.h) and its
// retirement port, which carries model/wave/retire_record.h in parts.
package compute_unit_pkg;

  import memory_pkg::*;
  import lds_pkg::memory_kind_e;
  import simd_pkg::operand_kind_e;
  import vrf_pkg::*;

  typedef enum logic [1:0] {
    SpaceGlobal = 2'd0,
    SpaceLds    = 2'd1,
    SpaceGds    = 2'd2,
    SpaceScalar = 2'd3
  } memory_space_e;

  typedef struct packed {
    logic [63:0] wave;
    logic [31:0] message;
    logic [31:0] m0;
  } message_t;

  // Ends the record of one instruction: its writes and accesses came before, with the same wave and
  // order, and the counts say how many.
  typedef struct packed {
    logic [63:0]      wave;
    logic [63:0]      order;
    logic [63:0]      pc;
    logic [3:0][31:0] words;
    logic [63:0]      exec;
    logic [7:0]       vector_writes;
    logic [7:0]       scalar_writes;
    logic [15:0]      accesses;
    logic [31:0]      mode;
    logic [31:0]      status;
    logic [31:0]      trapsts;
    logic [6:0]       flags;
    logic [7:0]       trap;
  } retire_t;

  typedef struct packed {
    logic [63:0]          wave;
    logic [63:0]          order;
    operand_kind_e        kind;
    logic [15:0]          index;
    logic [1:0]           beat;
    logic [BeatLanes-1:0] lanes;
    lanes_t               data;
  } vector_write_t;

  typedef struct packed {
    logic [63:0] wave;
    logic [63:0] order;
    logic [15:0] code;
    logic [31:0] value;
  } scalar_write_t;

  typedef struct packed {
    logic [63:0]      wave;
    logic [63:0]      order;
    logic [5:0]       lane;
    memory_space_e    space;
    memory_kind_e     kind;
    atomic_op_e       atomic;
    logic [7:0]       size;
    logic             glc;
    logic             slc;
    logic             scc;
    logic             nv;
    scope_e           scope;
    logic             fault;
    mtype_e           memory_type;
    logic [63:0]      address;
    logic [15:0][7:0] bytes;
    logic [15:0][7:0] old_bytes;
    logic [63:0]      serial;
  } memory_access_t;

endpackage
