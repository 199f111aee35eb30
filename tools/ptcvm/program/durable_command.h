// Runs that a store keeps, as commands: run … --store, and resume … --store.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/program/snapshot_file.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/loading.h"

namespace ptcvm::cli {

struct DurableRequest {
  StoreOptions store;
  SealOptions seal;                           // the ring, and what the run is expected to be
  std::string plan;                           // a file
  bool again = false, strict_resets = false;
  bool is_recorded = false;                   // goes on with a copy in memory, and calls no tool (recorded_steps.h)
  std::int64_t after_ms = 0;                  // as if that much more time had passed

  // The options that snapshots have, too, count for the run in the store.
  void take_seal(const SealOptions& given) {
    seal = given;
    store.keys = given.keys;
    store.tenant = given.tenant;
  }
};

void declare_durable_options(CLI::App& command, DurableRequest& request);

// Keeps the tools of files with the run, and says on standard error which ones have changed since they were kept.
// Returns false when the store fails; `message` then says why.
bool warn_of_changed_tools(const Store& store, const std::string& run, const CommandTools& tools,
                           std::string& message);

// Begins the run of that id, goes on with it, or prints its value when it has ended.
int run_in_store(const Engine& engine, const LoadedProgram& loaded, const std::string& name,
                 const RunArguments& options, const DurableRequest& request);
// The same with the program, inputs and options that the log holds. `answers` are given first.
struct OperationAnswers {
  std::vector<std::string> resolved, failed, cancelled;   // OP=JSON, OP=REASON, OP[=REASON]
};
int resume_in_store(const Engine& engine, const RunArguments& options, const DurableRequest& request,
                    const OperationAnswers& answers);

}  // namespace ptcvm::cli
