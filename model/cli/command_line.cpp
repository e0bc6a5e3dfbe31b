// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <algorithm>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verb.h"

namespace cuvette::cli {
namespace {

/// "unknown verb 'x', expected one of run, asm": of a command line that names no verb where one has
/// to be.
std::string missing_verb(const CLI::App& root, int argc, const char* const* argv) {
  const auto verbs = [](const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
  };
  const CLI::App* app = &root;
  std::string unknown;
  for (int n = 1; n < argc && unknown.empty(); ++n) {
    const std::string word = argv[n];
    if (word.starts_with('-')) continue;
    const auto below = verbs(*app);
    const auto found = std::ranges::find(below, word, [](auto* sub) { return sub->get_name(); });
    if (found == below.end()) {
      unknown = word;
    } else {
      app = *found;
    }
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : verbs(*app)) names.push_back(sub->get_name());
  return fmt::format("{}expected one of {}",
                     unknown.empty() ? "no verb, " : fmt::format("unknown verb '{}', ", unknown),
                     fmt::join(names, ", "));
}

/// Prints what the parser has to say: help, or an error of usage. The status of the program.
int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc,
                 const char* const* argv) {
  // The text of --help and --version comes as such an "error", too.
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kPassed;
  }
  // The parser tells nothing else by this exception.
  const bool no_verb = error.get_name() == "RequiredError" &&
                       std::string(error.what()).find("subcommand") != std::string::npos;
  return report(base::Error(no_verb ? missing_verb(app, argc, argv) : error.what()));
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
  if (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>>) {
    option->check([](const std::string& word) {
      return std::string(word.empty() ? "expected a value, found ''" : "");
    });
  }
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
    return report_usage(*app_, e, argc, argv);
  }
  return chosen_();
}

}  // namespace cuvette::cli
