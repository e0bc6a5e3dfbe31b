// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The messages of a memory port taken apart and put together by SystemVerilog itself, for
// tests/memory_port_test.cpp. What goes in comes out again, through the fields.
module memory_fields
  import memory_pkg::*;
(
  input  logic         clk_i,

  input  mem_req_t     request_i,
  output mem_req_t     request_o,
  output logic [31:0]  request_bits_o,
  output logic [63:0]  req_id_o,
  output logic [15:0]  req_cu_o,
  output logic [15:0]  req_wave_o,
  output logic [63:0]  req_timestamp_o,
  output logic [31:0]  req_seq_o,
  output logic [2:0]   req_op_o,
  output logic [4:0]   req_atomic_o,
  output logic [3:0]   req_atomic_bytes_o,
  output logic         req_flush_subnormals_o,
  output logic [1:0]   req_scope_o,
  output logic         req_glc_o,
  output logic         req_slc_o,
  output logic         req_scc_o,
  output logic         req_nv_o,
  output logic [1:0]   req_mtype_o,
  output logic [63:0]  req_address_o,
  output logic [63:0]  req_byte_mask_o,
  output logic [511:0] req_data_o,
  output logic [63:0]  req_serial_o,

  input  mem_resp_t    response_i,
  output mem_resp_t    response_o,
  output logic [31:0]  response_bits_o,
  output logic [63:0]  resp_id_o,
  output logic [63:0]  resp_timestamp_o,
  output logic         resp_status_o,
  output logic [63:0]  resp_address_o,
  output logic [63:0]  resp_serial_o,
  output logic [511:0] resp_data_o
);

  assign request_bits_o         = $bits(mem_req_t);
  assign req_id_o               = request_i.id;
  assign req_cu_o               = request_i.cu;
  assign req_wave_o             = request_i.wave;
  assign req_timestamp_o        = request_i.timestamp;
  assign req_seq_o              = request_i.seq;
  assign req_op_o               = request_i.op;
  assign req_atomic_o           = request_i.atomic;
  assign req_atomic_bytes_o     = request_i.atomic_bytes;
  assign req_flush_subnormals_o = request_i.flush_subnormals;
  assign req_scope_o            = request_i.scope;
  assign req_glc_o              = request_i.glc;
  assign req_slc_o              = request_i.slc;
  assign req_scc_o              = request_i.scc;
  assign req_nv_o               = request_i.nv;
  assign req_mtype_o            = request_i.mtype;
  assign req_address_o          = request_i.address;
  assign req_byte_mask_o        = request_i.byte_mask;
  assign req_data_o             = request_i.data;
  assign req_serial_o           = request_i.serial;

  assign request_o = '{
    id: req_id_o, cu: req_cu_o, wave: req_wave_o, timestamp: req_timestamp_o, seq: req_seq_o,
    op: mem_op_e'(req_op_o), atomic: atomic_op_e'(req_atomic_o),
    atomic_bytes: req_atomic_bytes_o, flush_subnormals: req_flush_subnormals_o,
    scope: scope_e'(req_scope_o), glc: req_glc_o, slc: req_slc_o, scc: req_scc_o, nv: req_nv_o,
    mtype: mtype_e'(req_mtype_o), address: req_address_o, byte_mask: req_byte_mask_o,
    data: req_data_o, serial: req_serial_o
  };

  assign response_bits_o  = $bits(mem_resp_t);
  assign resp_id_o        = response_i.id;
  assign resp_timestamp_o = response_i.timestamp;
  assign resp_status_o    = response_i.status;
  assign resp_address_o   = response_i.address;
  assign resp_serial_o    = response_i.serial;
  assign resp_data_o      = response_i.data;

  assign response_o = '{
    id: resp_id_o, timestamp: resp_timestamp_o, status: mem_status_e'(resp_status_o),
    address: resp_address_o, serial: resp_serial_o, data: resp_data_o
  };

  logic unused;
  assign unused = clk_i;

endmodule
