// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the global data share (docs/gds.md, model/gds/gds.h): 64 lanes in four beats of 16.
package gds_pkg;

  import memory_pkg::*;
  import vrf_pkg::*;
  import lds_pkg::memory_kind_e;

  typedef enum logic [2:0] {
    SyncNone                = 3'd0,
    SyncInit                = 3'd1,
    SyncSemaphoreV          = 3'd2,
    SyncSemaphoreBulk       = 3'd3,
    SyncSemaphoreP          = 3'd4,
    SyncSemaphoreReleaseAll = 3'd5,
    SyncBarrier             = 3'd6,
    SyncOrderedCount        = 3'd7
  } sync_op_e;

  typedef struct packed {
    logic [31:0]               id;
    logic [1:0]                beat;
    logic [63:0]               wave;
    logic [31:0]               dispatch;
    logic                      withdraw;
    sync_op_e                  sync;
    logic [5:0]                resource;
    logic [31:0]               value;
    logic                      releases;
    memory_kind_e              kind;
    atomic_op_e                atomic;
    logic                      flush_in;
    logic                      flush_out;
    logic                      operand_in_gds;
    logic [1:0]                accesses;
    logic [4:0]                bytes;
    logic [1:0][BeatLanes-1:0] exec;
    lanes_t [1:0]              offset;
    lanes_t [3:0]              data;
    lanes_t [1:0]              compare;
  } request_t;

  typedef struct packed {
    logic [31:0] id;
  } taken_t;

  typedef struct packed {
    logic [31:0]  id;
    logic [1:0]   beat;
    lanes_t [3:0] data;
  } response_t;

endpackage
