// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <sstream>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "cli/verb.h"

namespace cuvette::cli {
namespace {

/// Prints what the parser has to say: help, or an error of usage. The status of the program.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  // The text of --help and --version comes as such an "error", too.
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kPassed;
  }
  if (json_errors()) return report(base::Error(error.what()));
  std::ostringstream text;
  app.exit(error, text, text);
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) print_line(line);
  return kBadInput;
}

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::with_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::between(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::percentage() {
  option_->check(CLI::Range(0.0, 100.0));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::file() {
  option_->check([](const std::string& name) {
    return std::string(name.empty() ? "expected the name of a file, found ''" : "");
  });
  return *this;
}

Option& Option::separated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::count(int values) {
  option_->expected(values);
  return *this;
}

Verb Verb::add(const std::string& name, const std::string& what) {
  return {*app_->add_subcommand(name, what), *chosen_};
}

template <class T>
Option Verb::option(const std::string& names, T& value, const std::string& what) {
  CLI::Option* const option = app_->add_option(names, value, what);
  if (is_list<T> && names.front() == '-') option->allow_extra_args(false);
  return Option(*option);
}
template Option Verb::option(const std::string&, std::string&, const std::string&);
template Option Verb::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Verb::option(const std::string&, std::vector<unsigned>&, const std::string&);
template Option Verb::option(const std::string&, unsigned&, const std::string&);
template Option Verb::option(const std::string&, uint64_t&, const std::string&);
template Option Verb::option(const std::string&, double&, const std::string&);

void Verb::flag(const std::string& names, bool& value, const std::string& what) {
  app_->add_flag(names, value, what);
}

void Verb::needs_verb() {
  app_->require_subcommand(1);
}

void Verb::hide() {
  app_->group("");
}

void Verb::positionals_last() {
  app_->positionals_at_end();
}

void Verb::passes_on() {
  app_->set_help_flag();
  app_->prefix_command();
}

std::vector<std::string> Verb::passed_on() const {
  return app_->remaining();
}

bool Verb::given(const std::string& option) const {
  return app_->count(option) != 0;
}

void Verb::does(const Action& action) {
  app_->callback([app = app_, chosen = chosen_, action] {
    if (app->get_subcommands().empty()) *chosen = action;
  });
}

CommandLine::CommandLine(const std::string& what, const std::string& program,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(what, program)), verbs_(*app_, chosen_) {
  app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, const char* const* argv) {
  set_json_errors(asks_for_json(argc, argv));
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return report_usage(*app_, e);
  }
  return chosen_();
}

}  // namespace cuvette::cli
