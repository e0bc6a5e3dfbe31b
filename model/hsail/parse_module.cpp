// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "hsail/literal.h"
#include "hsail/parser.h"

namespace cuvette::hsail {

bool Parser::header() {
  if (at_word("version")) {
    return fail(Rule::kVersion, token().at,
                "provisional HSAIL ('version ...;') is not supported, expected "
                "'module &name:1:<minor>:<profile>:<model>:<rounding>;'");
  }
  const Position at = token().at;
  if (!at_word("module")) {
    if (token().kind == TokenKind::kEnd) {
      return unexpected("'module &name:major:minor:$profile:$model:$rounding;'");
    }
    return fail(Rule::kNotHsail, at,
                "not HSAIL text, expected 'module &name:major:minor:$profile:$model:$rounding;'");
  }
  skip();
  ModuleHeader m;
  if (token().kind != TokenKind::kGlobal) return unexpected("the module's name (&name)");
  m.name = token().text;
  skip();
  uint64_t major = 0;
  uint64_t minor = 0;
  if (!expect(':', "after the module's name")) return false;
  const Position version_at = token().at;
  if (!number(&major, "the major version") || !expect(':', "after the major version") ||
      !number(&minor, "the minor version") || !expect(':', "after the minor version")) {
    return false;
  }
  if (major != kHsailMajor || minor > kHsailMinorMax) {
    return fail(Rule::kVersion, version_at,
                "HSAIL version " + std::to_string(major) + ":" + std::to_string(minor) +
                    " is not supported, expected 1:0, 1:1 or 1:2");
  }
  m.major = static_cast<uint32_t>(major);
  m.minor = static_cast<uint32_t>(minor);

  const auto property = [this](std::initializer_list<std::string_view> names, size_t* which) {
    std::string expected;
    size_t i = 0;
    for (const std::string_view n : names) {
      if (token().kind == TokenKind::kDollar && token().text == n) {
        *which = i;
        skip();
        return true;
      }
      if (i > 0) expected += i + 1 == names.size() ? " or " : ", ";
      expected += n;
      ++i;
    }
    return unexpected(expected);
  };
  size_t which = 0;
  if (!property({"$base", "$full"}, &which) || !expect(':', "after the profile")) return false;
  m.profile = static_cast<Profile>(which);
  if (!property({"$small", "$large"}, &which) || !expect(':', "after the machine model"))
    return false;
  m.machine_model = static_cast<MachineModel>(which);
  if (!property({"$default", "$zero", "$near"}, &which)) return false;
  constexpr Round kRounds[] = {Round::kFloatDefault, Round::kFloatZero, Round::kFloatNear};
  m.default_round = kRounds[which];
  module_scope_[m.name] = add_code(Kind::kModule, at, m);  // 4.6.2: it has module scope
  return expect(';', "after the module header");
}

void Parser::annotations() {
  while (!stop_) {
    add_comments();
    bool taken = false;
    if (!annotation(&taken)) {
      recover(true);
    } else if (!taken) {
      return;
    }
  }
}

void Parser::add_comments() {
  for (const Token& c : comments_) {
    if (c.text[1] == '/') {
      add_code(Kind::kComment, c.at, Comment{std::string(c.text)});
      continue;
    }
    // 18.5.1.3: BRIG knows comments of one line.
    std::string_view rest = c.text.substr(2, c.text.size() - 4);
    Position at = c.at;
    for (bool more = true; more; ++at.line) {
      const size_t end = rest.find('\n');
      more = end != std::string_view::npos;
      add_code(Kind::kComment, at, Comment{"//" + std::string(rest.substr(0, end))});
      if (more) rest.remove_prefix(end + 1);
      at.column = 1;
    }
  }
  comments_.clear();
}

bool Parser::annotation(bool* taken) {
  *taken = true;
  if (at_word("loc")) return location();
  if (at_word("pragma")) return pragma();
  if (at_word("pad")) return pad();
  *taken = false;
  return true;
}

bool Parser::location() {
  const Position at = token().at;
  skip();
  Loc loc;
  uint64_t line = 0;
  uint64_t column = 1;
  if (!number(&line, "a line number")) return false;
  if (token().kind == TokenKind::kNumber && !number(&column, "a column number")) return false;
  if (token().kind == TokenKind::kString) {
    const auto text = parse_string(token().text);
    if (!text)
      return fail(Rule::kStringEscape, token().at, "malformed escape sequence in a string");
    loc_file_ = *text;
    skip();
  }
  if (line > UINT32_MAX || column > UINT32_MAX) {
    return fail(Rule::kLoc, at, "line and column of 'loc' are 32-bit numbers");
  }
  loc.file = loc_file_;
  loc.line = static_cast<uint32_t>(line);
  loc.column = static_cast<uint32_t>(column);
  add_code(Kind::kLoc, at, loc);
  return expect(';', "after 'loc'");
}

bool Parser::pad() {
  const Position at = token().at;
  skip();
  uint64_t words = 0;
  if (token().kind == TokenKind::kNumber && !number(&words, "a number of words")) return false;
  if (words >= 1u << 14) return fail(Rule::kPad, at, "'pad' takes 0 to 16383 words");
  add_code(Kind::kNone, at, Marker{static_cast<uint32_t>(words)});
  return expect(';', "after 'pad'");
}

bool Parser::extension() {
  const Position at = token().at;
  skip();
  if (token().kind != TokenKind::kString) return unexpected("the extension's name in quotes");
  const auto text = parse_string(token().text);
  if (!text) return fail(Rule::kStringEscape, token().at, "malformed escape sequence in a string");
  skip();
  Extension e;
  e.name = *text;
  const bool versioned = accept(':');
  if (versioned) {
    uint64_t major = 0;
    uint64_t minor = 0;
    const auto part = [this](uint64_t* value, std::string_view what) {
      const Position where = token().at;
      if (!number(value, what)) return false;
      return *value <= UINT32_MAX || fail(Rule::kExtensionVersion, where,
                                          "a version of an extension consists of 32-bit numbers");
    };
    if (!part(&major, "the extension's major version") ||
        !expect(':', "after the extension's major version") ||
        !part(&minor, "the extension's minor version")) {
      return false;
    }
    e.major = static_cast<uint32_t>(major);
    e.minor = static_cast<uint32_t>(minor);
  }
  add_code(versioned ? Kind::kExtensionVersion : Kind::kExtension, at, e);
  return expect(';', "after the extension");
}

bool Parser::pragma() {
  const Position at = token().at;
  skip();
  // Up to 1:1 any operand may be the first one (docs/reference/decisions.md D62).
  const ModuleHeader* const header = out_.module.header();
  const bool named = header == nullptr || header->minor >= 2;
  const bool broken = token().kind == TokenKind::kBad;
  if ((named && token().kind != TokenKind::kString) || broken) {
    return unexpected("the pragma's name in quotes");
  }
  Pragma p;
  do {
    OperandRef ref = 0;
    if (!pragma_operand(&ref)) return false;
    p.operands.push_back(ref);
  } while (accept(','));
  if (!expect(';', "after the pragma")) return false;
  add_code(Kind::kPragma, at, p);
  return true;
}

bool Parser::pragma_operand(OperandRef* ref) {
  Operand op;
  op.at = token().at;
  if (!inside_ && (token().kind == TokenKind::kLabel || token().kind == TokenKind::kDollar)) {
    return fail(Rule::kPragmaOperand, op.at,
                "'" + std::string(token().text) + "' has no meaning outside a code block");
  }
  switch (token().kind) {
    case TokenKind::kString: {
      const auto text = parse_string(token().text);
      if (!text)
        return fail(Rule::kStringEscape, token().at, "malformed escape sequence in a string");
      op.kind = Kind::kOperandString;
      op.bytes = *text;
      skip();
      *ref = add_operand(std::move(op));
      return true;
    }
    case TokenKind::kLabel:
      return label(ref);
    case TokenKind::kDollar:
      return register_operand(ref);
    case TokenKind::kGlobal:
    case TokenKind::kLocal:
      op.kind = Kind::kOperandCodeRef;
      op.symbol = find_symbol(token().text);
      if (op.symbol == 0) {
        return fail(Rule::kNameUnknown, op.at,
                    "'" + std::string(token().text) + "' is not declared");
      }
      skip();
      *ref = add_operand(std::move(op));
      return true;
    default:
      break;
  }
  if (at_word("WAVESIZE")) return operand(Type::kU64, ref);
  // Constants stand alone here: integers are u64 (13.4), everything else brings its own type.
  const bool sign = at_punct('+') || at_punct('-');
  const Token& value = sign ? peek(1) : token();
  const bool integer =
      at_expression() || (value.kind == TokenKind::kNumber &&
                          parse_literal(value.text).form == Literal::Form::kInteger);
  if (!constant_value(integer ? Type::kU64 : Type::kNone, &op)) return false;
  op.offset = 0;
  *ref = add_operand(std::move(op));
  return true;
}

bool Parser::qualifiers(Qualifiers* q, unsigned allowed) {
  static constexpr std::string_view kWords[] = {"decl", "prog", "alloc", "align", "const"};
  size_t last = std::size(kWords);
  for (;;) {
    const Token& word = token();
    const auto* const found = std::find(std::begin(kWords), std::end(kWords), word.text);
    if (word.kind != TokenKind::kWord || found == std::end(kWords)) return true;
    const auto which = static_cast<size_t>(found - std::begin(kWords));
    if ((allowed & 1u << which) == 0) {
      return misplaced(word, allowed == kAlign ? "a formal argument" : "what a code block defines");
    }
    if (last == which) {
      return fail(Rule::kSyntax, word.at, "'" + std::string(word.text) + "' stands here twice");
    }
    if (last < which || last == std::size(kWords)) {
      last = which;
    } else {
      return fail(Rule::kSyntax, word.at,
                  "'" + std::string(word.text) + "' behind '" + std::string(kWords[last]) +
                      "', expected the order decl, prog, alloc, align, const");
    }
    if (q->first == nullptr) q->first = &word;
    if ((kOfVariables & 1u << which) != 0 && q->first_of_variable == nullptr) {
      q->first_of_variable = &word;
    }
    skip();
    switch (static_cast<Qualifier>(1u << which)) {
      case kDecl:
        q->declared = true;
        break;
      case kProg:
        q->program = true;
        break;
      case kAlloc:
        if (!expect('(', "after 'alloc'")) return false;
        if (!at_word("agent")) return unexpected("'agent'");
        skip();
        if (!expect(')', "after 'agent'")) return false;
        q->agent = true;
        break;
      case kAlign:
        if (!alignment(&q->align)) return false;
        break;
      case kConst:
        q->constant = true;
        break;
    }
  }
}

bool Parser::misplaced(const Token& qualifier, std::string_view before) {
  return fail(Rule::kSyntax, qualifier.at,
              "'" + std::string(qualifier.text) + "' cannot stand before " + std::string(before));
}

bool Parser::module_statement() {
  Qualifiers q;
  if (!qualifiers(&q, kDecl | kProg | kOfVariables)) return false;
  const Linkage linkage = q.program ? Linkage::kProgram : Linkage::kModule;
  const bool code = at_word("kernel") || at_word("function") || at_word("indirect");
  if ((code || at_word("fbarrier")) && q.first_of_variable != nullptr) {
    return misplaced(*q.first_of_variable, "a kernel, function or fbarrier");
  }
  if (code) return executable(q);
  if (at_word("signature")) {
    return q.first == nullptr ? signature() : misplaced(*q.first, "a signature");
  }
  if (at_word("fbarrier")) return fbarrier(q, linkage, &module_scope_);
  if (at_word("extension")) {
    return fail(Rule::kExtensionOrder, token().at,
                "'extension' must stand before the first module statement");
  }
  const bool a_variable = token().kind == TokenKind::kWord &&
                          find_segment(token().text.substr(0, token().text.find('_'))).has_value();
  if (!a_variable) {
    return unexpected("a module statement (kernel, function, signature, fbarrier or a variable)");
  }
  return variable(q, linkage, &module_scope_);
}

bool Parser::fbarrier(const Qualifiers& q, Linkage linkage, std::map<std::string, CodeRef>* scope) {
  const Position at = token().at;
  skip();
  const bool global = linkage != Linkage::kFunction;
  if (token().kind != (global ? TokenKind::kGlobal : TokenKind::kLocal)) {
    return unexpected("the fbarrier's name");
  }
  const Token named = token();
  skip();
  Fbarrier f;
  f.name = named.text;
  f.linkage = linkage;
  f.modifier = q.declared ? 0 : kVariableDefinition;
  const CodeRef ref = add_code(Kind::kFbarrier, at, f);
  if (!declare(scope, f.name, ref, named.at)) return false;
  return expect(';', "after the fbarrier");
}

void Parser::resolve_redirects() {
  if (redirects_.empty()) return;
  const auto redirect = [this](CodeRef* ref) {
    const auto found = redirects_.find(*ref);
    if (found != redirects_.end()) *ref = found->second;
  };
  for (Operand& op : out_.module.operands) {
    redirect(&op.symbol);
    for (CodeRef& c : op.codes) redirect(&c);
  }
}

}  // namespace cuvette::hsail
