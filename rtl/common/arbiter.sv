// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Round-robin arbiter. Grants one of the requests in each cycle: the first behind the one that was
// served last, the lowest after reset. Nobody waits while others are served twice. A grant that is
// not taken may go to another request in the next cycle.

`include "cuvette_assert.svh"

module arbiter #(
  parameter int unsigned Requests = 4,
  localparam int unsigned IndexBits = (Requests > 1) ? $clog2(Requests) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [Requests-1:0]  request_i,
  output logic [Requests-1:0]  grant_o,  // one of them, or none without requests
  output logic [IndexBits-1:0] index_o,  // of the grant; 0 without one
  output logic                 valid_o,
  input  logic                 ready_i   // the grant is taken
);

  if ((Requests < 1) || (Requests > 64)) begin : gen_refuse_requests
    $error("arbiter: Requests is %0d, expected 1 to 64", Requests);
  end

  logic [Requests-1:0] behind_q;  // above the one that was served last
  logic [Requests-1:0] first;

  assign first   = ((request_i & behind_q) != '0) ? (request_i & behind_q) : request_i;
  assign grant_o = first & (~first + 1'b1);
  assign valid_o = request_i != '0;

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < Requests; i++) begin
      if (grant_o[i]) index_o |= IndexBits'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      behind_q <= '0;
    end else if (valid_o && ready_i) begin
      behind_q <= ~(grant_o | (grant_o - 1'b1));
    end
  end

  `CUVETTE_ASSERT(GrantsOne_A, $onehot0(grant_o))
  `CUVETTE_ASSERT(GrantsRequests_A, (grant_o & ~request_i) == '0)

endmodule
