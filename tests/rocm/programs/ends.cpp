// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Ways in which programs end: by main, by exit() of another thread, with work under way, with a
// child made by fork() that does not use the device.
#include <cstring>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void count(int* x) {
  for (int i = 0; i < 1000; ++i) atomicAdd(x, 1);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "main";
  int* x;
  HIP_OK(hipMalloc(&x, 4));
  HIP_OK(hipMemset(x, 0, 4));
  count<<<4, 64>>>(x);
  if (std::strcmp(how, "busy") == 0) return 0;
  HIP_OK(hipDeviceSynchronize());
  if (std::strcmp(how, "thread") == 0) {
    std::thread([] { std::exit(7); }).join();
  }
  if (std::strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(5);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 5) return 1;
    count<<<4, 64>>>(x);
    HIP_OK(hipDeviceSynchronize());
  }
  int value = 0;
  HIP_OK(hipMemcpy(&value, x, 4, hipMemcpyDeviceToHost));
  return value == (std::strcmp(how, "fork") == 0 ? 2 : 1) * 256'000 ? 0 : 1;
}
