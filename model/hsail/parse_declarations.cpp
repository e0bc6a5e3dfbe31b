// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/parser.h"

namespace cuvette::hsail {

namespace {

bool defines(const CodeEntry& e) {
  if (const auto* x = std::get_if<Executable>(&e.body)) return x->is_definition();
  if (const auto* v = std::get_if<Variable>(&e.body)) return v->is_definition();
  if (const auto* f = std::get_if<Fbarrier>(&e.body)) {
    return (f->modifier & kVariableDefinition) != 0;
  }
  return true;
}

}  // namespace

bool Parser::declare(std::map<std::string, CodeRef>* scope, const std::string& name, CodeRef ref,
                     Position at) {
  const auto [it, fresh] = scope->emplace(name, ref);
  if (fresh) return true;
  const CodeEntry& before = out_.module.code[it->second];
  const CodeEntry& now = out_.module.code[ref];
  if (before.kind != now.kind || (defines(before) && defines(now)) || scope != &module_scope_) {
    return fail(Rule::kNameRepeated, at,
                "'" + name + "' is already defined at line " + std::to_string(before.at.line));
  }
  if (defines(now)) {
    redirects_[it->second] = ref;
    it->second = ref;
  } else {
    redirects_[ref] = it->second;
  }
  return true;
}

bool Parser::segment_and_type(Segment* segment, Type* type) {
  if (token().kind != TokenKind::kWord) return unexpected("a segment and a type (global_u32)");
  const std::string_view word = token().text;
  const size_t split = word.find('_');
  const auto found = find_segment(word.substr(0, split));
  if (!found || split == std::string_view::npos) {
    return unexpected("a segment and a type (global_u32)");
  }
  const auto t = find_type(word.substr(split + 1));
  if (!t || *t == Type::kB1) {
    Position at = token().at;
    at.column += static_cast<uint32_t>(split) + 1;
    return fail(Rule::kVariableType, at,
                "'" + std::string(word.substr(split + 1)) + "' is not a type of a variable");
  }
  *segment = *found;
  *type = *t;
  skip();
  return true;
}

bool Parser::dimension(Variable* v) {
  if (!accept('[')) return true;
  v->is_array = true;
  if (accept(']')) return true;
  const Position at = token().at;
  if (!number(&v->dim, "a number of array elements or ']'")) return false;
  if (v->dim == 0) return fail(Rule::kArraySize, at, "an array has at least one element");
  return expect(']', "after the array dimension");
}

bool Parser::variable(const Qualifiers& q, Linkage linkage, std::map<std::string, CodeRef>* scope) {
  const Position at = token().at;
  Variable v;
  if (!segment_and_type(&v.segment, &v.type)) return false;
  if (q.agent && v.segment == Segment::kReadonly) {
    // Its own allocation, so that BRIG cannot tell.
    return fail(Rule::kAgentAllocation, at,
                "'alloc(agent)' is for global variables, readonly ones have it already");
  }
  const bool global_name = scope == &module_scope_;
  if (token().kind != (global_name ? TokenKind::kGlobal : TokenKind::kLocal)) {
    return unexpected(global_name ? "a variable name (&name)" : "a variable name (%name)");
  }
  const Token named = token();
  v.name = named.text;
  skip();
  if (!dimension(&v)) return false;
  v.linkage = linkage;
  v.align = q.align != Alignment::kNone
                ? q.align
                : find_alignment(type_bytes(v.type)).value_or(Alignment::k1);
  v.modifier = static_cast<uint8_t>((q.declared ? 0 : kVariableDefinition) |
                                    (q.constant ? kVariableConst : 0));
  v.allocation = v.segment == Segment::kReadonly || q.agent ? Allocation::kAgent
                 : v.segment == Segment::kGlobal            ? Allocation::kProgram
                                                            : Allocation::kAutomatic;
  const CodeRef ref = add_code(Kind::kVariable, at, v);
  if (!declare(scope, v.name, ref, named.at)) return false;
  if (accept('=')) {
    if (!initializer(&v)) return false;
    out_.module.code[ref].as<Variable>() = v;
  }
  return expect(';', "after the variable");
}

bool Parser::initializer(Variable* v) {
  const Position at = token().at;
  Operand op;
  op.at = at;
  if (!v->is_array) return constant(v->type, &v->init);
  if (!constant_value(Type::kNone, &op)) return false;
  const bool aggregate = op.kind == Kind::kOperandConstantOperandList && op.type == Type::kNone;
  if (is_bit(v->type) ? !aggregate : !(op.is_array && op.type == v->type)) {
    return fail(Rule::kInitialiserType, at,
                is_bit(v->type)
                    ? "the initialiser of an array of a bit type is an aggregate, expected '{'"
                    : "expected an initialiser '" + std::string(name(v->type)) + "[](...)'");
  }
  if (v->dim == 0 && op.kind == Kind::kOperandConstantBytes) {
    v->dim = op.bytes.size() / type_bytes(v->type);
  } else if (v->dim == 0) {
    v->dim = op.offset / type_bytes(v->type);
  }
  op.offset = 0;
  v->init = add_operand(std::move(op));
  return true;
}

bool Parser::formal_arguments(Segment segment, Linkage linkage, uint16_t* count) {
  if (!expect('(', "before the formal arguments")) return false;
  *count = 0;
  if (accept(')')) return true;
  do {
    Qualifiers q;
    if (!qualifiers(&q, kAlign)) return false;
    const Position at = token().at;
    Variable v;
    if (!segment_and_type(&v.segment, &v.type)) return false;
    if (v.segment != segment) {
      return fail(Rule::kVariableSegment, at,
                  "a formal argument here is in segment '" + std::string(name(segment)) + "'");
    }
    Token named = token();
    if (named.kind == TokenKind::kLocal) {
      v.name = named.text;
      skip();
    } else if (linkage != Linkage::kNone) {
      return unexpected("an argument name (%name)");
    }
    if (!dimension(&v)) return false;
    v.linkage = linkage;
    v.align = q.align != Alignment::kNone
                  ? q.align
                  : find_alignment(type_bytes(v.type)).value_or(Alignment::k1);
    v.modifier = kVariableDefinition;
    v.allocation = Allocation::kAutomatic;
    const CodeRef ref = add_code(Kind::kVariable, at, v);
    if (!v.name.empty() && !declare(&function_scope_, v.name, ref, named.at)) return false;
    if (*count == UINT16_MAX) return fail(Rule::kLimit, at, "more than 65535 arguments");
    ++*count;
  } while (accept(','));
  return expect(')', "after the formal arguments");
}

bool Parser::executable(const Qualifiers& q) {
  const Position at = token().at;
  Kind kind = Kind::kKernel;
  if (at_word("indirect")) {
    kind = Kind::kIndirectFunction;
    skip();
    if (!at_word("function")) return unexpected("'function' after 'indirect'");
  } else if (at_word("function")) {
    kind = Kind::kFunction;
  }
  skip();
  if (token().kind != TokenKind::kGlobal) return unexpected("a name (&name)");
  const Token named = token();
  skip();
  Executable x;
  x.name = named.text;
  x.linkage = q.program ? Linkage::kProgram : Linkage::kModule;
  x.modifier = q.declared ? 0 : kExecutableDefinition;
  const CodeRef ref = add_code(kind, at, x);
  function_scope_.clear();
  labels_.clear();
  const bool kernel = kind == Kind::kKernel;
  const Segment segment = kernel ? Segment::kKernarg : Segment::kArg;
  const Linkage argument = Linkage::kFunction;
  if (!kernel && !formal_arguments(segment, argument, &x.out_arg_count)) return false;
  x.first_in_arg = static_cast<CodeRef>(out_.module.code.size());
  if (!formal_arguments(segment, argument, &x.in_arg_count)) return false;
  x.first_code_block_entry = x.next_module_entry = static_cast<CodeRef>(out_.module.code.size());
  out_.module.code[ref].body = x;
  if (!declare(&module_scope_, x.name, ref, named.at)) return false;
  if (q.declared) {
    // Only a definition has a scope for them (4.12).
    for (CodeRef i = ref + 1; i < x.next_module_entry; ++i) {
      out_.module.code[i].as<Variable>().linkage = Linkage::kNone;
    }
    return expect(';', "after the declaration");
  }
  if (!code_block(ref)) return false;
  return expect(';', "after the code block");
}

bool Parser::signature() {
  const Position at = token().at;
  skip();
  if (token().kind != TokenKind::kGlobal) return unexpected("a name (&name)");
  const Token named = token();
  skip();
  Executable x;
  x.name = named.text;
  x.linkage = Linkage::kNone;
  x.modifier = kExecutableDefinition;
  const CodeRef ref = add_code(Kind::kSignature, at, x);
  function_scope_.clear();
  if (!formal_arguments(Segment::kArg, Linkage::kNone, &x.out_arg_count)) return false;
  x.first_in_arg = static_cast<CodeRef>(out_.module.code.size());
  if (!formal_arguments(Segment::kArg, Linkage::kNone, &x.in_arg_count)) return false;
  x.first_code_block_entry = x.next_module_entry = static_cast<CodeRef>(out_.module.code.size());
  out_.module.code[ref].body = x;
  if (!declare(&module_scope_, x.name, ref, named.at)) return false;
  return expect(';', "after the signature");
}

bool Parser::code_block(CodeRef executable) {
  if (!expect('{', "before the code block")) return false;
  inside_ = true;
  const bool closed = statements();
  inside_ = false;
  Executable& x = out_.module.code[executable].as<Executable>();
  x.next_module_entry = static_cast<CodeRef>(out_.module.code.size());
  resolve_labels();
  return closed && expect('}', "at the end of the code block");
}

bool Parser::statements() {
  // Control directives, definitions and statements come in this order (4.3.5); what is out of order
  // is found by the validator, which sees BRIG too.
  annotations();
  while (!stop_ && !at_punct('}') && token().kind != TokenKind::kEnd) {
    bool good = true;
    if (token().kind == TokenKind::kLabel) {
      const Token named = token();
      skip();
      const CodeRef ref = add_code(Kind::kLabel, named.at, Label{std::string(named.text)});
      good = declare(&labels_, std::string(named.text), ref, named.at) &&
             expect(':', "after the label");
    } else if (at_punct('{')) {
      good = arg_block();
    } else if (token().kind != TokenKind::kWord) {
      good = unexpected("a statement or '}'");
    } else if (find_control(token().text)) {
      good = control();
    } else if (at_word("fbarrier")) {
      good = fbarrier({}, Linkage::kFunction, &function_scope_);
    } else {
      const std::string_view word = token().text.substr(0, token().text.find('_'));
      if (find_segment(word) || word == "align" || word == "const" || word == "alloc") {
        Qualifiers q;
        good = qualifiers(&q, kOfVariables) && variable(q, Linkage::kFunction, &function_scope_);
      } else {
        good = instruction();
      }
    }
    if (!good) recover(true);
    annotations();
  }
  return !stop_;
}

bool Parser::arg_block() {
  add_code(Kind::kArgBlockStart, token().at, Marker{});
  skip();
  arg_scope_.clear();
  annotations();
  while (!stop_ && !at_punct('}') && token().kind != TokenKind::kEnd) {
    bool good = true;
    if (token().kind == TokenKind::kLabel) {
      const Token named = token();
      skip();
      const CodeRef ref = add_code(Kind::kLabel, named.at, Label{std::string(named.text)});
      good = declare(&labels_, std::string(named.text), ref, named.at) &&
             expect(':', "after the label");
    } else if (token().kind != TokenKind::kWord) {
      good = unexpected("a statement or '}'");
    } else if (token().text.substr(0, 4) == "arg_" || at_word("align")) {
      Qualifiers q;
      good = qualifiers(&q, kOfVariables) && variable(q, Linkage::kArg, &arg_scope_);
    } else {
      good = instruction();
    }
    if (!good) recover(true);
    annotations();
  }
  if (stop_) return false;
  add_code(Kind::kArgBlockEnd, token().at, Marker{});
  arg_scope_.clear();
  return expect('}', "at the end of the arg block");
}

bool Parser::control() {
  const Position at = token().at;
  Control c;
  c.control = *find_control(token().text);
  skip();
  size_t count = 1;
  Type type = Type::kU32;
  switch (c.control) {
    case ControlDirective::kMaxFlatGridSize:
      type = Type::kU64;
      break;
    case ControlDirective::kRequiredGridSize:
      type = Type::kU64;
      count = 3;
      break;
    case ControlDirective::kRequiredWorkGroupSize:
      count = 3;
      break;
    case ControlDirective::kRequireNoPartialWavefronts:
    case ControlDirective::kRequireNoPartialWorkGroups:
      count = 0;
      break;
    default:
      break;
  }
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && !expect(',', "between the values of the control directive")) return false;
    if (token().kind != TokenKind::kNumber && !at_word("WAVESIZE")) {
      return unexpected("a number or WAVESIZE");
    }
    OperandRef ref = 0;
    if (!operand(type, &ref)) return false;
    c.operands.push_back(ref);
  }
  if (!expect(';', "after the control directive")) return false;
  add_code(Kind::kControl, at, c);
  return true;
}

void Parser::resolve_labels() {
  for (const PendingLabel& p : pending_labels_) {
    const auto found = labels_.find(p.name);
    if (found == labels_.end()) {
      fail(Rule::kLabelUnknown, p.at, "label '" + p.name + "' is not defined in this code block");
      continue;
    }
    Operand& op = out_.module.operands[p.operand];
    if (p.index < 0) {
      op.symbol = found->second;
    } else {
      op.codes[static_cast<size_t>(p.index)] = found->second;
    }
  }
  pending_labels_.clear();
}

}  // namespace cuvette::hsail
