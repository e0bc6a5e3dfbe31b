// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "base/result.h"
#include "finalizer/image_access.h"
#include "finalizer/symbols.h"
#include "finalizer/target.h"
#include "hsa/launch_limits.h"
#include "hsail/layout.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

/// The largest power of two that divides an address of alignment `align` plus `offset`.
constexpr uint64_t common_align(uint64_t align, uint64_t offset) {
  return offset == 0 ? align : std::min(align, offset & (~offset + 1));
}

/// Translates one HSAIL kernel to an LLVM function, and the functions it can reach to LLVM
/// functions of their own for this kernel: group memory lies elsewhere in another one. Indirect
/// functions exist once (Symbols::indirect_function).
///
/// HSAIL registers become entry-block slots (i1, i32, i64, i128, zero at the start) that LLVM
/// promotes. Handlers report problems with fail(); the first one ends the translation.
class KernelTranslator {
 public:
  KernelTranslator(const hsail::Module& module, hsail::CodeRef kernel, Symbols& symbols,
                   llvm::Module& out, const TargetId& target);
  base::Status run();
  /// The same for an indirect function, which any kernel may call.
  base::Status run_indirect();

 private:
  /// For a function that `caller` calls.
  KernelTranslator(const KernelTranslator& caller, hsail::CodeRef function);
  using Handler = void (KernelTranslator::*)(const hsail::Inst&);
  using Value = llvm::Value;
  static std::array<Handler, hsail::kOpcodeCount> make_handlers();

  /// A place in memory: a pointer of the segment's address space and its known alignment.
  struct Address {
    Value* pointer = nullptr;
    uint64_t align = 1;
  };

  // kernel_translator.cpp: frame, control flow
  void create_function();
  /// The exceptions of a kernel or indirect function, and its limits (13.5), which are those of the
  /// functions it calls too. Errors: as hsail::launch_limits().
  base::Status read_control_directives();
  void create_blocks();
  void create_private_variables();
  void set_attributes();
  void translate_entry(hsail::CodeRef ref);
  void br(const hsail::Inst& inst);
  void cbr(const hsail::Inst& inst);
  void sbr(const hsail::Inst& inst);
  void ret(const hsail::Inst& inst);
  void nop(const hsail::Inst& inst);
  llvm::BasicBlock* label_block(hsail::CodeRef label);
  void translate_body();
  void translate_function(hsail::CodeRef function);
  void translate_later();

  // functions.cpp: calls. An LLVM function takes the kernarg address, the module's private
  // variables, what group_segment() gives and a pointer to each argument, which the caller keeps in
  // private memory.
  llvm::FunctionType* function_type(hsail::CodeRef executable);
  void bind_parameters();
  /// The LLVM function whose address is the code handle of an indirect function.
  llvm::Function* indirect_function(hsail::CodeRef function);
  /// The LLVM function of an HSAIL function, translated by now; nullptr after fail().
  llvm::Function* function_for(hsail::CodeRef function);
  std::vector<Value*> call_arguments(const hsail::Inst& inst);
  void call(const hsail::Inst& inst);
  void switch_call(const hsail::Inst& inst);
  void indirect_call(const hsail::Inst& inst);
  void set_function_attributes(llvm::Function& function);
  Value* kernarg_base();
  Value* group_segment();
  Value* group_static_size();

