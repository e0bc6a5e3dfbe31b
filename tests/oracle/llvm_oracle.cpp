// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// LLVM's own view of AMDGPU machine code, one request per line on standard input, one reply per
// line on standard output. A program of its own because LLVM's disassembler crashes on some words.
//
//   D target word...   ->  ok <bytes> <text>   the first instruction of the words (8 hex digits
//   each)
//                          soft <bytes> <text> LLVM decodes it but calls it undefined
//                          fail
//   A target text      ->  ok <word>...        the text of one instruction
//                          fail <message>
//   ping               ->  pong
//   anything else      ->  bad <reason>
//
// Replies are buffered while input is at hand. When LLVM crashes or hangs (20 s without an end),
// the finished replies are written and the program ends with status 3.

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <signal.h>
#include <unistd.h>

namespace {

constexpr const char* kTriple = "amdgcn-amd-amdhsa";
constexpr unsigned kHangSeconds = 20;
constexpr size_t kMaxWords = 8;

// Finished replies. Only whole lines are counted in g_ready, so that the signal handler can write
// them at any moment.
std::string g_replies;
volatile size_t g_ready = 0;

void write_ready() {
  size_t done = 0;
  while (done < g_ready) {
    const ssize_t n = ::write(STDOUT_FILENO, g_replies.data() + done, g_ready - done);
    if (n <= 0) _exit(1);
    done += static_cast<size_t>(n);
  }
}

void flush_replies() {
  write_ready();
  g_ready = 0;
  g_replies.clear();
}

void on_crash(int) {
  write_ready();
  _exit(3);
}

void catch_crashes() {
  static char stack[65536];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM})
    sigaction(number, &action, nullptr);
}

// Keeps the instructions and drops everything else.
class Collector : public llvm::MCStreamer {
 public:
  explicit Collector(llvm::MCContext& context) : MCStreamer(context) {}
  void emitInstruction(const llvm::MCInst& inst, const llvm::MCSubtargetInfo&) override {
    instructions.push_back(inst);
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align,
                    llvm::SMLoc) override {}
  std::vector<llvm::MCInst> instructions;
};

class TargetTools {
 public:
  TargetTools(const llvm::Target& target, const std::string& cpu) : target_(target) {
    registers_.reset(target.createMCRegInfo(kTriple));
    info_.reset(target.createMCAsmInfo(*registers_, kTriple, options_));
    instructions_.reset(target.createMCInstrInfo());
    subtarget_.reset(target.createMCSubtargetInfo(kTriple, cpu, ""));
    context_ = std::make_unique<llvm::MCContext>(llvm::Triple(kTriple), info_.get(),
                                                 registers_.get(), subtarget_.get());
    disassembler_.reset(target.createMCDisassembler(*subtarget_, *context_));
    printer_.reset(
        target.createMCInstPrinter(llvm::Triple(kTriple), 0, *info_, *instructions_, *registers_));
  }

  std::string disassemble(const std::vector<uint32_t>& words) {
    std::vector<uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    llvm::MCInst inst;
    uint64_t size = 0;
    const auto status = disassembler_->getInstruction(inst, size, bytes, 0, llvm::nulls());
    if (status == llvm::MCDisassembler::Fail) return "fail";
    std::string text;
    llvm::raw_string_ostream out(text);
    printer_->printInst(&inst, 0, "", *subtarget_, out);
    return std::string(status == llvm::MCDisassembler::Success ? "ok " : "soft ") +
           std::to_string(size) + " " + one_line(text);
  }

