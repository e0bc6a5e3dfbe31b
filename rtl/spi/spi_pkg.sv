// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Records between command processor, spi and compute units (docs/spi.md, model/spi/wave_launch.h).
package spi_pkg;

  import vrf_pkg::*;

  localparam int unsigned LaunchSgprs = 48;
  localparam int unsigned LaunchVgprs = 3;

  typedef struct packed {
    logic [31:0]      id;
    logic [7:0]       vmid;
    logic [7:0]       queue_priority;
    logic [63:0]      packet_address;
    logic [63:0]      dispatch_index;
    logic [63:0]      queue_address;
    logic [63:0]      kernel_object;
    logic [63:0]      entry;
    logic [63:0]      kernarg;
    logic [2:0][31:0] grid;
    logic [2:0][15:0] workgroup;
    logic [31:0]      group_bytes;
    logic [31:0]      private_bytes;
    logic [31:0]      rsrc1;
    logic [31:0]      rsrc2;
    logic [31:0]      rsrc3;
    logic [31:0]      properties;
    logic [3:0][31:0] scratch_descriptor;
    logic [63:0]      scratch_base;
    logic [63:0]      scratch_bytes_per_wave;
    logic [31:0]      scratch_waves;
    logic [63:0]      tba;
    logic [63:0]      tma;
    logic             from_registers;
    logic [15:0][31:0] user_data;
    logic [2:0][31:0] start;
    logic [7:0][15:0] cu_mask;
    logic [63:0]      save_area;
    logic [63:0]      next_group;
  } dispatch_t;

  typedef struct packed {
    logic [31:0] dispatch;
  } cancel_t;

  typedef struct packed {
    logic [31:0] dispatch;
    logic [63:0] area;
    logic [31:0] from;
    logic [31:0] to;
    logic [31:0] groups;
  } save_t;

  typedef struct packed {
    logic [31:0] dispatch;
    logic [31:0] group;
    logic [15:0] place;
    logic [15:0] waves;
  } saved_group_t;

  typedef enum logic [2:0] {
    WaveKill   = 3'd0,
    WaveHalt   = 3'd1,
    WaveResume = 3'd2,
    WaveAttach = 3'd3,
    WaveDetach = 3'd4,
    WaveSave   = 3'd5
  } wave_action_e;

  typedef struct packed {
    wave_action_e action;
    logic         one;
    logic         of_vmid;
    logic         of_dispatch;
    logic [7:0]   simd;
    logic [7:0]   slot;
    logic [7:0]   vmid;
    logic [31:0]  dispatch;
    logic [31:0]  workgroup;
    logic [63:0]  room;
    logic [31:0]  wave_bytes;
  } wave_command_t;

  typedef struct packed {
    logic [31:0] id;
    logic        error;
    logic [31:0] error_code;
    logic [63:0] error_address;
    logic [63:0] error_pc;
    logic        saved;
    logic [63:0] next_group;
    logic [31:0] save_end;
  } dispatch_done_t;

  // Four beats: `vgpr` holds 16 lanes of each row, everything else is equal in all of them.
  typedef struct packed {
    logic [63:0]                  id;
    logic [1:0]                   beat;
    logic [31:0]                  dispatch;
    logic [2:0][31:0]             workgroup_id;
    logic [31:0]                  workgroup;
    logic [7:0]                   wave_in_group;
    logic [7:0]                   waves_in_group;
    logic [7:0]                   vmid;
    logic [7:0]                   simd;
    logic [7:0]                   slot;
    logic [15:0]                  vgpr_base;
    logic [15:0]                  vgpr_count;
    logic [15:0]                  acc_base;
    logic [15:0]                  acc_count;
    logic [15:0]                  sgpr_base;
    logic [15:0]                  sgpr_count;
    logic [31:0]                  lds_base;
    logic [31:0]                  lds_bytes;
    logic [63:0]                  scratch_base;
    logic [31:0]                  private_bytes;
    logic [63:0]                  pc;
    logic [63:0]                  tba;
    logic [63:0]                  tma;
    logic [63:0]                  exec;
    logic [31:0]                  mode;
    logic [31:0]                  status;
    logic [31:0]                  m0;
    logic [7:0]                   prio;
    logic [7:0]                   sgprs;
    logic [LaunchSgprs-1:0][31:0] sgpr;
    logic [63:0]                  flat_scratch;
    logic [7:0]                   vgprs;
    lanes_t [LaunchVgprs-1:0]     vgpr;
  } wave_launch_t;

  typedef struct packed {
    logic [63:0] wave;
    logic [31:0] dispatch;
    logic        ended;
  } wave_order_t;

  typedef struct packed {
    logic [63:0] id;
    logic [7:0]  simd;
    logic [7:0]  slot;
    logic [31:0] dispatch;
    logic [31:0] workgroup;
    logic        error;
    logic [31:0] error_code;
    logic [63:0] error_address;
    logic [63:0] error_pc;
    logic        saved;
    logic        first;
  } wave_done_t;

endpackage
