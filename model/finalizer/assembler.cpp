// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/assembler.h"

#include <optional>

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SourceMgr.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

constexpr size_t kMaxLines = 1000000;

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$' || c == '@';
}

size_t skip_blanks(const std::string& line, size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  return at;
}

/// Refuses what Assembler's header says is refused. Returns the reason and the column.
std::optional<std::pair<std::string, uint32_t>> refuse(const std::string& line) {
  auto at_column = [](const char* why, size_t at) {
    return std::make_pair(std::string(why), static_cast<uint32_t>(at + 1));
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if ((c < 0x20 && c != '\t') || c == 0x7f) return at_column("control character in a line", i);
    if (c == '"') return at_column("quoted text is not accepted here", i);
    if (c == '/' && i + 1 < line.size() && line[i + 1] == '*')
      return at_column("block comments are not accepted here", i);
  }
  size_t at = skip_blanks(line, 0);
  while (at < line.size() && is_label_character(line[at])) {
    size_t end = at;
    while (end < line.size() && is_label_character(line[end])) ++end;
    const size_t colon = skip_blanks(line, end);
    if (colon >= line.size() || line[colon] != ':') break;
    at = skip_blanks(line, colon + 1);
  }
  if (at < line.size() && (line[at] == '.' || line[at] == '#'))
    return at_column("directives are not accepted, expected an instruction or a label", at);
  return std::nullopt;
}

/// First error of LLVM, with its place in the joined text.
struct Diagnostics {
  std::optional<base::Error> first;
  std::string name;

  void add(const llvm::SMDiagnostic& diagnostic) {
    if (first || diagnostic.getKind() != llvm::SourceMgr::DK_Error) return;
    base::Location where;
    where.file = name;
    if (diagnostic.getLineNo() > 0) where.line = static_cast<uint32_t>(diagnostic.getLineNo());
    if (diagnostic.getColumnNo() >= 0)
      where.column = static_cast<uint32_t>(diagnostic.getColumnNo()) + 1;
    first = base::Error(diagnostic.getMessage().str(), where);
  }
};

/// The words of .text, or the name of a symbol that a relocation is left for.
base::Result<std::vector<uint32_t>> text_words(llvm::StringRef image, const std::string& name) {
  base::Location where;
  where.file = name;
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(image, name));
  if (!object) return base::Error(llvm::toString(object.takeError()), where);
  std::vector<uint32_t> words;
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    for (const llvm::object::RelocationRef& relocation : section.relocations()) {
      std::string symbol = "?";
      if (relocation.getSymbol() != (*object)->symbol_end()) {
        auto symbol_name = relocation.getSymbol()->getName();
        if (symbol_name)
          symbol = symbol_name->str();
        else
          llvm::consumeError(symbol_name.takeError());
      }
      return base::Error("symbol '" + symbol + "' is not defined in this text", where);
    }
    if (!section.isText()) continue;
    auto contents = section.getContents();
    if (!contents) return base::Error(llvm::toString(contents.takeError()), where);
    if (contents->size() % 4 != 0)
      return base::Error("the assembled text is not a multiple of 4 bytes", where);
    for (size_t i = 0; i < contents->size(); i += 4)
      words.push_back(llvm::support::endian::read32le(contents->data() + i));
  }
  return words;
}

}  // namespace

struct Assembler::Tools {
  TargetId target;
  llvm::Triple triple{kTriple};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
};

Assembler::Assembler(std::unique_ptr<Tools> tools) : tools_(std::move(tools)) {}
Assembler::~Assembler() = default;
Assembler::Assembler(Assembler&&) noexcept = default;
Assembler& Assembler::operator=(Assembler&&) noexcept = default;

base::Result<Assembler> Assembler::create(const std::string& target) {
  auto id = find_target(target);
  if (!id) return id.error();
  const llvm::Target& llvm_target = amdgpu_target();
  auto tools = std::make_unique<Tools>();
  tools->target = std::move(*id);
  tools->registers.reset(llvm_target.createMCRegInfo(kTriple));
  tools->info.reset(llvm_target.createMCAsmInfo(*tools->registers, kTriple, tools->options));
  tools->instructions.reset(llvm_target.createMCInstrInfo());
  return Assembler(std::move(tools));
}

base::Result<std::vector<uint32_t>> Assembler::assemble(const std::vector<std::string>& lines,
                                                        const std::string& name) const {
  base::Location where;
  where.file = name;
  if (lines.size() > kMaxLines) return base::Error("more than 1000000 lines", where);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (auto refused = refuse(lines[i])) {
      where.line = static_cast<uint32_t>(i + 1);
      where.column = refused->second;
      return base::Error(refused->first, where);
    }
    text += lines[i];
    text += '\n';
  }

  const Tools& t = *tools_;
  const llvm::Target& target = amdgpu_target();
  Diagnostics diagnostics;
  diagnostics.name = name;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name), llvm::SMLoc());
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& d, void* to) { static_cast<Diagnostics*>(to)->add(d); },
      &diagnostics);

  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(kTriple, t.target.name, t.target.features));
  llvm::MCContext context(t.triple, t.info.get(), t.registers.get(), subtarget.get(), &sources,
                          &t.options);
  context.setDiagnosticHandler([&](const llvm::SMDiagnostic& d, bool, const llvm::SourceMgr&,
                                   std::vector<const llvm::MDNode*>&) { diagnostics.add(d); });
  std::unique_ptr<llvm::MCObjectFileInfo> object_info(
      target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(object_info.get());

  llvm::SmallString<4096> image;
  llvm::raw_svector_ostream out(image);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(*subtarget, *t.registers, t.options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*t.instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(
      t.triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *t.info));
  std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target.createMCAsmParser(*subtarget, *parser, *t.instructions, t.options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (diagnostics.first) return *diagnostics.first;
  if (failed || context.hadError()) return base::Error("LLVM refused the text", where);
  return text_words(image, name);
}

base::Result<std::vector<uint32_t>> assemble(const std::vector<std::string>& lines,
                                             const std::string& target) {
  auto assembler = Assembler::create(target);
  if (!assembler) return assembler.error();
  return assembler->assemble(lines);
}

}  // namespace cuvette::finalizer
