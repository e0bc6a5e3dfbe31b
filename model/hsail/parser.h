// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hsail/inst_table.h"
#include "hsail/lexer.h"
#include "hsail/literal.h"
#include "hsail/rules.h"
#include "hsail/text.h"

namespace cuvette::hsail {

/// The recursive-descent parser behind parse_text. Methods return false after reporting an error;
/// the statement loops then skip to the next statement and go on.
class Parser {
 public:
  Parser(std::string_view source, const std::string& file);
  /// Parses the whole source. Once.
  Outcome run();

 private:
  /// One suffix of a mnemonic: "global", "align" with argument 8.
  struct Piece {
    std::string_view text;
    Position at;
    enum class Argument : uint8_t { kNone, kNumber, kWavesize, kAll } argument = Argument::kNone;
    uint64_t value = 0;  ///< of a number
  };
  using Pieces = std::vector<Piece>;

  /// A label used before its place is known.
  struct PendingLabel {
    OperandRef operand;
    int index;  ///< place in Operand::codes, -1 for Operand::symbol
    std::string name;
    Position at;
  };

  /// Qualifiers that may stand before a declaration, in the order of the grammar (19.2).
  enum Qualifier : unsigned { kDecl = 1, kProg = 2, kAlloc = 4, kAlign = 8, kConst = 16 };
  static constexpr unsigned kOfVariables = kAlloc | kAlign | kConst;
  struct Qualifiers {
    bool declared = false;
    bool program = false;
    bool agent = false;
    bool constant = false;
    Alignment align = Alignment::kNone;
    const Token* first = nullptr;              ///< of all
    const Token* first_of_variable = nullptr;  ///< of those in kOfVariables
  };

  // Tokens (parser.cpp).
  const Token& token() const { return tokens_[next_]; }
  const Token& peek(size_t ahead) const;
  void skip();           ///< to the next token that is no comment
  void keep_comments();  ///< collects comments here for annotations()
  bool at_punct(char c) const;
  bool at_word(std::string_view word) const;
  bool accept(char c);
  bool expect(char c, std::string_view where);
  bool fail(Rule rule, Position at, const std::string& what);
  /// "expected ..., found ..."; for the end of the file and bad characters a message of their own.
  bool unexpected(std::string_view expected);
  void recover(bool inside_block);
  bool number(uint64_t* value, std::string_view what);
  bool alignment(Alignment* align);  ///< "(n)"

  CodeRef add_code(Kind kind, Position at, decltype(CodeEntry::body) body);
  OperandRef add_operand(Operand operand);

  // Module level (parse_module.cpp).
  bool header();
  void annotations();
  void add_comments();
  bool annotation(bool* taken);
  bool extension();
  bool location();
  bool pragma();
  bool pragma_operand(OperandRef* ref);
  bool pad();
  bool module_statement();
  /// Takes those of the set `allowed`, each once; any other one is an error.
  bool qualifiers(Qualifiers* q, unsigned allowed);
  bool misplaced(const Token& qualifier, std::string_view before);
  bool fbarrier(const Qualifiers& q, Linkage linkage, std::map<std::string, CodeRef>* scope);
  void resolve_redirects();

  // Variables, kernels, functions (parse_declarations.cpp).
  bool variable(const Qualifiers& q, Linkage linkage, std::map<std::string, CodeRef>* scope);
  bool segment_and_type(Segment* segment, Type* type);
  bool dimension(Variable* v);
  bool initializer(Variable* v);
  bool executable(const Qualifiers& q);
  bool signature();
  bool formal_arguments(Segment segment, Linkage linkage, uint16_t* count);
  bool declare(std::map<std::string, CodeRef>* scope, const std::string& name, CodeRef ref,
               Position at);
  bool code_block(CodeRef executable);
  bool statements();
  bool arg_block();
  bool control();
  void resolve_labels();

