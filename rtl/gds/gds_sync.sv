// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Global wave sync and ordered counts (Vega ISA 12.15). A request acts in one cycle: it is answered,
// or its wave waits. A request that may let others go, or takes one out, is followed by a walk over
// those that wait, the oldest first, one in a cycle, and no request acts and no wave begins or ends
// before its end. Waves that begin and end go before a request that waits to act, but not before a
// withdrawal, which nobody sees act, and one that was told to be ready and stays so.

`include "cuvette_assert.svh"

module gds_sync
  import gds_unit_pkg::*;
  import gds_pkg::*;
#(
  parameter int unsigned Waves = 40  // at most, of all compute units
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        request_waits_i,  // one is there, and acts when it is ready
  input  logic        request_valid_i,  // it acts
  output logic        request_ready_o,
  input  request_t    request_i,        // with `sync` or `withdraw`
  input  unit_t       unit_i,

  input  logic        wave_valid_i,
  output logic        wave_ready_o,
  input  spi_pkg::wave_order_t wave_i,

  output logic        answer_valid_o,   // only when ready
  input  logic        answer_ready_i,
  output answer_t     answer_o
);

  localparam int unsigned PlaceBits = $clog2(Waves + 1);

  typedef enum logic [2:0] {
    WalkNone,
    WalkTurns,      // ordered counts whose turn has come are done
    WalkCounted,    // waves of a resource go on, as many as its semaphore counts
    WalkAll,        // all waves of a resource go on
    WalkWithdraw    // a waiting request is answered, undone
  } walk_e;

  walk_e                walk_q;
  walk_e                starts;        // walk behind the request that acts
  logic [PlaceBits-1:0] place_q;       // that the walk is at
  logic [PlaceBits-1:0] waiting;       // number of waiting waves
  logic [PlaceBits-1:0] counting_q;    // of them, ordered counts
  resource_t            resource_q;    // of the walk
  logic [63:0]          wave_q;
  sync_t                entry;         // at place_q
  sync_t                request;
  logic                 walks;
  logic                 acts;
  logic                 wave_moves;
  logic                 first;         // the request goes before waves
  logic                 held_q;        // the request was ready in the cycle before, and did not act

  assign walks           = walk_q != WalkNone;
  assign first           = request_waits_i && (held_q || request_i.withdraw);
  assign request_ready_o = !walks && answer_ready_i && (first || !wave_valid_i);
  assign acts            = request_valid_i;
  assign wave_ready_o    = !walks && !first;
  assign wave_moves      = wave_valid_i && wave_ready_o;

  always_comb begin
    request.unit     = unit_i;
    request.id       = request_i.id;
    request.who      = '{dispatch: request_i.dispatch, wave: request_i.wave};
    request.counts   = request_i.sync == SyncOrderedCount;
    request.resource = request_i.resource;
    request.value    = request_i.value;
    request.releases = request_i.releases;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // State
  ////////////////////////////////////////////////////////////////////////////////////////////////
  sync_t       subject;     // the request, or who waits at the walk's place
  logic        has_turn;
  logic        queued;      // a wave waits for the request's resource
  logic [63:0] number;      // of the resource
  logic [63:0] number_next;
  logic        writes;      // the number
  logic [31:0] ordered;
  logic        count_done;  // an ordered count is done
  logic        joins;
  logic        leaves;

  assign subject = walks ? entry : request;

  gds_counters u_counters (
    .clk_i,
    .rst_ni,
    .resource_i (walks ? resource_q : request.resource),
    .number_o   (number),
    .write_i    (writes),
    .number_i   (number_next),
    .counter_i  (subject.resource[$bits(counter_t)-1:0]),
    .ordered_o  (ordered),
    .add_i      (count_done),
    .value_i    (subject.value)
  );

  gds_waves #(.Waves(Waves)) u_waves (
    .clk_i,
    .rst_ni,
    .begins_i   (wave_moves && !wave_i.ended),
    .ends_i     ((wave_moves && wave_i.ended) || (count_done && subject.releases)),
    .wave_i     (count_done ? subject.who : '{dispatch: wave_i.dispatch, wave: wave_i.wave}),
    .asks_i     (subject.who),
    .has_turn_o (has_turn)
  );

  gds_waiting #(.Waves(Waves)) u_waiting (
    .clk_i,
    .rst_ni,
    .joins_i    (joins),
    .joins_as_i (request),
    .place_i    (place_q),
    .entry_o    (entry),
    .leaves_i   (leaves),
    .count_o    (waiting),
    .resource_i (request.resource),
    .queued_o   (queued)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // A request acts
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic        waits;       // if it acts
  logic        sets;        // the number of its resource
  logic [63:0] becomes;

  always_comb begin
    waits   = 1'b0;
    sets    = 1'b0;
    becomes = number;
    starts  = WalkNone;
    if (request_i.withdraw) begin
      starts = WalkWithdraw;
    end else begin
      unique case (request_i.sync)
        SyncInit: begin
          sets    = 1'b1;
          becomes = 64'(request_i.value);
        end
        SyncSemaphoreV, SyncSemaphoreBulk: begin
          sets    = 1'b1;
          becomes = number + ((request_i.sync == SyncSemaphoreV) ? 64'd1 : 64'(request_i.value));
          starts  = WalkCounted;
        end
        SyncSemaphoreReleaseAll: begin
          sets    = 1'b1;
          becomes = '0;
          starts  = WalkAll;
        end
        SyncSemaphoreP: begin
          waits   = (number == '0) || queued;
          sets    = !waits;
          becomes = number - 64'd1;
        end
        SyncBarrier: begin
          // The last wave brings the count of the next barrier.
          waits   = number != '0;
          sets    = 1'b1;
          becomes = waits ? (number - 64'd1) : 64'(request_i.value);
          if (!waits) starts = WalkAll;
        end
        SyncOrderedCount: begin
          waits = !has_turn;
          if (!waits && request_i.releases && (counting_q != '0)) starts = WalkTurns;
        end
        default: ;
      endcase
    end
  end

  assign joins = acts && waits;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // A walk
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic ends;     // of the walk, nobody leaves
  logic chosen;   // the wave at the place goes on
  logic again;    // the turns of older ones may have come

  always_comb begin
    chosen = 1'b0;
    ends   = place_q == waiting;
    unique case (walk_q)
      WalkTurns:    chosen = entry.counts && has_turn;
      WalkCounted: begin
        chosen = !entry.counts && (entry.resource == resource_q);
        ends   = (place_q == waiting) || (number == '0);
      end
      WalkAll:      chosen = !entry.counts && (entry.resource == resource_q);
      WalkWithdraw: chosen = entry.who.wave == wave_q;
      default: ;
    endcase
  end

  assign leaves     = walks && !ends && chosen && answer_ready_i;
  assign again      = leaves && (walk_q == WalkTurns) && entry.releases;
  assign count_done = walks ? (leaves && (walk_q == WalkTurns)) : (acts && request.counts && !waits && !request_i.withdraw);
  assign writes     = walks ? (leaves && (walk_q == WalkCounted)) : (acts && sets);
  assign number_next = walks ? (number - 64'd1) : becomes;

  assign answer_valid_o = leaves || (acts && !waits && !request_i.withdraw);
  assign answer_o       = '{unit: subject.unit, id: subject.id, value: count_done ? ordered : 32'd0};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      walk_q     <= WalkNone;
      place_q    <= '0;
      counting_q <= '0;
      held_q     <= 1'b0;
    end else begin
      held_q <= request_waits_i && request_ready_o && !acts;
      if (acts) begin
        walk_q  <= starts;
        place_q <= '0;
      end else if (wave_moves && wave_i.ended && (counting_q != '0)) begin
        walk_q  <= WalkTurns;
        place_q <= '0;
      end else if (walks) begin
        if (ends) walk_q <= WalkNone;
        if (again) place_q <= '0;
        else if (!ends && !chosen) place_q <= place_q + 1'b1;
      end
      if (joins && request.counts) counting_q <= counting_q + 1'b1;
      else if (leaves && entry.counts) counting_q <= counting_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (acts) begin
      resource_q <= request.resource;
      wave_q     <= request_i.wave;
    end
  end

  `CUVETTE_ASSERT(ActsWhenReady_A, request_valid_i |-> (request_waits_i && request_ready_o))
  `CUVETTE_ASSERT(StaysReady_A, held_q |-> (request_waits_i && request_ready_o))
  `CUVETTE_ASSERT(AnswersWhenReady_A, answer_valid_o |-> answer_ready_i)
  `CUVETTE_COVER(TurnOfAWaitingWave_C, again)

endmodule
