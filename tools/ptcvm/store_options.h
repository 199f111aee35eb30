// Options that name a store and a run in it, and what every command that looks into a store begins with.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/text/edn_json.h"
#include "runtime/durable/answers.h"
#include "runtime/log/run_log.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace ptcvm::cli {

struct StoreOptions {
  std::string path;                    // of the SQLite file; "": none
  std::string id;                      // of the run; "": none, or all
  std::string by;                      // who says it; "": user@host
  bool group = false;
  std::uint32_t group_window_ms = 5;
};

CLI::Option* declare_store(CLI::App& command, StoreOptions& options);      // --store
CLI::Option* declare_default_store(CLI::App& command, StoreOptions& options);   // the same, also from PTCVM_STORE
void declare_run_id(CLI::App& command, StoreOptions& options);             // the argument ID
void declare_author(CLI::App& command, StoreOptions& options);             // --by
void declare_durability(CLI::App& command, StoreOptions& options);         // --durability, --group-window

enum class StoreUse { Existing, Create };
// Null: it cannot be opened; `message` then says why.
std::unique_ptr<ptc::SqliteStore> open_store(const StoreOptions& options, StoreUse use, std::string& message);

// The commands that answer or look at one run: an opened store, and messages of what goes wrong.
class StoreCommand {
 public:
  explicit StoreCommand(const StoreOptions& options) : options_(options) {}

  // False: `status` is what the command ends with.
  bool open(StoreUse use, int& status);
  // Of the run; one that nobody knows is refused. The notable facts of it (starts, operations, plan …), or all.
  bool read_notable(int& status);
  bool read_log(int& status);
  ptc::SqliteStore& store() { return *store_; }
  const ptc::RunLog& log() const { return log_; }
  const StoreOptions& options() const { return options_; }
  ptc::Said said() const;

 private:
  bool check_read(std::optional<ptc::StoreError> error, int& status);

  const StoreOptions& options_;
  std::unique_ptr<ptc::SqliteStore> store_;
  ptc::RunLog log_;
};

// "store_io: message" on standard error; the exit status.
int complain_of_store(const ptc::StoreError& error);
int refuse_input(std::string_view message);         // on standard error; kBadInput

// JSON (or, when wanted, EDN) text as canonical EDN; nothing, and why. "@FILE" is the content of the file.
std::optional<std::string> value_argument(const std::string& text, bool is_edn, std::string& message);
using ptc::json_of_edn;

}  // namespace ptcvm::cli
