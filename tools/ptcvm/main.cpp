// ptcvm: run, check, compile, inspect and format PTC-Lisp programs.
#include <csignal>
#include <iostream>

#include "tools/ptcvm/command_line.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/option_table.h"

namespace ptcvm::cli {
namespace {

int answer(int argc, char** argv) {
  CLI::App app("PTC-Lisp: a bounded, deterministic language for programs that call tools.", "ptcvm");
  int status = kSuccess;
  build_command_line(app, status);
  const std::string empty = empty_value_in({argv, static_cast<std::size_t>(argc)});
  if (!empty.empty()) {
    std::cerr << empty << "\nRun with --help for more information.\n";
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  std::cout.flush();
  return std::cout.good() ? status : kBadInput;
}

}  // namespace
}  // namespace ptcvm::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);   // a write past the limit of the system fails, and the store says so
  return ptcvm::cli::answer(argc, argv);
}
