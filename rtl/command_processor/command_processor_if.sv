// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the command processor (docs/command_processor.md): host side, one L2 port, one port per
// cache that fences address (near: first level, far: L2), the spi, and address translation.
interface command_processor_if
  import command_processor_pkg::*;
  import memory_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned NearCaches = 3,
  parameter int unsigned FarCaches  = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic           bind_valid;
  logic           bind_ready;
  queue_binding_t bind_queue;
  logic           bound_valid;
  logic           bound_ready;
  queue_number_t  bound;
  logic           unbind_valid;
  logic           unbind_ready;
  queue_number_t  unbind;
  logic           doorbell_valid;
  logic           doorbell_ready;
  doorbell_t      doorbell;
  logic           irq_valid;
  logic           irq_ready;
  irq_t           irq;

  logic            dequeue_valid;
  logic            dequeue_ready;
  dequeue_t        dequeue;
  logic            queue_status_valid;
  logic            queue_status_ready;
  queue_status_t   queue_status;
  logic            agent_dispatch_valid;
  logic            agent_dispatch_ready;
  agent_dispatch_t agent_dispatch;
  logic            agent_done_valid;
  logic            agent_done_ready;
  agent_done_t     agent_done;

  logic             register_access_valid;
  logic             register_access_ready;
  register_access_t register_access;
  logic             register_done_valid;
  logic             register_done_ready;
  register_done_t   register_done;
  logic             register_launch_valid;
  logic             register_launch_ready;
  register_launch_t register_launch;

  logic            memory_request_valid;
  logic            memory_request_ready;
  mem_req_t        memory_request;
  logic            memory_response_valid;
  logic            memory_response_ready;
  mem_resp_t       memory_response;
  logic            translate_request_valid;
  logic            translate_request_ready;
  translate_req_t  translate_request;
  logic            translate_response_valid;
  logic            translate_response_ready;
  translate_resp_t translate_response;

  logic      [NearCaches-1:0] near_request_valid;
  logic      [NearCaches-1:0] near_request_ready;
  mem_req_t  [NearCaches-1:0] near_request;
  logic      [NearCaches-1:0] near_response_valid;
  logic      [NearCaches-1:0] near_response_ready;
  mem_resp_t [NearCaches-1:0] near_response;
  logic      [FarCaches-1:0]  far_request_valid;
  logic      [FarCaches-1:0]  far_request_ready;
  mem_req_t  [FarCaches-1:0]  far_request;
  logic      [FarCaches-1:0]  far_response_valid;
  logic      [FarCaches-1:0]  far_response_ready;
  mem_resp_t [FarCaches-1:0]  far_response;

  logic           dispatch_valid;
  logic           dispatch_ready;
  dispatch_t      dispatch;
  logic           dispatch_done_valid;
  logic           dispatch_done_ready;
  dispatch_done_t dispatch_done;
  logic           cancel_valid;
  logic           cancel_ready;
  cancel_t        cancel;
  logic           save_valid;
  logic           save_ready;
  save_t          save;
  logic           saved_valid;
  logic           saved_ready;
  saved_group_t   saved;
  logic           restore_valid;
  logic           restore_ready;
  saved_group_t   restore;

  modport dut (
    input  clk_i, rst_ni, bind_valid, bind_queue, bound_ready, unbind_valid, unbind,
           doorbell_valid, doorbell, irq_ready,
           dequeue_valid, dequeue, queue_status_ready,
           agent_dispatch_ready, agent_done_valid, agent_done,
           register_access_ready, register_done_valid, register_done,
           register_launch_valid, register_launch, cancel_ready,
           save_ready, saved_valid, saved, restore_ready,
           memory_request_ready, memory_response_valid, memory_response,
           translate_request_ready, translate_response_valid, translate_response,
           near_request_ready, near_response_valid, near_response,
           far_request_ready, far_response_valid, far_response,
           dispatch_ready, dispatch_done_valid, dispatch_done,
    output bind_ready, bound_valid, bound, unbind_ready,
           doorbell_ready, irq_valid, irq,
           dequeue_ready, queue_status_valid, queue_status,
           agent_dispatch_valid, agent_dispatch, agent_done_ready,
           register_access_valid, register_access, register_done_ready,
           register_launch_ready, cancel_valid, cancel,
           save_valid, save, saved_ready, restore_valid, restore,
           memory_request_valid, memory_request, memory_response_ready,
           translate_request_valid, translate_request, translate_response_ready,
           near_request_valid, near_request, near_response_ready,
           far_request_valid, far_request, far_response_ready,
           dispatch_valid, dispatch, dispatch_done_ready
  );

  modport env (
    input  clk_i, rst_ni, bind_ready, bound_valid, bound, unbind_ready,
           doorbell_ready, irq_valid, irq,
           dequeue_ready, queue_status_valid, queue_status,
           agent_dispatch_valid, agent_dispatch, agent_done_ready,
           register_access_valid, register_access, register_done_ready,
           register_launch_ready, cancel_valid, cancel,
           save_valid, save, saved_ready, restore_valid, restore,
           memory_request_valid, memory_request, memory_response_ready,
           translate_request_valid, translate_request, translate_response_ready,
           near_request_valid, near_request, near_response_ready,
           far_request_valid, far_request, far_response_ready,
           dispatch_valid, dispatch, dispatch_done_ready,
    output bind_valid, bind_queue, bound_ready, unbind_valid, unbind,
           doorbell_valid, doorbell, irq_ready,
           dequeue_valid, dequeue, queue_status_ready,
           agent_dispatch_ready, agent_done_valid, agent_done,
           register_access_ready, register_done_valid, register_done,
           register_launch_valid, register_launch, cancel_ready,
           save_ready, saved_valid, saved, restore_ready,
           memory_request_ready, memory_response_valid, memory_response,
           translate_request_ready, translate_response_valid, translate_response,
           near_request_ready, near_response_valid, near_response,
           far_request_ready, far_response_valid, far_response,
           dispatch_ready, dispatch_done_valid, dispatch_done
  );

endinterface
