// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle/llvm_oracle_client.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cuvette::oracle {

namespace {

[[noreturn]] void broken(const std::string& why) {
  throw std::runtime_error("LLVM oracle (" CUVETTE_LLVM_ORACLE "): " + why);
}

LlvmOracle::Disassembly to_disassembly(const std::string& reply) {
  LlvmOracle::Disassembly result;
  if (reply == "crash") {
    result.status = LlvmOracle::Status::Crash;
  } else if (reply.rfind("ok ", 0) == 0 || reply.rfind("soft ", 0) == 0) {
    result.status = reply[0] == 'o' ? LlvmOracle::Status::Ok : LlvmOracle::Status::Soft;
    char* end = nullptr;
    result.bytes = static_cast<unsigned>(std::strtoul(reply.c_str() + reply.find(' '), &end, 10));
    result.text = *end == ' ' ? end + 1 : end;
  } else if (reply != "fail") {
    broken("unexpected reply '" + reply + "'");
  }
  return result;
}

LlvmOracle::Assembly to_assembly(const std::string& reply) {
  LlvmOracle::Assembly result;
  if (reply == "crash") {
    result.status = LlvmOracle::Status::Crash;
  } else if (reply.rfind("ok", 0) == 0) {
    result.status = LlvmOracle::Status::Ok;
    const char* at = reply.c_str() + 2;
    while (*at != '\0') {
      char* end = nullptr;
      result.words.push_back(static_cast<uint32_t>(std::strtoul(at, &end, 16)));
      if (end == at) broken("unexpected reply '" + reply + "'");
      at = end;
    }
  } else if (reply.rfind("fail", 0) == 0) {
    result.message = reply.size() > 5 ? reply.substr(5) : "";
  } else {
    broken("unexpected reply '" + reply + "'");
  }
  return result;
}

}  // namespace

LlvmOracle::~LlvmOracle() {
  stop();
}

void LlvmOracle::start() {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) broken("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  // LLVM prints a stack dump for every crash.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char path[] = CUVETTE_LLVM_ORACLE;
  char* arguments[] = {path, nullptr};
  const int failed = posix_spawn(&child_, path, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  if (failed != 0) {
    child_ = -1;
    broken("cannot be started");
  }
  fcntl(to_child_, F_SETFL, O_NONBLOCK);
}

void LlvmOracle::stop() {
  if (to_child_ >= 0) close(to_child_);
  if (from_child_ >= 0) close(from_child_);
  to_child_ = from_child_ = -1;
  if (child_ > 0) waitpid(child_, nullptr, 0);
  child_ = -1;
}

/// Sends requests from `first` on and appends replies until all are answered or the child ends.
/// Returns the number of replies received.
size_t LlvmOracle::run(const std::vector<std::string>& requests, size_t first,
                       std::vector<std::string>& replies) {
  std::string outgoing;
  for (size_t i = first; i < requests.size(); ++i) outgoing += requests[i] + "\n";
  size_t sent = 0;
  size_t received = 0;
  std::string partial;
  std::vector<char> chunk(1 << 16);
  while (received < requests.size() - first) {
    pollfd fds[2] = {{from_child_, POLLIN, 0}, {to_child_, POLLOUT, 0}};
    if (poll(fds, sent < outgoing.size() ? 2 : 1, -1) < 0) {
      if (errno == EINTR) continue;
      broken("poll failed");
    }
    if (sent < outgoing.size() && fds[1].revents != 0) {
      const ssize_t n = write(to_child_, outgoing.data() + sent, outgoing.size() - sent);
      if (n > 0) sent += static_cast<size_t>(n);
      // A dead child is noticed at the end of its output, which may still hold replies.
      if (n < 0 && errno == EPIPE) sent = outgoing.size();
    }
    if (fds[0].revents == 0) continue;
    const ssize_t n = read(from_child_, chunk.data(), chunk.size());
    if (n <= 0) break;
    partial.append(chunk.data(), static_cast<size_t>(n));
    size_t start = 0;
    for (size_t end; (end = partial.find('\n', start)) != std::string::npos; start = end + 1) {
      replies.push_back(partial.substr(start, end - start));
      ++received;
    }
    partial.erase(0, start);
  }
  return received;
}

std::vector<std::string> LlvmOracle::exchange(const std::vector<std::string>& requests) {
  for (const std::string& request : requests)
    if (request.find('\n') != std::string::npos) broken("a request with a newline");
  std::vector<std::string> replies;
  replies.reserve(requests.size());
  // Writing to a dead child must be an error code, not a signal that ends the test.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  while (replies.size() < requests.size()) {
    if (child_ < 0) start();
    run(requests, replies.size(), replies);
    if (replies.size() == requests.size()) break;
    int status = 0;
    close(to_child_);
    close(from_child_);
    to_child_ = from_child_ = -1;
    waitpid(child_, &status, 0);
    child_ = -1;
    // Status 3 is the child's own word for a crash of LLVM; anything but a signal is a broken
    // child.
    if (WIFEXITED(status) && WEXITSTATUS(status) != 3)
      broken("ended with status " + std::to_string(WEXITSTATUS(status)));
    ++crashes_;
    replies.push_back("crash");
  }
  sigaction(SIGPIPE, &before, nullptr);
  return replies;
}

std::vector<LlvmOracle::Disassembly> LlvmOracle::disassemble(
    const std::string& target, const std::vector<std::vector<uint32_t>>& cases) {
  std::vector<std::string> requests;
  requests.reserve(cases.size());
  for (const auto& words : cases) {
    std::string request = "D " + target;
    for (uint32_t word : words) {
      char hex[16];
      std::snprintf(hex, sizeof hex, " %08x", word);
      request += hex;
    }
    requests.push_back(std::move(request));
  }
  std::vector<Disassembly> results;
  results.reserve(cases.size());
  for (const std::string& reply : exchange(requests)) results.push_back(to_disassembly(reply));
  return results;
}

LlvmOracle::Disassembly LlvmOracle::disassemble(const std::string& target,
                                                const std::vector<uint32_t>& words) {
  return disassemble(target, std::vector<std::vector<uint32_t>>{words}).front();
}

std::vector<LlvmOracle::Assembly> LlvmOracle::assemble(const std::string& target,
                                                       const std::vector<std::string>& texts) {
  std::vector<std::string> requests;
  requests.reserve(texts.size());
  for (const std::string& text : texts) requests.push_back("A " + target + " " + text);
  std::vector<Assembly> results;
  results.reserve(texts.size());
  for (const std::string& reply : exchange(requests)) results.push_back(to_assembly(reply));
  return results;
}

LlvmOracle::Assembly LlvmOracle::assemble(const std::string& target, const std::string& text) {
  return assemble(target, std::vector<std::string>{text}).front();
}

}  // namespace cuvette::oracle
