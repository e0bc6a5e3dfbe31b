// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "command_processor/pm4.h"
#include "command_processor/task.h"
#include "hsa/packet.h"
#include "hsa/queue.h"

namespace cuvette::command_processor {

/// Our implementation of the command_processor contract. Each queue is served by a coroutine that
/// reads like the firmware it stands for; every step that needs memory, a fence or the spi is
/// awaited.
class CommandProcessorTlm final : public CommandProcessor {
 public:
  explicit CommandProcessorTlm(const Config& config);
  ~CommandProcessorTlm() override;

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far) override;
  uint32_t bind(const QueueBinding& queue, machine::Cycle when) override;
  void unbind(uint32_t queue) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  Counters counters() const override { return counters_; }
  std::vector<std::string> take_reports() override { return std::exchange(reports_, {}); }
  std::vector<QueueReport> queues() const override;
  bool on_stage(OnStage observer) override {
    on_stage_ = std::move(observer);
    return true;
  }
  Frames& frames() { return frames_; }

 private:
  struct FenceFault;
  struct Operation;
  struct QueueRun;
  struct InFlight;
  struct Taken;
  struct Pm4Buffer;
  struct Pm4Run;
  struct MqdImage;
  struct SavedDispatch;
  struct RunList;
  class Await;
  class AwaitWake;
  class AwaitDone;
  class AwaitQuiet;
  class AwaitWhen;

  // Firmware: the life of a queue (firmware.cpp), its waves saved and restored (save_restore.cpp),
  // one packet (packets.cpp), PM4 in buffers and its packets (pm4.cpp), registers and grids
  // (pm4_registers.cpp), rings of PM4 (pm4_ring.cpp), the kernel queue (kernel_queue.cpp,
  // run_list.cpp).
  Task serve(QueueRun& queue);
  Task complete(QueueRun& queue, InFlight& launched);
  Task fail(QueueRun& queue, uint32_t error, uint64_t address);
  Task leave(QueueRun& queue);
  Task open(QueueRun& queue, Taken& outcome);
  Task restore(QueueRun& queue, Taken& taken);
  Task restore_dispatch(QueueRun& queue, Taken& taken, const SavedDispatch& saved);
  Task store_saved(QueueRun& queue);
  static bool may_ask_save(const QueueRun& queue);
  void ask_save(QueueRun& queue);
  void take_saved(QueueRun& queue, const InFlight& launched);
  spi::Dispatch dispatch_of(const QueueRun& queue, const Taken& taken, uint64_t address,
                            uint64_t index);
  Task prepare(QueueRun& queue, Taken& taken);
  Task read_preload(QueueRun& queue, Taken& taken);
  Task find_scratch(QueueRun& queue, Taken& taken);
  Task wait_scratch(QueueRun& queue, Taken& taken);
  Task wait_barrier(QueueRun& queue, Taken& taken);
  Task wait_value(QueueRun& queue, Taken& taken);
  Task signal_completion(QueueRun& queue, const InFlight& launched);
  Task run_pm4(QueueRun& queue, Pm4Run& run);
  Task pm4_indirect_buffer(QueueRun& queue, Pm4Run& run);
  Task pm4_write_data(QueueRun& queue, Pm4Run& run);
  Task pm4_wait_reg_mem(QueueRun& queue, Pm4Run& run);
  Task pm4_copy_data(QueueRun& queue, Pm4Run& run);
  Task pm4_acquire_mem(QueueRun& queue, Pm4Run& run);
  Task pm4_release_mem(QueueRun& queue, Pm4Run& run);
  Task end_of_pipe(QueueRun& queue, Pm4Run& run);
  Task release_later(QueueRun& queue, InFlight& entry, std::vector<uint32_t> body);
  Task run_pm4_packet(QueueRun& queue, Pm4Run& run, uint32_t head);
  Task run_pm4_buffers(QueueRun& queue, Pm4Run& run);

  Task pm4_event_write(QueueRun& queue, Pm4Run& run);
  Task pm4_cond_exec(QueueRun& queue, Pm4Run& run);
  Task pm4_set_sh_reg(QueueRun& queue, Pm4Run& run);
  Task pm4_set_uconfig_reg(QueueRun& queue, Pm4Run& run);
  Task set_registers(QueueRun& queue, Pm4Run& run, uint32_t first, uint32_t end);
  Task pm4_dispatch_direct(QueueRun& queue, Pm4Run& run);
  Task pm4_dispatch_indirect(QueueRun& queue, Pm4Run& run);
  Task start_grid(QueueRun& queue, Pm4Run& run, std::array<uint32_t, 3> groups, uint32_t initiator);
  Task wait_register(QueueRun& queue, Pm4Run& run, uint32_t offset);
  Task run_grid(QueueRun& queue, InFlight& entry, RegisterLaunch grid);
  void take_launch(const RegisterLaunch& grid);

  Task serve_pm4(QueueRun& queue);
  Task take_pm4(QueueRun& queue, Pm4Run& run);
  Task read_ring(QueueRun& queue, uint64_t pointer, uint32_t* out, unsigned dwords, bool& good);
  Task report_pointer(QueueRun& queue, Pm4Run& run);

