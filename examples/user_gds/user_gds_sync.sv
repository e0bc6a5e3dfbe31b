// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Global wave sync and ordered counts: what a request, a withdrawal or a message about a wave does,
// and who goes on because of it. Waves that wait circulate in one queue, the oldest in front: a
// turn of the queue takes each entry out, one in a cycle, and answers it or puts it back behind.
// Ordered counts go on one in a turn, so that the next is always the oldest whose time has come.
module user_gds_sync
  import gds_pkg::*;
#(
  parameter  int unsigned ComputeUnits = 4,
  localparam int unsigned UnitBits     = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 start_i,     // while idle; what comes with it stays until idle again
  input  logic                 of_order_i,  // begin or end of a wave, otherwise a request
  input  spi_pkg::wave_order_t order_i,
  input  logic [UnitBits-1:0]  unit_i,      // of the request
  input  request_t             request_i,   // its last beat
  output logic                 idle_o,

  output logic                 answer_valid_o,
  input  logic                 answer_ready_i,
  output logic [UnitBits-1:0]  answer_unit_o,
  output logic [31:0]          answer_id_o,
  output logic [31:0]          answer_value_o  // of ordered counts: the count before
);

  // More than the wave slots of a compute unit, which are 40 at most.
  localparam int unsigned Waves     = 64 * (1 << $clog2(ComputeUnits));
  localparam int unsigned WaveBits  = $clog2(Waves);
  localparam int unsigned Resources = 64;
  localparam int unsigned Counters  = 4;

  typedef enum logic [1:0] {
    StIdle,
    StAct,   // the request itself
    StGive,  // an answer
    StTurn   // an entry of the queue
  } state_e;

  // Who is let go in a turn of the queue.
  typedef enum logic [1:0] {
    LetCounted,   // of the resource, as many as its counter says
    LetAll,       // of the resource
    LetWithdrawn, // of the wave
    LetOrdered    // one ordered count that has no earlier wave any more
  } let_e;

  typedef struct packed {
    logic [UnitBits-1:0] unit;
    logic [31:0]         id;
    logic [63:0]         wave;
    logic [31:0]         dispatch;
    logic                ordered;
    logic                releases;
    logic [5:0]          resource;
    logic [31:0]         value;
  } entry_t;

  state_e state_q;
  let_e   let_q;
  logic   turns_q;  // a turn of the queue is to follow the answer
  logic   again_q;  // an ordered count went on in this turn

  entry_t              queue_q [Waves];
  logic [WaveBits-1:0] head_q, tail_q;
  logic [WaveBits:0]   waiting_q;  // entries
  logic [WaveBits:0]   left_q;     // of them, in this turn

  logic [Resources-1:0][63:0]       counter_q;
  logic [Resources-1:0][WaveBits:0] waiting_at_q;  // entries of a resource
  logic [Counters-1:0][31:0]        count_q;       // ordered

  // Waves that have begun and neither ended nor released the next one, in any order.
  logic [Waves-1:0] holds_q;
  logic [63:0]      holder_q          [Waves];
  logic [31:0]      holder_dispatch_q [Waves];

  function automatic logic has_earlier(input logic [31:0] dispatch, input logic [63:0] wave);
    for (int unsigned w = 0; w < Waves; w++) begin
      if (holds_q[w] && (holder_dispatch_q[w] == dispatch) && (holder_q[w] < wave)) return 1'b1;
    end
    return 1'b0;
  endfunction

  function automatic logic [WaveBits-1:0] free_place();
    for (int unsigned w = 0; w < Waves; w++) begin
      if (!holds_q[w]) return WaveBits'(w);
    end
    return '0;
  endfunction

  // `holds_q` behind the end, or the release, of a wave.
  function automatic logic [Waves-1:0] without(
    input logic [31:0] dispatch, input logic [63:0] wave
  );
    logic [Waves-1:0] holds = holds_q;
    for (int unsigned w = 0; w < Waves; w++) begin
      if ((holder_dispatch_q[w] == dispatch) && (holder_q[w] == wave)) holds[w] = 1'b0;
    end
    return holds;
  endfunction

  entry_t front, asks;
  assign front = queue_q[head_q];
  assign asks  = '{
    unit:     unit_i,
    id:       request_i.id,
    wave:     request_i.wave,
    dispatch: request_i.dispatch,
    ordered:  request_i.sync == SyncOrderedCount,
    releases: request_i.releases,
    resource: request_i.resource,
    value:    request_i.value
  };

  logic [63:0] counter;
  logic        barrier_waits;
  logic        let_go;  // the entry in front
  assign counter = counter_q[request_i.resource];
`ifdef USER_GDS_EARLY
  // A barrier that lets the waves go when the last but one has come.
  assign barrier_waits = counter > 64'd1;
`else
  assign barrier_waits = counter != '0;
