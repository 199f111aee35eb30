// ptcvm: run, check, compile, inspect and format PTC-Lisp programs.
#include <csignal>

#include "tools/ptcvm/command_line.h"

namespace ptcvm::cli {
namespace {

// A write fails where it would end the process: to a pipe that nobody reads, or past the limit of the system for files.
void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace
}  // namespace ptcvm::cli

int main(int argc, char** argv) {
  ptcvm::cli::let_writes_fail();
  return ptcvm::cli::answer_command_line(argc, argv);
}
