// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The stages of a cache, with what is done in the last of them and the misses. Times: cache_lookup,
// cache_serve, cache_misses.

module cache_pipe
  import cache_unit_pkg::*;
  import cache_pkg::*;
  import memory_pkg::*;
#(
  parameter role_e       Role            = RoleL2,
  parameter int unsigned Sets            = 64,
  parameter int unsigned Ways            = 4,
  parameter int unsigned LineBytes       = 64,
  parameter int unsigned Misses          = 16,
  parameter int unsigned Slices          = 1,
  parameter int unsigned InterleaveBytes = 64,
  parameter bit          Tree            = 1'b0,
  localparam int unsigned SetBits  = $clog2(Sets),
  localparam int unsigned WayBits  = $clog2(Ways),
  localparam int unsigned LineBits = BlockBits - $clog2(LineBytes / BlockBytes)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // New requests
  input  logic                      new_valid_i,
  input  asked_t                    new_i,
  output logic                      new_take_o,

  // The request in the last stage
  output asked_t                    asked_o,
  output logic                      idle_o,          // no request is under way here

  // Misses
  output logic                      room_o,          // for a new request
  input  logic                      fill_i,
  input  entry_t                    fill_entry_i,
  input  logic                      fill_fault_i,
  input  data_t                     fill_data_i,

  // Maintenance
  input  logic                      walk_valid_i,
  output logic                      walk_ready_o,
  input  step_e                     walk_step_i,
  input  logic [SetBits-1:0]        walk_set_i,
  input  logic [WayBits-1:0]        walk_way_i,
  output logic                      walk_done_o,
  output logic [Ways-1:0]           walk_dirty_o,
  input  logic                      walk_release_i,
  input  logic                      walk_clear_i,

  // Write-back engine
  input  logic                      engine_idle_i,
  output logic                      engine_take_o,
  output logic [LineBits-1:0]       engine_line_o,
  output logic [LineBytes-1:0]      engine_dirty_o,
  output logic [LineBytes-1:0][7:0] engine_data_o,

  // The level below
  input  logic                      send_ready_i,
  output logic                      send_valid_o,
  output mem_req_t                  send_o,
  input  logic                      forward_room_i,
  input  entry_t                    forward_entry_i,
  output logic                      forward_o,

  // Answers
  input  logic                      answer_ready_i,
  output logic                      answer_valid_o,
  output answer_t                   answer_o
);

  logic                      stages_idle;
  logic                      misses_idle;
  logic                      due;
  logic                      due_installs;
  logic                      due_faulted;
  logic                      due_start;
  entry_t                    due_entry;
  block_t                    due_block;
  asked_t                    due_asked;
  data_t                     due_data;
  logic                      match;
  entry_t                    free_entry;
  logic                      add;
  logic                      append;
  logic                      served;
  logic                      again;
  logic                      installed;
  logic                      valid;
  step_e                     step;
  logic                      faulted;
  logic                      hit;
  logic [LineBytes-1:0]      line_valid;
  logic [LineBytes-1:0]      line_dirty;
  logic                      done;
  logic                      write;
  logic [LineBytes-1:0]      write_valid;
  logic [LineBytes-1:0]      write_dirty;
  logic [LineBytes-1:0]      write_bytes;
  logic [LineBytes-1:0][7:0] write_data;
  logic                      claim;
  logic                      touch;

  cache_lookup #(
    .Sets            (Sets),
    .Ways            (Ways),
    .LineBytes       (LineBytes),
    .Slices          (Slices),
    .InterleaveBytes (InterleaveBytes),
    .Tree            (Tree)
  ) u_lookup (
    .clk_i,
    .rst_ni,
    .new_valid_i    (new_valid_i),
    .new_i          (new_i),
    .new_take_o     (new_take_o),
    .due_i          (due),
    .due_installs_i (due_installs),
    .due_faulted_i  (due_faulted),
    .due_block_i    (due_block),
    .due_start_o    (due_start),
    .due_asked_i    (due_asked),
    .due_data_i     (due_data),
    .walk_valid_i   (walk_valid_i),
    .walk_ready_o   (walk_ready_o),
    .walk_step_i    (walk_step_i),
    .walk_set_i     (walk_set_i),
    .walk_way_i     (walk_way_i),
    .walk_done_o    (walk_done_o),
    .idle_o         (stages_idle),
    .valid_o        (valid),
    .step_o         (step),
    .asked_o        (asked_o),
    .faulted_o      (faulted),
    .hit_o          (hit),
    .line_o         (engine_line_o),
    .line_valid_o   (line_valid),
    .line_dirty_o   (line_dirty),
    .line_data_o    (engine_data_o),
    .done_i         (done),
    .write_i        (write),
    .write_valid_i  (write_valid),
    .write_dirty_i  (write_dirty),
    .write_bytes_i  (write_bytes),
    .write_data_i   (write_data),
    .claim_i        (claim),
    .touch_i        (touch),
    .walk_dirty_o   (walk_dirty_o),
    .walk_release_i (walk_release_i),
    .walk_clear_i   (walk_clear_i)
  );

  cache_serve #(
    .Role      (Role),
    .LineBytes (LineBytes)
  ) u_serve (
    .clk_i,
    .rst_ni,
    .valid_i         (valid),
    .step_i          (step),
    .asked_i         (asked_o),
    .faulted_i       (faulted),
    .hit_i           (hit),
    .line_valid_i    (line_valid),
    .line_dirty_i    (line_dirty),
    .line_data_i     (engine_data_o),
    .done_o          (done),
    .write_o         (write),
    .write_valid_o   (write_valid),
    .write_dirty_o   (write_dirty),
    .write_bytes_o   (write_bytes),
    .write_data_o    (write_data),
    .claim_o         (claim),
    .touch_o         (touch),
    .match_i         (match),
    .free_entry_i    (free_entry),
    .due_entry_i     (due_entry),
    .add_o           (add),
    .append_o        (append),
    .served_o        (served),
    .again_o         (again),
    .installed_o     (installed),
    .engine_idle_i   (engine_idle_i),
    .engine_take_o   (engine_take_o),
    .engine_dirty_o  (engine_dirty_o),
    .send_ready_i    (send_ready_i),
    .send_valid_o    (send_valid_o),
    .send_o          (send_o),
    .forward_room_i  (forward_room_i),
    .forward_entry_i (forward_entry_i),
    .forward_o       (forward_o),
    .answer_ready_i  (answer_ready_i),
    .answer_valid_o  (answer_valid_o),
    .answer_o        (answer_o)
  );

  cache_misses #(
    .Misses  (Misses),
    .Waiting (2 * Misses)
  ) u_misses (
    .clk_i,
    .rst_ni,
    .block_i        (asked_o.request.address[63 -: BlockBits]),
    .asked_i        (asked_o),
    .match_o        (match),
    .free_entry_o   (free_entry),
    .add_i          (add),
    .append_i       (append),
    .served_i       (served),
    .again_i        (again),
    .installed_i    (installed),
    .room_o         (room_o),
    .idle_o         (misses_idle),
    .fill_i         (fill_i),
    .fill_entry_i   (fill_entry_i),
    .fill_fault_i   (fill_fault_i),
    .fill_data_i    (fill_data_i),
    .due_o          (due),
    .due_entry_o    (due_entry),
    .due_installs_o (due_installs),
    .due_faulted_o  (due_faulted),
    .due_block_o    (due_block),
    .start_i        (due_start),
    .asked_o        (due_asked),
    .data_o         (due_data)
  );

  assign idle_o = stages_idle && misses_idle;

endmodule
