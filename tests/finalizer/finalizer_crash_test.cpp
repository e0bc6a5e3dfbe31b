// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A crash where LLVM works is an exception, and the process is as before.
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "finalizer/crash_recovery.h"
#include "finalizer/llvm_target.h"

namespace {

using cuvette::finalizer::LlvmFailure;
using cuvette::finalizer::with_crash_recovery;

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action = {};
  EXPECT_EQ(sigaction(signal, nullptr, &action), 0);
  return action.sa_handler;
}

std::string failure_of(int signal) {
  try {
    with_crash_recovery([&] { std::raise(signal); });
  } catch (const LlvmFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST(Survive, SignalsAreFailures) {
  for (unsigned again = 0; again < 3; ++again) {
    EXPECT_EQ(failure_of(SIGSEGV), "LLVM crashed (SIGSEGV)");
    EXPECT_EQ(failure_of(SIGABRT), "LLVM crashed (SIGABRT)");
    EXPECT_EQ(failure_of(SIGBUS), "LLVM crashed (SIGBUS)");
  }
}

TEST(Survive, WhatDoesNotCrashRuns) {
  int runs = 0;
  with_crash_recovery([&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(Survive, ExceptionsPass) {
  EXPECT_THROW(with_crash_recovery([] { throw std::logic_error("ours"); }), std::logic_error);
  EXPECT_EQ(failure_of(SIGSEGV), "LLVM crashed (SIGSEGV)");
}

TEST(Survive, SignalHandlersAreTheProcesssOwnAgain) {
  const Handler before = handler_of(SIGSEGV);
  Handler inside = nullptr;
  with_crash_recovery([&] {
    inside = handler_of(SIGSEGV);
    with_crash_recovery([] {});
    EXPECT_EQ(handler_of(SIGSEGV), inside);
  });
  EXPECT_NE(inside, before);
  EXPECT_EQ(handler_of(SIGSEGV), before);
  failure_of(SIGSEGV);
  EXPECT_EQ(handler_of(SIGSEGV), before);
}

TEST(Survive, OnThreads) {
  std::vector<std::thread> threads;
  std::vector<unsigned> failures(4);
  for (unsigned& mine : failures)
    threads.emplace_back([&mine] {
      for (unsigned i = 0; i < 200; ++i) mine += failure_of(SIGSEGV) == "LLVM crashed (SIGSEGV)";
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(failures, testing::Each(200));
}

}  // namespace
