// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/parser.h"

#include "hsail/literal.h"
#include "hsail/validator.h"

namespace cuvette::hsail {

Parser::Parser(std::string_view source, const std::string& file)
    : source_file_(file), tokens_(tokenize(source)) {
  out_.module.file = file;
  // An instruction has about ten tokens, a third of them operands.
  out_.module.code.reserve(tokens_.size() / 8);
  out_.module.operands.reserve(tokens_.size() / 3);
  keep_comments();
}

Outcome Parser::run() {
  annotations();
  if (!header()) return std::move(out_);  // not HSAIL text: one message is enough
  annotations();
  while (!stop_ && at_word("extension")) {
    if (!extension()) recover(false);
    annotations();
  }
  while (!stop_ && token().kind != TokenKind::kEnd) {
    if (!module_statement()) recover(false);
    annotations();
  }
  resolve_redirects();
  return std::move(out_);
}

const Token& Parser::peek(size_t ahead) const {
  size_t i = next_;
  while (ahead > 0 && i + 1 < tokens_.size()) {
    ++i;
    if (tokens_[i].kind != TokenKind::kComment) --ahead;
  }
  return tokens_[i];
}

void Parser::skip() {
  if (next_ + 1 < tokens_.size()) ++next_;
  keep_comments();
}

void Parser::keep_comments() {
  while (token().kind == TokenKind::kComment) comments_.push_back(tokens_[next_++]);
}

bool Parser::at_punct(char c) const {
  return token().kind == TokenKind::kPunct && token().text[0] == c;
}

bool Parser::at_word(std::string_view word) const {
  return token().kind == TokenKind::kWord && token().text == word;
}

bool Parser::accept(char c) {
  if (!at_punct(c)) return false;
  skip();
  return true;
}

bool Parser::expect(char c, std::string_view where) {
  if (accept(c)) return true;
  return unexpected(std::string("'") + c + "' " + std::string(where));
}

bool Parser::fail(Rule rule, Position at, const std::string& what) {
  if (stop_) return false;
  base::Location where;
  where.file = source_file_;
  where.line = at.line;
  where.column = at.column;
  out_.errors.push_back(rule_error({rule, what}, where));
  stop_ = out_.errors.size() >= kMaxErrors;
  return false;
}

bool Parser::unexpected(std::string_view expected) {
  const Token& t = token();
  if (t.kind == TokenKind::kEnd) {
    fail(Rule::kSyntax, t.at, "unexpected end of the text, expected " + std::string(expected));
    stop_ = true;
    return false;
  }
  if (t.kind == TokenKind::kBad) {
    return fail(Rule::kToken, t.at, std::string(t.problem) + ", expected " + std::string(expected));
  }
  constexpr size_t kLongest = 40;
  return fail(Rule::kSyntax, t.at,
              "expected " + std::string(expected) + ", found '" +
                  std::string(t.text.substr(0, kLongest)) +
                  (t.text.size() > kLongest ? "..." : "") + "'");
}

void Parser::recover(bool inside_block) {
  int depth = 0;
  while (!stop_ && token().kind != TokenKind::kEnd) {
    if (at_punct('{')) ++depth;
    if (at_punct('}')) {
      if (depth == 0 && inside_block) return;
      --depth;
    }
    const bool end = depth <= 0 && at_punct(';');
    skip();
    if (end) return;
  }
}

bool Parser::number(uint64_t* value, std::string_view what) {
  if (token().kind != TokenKind::kNumber) return unexpected(what);
  const Literal literal = parse_literal(token().text);
  if (literal.form == Literal::Form::kBad) return fail(Rule::kLiteral, token().at, literal.problem);
  if (literal.form != Literal::Form::kInteger) return unexpected(what);
  *value = literal.bits;
  skip();
  return true;
}

bool Parser::alignment(Alignment* align) {
  uint64_t value = 0;
  if (!expect('(', "after 'align'")) return false;
  const Position at = token().at;
  if (!number(&value, "an alignment")) return false;
  const auto found = find_alignment(value);
  if (!found) {
    return fail(Rule::kAlignment, at,
                "alignment " + std::to_string(value) +
                    " is not valid, expected a power of two from 1 to 256");
  }
  *align = *found;
  return expect(')', "after the alignment");
}

CodeRef Parser::add_code(Kind kind, Position at, decltype(CodeEntry::body) body) {
  out_.module.code.push_back({kind, at, std::move(body)});
  return static_cast<CodeRef>(out_.module.code.size() - 1);
}

OperandRef Parser::add_operand(Operand operand) {
  out_.module.operands.push_back(std::move(operand));
  return static_cast<OperandRef>(out_.module.operands.size() - 1);
}

Outcome parse_text(std::string_view source, const std::string& file) {
  return Parser(source, file).run();
}

base::Result<Module> load_text(std::string_view source, const std::string& file) {
  Outcome outcome = parse_text(source, file);
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  if (!outcome.ok()) return outcome.errors.front();
  return std::move(outcome.module);
}

}  // namespace cuvette::hsail
