// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/symbols.h"

#include <algorithm>

#include <llvm/IR/Constants.h>

#include "base/bits.h"
#include "finalizer/llvm_target.h"
#include "hsa/object_handles.h"
#include "hsail/constant_expression.h"
#include "hsail/external.h"
#include "hsail/image_constant.h"
#include "hsail/layout.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Kind;

namespace {

constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 28;

using Places = std::vector<std::pair<uint64_t, const hsail::Operand*>>;

/// The bytes of an initialiser (HSAIL PRM 4.10); zeros for image and sampler constants and addr(),
/// whose places go to `handles` and `addresses`: `addresses` are the whole ones, which relocations
/// fill. Error: larger than 256 MiB.
base::Status append_bytes(const hsail::Module& module, hsail::OperandRef ref, std::string& out,
                          Places& handles, Places& addresses) {
  const hsail::Operand& operand = module.operand(ref);
  switch (operand.kind) {
    case Kind::kOperandConstantBytes:
      out += operand.bytes;
      break;
    case Kind::kOperandZero:
      if (operand.offset > kMaxVariableBytes - std::min(kMaxVariableBytes, out.size()))
        return error_at(module, operand.at, "initialiser larger than 256 MiB");
      out.append(operand.offset, '\0');
      break;
    case Kind::kOperandAlign: {
      const uint64_t align = std::max(1u, hsail::alignment_bytes(operand.align));
      out.append(base::align_up(out.size(), align) - out.size(), '\0');
      break;
    }
    case Kind::kOperandConstantOperandList:
      for (hsail::OperandRef element : operand.elements)
        if (auto status = append_bytes(module, element, out, handles, addresses); !status)
          return status;
      break;
    case Kind::kOperandConstantExpression: {
      const unsigned bytes = hsail::type_bytes(operand.type);
      if (operand.expression == hsail::ExpressionOp::kAddr) {
        (bytes == sizeof(uint64_t) ? addresses : handles).emplace_back(out.size(), &operand);
        out.append(bytes, '\0');
        break;
      }
      const uint64_t value = hsail::expression_value(module, operand, {}).value_or(0);
      for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
      break;
    }
    case Kind::kOperandConstantImage:
    case Kind::kOperandConstantSampler:
      handles.emplace_back(out.size(), &operand);
      out.append(sizeof(uint64_t), '\0');
      break;
    default:
      return error_at(
          module, operand.at,
          "the finalizer does not support this kind of initialiser, expected constants");
  }
  return {};
}

}  // namespace

base::Error error_at(const hsail::Module& module, hsail::Position at, const std::string& what) {
  base::Location where;
  where.file = module.file_of(at);
  where.line = at.line;
  where.column = at.column;
  where.offset = at.offset;
  return base::Error(what, where);
}

uint64_t variable_align(const hsail::Variable& variable) {
  return std::max({1u, hsail::alignment_bytes(variable.align), hsail::type_bytes(variable.type)});
}

Symbols::Symbols(const hsail::Module& program, Spelling spelling, llvm::Module& out)
    : out_(out), spelling_(spelling), names_(program, spelling) {}

base::Status Symbols::define(const hsail::Module& module) {
  for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref) {
    if (module.code[ref].kind != Kind::kVariable) continue;
    const auto& variable = module.code[ref].as<hsail::Variable>();
    if (!variable.is_definition()) continue;
    if (variable.segment != hsail::Segment::kGlobal &&
        variable.segment != hsail::Segment::kReadonly)
      continue;
    if (auto status = define_variable(module, ref); !status) return status;
  }
  return {};
}

