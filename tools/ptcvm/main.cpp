// ptcvm: run, check, compile, inspect and format PTC-Lisp programs.
#include <csignal>   // and with it __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "tools/ptcvm/command_line/command_line.h"

namespace ptcvm::cli {
namespace {

// A write fails where it would end the process: to a pipe that nobody reads, or past the limit of the system for files.
void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Large blocks go back to the system when they are freed: pieces of text (vm/value/text_pieces.h) and what is larger.
// glibc by itself keeps blocks of up to 32 MiB after the first large one, and the operating system counts what is kept.
void give_large_blocks_back() {
#ifdef __GLIBC__
  constexpr int kLargeBytes = 1 << 18, kMostFreeBytes = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, kMostFreeBytes);
#endif
}

}  // namespace
}  // namespace ptcvm::cli

int main(int argc, char** argv) {
  ptcvm::cli::let_writes_fail();
  ptcvm::cli::give_large_blocks_back();
  return ptcvm::cli::answer_command_line(argc, argv);
}
