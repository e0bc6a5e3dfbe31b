// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the spi block (docs/spi.md): dispatches from the command processor, one launch, one
// command and one done channel per compute unit, the order of waves for the gds.
interface spi_if
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic           dispatch_valid;
  logic           dispatch_ready;
  dispatch_t      dispatch;
  logic           dispatch_done_valid;
  logic           dispatch_done_ready;
  dispatch_done_t dispatch_done;
  logic           cancel_valid;
  logic           cancel_ready;
  cancel_t        cancel;
  logic           wave_order_valid;
  logic           wave_order_ready;
  wave_order_t    wave_order;
  logic           save_valid;
  logic           save_ready;
  save_t          save;
  logic           saved_valid;
  logic           saved_ready;
  saved_group_t   saved;
  logic           restore_valid;
  logic           restore_ready;
  saved_group_t   restore;

  logic         [ComputeUnits-1:0] launch_valid;
  logic         [ComputeUnits-1:0] launch_ready;
  wave_launch_t [ComputeUnits-1:0] launch;
  logic          [ComputeUnits-1:0] command_valid;
  logic          [ComputeUnits-1:0] command_ready;
  wave_command_t [ComputeUnits-1:0] command;
  logic         [ComputeUnits-1:0] done_valid;
  logic         [ComputeUnits-1:0] done_ready;
  wave_done_t   [ComputeUnits-1:0] done;

  modport dut (
    input  clk_i, rst_ni, dispatch_valid, dispatch, dispatch_done_ready, launch_ready, done_valid,
           done, cancel_valid, cancel, command_ready, wave_order_ready,
           save_valid, save, saved_ready, restore_valid, restore,
    output dispatch_ready, dispatch_done_valid, dispatch_done, launch_valid, launch, done_ready,
           cancel_ready, command_valid, command, wave_order_valid, wave_order,
           save_ready, saved_valid, saved, restore_ready
  );

  modport env (
    input  clk_i, rst_ni, dispatch_ready, dispatch_done_valid, dispatch_done, launch_valid, launch,
           done_ready, cancel_ready, command_valid, command, wave_order_valid, wave_order,
           save_ready, saved_valid, saved, restore_ready,
    output dispatch_valid, dispatch, dispatch_done_ready, launch_ready, done_valid, done,
           cancel_valid, cancel, command_ready, wave_order_ready,
           save_valid, save, saved_ready, restore_valid, restore
  );

endinterface
