// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Work-groups of a dispatch that were saved and are to go on, in the order in which they come. There
// is one list at a time: it belongs to the dispatch that comes next, then to that dispatch while it
// is under way, and is over when all of its work-groups have started, or have been told of as
// saved, or the dispatch is given up. Work-groups of another dispatch wait until then. What can be
// told of a list without the grid is noted as it comes.

`include "cuvette_assert.svh"

module spi_restore
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  limits_t                    limits_i,

  input  logic                       restore_valid_i,
  output logic                       restore_ready_o,
  input  saved_group_t               restore_i,

  // The dispatch that is being worked out.
  input  logic [31:0]                id_i,
  output logic                       mine_o,       // the list is its own
  output logic                       bad_o,        // it is not in order, too long, or without waves
  output logic [31:0]                last_o,       // its last work-group
  output waves_t                     waves_o,      // waves that any of them has
  input  logic [Dispatches-1:0]      load_i,       // it is under way from the next cycle on
  input  logic                       resumes_i,    //   and can run

  // The dispatch under way that has the list.
  output list_t                      list_o,
  input  logic                       pop_i,        // it has started, or been told of
  input  logic [Dispatches-1:0]      drop_i,       // the dispatch is given up

  // Rooms of the list, several at a time.
  input  key_t                       scan_i,
  output tenant_t [ComputeUnits-1:0] tenant_o
);

  localparam int unsigned Depth     = ComputeUnits * Keys;
  localparam int unsigned CountBits = $clog2(Depth + 1);

  // A work-group of the list; all are of one dispatch.
  typedef struct packed {
    logic [31:0] group;
    room_t       place;
    waves_t      waves;
  } entry_t;

  entry_t               entry_q [Depth];
  logic                 open_q;    // there is a list
  logic                 owned_q;   // of a dispatch that is under way
  index_t               owner_q;
  logic [31:0]          id_q;
  logic [CountBits-1:0] head_q;
  logic [CountBits-1:0] count_q;
  logic                 bad_q;
  logic [31:0]          last_q;
  waves_t               waves_q;
  logic                 takes;
  logic                 fits;      // there may be one more
  logic                 ends;      // the list does
  logic [11:0]          most;      // waves of the machine: as many may have been saved
  entry_t               head;

  assign most            = 12'(limits_i.units) * 12'(limits_i.simds) * 12'(limits_i.slots);
  assign restore_ready_o = !owned_q && (!open_q || (restore_i.dispatch == id_q));
  assign takes           = restore_valid_i && restore_ready_o;
  assign fits            = !open_q || (12'(count_q) < most);
  assign mine_o          = open_q && !owned_q && (id_q == id_i);
  assign bad_o           = bad_q;
  assign last_o          = last_q;
  assign waves_o         = waves_q;
  assign ends            = owned_q && (drop_i[owner_q] || (pop_i && ((head_q + 1'b1) == count_q)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q  <= 1'b0;
      owned_q <= 1'b0;
    end else if (ends) begin
      open_q  <= 1'b0;
      owned_q <= 1'b0;
    end else if (mine_o && (load_i != '0)) begin
      open_q  <= resumes_i;
      owned_q <= resumes_i;
    end else if (takes) begin
      open_q  <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mine_o) begin
      for (int unsigned i = 0; i < Dispatches; i++) begin
        if (load_i[i]) owner_q <= index_t'(i);
      end
    end
    if (takes) begin
      id_q    <= restore_i.dispatch;
      last_q  <= restore_i.group;
      waves_q <= (open_q ? waves_q : '0) | restore_i.waves;
      bad_q   <= (open_q && (bad_q || (restore_i.group <= last_q))) || (restore_i.waves == '0) || !fits;
    end
    if (takes && !open_q)     count_q <= CountBits'(1);
    else if (takes && fits)   count_q <= count_q + 1'b1;
    if (takes && !open_q)     head_q <= '0;
    else if (pop_i)           head_q <= head_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (takes && fits) begin
      entry_q[open_q ? count_q : '0] <= {restore_i.group, restore_i.place, restore_i.waves};
    end
  end

  assign head   = entry_q[head_q];

  always_comb begin
    list_o                = '0;
    list_o.owner[owner_q] = owned_q;
    list_o.rest           = 16'(count_q) - 16'(head_q);
    list_o.head           = '{dispatch: id_q, group: head.group, place: head.place, waves: head.waves};
    for (int unsigned u = 0; u < ComputeUnits; u++) begin
      automatic logic [CountBits-1:0] n = CountBits'((u * Keys) + 32'(scan_i));
      tenant_o[u] = '{valid:    owned_q && (n >= head_q) && (n < count_q),
                      index:    owner_q,
                      restored: 1'b1,
                      room:     entry_q[n].place};
    end
  end

  `CUVETTE_ASSERT(RestoreHeld_A, (restore_valid_i && !restore_ready_o) |=>
      (restore_valid_i && $stable(restore_i)))
  `CUVETTE_COVER(NextListWaits_C, restore_valid_i && !restore_ready_o)
  `CUVETTE_ASSERT(PopHasOne_A, pop_i |-> owned_q)

endmodule
