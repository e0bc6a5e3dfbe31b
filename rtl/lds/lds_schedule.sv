// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Order and time of a request in the banks. Its work is cut into passes, an access of a group of
// lanes each: group 0 before group 1, access 0 before access 1. In a cycle every bank serves one
// word of the pass, so a pass takes as many cycles as its busiest bank has words, and one without
// lanes none. Atomic operations count each lane for itself; what is picked for them is their time
// alone.

`include "cuvette_assert.svh"

module lds_schedule
  import lds_unit_pkg::*;
  import lds_pkg::*;
  import memory_pkg::*;
  import vrf_pkg::*;
(
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic                             work_valid_i,
  input  memory_kind_e                     kind_i,
  input  logic [4:0]                       bytes_i,       // of an access
  input  logic [1:0][Lanes-1:0]            want_i,
  input  address_t [1:0][Lanes-1:0]        address_i,
  input  logic                             may_start_i,   // there is room for the answer
  input  logic                             acted_i,       // atomic operations: all lanes have acted
  output logic                             start_o,       // its first cycle
  output logic                             picked_o,      // its last one in the banks
  output logic [3:0]                       cycles_o,      // with picked_o: those without conflicts
  output logic                             done_o,        // the request is served

  // The pass of this cycle
  output logic                             group_o,
  output logic                             access_o,
  output address_t [GroupLanes-1:0]        address_o,
  output logic [LdsBanks-1:0]              active_o,      // banks that serve a word
  output row_t [LdsBanks-1:0]              row_o,
  output logic [LdsBanks-1:0][GroupLanes-1:0] lanes_o,    // for these lanes
  output logic [GroupLanes-1:0][Chunks-1:0]   served_o    // the same, chunks of lanes
);

  typedef logic [GroupLanes-1:0][Chunks-1:0] pass_t;

  logic                 started_q;
  logic                 picked_q;
  pass_t [1:0][1:0]     served_q;  // by group and access
  pass_t [1:0][1:0]     open;
  logic [1:0][1:0]      waits;     // passes with something open
  logic                 atomic;
  logic                 run;
  logic [Chunks-1:0]    chunks;
  pass_t                left;
  logic                 others;    // passes after this one
  logic                 ends;      // this one's last cycle

  assign atomic  = is_atomic(kind_i);
  assign run     = work_valid_i && !picked_q && (started_q || may_start_i);
  assign start_o = run && !started_q;
  assign chunks  = Chunks'((5'd1 << dwords_of(bytes_i)) - 5'd1);

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    for (genvar w = 0; w < 2; w++) begin : gen_access
      for (genvar l = 0; l < GroupLanes; l++) begin : gen_lane
        assign open[g][w][l] = want_i[w][GroupLanes*g + l] ? (chunks & ~served_q[g][w][l]) : '0;
      end
      assign waits[g][w] = open[g][w] != '0;
    end
  end

  assign group_o  = waits[0] == '0;
  assign access_o = !waits[group_o][0];

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The words of this cycle
  ////////////////////////////////////////////////////////////////////////////////////////////////
  pass_t                  pass_open;
  word_t [GroupLanes-1:0] word;

  assign pass_open = run ? open[group_o][access_o] : '0;

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_word
    assign address_o[l] = address_i[access_o][{group_o, 5'(l)}];
    assign word[l]      = address_o[l][WordBits+1:2];
  end

  for (genvar b = 0; b < LdsBanks; b++) begin : gen_bank
    lds_pick_pkg::pick_t picked;

    always_comb begin
      picked = '0;
      if (run) picked = lds_pick_pkg::pick(bank_t'(b), word, pass_open, atomic);
    end

    assign active_o[b] = picked.active;
    assign row_o[b]    = picked.row;
    assign lanes_o[b]  = picked.lanes;
  end

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_served
    for (genvar k = 0; k < Chunks; k++) begin : gen_chunk
      assign served_o[l][k] = lanes_o[word[l][BankBits-1:0] + bank_t'(k)][l];
    end
  end

  assign left   = pass_open & ~served_o;
  assign ends   = run && (left == '0);
  assign others = (group_o == 1'b0) ? ((waits[1] != '0) || (!access_o && waits[0][1]))
                                    : (!access_o && waits[1][1]);
  assign picked_o = ends && !others;
  assign done_o   = (picked_o || picked_q) && (!atomic || acted_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      picked_q  <= 1'b0;
      served_q  <= '0;
    end else if (done_o) begin
      started_q <= 1'b0;
      picked_q  <= 1'b0;
      served_q  <= '0;
    end else if (run) begin
      started_q <= 1'b1;
      picked_q  <= picked_o;
      served_q[group_o][access_o] <= served_q[group_o][access_o] | served_o;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The cycles that it would take without conflicts: all banks busy but in a pass's last one
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [7:0] pass_words_q;  // served before this cycle
  logic [7:0] pass_words;
  logic [3:0] cycles_q;      // of passes that have ended
  logic [3:0] cycles;

  always_comb begin
    pass_words = pass_words_q;
    for (int unsigned b = 0; b < LdsBanks; b++) pass_words = pass_words + 8'(active_o[b]);
  end
  assign cycles     = cycles_q + 4'((pass_words + 8'(LdsBanks - 1)) >> BankBits);
  // A request that wants nothing takes one, as the first cycle of others.
  assign cycles_o   = (cycles == 4'd0) ? 4'd1 : cycles;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || done_o) begin
      pass_words_q <= '0;
      cycles_q     <= '0;
    end else if (run) begin
      pass_words_q <= ends ? '0 : pass_words;
      if (ends) cycles_q <= cycles;
    end
  end

  `CUVETTE_ASSERT(ServesSomething_A, (run && (pass_open != '0)) |-> (active_o != '0))

endmodule