base::Status Symbols::define_variable(const hsail::Module& module, hsail::CodeRef ref) {
  const hsail::CodeEntry& entry = module.code[ref];
  const auto& variable = entry.as<hsail::Variable>();
  const bool program = variable.linkage == hsail::Linkage::kProgram;
  if (program && by_symbol_.count(names_.of(ref)) != 0)
    return error_at(module, entry.at, "second definition of program variable " + variable.name);

  const uint64_t bytes = hsail::variable_bytes(variable);
  if (bytes > kMaxVariableBytes)
    return error_at(module, entry.at, "variable " + variable.name + " is larger than 256 MiB");
  std::string contents;
  Places handles;
  Places addresses;
  if (variable.init != 0) {
    if (auto status = append_bytes(module, variable.init, contents, handles, addresses); !status)
      return status;
    if (contents.size() != bytes)
      return error_at(module, entry.at,
                      "initialiser of " + variable.name + " has " +
                          std::to_string(contents.size()) + " bytes, expected " +
                          std::to_string(bytes));
  }
  llvm::Type* type = contents_type(bytes, addresses);
  llvm::Constant* initialiser = llvm::Constant::getNullValue(type);
  if (variable.init != 0 && addresses.empty())
    initialiser =
        llvm::ConstantDataArray::getRaw(contents, bytes, llvm::Type::getInt8Ty(out_.getContext()));
  // Handles are not known before loading.
  const bool constant = variable.init != 0 && handles.empty() && addresses.empty() &&
                        (variable.modifier & hsail::kVariableConst) != 0;
  const unsigned address_space =
      variable.segment == hsail::Segment::kReadonly ? kConstantSpace : kGlobalSpace;
  auto* global = new llvm::GlobalVariable(out_, type, constant, llvm::GlobalValue::ExternalLinkage,
                                          initialiser, names_.of(ref), nullptr,
                                          llvm::GlobalValue::NotThreadLocal, address_space,
                                          /*isExternallyInitialized=*/!constant);
  // Other linkage: other modules cannot name it, the symbol table has it all the same. The HSA
  // runtime sees global symbols alone.
  const bool seen = variable.linkage == hsail::Linkage::kModule && spelling_ == Spelling::kHsail;
  if (program || seen)
    global->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  else
    global->setLinkage(llvm::GlobalValue::InternalLinkage);
  global->setAlignment(llvm::Align(variable_align(variable)));
  for (const auto& [offset, operand] : handles)
    handles_.push_back({&module, global, offset, operand});
  if (!addresses.empty())
    addresses_.push_back({&module, ref, global, std::move(contents), std::move(addresses)});
  by_entry_[{&module, ref}] = global;
  if (variable.linkage != hsail::Linkage::kFunction) by_symbol_[names_.of(ref)] = global;
  return {};
}

/// Bytes, with an i64 at each of the places.
llvm::Type* Symbols::contents_type(uint64_t bytes, const Places& places) const {
  llvm::LLVMContext& context = out_.getContext();
  auto* byte = llvm::Type::getInt8Ty(context);
  if (places.empty()) return llvm::ArrayType::get(byte, bytes);
  std::vector<llvm::Type*> parts;
  uint64_t end = 0;
  for (const auto& [offset, operand] : places) {
    parts.push_back(llvm::ArrayType::get(byte, offset - end));
    parts.push_back(llvm::Type::getInt64Ty(context));
    end = offset + sizeof(uint64_t);
  }
  parts.push_back(llvm::ArrayType::get(byte, bytes - end));
  return llvm::StructType::get(context, parts, /*isPacked=*/true);
}

base::Status Symbols::finish() {
  if (auto status = set_addresses(); !status) return status;
  return list_handles();
}

base::Result<llvm::Constant*> Symbols::address_of(const hsail::Module& module,
                                                  const hsail::Operand& op) {
  if (llvm::Constant* value = expression(module, op)) return value;
  return error_at(module, op.at, hsail::expression_text(module, op) + ": nothing defines it");
}

base::Status Symbols::set_addresses() {
  for (const Addresses& a : addresses_) {
    auto* type = llvm::cast<llvm::StructType>(a.variable->getValueType());
    std::vector<llvm::Constant*> parts;
    uint64_t end = 0;
    const auto add_bytes = [&](uint64_t until) {
      parts.push_back(llvm::ConstantDataArray::getRaw(a.bytes.substr(end, until - end), until - end,
                                                      llvm::Type::getInt8Ty(out_.getContext())));
    };
    for (const auto& [offset, operand] : a.places) {
      auto value = address_of(*a.module, *operand);
      if (!value) return value.error();
      add_bytes(offset);
      parts.push_back(*value);
      end = offset + sizeof(uint64_t);
    }
    add_bytes(a.bytes.size());
    a.variable->setInitializer(llvm::ConstantStruct::get(type, parts));
  }
  return {};
}

/// A kernel's code handle is the address of its descriptor, which LLVM defines by this name.
llvm::Constant* Symbols::descriptor(const std::string& kernel) {
  const std::string name = kernel + ".kd";
  llvm::GlobalVariable* global = out_.getNamedGlobal(name);
  if (global == nullptr) {
    global = new llvm::GlobalVariable(out_, llvm::Type::getInt8Ty(out_.getContext()), true,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                      llvm::GlobalValue::NotThreadLocal, kConstantSpace);
    global->setVisibility(llvm::GlobalValue::ProtectedVisibility);
    global->setDSOLocal(true);
  }
  return global;
}

