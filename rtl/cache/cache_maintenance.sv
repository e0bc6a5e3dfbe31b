// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Invalidate and write-back. One begins when all that was taken before it is answered, and nothing
// behind it enters the stages before its own answer. At a vector L1, one of system scope goes below
// first. Then it walks over the sets, one in a cycle, and of a set with dirty lines over these: they
// are cleaned, or lose their clean bytes; an invalidate releases the lines without dirty bytes. It
// is answered when every write is acknowledged, and ends when the answer has left. After reset the
// same walk clears the tags.

`include "cuvette_assert.svh"

module cache_maintenance
  import cache_unit_pkg::*;
  import cache_pkg::*;
  import memory_pkg::*;
#(
  parameter role_e       Role = RoleL2,
  parameter int unsigned Sets = 64,
  parameter int unsigned Ways = 4,
  localparam int unsigned SetBits = $clog2(Sets),
  localparam int unsigned WayBits = $clog2(Ways)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               waits_i,       // a request is the next one, and is of this kind
  input  asked_t             asked_i,
  output logic               take_o,        // it has ended
  input  logic               quiet_i,       // no other request is under way
  output logic               clears_o,      // no request may enter the stages

  // Walk
  output logic [SetBits-1:0] set_o,
  input  logic [Ways-1:0]    dirty_i,       // lines of the set
  output logic               release_o,
  output logic               clear_o,
  output logic               step_valid_o,
  input  logic               step_ready_i,
  output step_e              step_o,
  output logic [WayBits-1:0] step_way_o,
  input  logic               step_done_i,

  // The level below
  output logic               send_valid_o,
  input  logic               send_ready_i,
  output mem_req_t           send_o,
  input  logic               below_done_i,
  input  mem_resp_t          below_i,

  // Writes, and the answer
  input  logic               settled_i,
  input  logic               fault_i,
  input  logic [63:0]        fault_address_i,
  output logic               told_o,
  input  logic               answer_ready_i,
  output logic               gives_o,       // answer_o, when ready
  output answer_t            answer_o,
  input  logic               answered_i     // no answer is on its way
);

  typedef enum logic [3:0] {
    StClear,   // after reset, a set in a cycle
    StIdle,
    StBelow,   // the request is sent below
    StAwait,   // its answer is awaited
    StSet,     // a set is looked at
    StWays,    // a dirty line of it is handed to the stages
    StStep,    // and goes through them
    StAnswer,  // when every write is acknowledged
    StLeave    // the answer has been given, and is on its way
  } state_e;

  state_e             state_q, state_d;
  logic [SetBits-1:0] set_q;
  logic [Ways-1:0]    ways_q;     // dirty lines of the set that have not had their turn
  logic [Ways-1:0]    first;      // one-hot
  mem_status_e        status_q;
  logic [63:0]        address_q;
  mem_req_t           request;
  logic               invalidates;
  logic               reaches_below;
  logic               walks;      // it has something to do here
  logic               next_set;
  logic               last_set;
  logic               tells;      // the fault of a write-back

  assign request       = asked_i.request;
  assign invalidates   = request.op == MemInvalidate;
  assign reaches_below = (Role == RoleVectorL1) && (request.scope == ScopeSystem);
  assign walks         = (Role == RoleVectorL1) ? (invalidates && !request.glc) :
                                                  (invalidates || keeps_dirty(Role));
  assign last_set      = set_q == '1;
  assign first         = ways_q & (~ways_q + 1'b1);

  always_comb begin
    state_d  = state_q;
    next_set = 1'b0;
    unique case (state_q)
      StClear: begin
        next_set = 1'b1;
        if (last_set) state_d = StIdle;
      end
      StIdle: begin
        if (waits_i && quiet_i) begin
          state_d = reaches_below ? StBelow : (walks ? StSet : StAnswer);
        end
      end
      StBelow: if (send_ready_i) state_d = StAwait;
      StAwait: if (below_done_i) state_d = walks ? StSet : StAnswer;
      StSet: begin
        if (dirty_i != '0) begin
          state_d = StWays;
        end else begin
          next_set = 1'b1;
          if (last_set) state_d = StAnswer;
        end
      end
      StWays: if (step_ready_i) state_d = StStep;
      StStep: begin
        if (step_done_i) begin
          if (ways_q != '0) begin
            state_d = StWays;
          end else begin
            next_set = 1'b1;
            state_d  = last_set ? StAnswer : StSet;
          end
        end
      end
      StAnswer: if (gives_o) state_d = StLeave;
      StLeave:  if (answered_i) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
  end

  assign clears_o  = state_q == StClear;
  assign clear_o   = clears_o;
  assign set_o     = set_q;
  // A set is left in the cycle of its last step, whose line stays dirty.
  assign release_o = invalidates && (state_q == StSet);

  assign step_valid_o = state_q == StWays;
  assign step_o       = invalidates ? StepDrop : StepClean;

  always_comb begin
    step_way_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (first[w]) step_way_o |= WayBits'(w);
    end
  end

  assign send_valid_o = state_q == StBelow;
  always_comb begin
    send_o           = request;
    send_o.id        = below_id_t'{count: '0, entry: '0, why: BelowMaintain};
    send_o.timestamp = '0;
    send_o.serial    = '0;
  end

  assign tells = !reaches_below && !invalidates && fault_i;
  assign gives_o = (state_q == StAnswer) && settled_i && answer_ready_i;
  assign told_o  = gives_o && tells;
  assign take_o  = (state_q == StLeave) && answered_i;

  always_comb begin
    answer_o                  = '0;
    answer_o.port             = asked_i.port;
    answer_o.response.id      = request.id;
    answer_o.response.address = request.address;
    if (reaches_below) begin
      answer_o.response.status = status_q;
      if (status_q == StatusFault) answer_o.response.address = address_q;
    end else if (tells) begin
      answer_o.response.status  = StatusFault;
      answer_o.response.address = fault_address_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StClear;
      set_q   <= '0;
    end else begin
      state_q <= state_d;
      if (next_set) set_q <= set_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StSet)                       ways_q <= dirty_i;
    else if ((state_q == StWays) && step_ready_i) ways_q <= ways_q & ~first;
    if (below_done_i) begin
      status_q  <= below_i.status;
      address_q <= below_i.address;
    end
  end

  `CUVETTE_ASSERT(BelowIsAwaited_A, below_done_i |-> (state_q == StAwait))
  `CUVETTE_ASSERT(StepIsAwaited_A, step_done_i |-> (state_q == StStep))
  `CUVETTE_ASSERT(StepHeld_A, (step_valid_o && !step_ready_i) |=> step_valid_o)
  `CUVETTE_ASSERT(WaitsHeld_A, (waits_i && !take_o) |=> waits_i)

endmodule
