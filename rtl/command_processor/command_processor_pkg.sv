// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the command processor (docs/command_processor.md,
// model/command_processor/command_processor.h).
package command_processor_pkg;

  import spi_pkg::*;

  typedef struct packed {
    logic [31:0] index;
    logic [63:0] value;
    logic        poll;
  } doorbell_t;

  typedef struct packed {
    logic [31:0] source;
    logic [31:0] queue_id;
    logic [63:0] ctx;
  } irq_t;

  typedef struct packed {
    logic [63:0] queue_address;
    logic [31:0] doorbell;
    logic [7:0]  vmid;
    logic [7:0]  prio;
    logic [63:0] ring_address;
    logic [31:0] ring_packets;
    logic [63:0] read_report;
    logic [63:0] mqd_address;
    logic [63:0] trap_handler;
    logic [63:0] trap_memory;
    logic        pm4;
    logic        kernel_queue;
    logic        fresh;
    logic [63:0] read_pointer;
    logic [63:0] write_pointer;
    logic [63:0] write_poll;
    logic [7:0][15:0] cu_mask;
    logic [31:0] bank;
    logic [63:0] save_area;
    logic [31:0] save_begin;
    logic [31:0] save_end;
    logic [31:0] stack_bytes;
    logic [31:0] stack_offset;
  } queue_binding_t;

  typedef struct packed {
    logic [31:0] queue_id;
    logic        reset_waves;
    logic        save;
  } dequeue_t;

  typedef struct packed {
    logic [31:0] id;
    logic [31:0] queue_id;
    logic [31:0] bank;
    logic [31:0] offset;
    logic        write;
    logic [31:0] value;
  } register_access_t;

  typedef struct packed {
    logic [31:0] id;
    logic [31:0] value;
    logic        error;
  } register_done_t;

  typedef struct packed {
    logic [31:0] id;
    logic [31:0] queue_id;
    logic        invalidate;
    dispatch_t   dispatch;
  } register_launch_t;

  typedef enum logic [1:0] {
    QueueActive   = 2'd0,
    QueueFailed   = 2'd1,
    QueueInactive = 2'd2
  } queue_state_e;

  typedef struct packed {
    logic [31:0]  queue_id;
    queue_state_e state;
    logic [63:0]  read_index;
    logic [31:0]  error;
    logic [63:0]  error_address;
    logic [31:0]  stack_offset;
    logic [31:0]  save_begin;
  } queue_status_t;

  typedef struct packed {
    logic [31:0]      id;
    logic [31:0]      queue_id;
    logic [15:0]      type_id;
    logic [7:0]       vmid;
    logic [63:0]      return_address;
    logic [3:0][63:0] arg;
  } agent_dispatch_t;

  typedef struct packed {
    logic [31:0] id;
    logic        error;
  } agent_done_t;

  // Number of a queue: the answer to a binding, and what is unbound.
  typedef logic [31:0] queue_number_t;

endpackage