llvm::Constant* Symbols::expression(const hsail::Module& module, const hsail::Operand& op) {
  auto* wide = llvm::Type::getInt64Ty(out_.getContext());
  if (op.expression != hsail::ExpressionOp::kAddr)
    return llvm::ConstantInt::get(wide, hsail::expression_value(module, op, {}).value_or(0));
  const hsail::CodeRef symbol = hsail::expression_symbol(module, op);
  const hsail::CodeEntry& entry = module.code[symbol];
  llvm::Constant* named = nullptr;
  if (entry.kind == Kind::kVariable) {
    named = find(module, symbol);
  } else {
    const auto& executable = entry.as<hsail::Executable>();
    if (entry.kind == Kind::kKernel)
      named = executable.is_definition() ? descriptor(names_.of(symbol)) : nullptr;
    else
      named = out_.getFunction(names_.of(symbol));
  }
  if (named == nullptr) return nullptr;
  return llvm::ConstantExpr::getAdd(
      llvm::ConstantExpr::getPtrToInt(named, wide),
      llvm::ConstantInt::get(wide, hsail::expression_displacement(module, op)));
}

base::Status Symbols::list_handles() {
  if (handles_.empty()) return {};
  llvm::LLVMContext& context = out_.getContext();
  auto* word = llvm::Type::getInt32Ty(context);
  auto* wide = llvm::Type::getInt64Ty(context);
  auto* rest = llvm::ArrayType::get(word, hsa::kHandleWords - 4);
  auto* pointer = llvm::PointerType::get(context, kGlobalSpace);
  // Words 2 and 3 as one, which may be an address.
  auto* record = llvm::StructType::get(context, {pointer, word, word, wide, rest});
  std::vector<llvm::Constant*> records;
  for (const Handle& h : handles_) {
    hsa::HandleWords values{};
    llvm::Constant* address = nullptr;
    if (h.constant->kind == Kind::kOperandConstantExpression) {
      auto value = address_of(*h.module, *h.constant);
      if (!value) return value.error();
      address = *value;
      values = hsa::address_words(hsail::type_bytes(h.constant->type));
    } else {
      const bool sampler = h.constant->kind == Kind::kOperandConstantSampler;
      values = sampler ? hsa::handle_words(hsail::sampler_of(h.constant->sampler))
                       : hsa::handle_words(hsail::image_of(*h.constant->image));
      address = llvm::ConstantInt::get(wide, values[2] | uint64_t{values[3]} << 32);
    }
    llvm::Constant* place = llvm::ConstantExpr::getAddrSpaceCast(h.variable, pointer);
    place = llvm::ConstantExpr::getGetElementPtr(
        llvm::Type::getInt8Ty(context), place,
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), h.offset));
    const uint32_t* others = values.data() + 4;
    records.push_back(llvm::ConstantStruct::get(
        record, {place, llvm::ConstantInt::get(word, values[0]),
                 llvm::ConstantInt::get(word, values[1]), address,
                 llvm::ConstantDataArray::get(
                     context, llvm::ArrayRef<uint32_t>(others, hsa::kHandleWords - 4))}));
  }
  auto* type = llvm::ArrayType::get(record, records.size());
  auto* list =
      new llvm::GlobalVariable(out_, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantArray::get(type, records), hsa::kHandleList, nullptr,
                               llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
  list->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  list->setAlignment(llvm::Align(8));
  return {};
}

/// A symbol that the loader finds elsewhere: its address comes from the global offset table.
llvm::GlobalVariable* Symbols::external(const hsail::Module& module, hsail::CodeRef ref) {
  const auto& variable = module.code[ref].as<hsail::Variable>();
  const std::string& name = names_.of(ref);
  const uint64_t bytes = hsail::variable_bytes(variable);
  const llvm::Align align(variable_align(variable));
  hsa::ExternalDemand& known = externals_[name];
  known.bytes = std::max(known.bytes, bytes);
  known.alignment = std::max(known.alignment, align.value());
  llvm::GlobalVariable* global = out_.getNamedGlobal(name);
  if (global == nullptr) {
    const bool readonly = variable.segment == hsail::Segment::kReadonly;
    // Declarations of one variable may differ in size (4.3.8): nothing is said about it here.
    auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(out_.getContext()), 0);
    global = new llvm::GlobalVariable(
        out_, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage, nullptr, name,
        nullptr, llvm::GlobalValue::NotThreadLocal, readonly ? kConstantSpace : kGlobalSpace,
        /*isExternallyInitialized=*/true);
    global->setAlignment(align);
  }
  return global;
}

llvm::GlobalVariable* Symbols::find(const hsail::Module& module, hsail::CodeRef variable) {
  if (auto found = by_entry_.find({&module, variable}); found != by_entry_.end())
    return found->second;
  // A declaration and its definition may stand in the same module (18.5.1.1).
  if (auto found = by_symbol_.find(names_.of(variable)); found != by_symbol_.end())
    return found->second;
  return hsail::is_external(module, variable) ? external(module, variable) : nullptr;
}

}  // namespace cuvette::finalizer