`endif
  always_comb begin
    unique case (let_q)
      LetCounted:   let_go = !front.ordered && (front.resource == request_i.resource) &&
                             (counter != '0);
      LetAll:       let_go = !front.ordered && (front.resource == request_i.resource);
      LetWithdrawn: let_go = front.wave == request_i.wave;
      default:      let_go = 1'b0;  // looked up below
    endcase
  end

  assign idle_o         = state_q == StIdle;
  assign answer_valid_o = state_q == StGive;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      head_q       <= '0;
      tail_q       <= '0;
      waiting_q    <= '0;
      counter_q    <= '0;
      waiting_at_q <= '0;
      count_q      <= '0;
      holds_q      <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (start_i) state_q <= StAct;

        StAct: begin
          automatic logic waits;
          waits = 1'b0;
          // Most requests are answered, and let nobody go.
          state_q        <= StGive;
          turns_q        <= 1'b0;
          again_q        <= 1'b0;
          left_q         <= waiting_q;
          answer_unit_o  <= unit_i;
          answer_id_o    <= request_i.id;
          answer_value_o <= '0;
          if (of_order_i) begin
            if (order_i.ended) begin
              holds_q <= without(order_i.dispatch, order_i.wave);
              let_q   <= LetOrdered;
              state_q <= StTurn;
            end else begin
              automatic logic [WaveBits-1:0] place = free_place();
              holds_q[place]           <= 1'b1;
              holder_q[place]          <= order_i.wave;
              holder_dispatch_q[place] <= order_i.dispatch;
              state_q                  <= StIdle;
            end
          end else if (request_i.withdraw) begin
            let_q   <= LetWithdrawn;
            state_q <= StTurn;
          end else begin
            unique case (request_i.sync)
              SyncInit: counter_q[request_i.resource] <= 64'(request_i.value);
              SyncSemaphoreV, SyncSemaphoreBulk: begin
                counter_q[request_i.resource] <= counter +
                    ((request_i.sync == SyncSemaphoreV) ? 64'd1 : 64'(request_i.value));
                let_q   <= LetCounted;
                turns_q <= 1'b1;
              end
              SyncSemaphoreP: begin
                waits = (counter == '0) || (waiting_at_q[request_i.resource] != '0);
                if (!waits) counter_q[request_i.resource] <= counter - 64'd1;
              end
              SyncSemaphoreReleaseAll: begin
                counter_q[request_i.resource] <= '0;
                let_q   <= LetAll;
                turns_q <= 1'b1;
              end
              SyncBarrier: begin
                // The last wave brings how many the next barrier waits for.
                waits = barrier_waits;
                counter_q[request_i.resource] <= waits ? counter - 64'd1 : 64'(request_i.value);
                let_q   <= LetAll;
                turns_q <= 1'b1;
              end
              default: begin
                waits = has_earlier(request_i.dispatch, request_i.wave);
                if (!waits) begin
                  answer_value_o <= count_q[request_i.resource[1:0]];
                  count_q[request_i.resource[1:0]] <= count_q[request_i.resource[1:0]] +
                                                      request_i.value;
                  if (request_i.releases) begin
                    holds_q <= without(request_i.dispatch, request_i.wave);
                    let_q   <= LetOrdered;
                    turns_q <= 1'b1;
                  end
                end
              end
            endcase
            if (waits) begin
              queue_q[tail_q] <= asks;
              tail_q          <= tail_q + WaveBits'(1);
              waiting_q       <= waiting_q + (WaveBits + 1)'(1);
              if (!asks.ordered) begin
                waiting_at_q[request_i.resource] <= waiting_at_q[request_i.resource] + 1'b1;
              end
              state_q <= StIdle;
            end
          end
        end

        StGive: if (answer_ready_i) state_q <= turns_q ? StTurn : StIdle;

        StTurn: if (left_q == '0) begin
          left_q  <= waiting_q;
          again_q <= 1'b0;
          if (!again_q) state_q <= StIdle;
        end else begin
          automatic logic go = let_go;
          if (let_q == LetOrdered) begin
            go = front.ordered && !again_q && !has_earlier(front.dispatch, front.wave);
          end
          head_q <= head_q + WaveBits'(1);
          left_q <= left_q - 1'b1;
          if (!go) begin
            queue_q[tail_q] <= front;
            tail_q          <= tail_q + WaveBits'(1);
          end else begin
            waiting_q      <= waiting_q - 1'b1;
            answer_unit_o  <= front.unit;
            answer_id_o    <= front.id;
            answer_value_o <= '0;
            turns_q        <= 1'b1;
            state_q        <= StGive;
            if (!front.ordered) begin
              waiting_at_q[front.resource] <= waiting_at_q[front.resource] - 1'b1;
            end
            if (let_q == LetCounted) counter_q[request_i.resource] <= counter - 64'd1;
            if (let_q == LetOrdered) begin
              again_q        <= 1'b1;
              answer_value_o <= count_q[front.resource[1:0]];
              count_q[front.resource[1:0]] <= count_q[front.resource[1:0]] + front.value;
              if (front.releases) holds_q <= without(front.dispatch, front.wave);
            end
          end
        end

        default: state_q <= StIdle;
      endcase
    end
  end

endmodule
