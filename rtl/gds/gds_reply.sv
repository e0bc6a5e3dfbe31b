// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Responses to the compute units from the two parts of the block, in turns, a whole response of four
// beats at a time. Purely combinational from a part to the compute unit.

`include "cuvette_assert.svh"

module gds_reply
  import gds_unit_pkg::*;
  import gds_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [1:0]                   part_valid_i,
  output logic [1:0]                   part_ready_o,
  input  response_t [1:0]              part_i,
  input  unit_t [1:0]                  part_unit_i,

  output logic [ComputeUnits-1:0]      response_valid_o,
  input  logic [ComputeUnits-1:0]      response_ready_i,
  output response_t [ComputeUnits-1:0] response_o
);

  logic       within_q;  // of a response, from its first offer on
  logic [1:0] owner_q;   // owner of the answer
  logic [1:0] grant;
  logic       index;
  logic       offered;
  response_t  beat;
  unit_t      unit;
  logic       ready;
  logic       last;

  arbiter #(.Requests(2)) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i (within_q ? owner_q : part_valid_i),
    .grant_o   (grant),
    .index_o   (index),
    .valid_o   (offered),
    .ready_i   (ready && last)
  );

  assign beat         = part_i[index];
  assign unit         = part_unit_i[index];
  assign last         = beat.beat == 2'd3;
  assign part_ready_o = grant & {2{ready}};

  always_comb begin
    ready = 1'b0;
    for (int unsigned u = 0; u < ComputeUnits; u++) begin
      response_valid_o[u] = offered && (unit == unit_t'(u));
      response_o[u]       = beat;
      if (unit == unit_t'(u)) ready = response_ready_i[u];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      within_q <= 1'b0;
    else if (offered) within_q <= !(ready && last);
  end

  always_ff @(posedge clk_i) begin
    if (offered) owner_q <= grant;
  end

  `CUVETTE_ASSERT(PartsStay_A, within_q |-> ((owner_q & ~part_valid_i) == '0))
  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_held
    `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_o[u] && !response_ready_i[u]) |=>
        (response_valid_o[u] && $stable(response_o[u])))
  end
  `CUVETTE_ASSERT(OneResponse_A, $onehot0(response_valid_o))

endmodule
