// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Rounds sig_i * 2^(exp_i - 126 - SigWidth), the leading one of sig_i in its highest bit, its
// lowest bit possibly sticky, to binary32. Purely combinational. Flags in the order of TRAPSTS.EXCP.

module fp32_round #(
  parameter int unsigned SigWidth = 64
) (
  input  logic                sign_i,
  input  logic signed [11:0]  exp_i,
  input  logic [SigWidth-1:0] sig_i,
  input  fp32_pkg::round_e    mode_i,
  input  logic                flush_i,
  output logic [31:0]         bits_o,
  output fp32_pkg::flags_t    flags_o
);

  // Below 26 bits there is no room for the guard bit and a sticky one.
  if ((SigWidth < 26) || (SigWidth > 64)) begin : gen_bad_width
    $fatal(1, "fp32_round: SigWidth is %0d, expected 26 to 64", SigWidth);
  end

  fp32_pkg::result_t result;

  assign result  = fp32_pkg::round_pack(sign_i, exp_i, 64'(sig_i) << (64 - SigWidth), mode_i,
                                        flush_i);
  assign bits_o  = result.bits;
  assign flags_o = result.flags;

endmodule
