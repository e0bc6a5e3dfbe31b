// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types of the vector register file (docs/vrf.md, model/vrf/vrf.h), and of every transfer of whole
// rows: 64 lanes in four beats of 16.
package vrf_pkg;

  localparam int unsigned Lanes      = 64;
  localparam int unsigned BeatLanes  = 16;
  localparam int unsigned ReadPorts  = 8;
  localparam int unsigned WritePorts = 5;
  localparam int unsigned Banks      = 4;

  typedef enum logic [2:0] {
    ReadSource0    = 3'd0,
    ReadSource1    = 3'd1,
    ReadSource2    = 3'd2,
    ReadMatrixA    = 3'd3,
    ReadMatrixB    = 3'd4,
    ReadMatrixC    = 3'd5,
    ReadMemoryData = 3'd6,
    ReadBackdoor   = 3'd7
  } read_port_e;

  typedef enum logic [2:0] {
    WriteValu         = 3'd0,
    WriteMatrix       = 3'd1,
    WriteMemoryReturn = 3'd2,
    WriteLaunchInit   = 3'd3,
    WriteBackdoor     = 3'd4
  } write_port_e;

  typedef logic [BeatLanes-1:0][31:0] lanes_t;

  typedef struct packed {
    logic        acc;
    logic [15:0] row;
  } row_address_t;

  typedef struct packed {
    row_address_t address;
    logic [1:0]   beat;
  } read_t;

  typedef struct packed {
    logic [1:0] beat;
    lanes_t     data;
  } read_data_t;

  typedef struct packed {
    row_address_t         address;
    logic [1:0]           beat;
    logic [BeatLanes-1:0] lanes;
    lanes_t               data;
  } write_t;

endpackage
