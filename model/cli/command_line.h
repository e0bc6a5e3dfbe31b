// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cuvette::cli {

/// Work of a verb once its options are parsed; the status of the program.
using Action = std::function<int()>;

/// Option or positional argument of a verb, with the rules for its values. The parser of the
/// command line, CLI11, is known to command_line.cpp alone: its headers take seconds to compile.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  /// The help shows the value that its variable has before parsing.
  Option& with_default();
  Option& one_of(const std::vector<std::string>& words);
  Option& between(int64_t least, int64_t most);
  Option& at_least(int64_t least) { return between(least, INT64_MAX); }
  /// A number from 0 to 100.
  Option& percentage();
  /// A number above 0.
  Option& positive();
  /// A word is a list with commas between its values.
  Option& separated();
  /// Exactly so many values.
  Option& count(int values);

 private:
  CLI::Option* option_;
};

/// Verb of the command line: the program itself, "run", "bench suite".
class Verb {
 public:
  /// `chosen` is set to the action of the verb that is named.
  Verb(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

  /// A verb below this one.
  Verb add(const std::string& name, const std::string& what);
  /// "--threads", "-o,--output", or the name of a positional argument. A list that is no
  /// positional argument gets a word each time it is named. Words are not empty. For std::string,
  /// numbers and vectors of them as instantiated in command_line.cpp; `value` outlives the parsing.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& what);
  void flag(const std::string& names, bool& value, const std::string& what);

  /// One of the verbs below it has to be named.
  void needs_verb();
  /// Leaves it out of the help.
  void hide();
  /// All words behind the first positional argument are such arguments.
  void positionals_last();
  /// The words behind the verb, --help too, are for another program.
  void passes_on();
  /// These words. For actions.
  std::vector<std::string> passed_on() const;
  /// True if the option was named. For actions.
  bool given(const std::string& option) const;
  void does(const Action& action);

 private:
  CLI::App* app_;
  Action* chosen_;
};

/// The whole command line of a program.
class CommandLine {
 public:
  CommandLine(const std::string& what, const std::string& program, const std::string& version);
  ~CommandLine();

  Verb& verbs() { return verbs_; }
  /// Parses, and does what the verb does. The text of --help and --version, and errors of usage,
  /// are printed.
  int run(int argc, const char* const* argv);

 private:
  Action chosen_;
  std::unique_ptr<CLI::App> app_;
  Verb verbs_;
};

}  // namespace cuvette::cli
