// The options of a program that a worker executes: now (ptcvm enqueue), or again and again (schedule put).
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "ptcvm/queues.hpp"
#include "tools/ptcvm/calls/run_options.h"

namespace ptcvm::cli {

struct JobArguments {
  std::string file;                            // "": no program is given
  RunArguments program;                        // data, signature, limits
  QueuedJob job;                               // all else
};

// Declares FILE, what the program gets, and its place in a queue. The object must stay where it is.
void declare_job(CLI::App& command, JobArguments& arguments);

// Returns the job that the options ask for, or nullopt and why. A program that was compiled is enqueued as its source.
std::optional<QueuedJob> read_job(const JobArguments& arguments, std::string& message);

// Says why the store or the compiler refuses a job, and returns the exit status.
int refuse_job(const Error& error);

}  // namespace ptcvm::cli