  std::string assemble(const std::string& text) {
    std::string message;
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "asm"), llvm::SMLoc());
    sources.setDiagHandler(
        [](const llvm::SMDiagnostic& d, void* to) {
          auto& first = *static_cast<std::string*>(to);
          if (first.empty() && d.getKind() == llvm::SourceMgr::DK_Error)
            first = d.getMessage().str();
        },
        &message);
    llvm::MCContext context(llvm::Triple(kTriple), info_.get(), registers_.get(), subtarget_.get(),
                            &sources);
    std::unique_ptr<llvm::MCObjectFileInfo> object_info(
        target_.createMCObjectFileInfo(context, true));
    context.setObjectFileInfo(object_info.get());
    Collector collector(context);
    target_.createNullTargetStreamer(collector);
    std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources, context, collector, *info_));
    std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
        target_.createMCAsmParser(*subtarget_, *parser, *instructions_, options_));
    parser->setTargetParser(*target_parser);
    const bool failed = parser->Run(false);
    if (failed || !message.empty()) return "fail " + one_line(message);
    if (collector.instructions.size() != 1) return "fail not one instruction";

    std::unique_ptr<llvm::MCCodeEmitter> emitter(
        target_.createMCCodeEmitter(*instructions_, context));
    llvm::SmallVector<char, 20> bytes;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    emitter->encodeInstruction(collector.instructions[0], bytes, fixups, *subtarget_);
    if (!fixups.empty()) return "fail the instruction names a symbol";
    std::string reply = "ok";
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + i, 4);
      char hex[16];
      std::snprintf(hex, sizeof hex, " %08x", word);
      reply += hex;
    }
    return reply;
  }

 private:
  // LLVM separates mnemonic and operands by tabs and may end a text with blanks.
  static std::string one_line(const std::string& text) {
    std::string line;
    for (char c : text) line += (c == '\t' || c == '\n' || c == '\r') ? ' ' : c;
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return line.substr(first, line.find_last_not_of(' ') - first + 1);
  }

  const llvm::Target& target_;
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> info_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

class Oracle {
 public:
  Oracle() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUDisassembler();
    std::string message;
    target_ = llvm::TargetRegistry::lookupTarget(kTriple, message);
  }

  std::string answer(const std::string& line) {
    if (line == "ping") return "pong";
    if (line.size() < 3 || (line[0] != 'D' && line[0] != 'A') || line[1] != ' ')
      return "bad request";
    const size_t space = line.find(' ', 2);
    if (space == std::string::npos) return "bad request: no argument";
    TargetTools* tools = find(line.substr(2, space - 2));
    if (tools == nullptr) return "bad target";
    if (line[0] == 'A') return tools->assemble(line.substr(space + 1));

    std::vector<uint32_t> words;
    const char* at = line.c_str() + space;
    while (*at != '\0' && words.size() <= kMaxWords) {
      char* end = nullptr;
      words.push_back(static_cast<uint32_t>(std::strtoul(at, &end, 16)));
      if (end == at) return "bad word";
      at = end;
    }
    if (words.size() > kMaxWords) return "bad request: more than 8 words";
    return tools->disassemble(words);
  }

 private:
  TargetTools* find(const std::string& cpu) {
    auto found = tools_.find(cpu);
    if (found != tools_.end()) return found->second.get();
    std::unique_ptr<llvm::MCSubtargetInfo> probe(target_->createMCSubtargetInfo(kTriple, "", ""));
    if (!probe->isCPUStringValid(cpu)) return nullptr;
    return (tools_[cpu] = std::make_unique<TargetTools>(*target_, cpu)).get();
  }

  const llvm::Target* target_ = nullptr;
  std::map<std::string, std::unique_ptr<TargetTools>> tools_;
};

}  // namespace

int main() {
  catch_crashes();
  Oracle oracle;
  std::string input;
  std::vector<char> chunk(1 << 16);
  while (true) {
    flush_replies();
    alarm(0);
    const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n <= 0) return n == 0 ? 0 : 1;
    alarm(kHangSeconds);
    input.append(chunk.data(), static_cast<size_t>(n));
    size_t start = 0;
    for (size_t end; (end = input.find('\n', start)) != std::string::npos; start = end + 1) {
      g_replies += oracle.answer(input.substr(start, end - start)) + "\n";
      g_ready = g_replies.size();
    }
    input.erase(0, start);
  }
}
