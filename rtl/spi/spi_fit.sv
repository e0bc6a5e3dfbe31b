// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Room for one wave on a compute unit: of the SIMDs that have a free slot and free ranges of all
// registers, the one with the fewest waves, the lowest of equals, and there the lowest slot and
// ranges. Purely combinational.

module spi_fit
  import spi_unit_pkg::*;
(
  input  limits_t limits_i,
  input  needs_t  needs_i,
  input  taken_t  taken_i,   // of the compute unit, with what the waves before it are to get

  output logic    found_o,
  output simd_t   simd_o,
  output slot_t   slot_o,
  output amount_t rows_o,    // first granules
  output amount_t acc_o,
  output amount_t sgprs_o,
  output taken_t  taken_o    // resources that the wave takes; without LDS and key
);

  logic [Simds-1:0]                   found;
  logic [Simds-1:0][3:0]              waves;
  slot_t [Simds-1:0]                  slot;
  amount_t [Simds-1:0]                rows;
  amount_t [Simds-1:0]                acc;
  amount_t [Simds-1:0]                sgprs;
  logic [Simds-1:0][RowGranules-1:0]  row_mask;
  logic [Simds-1:0][RowGranules-1:0]  acc_mask;
  logic [Simds-1:0][SgprGranules-1:0] sgpr_mask;

  for (genvar s = 0; s < Simds; s++) begin : gen_simd
    logic [WaveSlots-1:0]    free_slots;
    logic [RowGranules-1:0]  free_rows;
    logic [RowGranules-1:0]  free_acc;
    logic [SgprGranules-1:0] free_sgprs;
    logic                    rows_found;
    logic                    acc_found;
    logic                    sgprs_found;

    always_comb begin
      for (int unsigned w = 0; w < WaveSlots; w++) begin
        free_slots[w] = !taken_i.slots[s][w] && (4'(w) < limits_i.slots);
      end
      free_rows  = ~taken_i.rows[s] & row_range('0, limits_i.rows);
      free_acc   = ~taken_i.acc[s] & row_range('0, limits_i.acc);
      free_sgprs = ~taken_i.sgprs[s] & row_range('0, limits_i.sgprs);
      waves[s]   = '0;
      slot[s]    = '0;
      for (int unsigned w = 0; w < WaveSlots; w++) begin
        waves[s] += 4'(taken_i.slots[s][w]);
        if (free_slots[WaveSlots-1-w]) slot[s] = slot_t'(WaveSlots - 1 - w);
      end
    end

    spi_first_fit #(.Width(RowGranules)) u_rows (
      .free_i   (free_rows),
      .length_i (needs_i.rows),
      .found_o  (rows_found),
      .first_o  (rows[s]),
      .mask_o   (row_mask[s])
    );

    spi_first_fit #(.Width(RowGranules)) u_acc (
      .free_i   (free_acc),
      .length_i (needs_i.acc),
      .found_o  (acc_found),
      .first_o  (acc[s]),
      .mask_o   (acc_mask[s])
    );

    spi_first_fit #(.Width(SgprGranules)) u_sgprs (
      .free_i   (free_sgprs),
      .length_i (needs_i.sgprs),
      .found_o  (sgprs_found),
      .first_o  (sgprs[s]),
      .mask_o   (sgpr_mask[s])
    );

    assign found[s] = (free_slots != '0) && rows_found && acc_found && sgprs_found &&
                      (3'(s) < limits_i.simds);
  end

  always_comb begin
    simd_o = '0;
    for (int unsigned s = 0; s < Simds; s++) begin
      if (found[s] && (!found[simd_o] || (waves[s] < waves[simd_o]))) simd_o = simd_t'(s);
    end
  end

  assign found_o = found != '0;
  assign slot_o  = slot[simd_o];
  assign rows_o  = rows[simd_o];
  assign acc_o   = acc[simd_o];
  assign sgprs_o = sgprs[simd_o];

  always_comb begin
    taken_o                       = '0;
    taken_o.slots[simd_o][slot_o] = 1'b1;
    taken_o.rows[simd_o]          = row_mask[simd_o];
    taken_o.acc[simd_o]           = acc_mask[simd_o];
    taken_o.sgprs[simd_o]         = sgpr_mask[simd_o];
  end

endmodule
