// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Chooses what is tried next: a dispatch, the first by queue priority and then by age that has a
// compute unit left to try, and of these units one as the placement says. A dispatch that waits
// keeps the compute units of its mask from those behind it. Purely combinational.

module spi_choose
  import spi_unit_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1,
  localparam int unsigned UnitBits    = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1
) (
  input  limits_t                                 limits_i,
  input  logic [Dispatches-1:0]                   waits_i,     // dispatches with work-groups to start
  input  logic [Dispatches-1:0][7:0]              priority_i,
  input  logic [Dispatches-1:0][Dispatches-1:0]   older_i,     // bit [a][b]: a came before b
  input  logic [Dispatches-1:0][ComputeUnits-1:0] allowed_i,   // by the masks
  input  logic [Dispatches-1:0][ComputeUnits-1:0] failed_i,    // have no room
  input  logic [Dispatches-1:0]                   holds_i,     // keep their compute units and try none
  input  logic [ComputeUnits-1:0]                 free_i,      // may be tried in the next cycle
  input  logic [ComputeUnits-1:0][5:0]            waves_i,     // that they have
  input  logic [UnitBits-1:0]                     last_i,      // place of the one that was used last

  output logic                                    valid_o,
  output index_t                                  index_o,
  output logic [UnitBits-1:0]                     unit_o,
  output logic [UnitBits-1:0]                     place_o      // of the unit
);

  logic [Dispatches-1:0][ComputeUnits-1:0] claimed;  // by dispatches before it
  logic [Dispatches-1:0][ComputeUnits-1:0] eligible;
  logic [Dispatches-1:0]                   asks;
  logic [Dispatches-1:0][Dispatches-1:0]   ahead;    // bit [a][b]: a goes before b

  always_comb begin
    for (int unsigned a = 0; a < Dispatches; a++) begin
      for (int unsigned b = 0; b < Dispatches; b++) begin
        ahead[a][b] = (priority_i[a] > priority_i[b]) ||
                       ((priority_i[a] == priority_i[b]) && older_i[a][b]);
      end
    end
    claimed = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      for (int unsigned j = 0; j < Dispatches; j++) begin
        if ((i != j) && waits_i[j] && ahead[j][i]) claimed[i] |= allowed_i[j];
      end
      eligible[i] = (waits_i[i] && !holds_i[i]) ?
                    (allowed_i[i] & ~claimed[i] & ~failed_i[i] & free_i) : '0;
      asks[i]     = eligible[i] != '0;
    end
  end

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      automatic logic first = asks[i];
      for (int unsigned j = 0; j < Dispatches; j++) begin
        if ((i != j) && asks[j] && ahead[j][i]) first = 1'b0;
      end
      if (first) index_o |= index_t'(i);
    end
  end

  assign valid_o = asks != '0;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Places: the compute units in the order in which they are tried, one of each engine in turn
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [ComputeUnits-1:0][UnitBits-1:0] unit_of;  // a place
  logic [ComputeUnits-1:0]               there;    // a place has a unit

  always_comb begin
    automatic int unsigned p = 0;
    unit_of = '0;
    there   = '0;
    for (int unsigned i = 0; i < ComputeUnits; i++) begin
      for (int unsigned e = 0; e < ComputeUnits; e++) begin
        automatic int unsigned u = (e * 32'(limits_i.per_engine)) + i;
        if ((i < 32'(limits_i.per_engine)) && (u < 32'(limits_i.units)) && (p < ComputeUnits)) begin
          unit_of[p] = UnitBits'(u);
          there[p]   = 1'b1;
          p++;
        end
      end
    end
  end

  logic [ComputeUnits-1:0] tries;   // places of the units that are eligible
  logic [ComputeUnits-1:0] behind;  // of these, from the first one on
  logic [UnitBits-1:0]     first;   // place to begin with
  logic [5:0]              fewest;

  always_comb begin
    fewest = '1;
    first  = '0;
    unique case (limits_i.placement)
      PlaceRoundRobin:  first = (5'(last_i) + 5'd1 >= limits_i.units) ? '0 : (last_i + 1'b1);
      PlaceLeastLoaded: begin
        for (int unsigned p = 0; p < ComputeUnits; p++) begin
          if (there[p] && (waves_i[unit_of[p]] < fewest)) begin
            fewest = waves_i[unit_of[p]];
            first  = UnitBits'(p);
          end
        end
      end
      default: first = '0;
    endcase
    for (int unsigned p = 0; p < ComputeUnits; p++) begin
      tries[p]  = there[p] && eligible[index_o][unit_of[p]];
      behind[p] = tries[p] && (UnitBits'(p) >= first);
    end
    place_o = '0;
    for (int unsigned p = 0; p < ComputeUnits; p++) begin
      if ((behind != '0) ? behind[ComputeUnits-1-p] : tries[ComputeUnits-1-p]) begin
        place_o = UnitBits'(ComputeUnits - 1 - p);
      end
    end
  end

  assign unit_o = unit_of[place_o];

endmodule
