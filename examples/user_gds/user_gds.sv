// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A user's global data share for the contract of gds.md, deliberately unlike Cuvette's: one message
// at a time from its first beat to its last answer, nothing overlaps. A request is not gathered:
// the lanes of a beat work as it comes, before the next one is taken. Compute units have their
// turns downwards. `taken` is told when the last lane has worked, and nothing else acts in between.
// A beat of accesses lasts 18 to 200 cycles; the first beat of the answer comes in the cycle behind
// `taken`, that of a sync that needs not wait three cycles later.
module user_gds
  import gds_pkg::*;
#(
  parameter int unsigned ComputeUnits = 4,
  parameter int unsigned GdsBytes     = 4096  // of the targets that it is for
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic      [ComputeUnits-1:0] request_valid_i,
  output logic      [ComputeUnits-1:0] request_ready_o,
  input  request_t  [ComputeUnits-1:0] request_i,

  output logic      [ComputeUnits-1:0] taken_valid_o,
  input  logic      [ComputeUnits-1:0] taken_ready_i,
  output taken_t    [ComputeUnits-1:0] taken_o,

  output logic      [ComputeUnits-1:0] response_valid_o,
  input  logic      [ComputeUnits-1:0] response_ready_i,
  output response_t [ComputeUnits-1:0] response_o,

  input  logic                         waves_valid_i,
  output logic                         waves_ready_o,
  input  spi_pkg::wave_order_t         waves_i
);

  localparam int unsigned Lanes    = 16;  // of a beat
  localparam int unsigned UnitBits = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1;

  typedef enum logic [2:0] {
    StIdle,    // takes a first beat, or a message about a wave
    StNext,    // takes the next beat of the request
    StStart,   // the lanes of the beat start
    StLanes,   // they work
    StTaken,   // `taken` is offered
    StSync,    // the sync, withdrawal or wave acts
    StAnswers, // answers of it are awaited
    StReply    // beats of an answer go
  } state_e;

  state_e                 state_q;
  logic [UnitBits-1:0]    unit_q;      // of the request
  request_t               beat_q;      // the last one that came
  logic                   of_order_q;  // `order_q` acts, no request
  spi_pkg::wave_order_t   order_q;

  logic [UnitBits-1:0]    reply_unit_q;
  logic [31:0]            reply_id_q;
  logic [1:0]             reply_beat_q;
  logic [3:0][3:0][Lanes-1:0][31:0] reply_q;  // by beat

  // The next one with a request below the one that was served last, which comes last itself.
  logic [UnitBits-1:0] chosen;
  always_comb begin
    chosen = unit_q;
    for (int unsigned n = 0; n < ComputeUnits; n++) begin  // the later one counts
      automatic int unsigned u = (32'(unit_q) + n) % ComputeUnits;
      if (request_valid_i[u]) chosen = UnitBits'(u);
    end
  end

  logic shared, first_beat, next_beat, lanes_done;  // shared: an access
  logic [3:0][Lanes-1:0][31:0] lanes_data;
  assign shared     = (beat_q.sync == SyncNone) && !beat_q.withdraw;
  assign first_beat = (state_q == StIdle) && !waves_valid_i && request_valid_i[chosen];
  assign next_beat  = (state_q == StNext) && request_valid_i[unit_q];

  logic                sync_idle, answer_valid;
  logic [UnitBits-1:0] answer_unit;
  logic [31:0]         answer_id, answer_value;

  user_gds_share #(.GdsBytes(GdsBytes)) u_share (
    .clk_i,
    .rst_ni,
    .start_i ((state_q == StStart) && shared),
    .beat_i  (beat_q),
    .done_o  (lanes_done),
    .data_o  (lanes_data)
  );

  user_gds_sync #(.ComputeUnits(ComputeUnits)) u_sync (
    .clk_i,
    .rst_ni,
    .start_i        (state_q == StSync),
    .of_order_i     (of_order_q),
    .order_i        (order_q),
    .unit_i         (unit_q),
    .request_i      (beat_q),
    .idle_o         (sync_idle),
    .answer_valid_o (answer_valid),
    .answer_ready_i (state_q == StAnswers),
    .answer_unit_o  (answer_unit),
    .answer_id_o    (answer_id),
    .answer_value_o (answer_value)
  );

  always_comb begin
    request_ready_o = '0;
    if ((state_q == StIdle) && !waves_valid_i) request_ready_o[chosen] = 1'b1;
    if (state_q == StNext) request_ready_o[unit_q] = 1'b1;
    waves_ready_o    = state_q == StIdle;
    taken_valid_o    = '0;
    response_valid_o = '0;
    taken_valid_o[unit_q]          = state_q == StTaken;
    response_valid_o[reply_unit_q] = state_q == StReply;
    taken_o    = {ComputeUnits{beat_q.id}};
    response_o = {ComputeUnits{reply_id_q, reply_beat_q, reply_q[reply_beat_q]}};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      unit_q  <= '0;
    end else begin
      unique case (state_q)
        StIdle: begin
          of_order_q <= waves_valid_i;
          order_q    <= waves_i;
          if (waves_valid_i) state_q <= StSync;
          if (first_beat) begin
            unit_q  <= chosen;
            beat_q  <= request_i[chosen];
            state_q <= StStart;
          end
        end

        StNext: if (next_beat) begin
          beat_q  <= request_i[unit_q];
          state_q <= StStart;
        end

        // A sync has nothing to do before its last beat.
        StStart: if (shared) begin
          state_q <= StLanes;
        end else if (beat_q.beat != '1) begin
          state_q <= StNext;
        end else begin
          state_q <= beat_q.withdraw ? StSync : StTaken;
        end

        StLanes: if (lanes_done) state_q <= (beat_q.beat == '1) ? StTaken : StNext;

        StTaken: if (taken_ready_i[unit_q]) begin
          state_q      <= shared ? StReply : StSync;
          reply_unit_q <= unit_q;
          reply_id_q   <= beat_q.id;
          reply_beat_q <= '0;
        end

        StSync: state_q <= StAnswers;

        StAnswers: if (answer_valid) begin
          reply_unit_q  <= answer_unit;
          reply_id_q    <= answer_id;
          reply_beat_q  <= '0;
          reply_q       <= '0;
          reply_q[0][0][0] <= answer_value;
          state_q       <= StReply;
        end else if (sync_idle) begin
          state_q <= StIdle;
        end

        StReply: if (response_ready_i[reply_unit_q]) begin
          reply_beat_q <= reply_beat_q + 2'd1;
          if (reply_beat_q == '1) state_q <= (shared && !of_order_q) ? StIdle : StAnswers;
        end

        default: state_q <= StIdle;
      endcase

      // The answers of a beat stand in place a cycle after its last lane.
      if (state_q inside {StNext, StTaken} && shared) reply_q[beat_q.beat] <= lanes_data;
    end
  end

endmodule
