// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/child_process.h"

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuvette::run {
namespace {

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

}  // namespace

std::optional<ChildEnd> run_child(const std::vector<std::string>& words, const std::string& out,
                                  const std::string& err) {
  std::vector<std::string> copy = words;
  std::vector<char*> arguments;
  arguments.reserve(copy.size() + 1);
  for (std::string& word : copy) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  constexpr mode_t kMode = 0600;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kNew, kMode);
  if (err.empty()) {
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kNew, kMode);
  }
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return std::nullopt;

  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  constexpr int kSignalled = 128;
  ChildEnd end;
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
  end.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  end.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

}  // namespace cuvette::run