  // operands.cpp
  void fail(const std::string& what);
  void unsupported(const hsail::Inst& inst, const std::string& detail);
  llvm::Type* llvm_type(hsail::Type type);
  bool require_operands(const hsail::Inst& inst, size_t count);
  /// Operand `index` as a value of `type` (integers of the type's width, b1 as i1).
  Value* read(const hsail::Inst& inst, size_t index, hsail::Type type);
  Value* read_ref(hsail::OperandRef ref, hsail::Type type);
  Value* expression(const hsail::Operand& operand);
  /// Writes operand `index`, extended to the register by the signedness of `type` (4.16.2).
  void write(const hsail::Inst& inst, size_t index, Value* value, hsail::Type type);
  void write_ref(hsail::OperandRef ref, Value* value, hsail::Type type);
  /// The elements of a vector operand, or the operand itself.
  std::vector<hsail::OperandRef> elements(const hsail::Inst& inst, size_t index);
  llvm::AllocaInst* register_slot(const hsail::Operand& operand);
  std::optional<uint64_t> immediate(const hsail::Inst& inst, size_t index);
  Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types,
                   llvm::ArrayRef<Value*> arguments);
  llvm::ConstantInt* i32(uint64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }

  // integer.cpp
  void integer_binary(const hsail::Inst& inst);
  void integer_saturating(const hsail::Inst& inst);
  void integer_divide(const hsail::Inst& inst);
  void mul_hi(const hsail::Inst& inst);
  void integer_mad(const hsail::Inst& inst);
  void integer_unary(const hsail::Inst& inst);
  void mul24(const hsail::Inst& inst);
  void shift(const hsail::Inst& inst);
  Value* saturating_mad(const hsail::Inst& inst);
  void borrow_carry(const hsail::Inst& inst);

  // bits.cpp
  Value* masked_count(const hsail::Inst& inst, size_t index, hsail::Type type);
  void bit_mask(const hsail::Inst& inst);
  void bit_insert(const hsail::Inst& inst);
  void bit_reverse(const hsail::Inst& inst);
  void last_bit(const hsail::Inst& inst);
  void align_words(const hsail::Inst& inst);
  void bitwise(const hsail::Inst& inst);
  void bit_extract(const hsail::Inst& inst);
  void bit_select(const hsail::Inst& inst);
  void pop_count(const hsail::Inst& inst);
  void first_bit(const hsail::Inst& inst);

  // arithmetic.cpp: opcodes shared by integers and floats
  void binary(const hsail::Inst& inst);
  void divide(const hsail::Inst& inst);
  void mad(const hsail::Inst& inst);
  void unary(const hsail::Inst& inst);
  void move(const hsail::Inst& inst);
  void conditional_move(const hsail::Inst& inst);
  void combine(const hsail::Inst& inst);
  void expand(const hsail::Inst& inst);

  // floating.cpp
  Value* read_float(const hsail::Inst& inst, size_t index);
  Value* canonicalize(Value* value);
  std::vector<Value*> read_floats(const hsail::Inst& inst);
  /// `twice`: the same result for a value twice as large; nullptr where none is rounded up to the
  /// least normal number.
  Value* flush_tiny(Value* value, Value* twice = nullptr);
  void write_float(const hsail::Inst& inst, Value* value, Value* twice = nullptr);
  Value* doubled(Value* value);
  bool carries_to_normal(const hsail::Inst& inst) const;
  Value* arithmetic(const hsail::Inst& inst, llvm::ArrayRef<Value*> sources);
  void float_arithmetic(const hsail::Inst& inst);
  void float_binary(const hsail::Inst& inst);
  Value* float_min_max(bool is_max, Value* x, Value* y);
  void float_unary(const hsail::Inst& inst);
  void float_fma(const hsail::Inst& inst);
  void float_native(const hsail::Inst& inst);
  void float_trigonometric(const hsail::Inst& inst);
  void float_fract(const hsail::Inst& inst);
  void copy_sign(const hsail::Inst& inst);
  void classify(const hsail::Inst& inst);

  // rounding.cpp
  hsail::Round rounding(const hsail::Inst& inst) const;
  /// The value of MODE.fp_round for one format.
  static unsigned mode_bits(hsail::Round round);
  /// The one machine instruction of add, sub, mul, fma and mad; nullptr for others.
  static const char* directed_instruction(const hsail::Inst& inst);
  Value* directed(hsail::Round round, const std::string& instruction, llvm::Type* result,
                  llvm::ArrayRef<Value*> sources);
  Value* directed_arithmetic(const hsail::Inst& inst, llvm::ArrayRef<Value*> sources);
  Value* directed_quotient(hsail::Round round, Value* x, Value* y);
  Value* directed_root(hsail::Round round, Value* x);
  Value* step_toward(hsail::Round round, Value* near, Value* rest);
  Value* directed_convert(hsail::Round round, hsail::Type from, hsail::Type to, Value* value);

  // convert.cpp
  void compare(const hsail::Inst& inst);
  void convert(const hsail::Inst& inst);
  Value* convert_integer(const hsail::Inst& inst, Value* value);
  Value* convert_to_integer(const hsail::Inst& inst, Value* value);
  Value* float_to_integer(hsail::Round round, hsail::Type to, Value* value);
  Value* convert_float(const hsail::Inst& inst, Value* value);
  Value* round_to_float(const hsail::Inst& inst, Value* value);

  // packed.cpp
  void packed(const hsail::Inst& inst, Handler scalar);
  bool is_wide_integer(hsail::Type type) const;
  Value* read_element(const hsail::Inst& inst, size_t index, hsail::Type type);
  Value* element(Value* whole, unsigned bits, unsigned index);
  void write_elements(const hsail::Inst& inst, const std::vector<Value*>& parts);
  void shuffle(const hsail::Inst& inst);
  void interleave(const hsail::Inst& inst);
  void pack(const hsail::Inst& inst);
  void unpack(const hsail::Inst& inst);
  void lerp(const hsail::Inst& inst);
  void pack_convert(const hsail::Inst& inst);
  void unpack_convert(const hsail::Inst& inst);
  void sum_of_differences(const hsail::Inst& inst);

  // segments.cpp
  /// An address expression in parts.
  struct Sum {
    std::optional<Address> variable;
    Value* dynamic = nullptr;  ///< the register, as wide as an address
    uint64_t constant = 0;
    bool inside = false;  ///< a place in the variable, so that nothing wraps
  };
  unsigned address_bits(hsail::Segment segment) const;
  /// An address has fewer bits than the machine's pointer.
  bool is_zero_extended(hsail::Segment segment) const;
  std::optional<Address> variable_address(hsail::CodeRef symbol, hsail::Segment segment);
  std::optional<Sum> address_sum(const hsail::Inst& inst, size_t index, hsail::Segment segment);
  Value* address_value(const Sum& sum, hsail::Segment segment);
  Address address(const hsail::Inst& inst, size_t index, hsail::Segment segment);
  void load_address(const hsail::Inst& inst);
  Value* machine_aperture(hsail::Segment segment);
  Value* flat_aperture(hsail::Segment segment);
  Value* in_small_aperture(Value* flat, hsail::Segment segment);
  Value* machine_flat(Value* flat);
  void segment_test(const hsail::Inst& inst);
  void segment_conversion(const hsail::Inst& inst);
  void null_pointer(const hsail::Inst& inst);

  // memory.cpp
  void load(const hsail::Inst& inst);
  void store(const hsail::Inst& inst);
  void atomic(const hsail::Inst& inst);
  Value* each_lane_apart(Value* pointer);
  bool has_single_l1_model() const;
  void wait_for_vector_memory();
  void wait_before(const hsail::Inst& inst);
  void wait_after(const hsail::Inst& inst);
  void memory_fence(const hsail::Inst& inst);
  void barrier(const hsail::Inst& inst);
  /// The atomic operation of `inst`, its sources from operand `first` on; its result or nullptr.
  Value* emit_atomic(const hsail::Inst& inst, hsail::AtomicOp op, Value* pointer, size_t first,
                     llvm::AtomicOrdering order, llvm::SyncScope::ID scope);

  // signals.cpp
  Value* signal_value(const hsail::Inst& inst, size_t index);
  void signal(const hsail::Inst& inst);
  void signal_wait(const hsail::Inst& inst);
  void raise_event(Value* signal_value);
  void ring_doorbell(Value* value, Value* signal_value, llvm::BasicBlock* done);
  void queue_index(const hsail::Inst& inst);

  // fbarrier.cpp
  void fbarrier(const hsail::Inst& inst);
  Value* fbarrier_address(const hsail::Inst& inst, size_t index);
  Value* change_fbarrier(hsail::Opcode opcode, Value* pointer);
  void wait_for_fbarrier(Value* pointer, Value* seen);

  // exceptions.cpp
  Value* flag(Value* condition, uint32_t bit);
  Value* machine_exceptions(hsail::Round round, const std::string& instruction, llvm::Type* result,
                            llvm::ArrayRef<Value*> sources);
  Value* signaling(Value* x);
  Value* special_division(Value* x, Value* y);
  Value* division_exceptions(const hsail::Inst& inst);
  Value* root_exceptions(const hsail::Inst& inst);
  Value* fract_exceptions(const hsail::Inst& inst);
  Value* narrowing_exceptions(hsail::Round round, Value* from, llvm::Type* to);
  Value* conversion_exceptions(const hsail::Inst& inst);
  Value* integer_exceptions(const hsail::Inst& inst);
  Value* flush_exceptions(const hsail::Inst& inst);
  Value* exceptions_of(const hsail::Inst& inst);
  void note_exceptions(const hsail::Inst& inst);
  Value* detected_word();
  template <class Body>
  void if_detecting(Body body);
  void start_detection();
  void detect_instruction(const hsail::Inst& inst);

  // images.cpp
  void mipmap(const hsail::Inst& inst);
  void image_query(const hsail::Inst& inst);
  void load_image(const hsail::Inst& inst);
  void store_image(const hsail::Inst& inst);
  void read_image(const hsail::Inst& inst);
  Value* in_range(ImageAccess& image, const ImageAccess::Place& place, hsail::Type access,
                  hsail::ImageGeometry geometry);
  Value* named_level(ImageAccess& image, const hsail::Inst& inst);
  void write_texel(const hsail::Inst& inst, const TexelValues& texel);
  void image_fence(const hsail::Inst& inst);

  // matrix.cpp
  void matrix(const hsail::Inst& inst);
  Value* matrix_accumulators(const hsail::Inst& inst, unsigned count);

  // gcn.cpp
  void gcn(const hsail::Inst& inst);
  Value* gcn_source(const hsail::Inst& inst, size_t index);
  void gcn_write(const hsail::Inst& inst, Value* value);
  void gcn_arithmetic(const hsail::Inst& inst);
  Value* gcn_machine(const hsail::Inst& inst, llvm::ArrayRef<Value*> sources);
  Value* gcn_assembly(const std::string& instruction, llvm::Type* result,
                      llvm::ArrayRef<Value*> sources);
  void gcn_divide(const hsail::Inst& inst);
  void gcn_region_access(const hsail::Inst& inst);
  void gcn_count(const hsail::Inst& inst);
  void gcn_exchange(const hsail::Inst& inst);
  void gcn_schedule(const hsail::Inst& inst);
  template <class Body>
  void where(Value* condition, Body body);

  // lanes.cpp
  Value* active_lanes(Value* condition);
  void lane_query(const hsail::Inst& inst);
  void lane_permute(const hsail::Inst& inst);

  std::optional<llvm::AtomicOrdering> ordering(const hsail::Inst& inst);
  std::optional<llvm::SyncScope::ID> sync_scope(const hsail::Inst& inst);

  // dispatch.cpp
  void dispatch_query(const hsail::Inst& inst);
  void dispatch_dimension(const hsail::Inst& inst);
  void lane_id(const hsail::Inst& inst);
  void base_pointer(const hsail::Inst& inst);
  Value* packet_field(unsigned offset, unsigned bits);
  void packet_handle(const hsail::Inst& inst);
  Value* hardware_field(unsigned id, unsigned offset, unsigned bits);
  void hardware_query(const hsail::Inst& inst);
  void debug_trap(const hsail::Inst& inst);
  void halt(Value* reason);
  Value* current_flat_id();
  Value* work_item_id(unsigned dimension);
  Value* work_group_id(unsigned dimension);
  Value* work_group_size(unsigned dimension);
  Value* grid_size(unsigned dimension);
  Value* current_work_group_size(unsigned dimension);

  // stack.cpp
  Value* allocate_module_private();
  Value* free_end_word();
  void start_stack();
  bool makes_private_flat() const;
  bool has_dynamic_stack() const;
  Value* frames_end();
  void stop_beyond(Value* end, Value* frames);
  void check_frame();
  void free_at_returns();
  void allocate(const hsail::Inst& inst);

  const hsail::Module& module_;
  const hsail::MachineModel model_ = module_.machine_model();
  const hsail::CodeRef kernel_;  ///< or the function
  Symbols& symbols_;
  llvm::Module& out_;
  const TargetId& target_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;

  hsail::KernelLayout layout_;
  hsail::CodeRef end_ = 0;  ///< one past the kernel's last entry
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::map<hsail::CodeRef, llvm::BasicBlock*> blocks_;
  std::map<std::pair<hsail::RegisterKind, uint16_t>, llvm::AllocaInst*> registers_;
  std::map<hsail::CodeRef, Value*> private_variables_;  ///< private, spill and arg
  Value* module_private_ = nullptr;  ///< private variables of module scope, as in `layout_`
  Value* kernarg_ = nullptr;         ///< functions: the address of the kernarg segment
  Value* group_segment_ = nullptr;   ///< functions: see group_segment()
  bool checks_stack_ = false;        ///< frames may come to the end of private memory
  bool allocates_ = false;           ///< the function itself does
  llvm::Instruction* stack_start_ = nullptr;  ///< kernels: what makes private memory free
  bool any_kernel_ = false;  ///< an indirect function or what it calls: no layout is known
  struct Functions {
    std::map<hsail::CodeRef, llvm::Function*> made;
    unsigned nested = 0;                ///< translations that wait for the functions they call
    std::vector<hsail::CodeRef> later;  ///< made, and translated when nothing waits
    bool any_handle = false;            ///< some icall may reach any indirect function
  };
  std::shared_ptr<Functions> functions_;
  std::string kernel_name_;   ///< its symbol (Names)
  hsa::LaunchLimits limits_;  ///< a kernel's or indirect function's, for what it calls too (13.5)
  uint32_t detect_ = 0;       ///< exceptions that the kernel enables for each policy (12.3)
  uint32_t break_ = 0;
  /// While a packed instruction is translated: the element that read() gives and write() takes.
  struct Element {
    const hsail::Inst* packed = nullptr;
    unsigned index = 0;
    Value* result = nullptr;
  };
  std::optional<Element> element_;
  hsail::Position at_;
  std::optional<base::Error> error_;
};

}  // namespace cuvette::finalizer