  // Instructions (parse_inst.cpp).
  bool instruction();
  std::optional<Opcode> amd_opcode(std::string_view word, size_t* length) const;
  bool unknown_instruction(Position at, std::string_view word);
  /// Splits a mnemonic, whose first `mnemonic` characters are one piece.
  bool pieces(size_t mnemonic, Pieces* out);
  bool modifiers(const Pieces& pieces, CodeEntry* entry, unsigned* vector);
  bool take_type(const Pieces& pieces, size_t* at, Opcode opcode, Type* type);
  bool memory_modifiers(const Pieces& pieces, size_t* at, Inst* inst, unsigned* vector);
  bool alu_modifiers(const Pieces& pieces, size_t* at, Inst* inst);
  bool atomic_modifiers(const Pieces& pieces, size_t* at, Inst* inst);
  bool width_argument(const Piece& piece, Width* width);
  bool operands(const InstRow& row, CodeEntry* entry, unsigned vector);
  bool signal_modifiers(const Pieces& pieces, size_t* at, Inst* inst);
  bool image_modifiers(const Pieces& pieces, size_t* at, Syntax syntax, Inst* inst,
                       unsigned* vector);
  bool coordinates(const Inst& inst, size_t index, OperandRef* ref);
  bool memory_order(const Pieces& pieces, size_t* at, Inst* inst);
  bool align_modifier(const Pieces& pieces, size_t* at, Inst* inst);
  void segment_modifier(const Pieces& pieces, size_t* at, Inst* inst);
  bool call(CodeEntry* entry);
  /// `cuvette:...` (parse_matrix.cpp).
  bool vendor_instruction();
  bool accumulators(const Inst& inst, bool destination, OperandRef* ref);
  bool executable_name(const std::string& what, CodeRef* ref);
  bool fbarrier_operand(OperandRef* ref);

  // Operands and constants (parse_operand.cpp).
  bool operand(Type expected, OperandRef* ref);
  bool vector(Type expected, unsigned count, OperandRef* ref);
  bool address(OperandRef* ref);
  bool address_offset(Operand* op);
  bool label(OperandRef* ref);
  bool label_list(OperandRef* ref);
  bool argument_list(OperandRef* ref);
  bool register_operand(OperandRef* ref);
  CodeRef find_symbol(std::string_view name) const;
  /// The type of an integer literal where an integer or bit type is expected.
  Type literal_type(Type expected, bool negative) const;
  bool constant(Type expected, OperandRef* ref);
  /// A constant for a place of type `expected` (kNone: an array or aggregate) into `op`.
  bool constant_value(Type expected, Operand* op);
  bool typed_constant(Operand* op);
  bool typed_elements(Type type, std::string* bytes);
  /// addr() and null pointers for an integer type (parse_expression.cpp).
  bool at_expression() const;
  bool expression(Type type, Operand* op);
  bool integer_array(Operand* op);
  /// Image and sampler constants, one or an array (parse_image.cpp).
  bool opaque_constant(Type type, Operand* op);
  bool opaque_properties(Operand* op);
  /// `{...}`; Operand::offset returns its size in bytes.
  bool aggregate(Operand* op);
  void warn_range(Position at, const Literal& literal);
  /// True if a constant with a type of its own may stand where `expected` is (Table 4-1).
  bool convert(const Operand& given, Type expected);

  std::string source_file_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  std::vector<Token>
      comments_;  ///< seen since the last statement; the next annotations() adds them
  Outcome out_;
  bool stop_ = false;
  bool inside_ = false;  ///< in a code block
  std::string loc_file_;
  std::map<std::string, CodeRef> module_scope_;
  std::map<std::string, CodeRef> function_scope_;
  std::map<std::string, CodeRef> arg_scope_;
  std::map<std::string, CodeRef> labels_;
  std::vector<PendingLabel> pending_labels_;
  std::set<std::string> told_extensions_;  ///< extensions whose instructions have been refused
  std::map<CodeRef, CodeRef> redirects_;   ///< declaration to definition (18.5.1.1)
};

}  // namespace cuvette::hsail