  Task pm4_set_resources(QueueRun& queue, Pm4Run& run);
  Task pm4_map_queues(QueueRun& queue, Pm4Run& run);
  Task pm4_unmap_queues(QueueRun& queue, Pm4Run& run);
  Task pm4_query_status(QueueRun& queue, Pm4Run& run);
  Task pm4_invalidate_tlbs(QueueRun& queue, Pm4Run& run);
  Task pm4_run_list(QueueRun& queue, Pm4Run& run);
  static uint32_t parse_list(const std::vector<uint32_t>& words, uint64_t address, RunList& list);
  Task clear_list(QueueRun& queue);
  Task map_next(QueueRun& queue, Pm4Run& run);
  Task take_turns(QueueRun& queue);
  Task end_turns(QueueRun& queue);
  Task map_process(QueueRun& queue, Pm4Run& run);
  Task map_queues(QueueRun& queue, Pm4Run& run);
  Task take_away(QueueRun& queue, const std::vector<unsigned>& slots, uint32_t request);
  Task look_at_slots(QueueRun& queue, std::vector<uint32_t>& active,
                     std::vector<uint32_t>& doorbells, std::vector<uint32_t>& vmids);
  Task map_queue(QueueRun& queue, Pm4Run& run, size_t at);
  Task read_mqd(Pm4Run& run, uint64_t address, MqdImage& image);
  Task load_queue(QueueRun& queue, Pm4Run& run, uint32_t bank, const MqdImage& image);
  struct Pm4Row {
    pm4::Opcode opcode;
    unsigned least, most;  // dwords of the body
    Task (CommandProcessorTlm::*run)(QueueRun&, Pm4Run&);
    enum class Who : uint8_t { All, Bank, Kernel } who = Who::All;  // queues that may
  };
  static const Pm4Row kPm4Rows[];

  // What firmware awaits (command_processor_tlm.cpp).
  Await read(uint8_t vmid, uint64_t va, uint8_t* out, unsigned bytes);
  Await write(uint8_t vmid, uint64_t va, const void* data, unsigned bytes);
  Await fetch_sub(uint8_t vmid, uint64_t va, uint64_t amount);
  /// `fault` lives as long as the coroutine that awaits.
  Await fence(memory::MemOp op, const std::vector<cache::Cache::Port*>& caches, FenceFault& fault);
  Await delay(uint32_t cycles);
  Await launch(const spi::Dispatch& dispatch);
  Await read_register(QueueRun& queue, uint32_t bank, uint32_t offset, uint32_t* value);
  Await write_register(QueueRun& queue, uint32_t bank, uint32_t offset, uint32_t value,
                       uint64_t index = 0);
  void start_timer(machine::Cycle end, Operation& op);
  void ask_register(Operation& op, const RegisterAccess& access, uint32_t* out, uint64_t index);

  Operation* begin();
  void transfer(Operation& op, uint8_t vmid, uint64_t va, unsigned bytes, memory::MemReq& request,
                const void* in, uint8_t* out);
  void finish_part(Operation* op);
  void raise(QueueRun& queue, uint32_t source, uint64_t context);
  void reach(const QueueRun& queue, uint64_t packet, Stage stage) const;
  void tell(const QueueRun& queue, QueueState state, uint32_t error = 0, uint64_t address = 0);
  void take_dequeues();
  void take_registers();
  void forget_schedule();
  bool older(const QueueRun& queue, uint64_t index) const;
  void take_done(const spi::DispatchDone& done);
  void let_leave();
  void run_ready();
  bool settle();
  std::unique_ptr<InFlight> in_flight();
  void send_interrupts();
  void unbind(QueueRun& queue);
  void forget_unbound();

  Frames frames_;  // before everything that holds a coroutine
  Config config_;
  spi::Spi* spi_ = nullptr;
  cache::Cache::Port* memory_ = nullptr;
  std::vector<cache::Cache::Port*> near_, far_;

  machine::Cycle now_ = 0;
  uint64_t next_id_ = 1;
  uint32_t sequence_ = 0;
  uint32_t next_dispatch_ = 1;
  struct Part {
    Operation* operation;    // null: answered
    uint8_t* out;            // null: no data wanted
    unsigned offset, bytes;  // in the block
  };
  std::vector<Part> parts_;  // requests under way, by id: the last one is next_id_ - 1
  struct RegisterPart {
    Operation* operation;
    uint32_t* out;   // null: a write
    uint64_t index;  // of the packet that asks
  };
  std::map<uint32_t, std::vector<spi::SavedGroup>> saved_groups_;  // until their DispatchDone
  std::map<uint32_t, RegisterPart> register_parts_;                // by RegisterAccess::id
  uint32_t next_access_ = 1;
  /// SET_RESOURCES: queues the kernel queue may choose from (8 pipe + queue, 32 per micro engine).
  uint64_t queue_mask_ = 0;
  uint16_t vmid_mask_ = 0;               ///< and the VMIDs of run lists
  std::optional<uint8_t> process_vmid_;  ///< while a run list is read: of its last process
  uint16_t process_vmids_ = 0;           ///< of all its processes
  uint64_t list_slots_ = 0;              ///< slots the last run list has filled
  uint64_t static_slots_ = 0;            ///< slots whose queue UNMAP_QUEUES of all others leaves
  std::vector<std::unique_ptr<Operation>> operations_;  // under way, or free to be used again
  std::vector<Operation*> free_operations_;
  std::deque<Operation*> ready_;
  std::vector<std::pair<machine::Cycle, Operation*>> timers_;  // in the order they end
  // Waiting for room at the spi; all have time 0.
  machine::Channel<std::pair<spi::Dispatch, Operation*>> launches_{machine::kUnbounded};
  std::vector<std::unique_ptr<InFlight>> spare_in_flight_;
  bool resumed_ = false;                                // a coroutine has run since settle() looked
  std::deque<Interrupt> raised_;                        // waiting for room in `interrupt`
  std::vector<std::pair<Operation*, uint32_t>> start_;  // queues bound, not yet started
  std::map<uint32_t, std::unique_ptr<QueueRun>> queues_;  // by number
  uint32_t next_queue_ = 0;
  unsigned unbound_ = 0;  // queues that are to go
  Counters counters_;
  std::vector<std::string> reports_;
  OnStage on_stage_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::command_processor
