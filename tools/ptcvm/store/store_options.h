// Options that name a store and a run in it, and what every command that looks into a store begins with.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/limits.hpp"
#include "ptcvm/queues.hpp"
#include "ptcvm/sqlite.hpp"

namespace ptcvm::cli {

// The environment variable that names the store of a command without --store.
inline constexpr const char* kStoreVariable = "PTCVM_STORE";

struct StoreOptions {
  std::string path;                    // the SQLite file or the URL; "" when there is no store
  std::string id;                      // the run; "" when none is named, or all are meant
  std::string by;                      // who says it; "": user@host
  std::string keys;                    // a key ring, which seals what the store keeps; "": none
  std::string tenant;                  // whose runs these are; "": not given
  bool group = false;
  std::uint32_t group_window_ms = 5;
};

CLI::Option* declare_store(CLI::App& command, StoreOptions& options);      // --store, also from PTCVM_STORE
void declare_ring(CLI::App& command, StoreOptions& options);               // --keys
void declare_queue_store(CLI::App& command, StoreOptions& options);        // --store, --keys; jobs have a tenant
void declare_sealed_store(CLI::App& command, StoreOptions& options);       // --store, --keys, --tenant
// Declares the argument ID and the option --id, either of which names what the command is about.
void declare_run_id(CLI::App& command, StoreOptions& options, const std::string& what = "The run");
// The same for a run that may be new, and whose name may be missing.
void declare_new_run_id(CLI::App& command, StoreOptions& options, const std::string& what = "The run");
void declare_author(CLI::App& command, StoreOptions& options);             // --by
void declare_durability(CLI::App& command, StoreOptions& options);         // --durability, --group-window

// How long a claim of the command line outlives its machine. The opened store prolongs claims while the process lives.
inline constexpr std::int64_t kStoreLeaseMs = 15'000;

using JobsByRun = std::map<std::string, QueuedRunStatus>;
// Returns the jobs of the runs, and of all runs that they are a part of. Asks the store once.
JobsByRun jobs_around(const Store& store, const std::vector<std::string>& runs);
// Returns the job of the run, or of the nearest run that it is a part of. `jobs` are those around the run.
std::optional<QueuedRunStatus> nearest_job(const JobsByRun& jobs, const std::string& run);
std::optional<QueuedRunStatus> nearest_job(const Store& store, const std::string& run);   // asks the store for the jobs
// Returns the tenant for whom a ring seals: the one that was named, or "default".
std::string ring_tenant(const std::string& named);
// Reads the key ring that the options name, if they name one. Returns false, and why, when it cannot be read.
bool read_store_keys(const StoreOptions& options, std::shared_ptr<const KeyRing>& keys, std::string& message);

enum class StoreUse { Existing, Create };
// Opens the store. Returns nullopt when the store cannot be opened, or when the options name a run that a queue has for
// another tenant; `message` then says why, and `status` is what the command ends with.
std::optional<Store> open_store(const StoreOptions& options, StoreUse use, std::string& message, int& status);
// Returns whether a new run of that name would belong to the tenant of the run of the options, whose tenant the options
// name. Else says in `message` why not. With a ring the seals have the tenant, so any name does.
bool would_stay_with_tenant(const Store& store, const StoreOptions& options, const std::string& name,
                            std::string& message);

// The commands that answer or look at one run: an opened store, and messages of what goes wrong.
class StoreCommand {
 public:
  explicit StoreCommand(const StoreOptions& options) : options_(options) {}

  // Opens the store. Returns false when that failed; then the command ends with `status`.
  bool open(StoreUse use, int& status);
  // Reads the journal of the run. A run that nobody knows is refused.
  bool read(JournalExtent extent, int& status);
  Store& store() { return *store_; }
  void use(Store store) { store_ = std::move(store); }   // from now on
  const RunJournal& journal() const { return journal_; }
  const StoreOptions& options() const { return options_; }
  std::string by() const;              // who says what this command says

 private:
  const StoreOptions& options_;
  std::optional<Store> store_;
  RunJournal journal_;
};

// Returns the options that name the store, as words of a shell: "--store runs.db --keys ring.json --tenant acme".
std::string store_words(const StoreOptions& options);
// Returns the options of the ring and the tenant as a command has them, each with a space before it.
std::string ring_words(const StoreOptions& options);
// Returns whether a log is one of another tenant of the ring: lists of a tenant leave such logs out.
bool is_of_other_tenant(const Error& error);
// Returns how a list shows a log that its seal refuses: "refused fact_changed".
std::string refused_state(const Error& error);

// Returns the message, and how to give the key ring when that is what is missing.
std::string message_of_store(const Error& error);
// Writes "store_io: message" to standard error, and returns the exit status.
int status_of_store(const Error& error);             // kBadInput or kStoreFailed
int complain_of_store(const Error& error);           // on standard error; status_of_store()
int refuse_input(std::string_view message);         // on standard error; kBadInput
int complain_of_busy(const std::string& message);   // says what to do, too; kBusy

// What a value may take that people give as a text, or as @FILE.
class ValueBound {
 public:
  // For a value that resolves an operation: result_bytes and memory_bytes bound it.
  static ValueBound of_answer(const Limits& limits);
  // For another value that goes into a run: memory_bytes bounds it.
  static ValueBound of_memory(const Limits& limits);

  // Returns the text, or the content of the file that the text names after @, or nullopt, and why. No more is read than
  // the value may have.
  std::optional<std::string> text(const std::string& given, std::string& message) const;
  // Reads the text as JSON (or, when wanted, EDN). Returns nullopt, and why.
  std::optional<Value> value(std::string_view text, bool is_edn, std::string& message) const;

 private:
  explicit ValueBound(const Limits& limits);

  std::uint64_t text_bytes_, memory_bytes_;   // the most that the text may have; what the run may have
  std::string too_long_;   // the message for a longer text, without the file
};
// Returns the limits with which the run was begun, or the usual ones.
Limits limits_of_run(const Store& store, const std::string& run);

// Returns JSON (or, when wanted, EDN) text as canonical EDN, or nullopt, and why. "@FILE" is the content of the file.
std::optional<std::string> value_argument(const std::string& text, bool is_edn, const ValueBound& bound,
                                          std::string& message);
// Reads canonical EDN, as value_argument() gives it, as a value.
Value value_of(const std::string& edn);

}  // namespace ptcvm::cli
