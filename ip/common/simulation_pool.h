// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <verilated.h>
#ifdef CUVETTE_RTL_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>
#endif

// Builds with CUVETTE_RTL_COVERAGE only: simulations are used again, so that their counters go to
// one file per simulation and process instead of one per test object. Private to layer ip.
namespace cuvette::ip {

#ifdef CUVETTE_RTL_COVERAGE

inline constexpr bool kPoolsSimulations = true;

template <class Model>
class SimulationPool {
 public:
  /// An idle simulation, to be reset by the user. False when there is none.
  static bool take(std::unique_ptr<VerilatedContext>& context, std::unique_ptr<Model>& model) {
    auto& idle = pool().idle_;
    if (idle.empty()) return false;
    std::tie(context, model) = std::move(idle.back());
    idle.pop_back();
    context->gotError(false);
    context->gotFinish(false);
    return true;
  }
  static void give(std::unique_ptr<VerilatedContext> context, std::unique_ptr<Model> model) {
    pool().idle_.emplace_back(std::move(context), std::move(model));
  }

 private:
  static SimulationPool& pool() {
    static SimulationPool only;
    return only;
  }
  SimulationPool() = default;
  /// The end of the program: counters to CUVETTE_RTL_COVERAGE/<process>_<module>_<number>.dat.
  ~SimulationPool() {
    unsigned number = 0;
    for (auto& [context, model] : idle_) {
      Verilated::threadContextp(context.get());
      const std::string file = std::string(CUVETTE_RTL_COVERAGE) + "/" + std::to_string(getpid()) +
                               "_" + model->modelName() + "_" + std::to_string(number++) + ".dat";
      context->coveragep()->write(file.c_str());
      model->final();
      model.reset();
    }
    Verilated::threadContextp(nullptr);
  }

  std::vector<std::pair<std::unique_ptr<VerilatedContext>, std::unique_ptr<Model>>> idle_;
};

#else

inline constexpr bool kPoolsSimulations = false;

/// Every simulation is a new one.
template <class Model>
class SimulationPool {
 public:
  static bool take(std::unique_ptr<VerilatedContext>&, std::unique_ptr<Model>&) { return false; }
  static void give(std::unique_ptr<VerilatedContext>, std::unique_ptr<Model>) {}
};

#endif

}  // namespace cuvette::ip
