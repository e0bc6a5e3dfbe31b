// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/lexer.h"

namespace cuvette::hsail {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '.';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(source_.size() / 4);  // with the space around them
    do {
      tokens.push_back(next());
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool done() const { return at_ >= source_.size(); }

  void advance() {
    if (source_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }

  Token next() {
    while (!done() && is_space(peek())) advance();
    start_ = at_;
    position_ = {line_, static_cast<uint32_t>(at_ - line_start_ + 1)};
    if (done()) return token(TokenKind::kEnd);
    const char c = peek();
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) return comment();
    if (c == '"') return string();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return rest(TokenKind::kWord);
    if (c == '&' || c == '%' || c == '@' || c == '$') {
      advance();
      if (!is_letter(peek())) return bad("expected a name after the prefix");
      return rest(c == '&'   ? TokenKind::kGlobal
                  : c == '%' ? TokenKind::kLocal
                  : c == '@' ? TokenKind::kLabel
                             : TokenKind::kDollar);
    }
    advance();
    if (std::string_view("()[]{},;:=+-").find(c) != std::string_view::npos) {
      return token(TokenKind::kPunct);
    }
    return bad("unexpected character");
  }

  Token rest(TokenKind kind) {
    while (is_name(peek())) advance();
    return token(kind);
  }

  /// Takes everything that can belong to a literal; constants.cpp checks its form.
  Token number() {
    const bool prefixed = peek() == '0' && std::string_view("hHfFdD").find(peek(1)) < 6;
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (is_name(peek())) {
      const char c = peek();
      advance();
      const bool exponent = hex ? (c == 'p' || c == 'P') : (!prefixed && (c == 'e' || c == 'E'));
      if (exponent && (peek() == '+' || peek() == '-') && is_digit(peek(1))) advance();
    }
    return token(TokenKind::kNumber);
  }

  Token string() {
    advance();
    while (!done() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && at_ + 1 < source_.size() && peek(1) != '\n') advance();
      advance();
    }
    if (peek() != '"') return bad("unterminated string");
    advance();
    return token(TokenKind::kString);
  }

  Token comment() {
    const bool block = peek(1) == '*';
    advance();
    advance();
    if (!block) {
      while (!done() && peek() != '\n') advance();
      return token(TokenKind::kComment);
    }
    while (!done() && !(peek() == '*' && peek(1) == '/')) advance();
    if (done()) return bad("unterminated comment");
    advance();
    advance();
    return token(TokenKind::kComment);
  }

  Token token(TokenKind kind) const {
    return {kind, source_.substr(start_, at_ - start_), position_, nullptr};
  }
  Token bad(const char* problem) const {
    return {TokenKind::kBad, source_.substr(start_, at_ - start_), position_, problem};
  }

  std::string_view source_;
  size_t at_ = 0;
  size_t start_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
  Position position_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace cuvette::hsail
