// ptcvm store: the tables of a store in PostgreSQL, and whether its server keeps what the store promises.
#include <memory>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/postgres_place.h"

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

}   // namespace

void add_store_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("store", "Make and check a store in PostgreSQL");
  command->require_subcommand(1);
  command->footer("Examples:\n  ptcvm store migrate --store postgresql://owner@db/runs");
  add_part(*command, status, "migrate", "Make the tables and functions, or bring older ones to this version",
           "Examples:\n  ptcvm store migrate --store postgresql://owner@db/runs", migrate_place);
  add_part(*command, status, "check", "Say whether the server keeps what the store promises",
           "Examples:\n  ptcvm store check --store postgresql://owner@db/runs", check_place);
  CLI::App* const sql = command->add_subcommand("sql", "Print what migrate does in an empty database");
  sql->footer("Examples:\n  ptcvm store sql | psql runs");
  sql->callback([&status] { status = print_sql(); });
}

}   // namespace ptcvm::cli
