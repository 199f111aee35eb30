// ptcvm store: the tables of a store in PostgreSQL, and whether its server keeps what the store promises.
#include <algorithm>
#include <iostream>
#include <memory>

#include "ptcvm/queues.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/postgres_place.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/time_spans.h"

namespace ptcvm::cli {
namespace {

void add_part(CLI::App& command, int& status, const char* name, const char* what, const char* examples,
              int (*act)(const std::string& url)) {
  const auto url = std::make_shared<std::string>();
  CLI::App* const part = command.add_subcommand(name, what);
  part->add_option("--store", *url, "The database: postgresql://USER@HOST/DATABASE")
      ->type_name("URL")
      ->envname("PTCVM_STORE");
  part->footer(examples);
  part->callback([url, act, &status] {
    status = is_postgres_url(*url) ? act(*url)
                                   : refuse_input(
                                         "which database? Give --store postgresql://USER@HOST/DATABASE, or "
                                         "set PTCVM_STORE; an SQLite file needs no command");
  });
}

constexpr const char* kPruneExamples = R"(Examples:
  ptcvm store prune --store runs.db --older 30d
  ptcvm store prune --store postgresql://worker@db/runs --older 7d --dead --most 100000

Removes runs of queues that are over for that long, with their logs, 500 at once, and the rows of workers that are gone.
Runs that were given up stay, unless --dead is given. The id of a run that was removed can be enqueued again.)";

constexpr std::size_t kPruneBatch = 500;

struct PruneRequest {
  StoreOptions store;
  PruneOptions options;
  std::size_t most = 1'000'000;
};

int prune(const PruneRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  std::size_t count = 0;
  PruneOptions options = request.options;
  // A run that was given up can go when those that came after it are gone, so there may be more behind each batch.
  for (bool is_more = true; is_more && count < request.most;) {
    options.most = std::min(kPruneBatch, request.most - count);
    const auto removed = prune_runs(command.store(), options);
    if (!removed) return complain_of_store(removed.error());
    count += removed->size();
    is_more = !removed->empty();
  }
  std::cout << "removed " << count << (count == 1 ? " run\n" : " runs\n");
  return kSuccess;
}

void add_prune(CLI::App& command, int& status) {
  CLI::App* const part = command.add_subcommand("prune", "Remove runs of queues that are over for long");
  auto request = std::make_shared<PruneRequest>();
  declare_store(*part, request->store);
  add_span(*part, "--older", request->options.older, "Over since then, or longer (30d)");
  part->add_flag("--dead", request->options.dead_too, "Those that were given up, too");
  part->add_option("--most", request->most, "The most runs")->capture_default_str();
  part->footer(kPruneExamples);
  part->callback([request, &status] { status = prune(*request); });
}

}   // namespace

void add_store_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("store", "Make and check a store in PostgreSQL; remove old runs");
  command->require_subcommand(1);
  command->footer("Examples:\n  ptcvm store migrate --store postgresql://owner@db/runs");
  add_part(*command, status, "migrate", "Make the tables and functions, or bring older ones to this version",
           "Examples:\n  ptcvm store migrate --store postgresql://owner@db/runs", migrate_place);
  add_part(*command, status, "check", "Say whether the server keeps what the store promises",
           "Examples:\n  ptcvm store check --store postgresql://owner@db/runs", check_place);
  CLI::App* const sql = command->add_subcommand("sql", "Print what migrate does in an empty database");
  sql->footer("Examples:\n  ptcvm store sql | psql runs");
  sql->callback([&status] { status = print_sql(); });
  add_prune(*command, status);
}

}   // namespace ptcvm::cli
