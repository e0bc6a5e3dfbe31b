// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the compute unit (docs/compute_unit.md): waves from the spi, three caches, address
// translation, the gds, messages, retirement.
interface compute_unit_if
  import compute_unit_pkg::*;
  import gds_pkg::*;
  import memory_pkg::*;
  import spi_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  logic         launch_valid;
  logic         launch_ready;
  wave_launch_t launch;
  logic         done_valid;
  logic         done_ready;
  wave_done_t   done;
  logic          command_valid;
  logic          command_ready;
  wave_command_t command;
  logic          debug_valid;
  logic          debug_ready;
  wave_command_t debug;

  logic      vector_request_valid;
  logic      vector_request_ready;
  mem_req_t  vector_request;
  logic      vector_response_valid;
  logic      vector_response_ready;
  mem_resp_t vector_response;
  logic      scalar_request_valid;
  logic      scalar_request_ready;
  mem_req_t  scalar_request;
  logic      scalar_response_valid;
  logic      scalar_response_ready;
  mem_resp_t scalar_response;
  logic      instruction_request_valid;
  logic      instruction_request_ready;
  mem_req_t  instruction_request;
  logic      instruction_response_valid;
  logic      instruction_response_ready;
  mem_resp_t instruction_response;

  logic            translate_request_valid;
  logic            translate_request_ready;
  translate_req_t  translate_request;
  logic            translate_response_valid;
  logic            translate_response_ready;
  translate_resp_t translate_response;

  logic      gds_request_valid;
  logic      gds_request_ready;
  request_t  gds_request;
  logic      gds_taken_valid;
  logic      gds_taken_ready;
  taken_t    gds_taken;
  logic      gds_response_valid;
  logic      gds_response_ready;
  response_t gds_response;

  logic     messages_valid;
  logic     messages_ready;
  message_t messages;

  logic           retire_valid;
  logic           retire_ready;
  retire_t        retire;
  logic           vector_write_valid;
  logic           vector_write_ready;
  vector_write_t  vector_write;
  logic           scalar_write_valid;
  logic           scalar_write_ready;
  scalar_write_t  scalar_write;
  logic           memory_access_valid;
  logic           memory_access_ready;
  memory_access_t memory_access;

  modport dut (
    input  clk_i, rst_ni, launch_valid, launch, done_ready,
           command_valid, command, debug_valid, debug,
           vector_request_ready, vector_response_valid, vector_response,
           scalar_request_ready, scalar_response_valid, scalar_response,
           instruction_request_ready, instruction_response_valid, instruction_response,
           translate_request_ready, translate_response_valid, translate_response,
           gds_request_ready, gds_taken_valid, gds_taken, gds_response_valid, gds_response,
           messages_ready, retire_ready, vector_write_ready, scalar_write_ready,
           memory_access_ready,
    output launch_ready, done_valid, done, command_ready, debug_ready,
           vector_request_valid, vector_request, vector_response_ready,
           scalar_request_valid, scalar_request, scalar_response_ready,
           instruction_request_valid, instruction_request, instruction_response_ready,
           translate_request_valid, translate_request, translate_response_ready,
           gds_request_valid, gds_request, gds_taken_ready, gds_response_ready,
           messages_valid, messages, retire_valid, retire, vector_write_valid, vector_write,
           scalar_write_valid, scalar_write, memory_access_valid, memory_access
  );

  modport env (
    input  clk_i, rst_ni, launch_ready, done_valid, done, command_ready, debug_ready,
           vector_request_valid, vector_request, vector_response_ready,
           scalar_request_valid, scalar_request, scalar_response_ready,
           instruction_request_valid, instruction_request, instruction_response_ready,
           translate_request_valid, translate_request, translate_response_ready,
           gds_request_valid, gds_request, gds_taken_ready, gds_response_ready,
           messages_valid, messages, retire_valid, retire, vector_write_valid, vector_write,
           scalar_write_valid, scalar_write, memory_access_valid, memory_access,
    output launch_valid, launch, done_ready,
           command_valid, command, debug_valid, debug,
           vector_request_ready, vector_response_valid, vector_response,
           scalar_request_ready, scalar_response_valid, scalar_response,
           instruction_request_ready, instruction_response_valid, instruction_response,
           translate_request_ready, translate_response_valid, translate_response,
           gds_request_ready, gds_taken_valid, gds_taken, gds_response_valid, gds_response,
           messages_ready, retire_ready, vector_write_ready, scalar_write_ready,
           memory_access_ready
  );

endinterface
