// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Answers of the level below, one in a cycle, by what was asked: fills and acknowledgements of
// writes go where they belong at once, answers to what was passed on wait for room in the response
// queue of their port, and nothing else in the cache holds them up.

`include "cuvette_assert.svh"

module cache_replies
  import cache_unit_pkg::*;
  import memory_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                down_response_valid_i,
  output logic                down_response_ready_o,
  input  mem_resp_t           down_response_i,

  output mem_resp_t           reply_o,         // means something with one of these
  output entry_t              entry_o,
  output logic                fill_o,
  output logic                acknowledge_o,   // of a write
  output logic                maintained_o,
  output logic                forwarded_o,     // answer_o is given

  input  port_t               port_i,          // of the entry
  input  logic [63:0]         id_i,
  input  logic [MaxPorts-1:0] room_i,
  output answer_t             answer_o
);

  logic      full;
  logic      empty;
  below_id_t id;

  fifo #(
    .Width ($bits(mem_resp_t)),
    .Depth (2)
  ) u_replies (
    .clk_i,
    .rst_ni,
    .push_i  (down_response_valid_i && !full),
    .data_i  (down_response_i),
    .full_o  (full),
    .pop_i   (fill_o || acknowledge_o || maintained_o || forwarded_o),
    .data_o  (reply_o),
    .empty_o (empty)
  );

  assign down_response_ready_o = !full;
  assign id                    = below_id_t'(reply_o.id);
  assign entry_o               = id.entry;
  assign fill_o                = !empty && (id.why == BelowFill);
  assign acknowledge_o         = !empty && (id.why == BelowWrite);
  assign maintained_o          = !empty && (id.why == BelowMaintain);
  assign forwarded_o           = !empty && (id.why == BelowForward) && room_i[port_i];

  always_comb begin
    answer_o                    = '{port: port_i, response: reply_o};
    answer_o.response.id        = id_i;
    answer_o.response.timestamp = '0;
  end

  `CUVETTE_ASSERT(ReplyHeld_A, (down_response_valid_i && !down_response_ready_o) |=>
      (down_response_valid_i && $stable(down_response_i)))

endmodule
