#include "tools/ptcvm/store/store_options.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "ptcvm/answer_bounds.hpp"
#include "ptcvm/claim_heartbeat.hpp"
#include "ptcvm/json.hpp"
#include "ptcvm/queues.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/postgres_place.h"
#include "tools/ptcvm/text/shell_arguments.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

// A run with less memory may still be told so much: the process has some beside the run.
constexpr std::uint64_t kSmallText = 1U << 20, kSmallValue = 8U << 20;

std::string this_person() {
  const passwd* const user = getpwuid(getuid());
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return ptc::utf8_repaired(std::string(user == nullptr ? "somebody" : user->pw_name) + '@' + host);
}

// A wrong path and a file of another kind are bad input. All else is a failure of the machine.
int status_of_opening(const std::string& path, const Error& error) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const bool has_place = !is_folder && fs::is_directory(fs::absolute(path, ignored).parent_path(), ignored);
  const bool is_input = error.detail == "store_misuse" || error.detail == "store_corrupt" ||
                        error.detail == "store_version" || (error.detail == "store_io" && !has_place);
  return is_input ? kBadInput : kStoreFailed;
}

// Opens an SQLite file.
std::optional<Store> open_file(const StoreOptions& options, StoreUse use, std::string& message, int& status) {
  std::error_code why;
  if (use == StoreUse::Existing && !std::filesystem::exists(options.path, why)) {
    message = options.path + ": " + (why ? why.message() : "there is no such store");
    return std::nullopt;
  }
  SqliteOptions wanted;
  wanted.durability = options.group ? Durability::Group : Durability::Sync;
  wanted.window = std::chrono::milliseconds(options.group_window_ms);
  if (!read_store_keys(options, wanted.keys, message)) return std::nullopt;
  wanted.tenant = ring_tenant(options.tenant);
  auto opened = open_sqlite(options.path, wanted);
  if (opened) return std::move(*opened);
  message = options.path + ": " + opened.error().message;
  const std::filesystem::path folder = std::filesystem::path(options.path).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, why)) {
    message = options.path + ": store_io: there is no folder " + folder.string() + "; make it first";
  }
  status = status_of_opening(options.path, opened.error());
  return std::nullopt;
}

void declare_store_keys(CLI::App& command, StoreOptions& options) {
  declare_ring(command, options);
  command.add_option("--tenant", options.tenant, "Whose runs these are, as `enqueue --tenant` said");
}

// Returns the run and the runs that it may be a part of, the nearest first: RUN/… belongs to RUN, when a queue has that
// one.
std::vector<std::string> whole_runs(const std::string& run) {
  std::vector<std::string> out{run};
  for (std::string rest = run; !rest.empty();) {
    const std::size_t slash = rest.rfind('/');
    rest.resize(slash == std::string::npos ? 0 : slash);
    if (!rest.empty()) out.push_back(rest);
  }
  return out;
}

// Says in `message` that a queue has the run for another tenant than the options name. Without a ring nobody else does:
// seals have the tenant.
bool is_of_tenant(const Store& store, const StoreOptions& options, std::string& message) {
  if (options.id.empty() || !options.keys.empty()) return true;
  const auto nearest = nearest_job(store, options.id);
  if (!nearest || nearest->tenant == options.tenant) return true;
  message = "store_wrong_tenant: the run " + nearest->run + " is another tenant's; --tenant says whose run is meant";
  return false;
}

}  // namespace

CLI::Option* declare_store(CLI::App& command, StoreOptions& options) {
  return command.add_option("--store", options.path, "The SQLite file, or the postgresql:// URL, that keeps runs")
      ->envname(kStoreVariable)
      ->type_name("FILE");
}

void declare_ring(CLI::App& command, StoreOptions& options) {
  command
      .add_option("--keys", options.keys, "Key ring: only logs that it sealed are taken, and what is written is sealed")
      ->type_name("RING");
}

void declare_queue_store(CLI::App& command, StoreOptions& options) {
  declare_store(command, options);
  declare_ring(command, options);
}

void declare_sealed_store(CLI::App& command, StoreOptions& options) {
  declare_store(command, options);
  declare_store_keys(command, options);
}

void declare_run_id(CLI::App& command, StoreOptions& options, const std::string& what) {
  declare_new_run_id(command, options, what);
  command.get_option("ID")->required();
}

void declare_new_run_id(CLI::App& command, StoreOptions& options, const std::string& what) {
  command.add_option("ID", options.id, what);
  command.add_option("--id", options.id, what + ", instead of the argument")->type_name("ID");
}

void declare_author(CLI::App& command, StoreOptions& options) {
  command.add_option("--by", options.by, "Who says it, as the log will show it (the user, if not given)")
      ->type_name("NAME");
}

void declare_durability(CLI::App& command, StoreOptions& options) {
  command
      .add_option_function<std::string>(
          "--durability", [&options](const std::string& mode) { options.group = mode == "group"; },
          "sync: on the disk before (task …) returns; group: within the window")
      ->check(CLI::IsMember({"sync", "group"}).description(""))
      ->type_name("MODE");
  command
      .add_option("--group-window", options.group_window_ms, "The window of --durability group, in milliseconds (5)")
      ->type_name("MS");
}

std::optional<Store> open_store(const StoreOptions& options, StoreUse use, std::string& message, int& status) {
  status = kBadInput;
  if (options.path.empty()) {
    message = "which store? Give --store FILE or --store postgresql://USER@HOST/DATABASE, or set PTCVM_STORE";
    return std::nullopt;
  }
  auto store = is_postgres_url(options.path) ? open_postgres_place(options, message, status)
                                             : open_file(options, use, message, status);
  if (!store) return store;
  if (!is_of_tenant(*store, options, message)) return status = kBadInput, std::nullopt;
  return with_heartbeat(*store);
}

bool would_stay_with_tenant(const Store& store, const StoreOptions& options, const std::string& name,
                            std::string& message) {
  const auto nearest = options.keys.empty() ? nearest_job(store, name) : std::nullopt;
  if (!options.keys.empty() || (nearest ? nearest->tenant : std::string()) == options.tenant) return true;
  message = "store_wrong_tenant: no job says that " + name + " is of the tenant of " + options.id +
            ": give it a name below a run of that tenant, such as " + options.id + "/fork";
  return false;
}

JobsByRun jobs_around(const Store& store, const std::vector<std::string>& runs) {
  std::set<std::string> all;
  for (const std::string& run : runs) {
    for (std::string& whole : whole_runs(run)) all.insert(std::move(whole));
  }
  JobsByRun out;
  auto queued = queued_runs(store, std::vector<std::string>(all.begin(), all.end()));
  if (!queued) return out;   // what is wrong with the store is said by what the command does next
  for (QueuedRunStatus& each : *queued) {
    std::string run = each.run;
    out.insert_or_assign(std::move(run), std::move(each));
  }
  return out;
}

std::optional<QueuedRunStatus> nearest_job(const JobsByRun& jobs, const std::string& run) {
  for (const std::string& whole : whole_runs(run)) {
    if (const auto at = jobs.find(whole); at != jobs.end()) return at->second;
  }
  return std::nullopt;
}

std::optional<QueuedRunStatus> nearest_job(const Store& store, const std::string& run) {
  return nearest_job(jobs_around(store, {run}), run);
}

std::string ring_tenant(const std::string& named) { return named.empty() ? "default" : named; }

bool read_store_keys(const StoreOptions& options, std::shared_ptr<const KeyRing>& keys, std::string& message) {
  if (options.keys.empty()) return true;
  auto ring = KeyRing::load(options.keys);
  if (ring) {
    keys = std::make_shared<const KeyRing>(std::move(*ring));
  } else {
    message = ring.error().message;
  }
  return ring.has_value();
}

bool StoreCommand::open(StoreUse use, int& status) {
  std::string message;
  store_ = open_store(options_, use, message, status);
  if (!store_) complain(message);
  return store_.has_value();
}

bool StoreCommand::read(JournalExtent extent, int& status) {
  auto journal = store_->journal(options_.id, extent);
  if (!journal) {
    status = complain_of_store(journal.error());
    return false;
  }
  journal_ = std::move(*journal);
  if (journal_.facts != 0) return true;
  status = refuse_input("there is no run " + options_.id + " in " + shown_place(options_.path) +
                        "; `ptcvm runs` lists them");
  return false;
}

std::string StoreCommand::by() const { return options_.by.empty() ? this_person() : options_.by; }

std::string store_words(const StoreOptions& options) {
  return "--store " + shell_quoted(shown_place(options.path)) + ring_words(options);
}

std::string ring_words(const StoreOptions& options) {
  std::string words;
  if (!options.keys.empty()) words += " --keys " + shell_quoted(options.keys);
  const std::string tenant = options.keys.empty() ? options.tenant : ring_tenant(options.tenant);
  return tenant.empty() ? words : words + " --tenant " + shell_quoted(tenant);
}

bool is_of_other_tenant(const Error& error) {
  return error.code == Errc::seal_refused && error.detail == "wrong_tenant";
}

std::string refused_state(const Error& error) { return "refused " + std::string(error.detail); }

std::string message_of_store(const Error& error) {
  const bool needs_ring = error.code == Errc::seal_refused && error.detail == "keys_needed";
  const bool is_elsewhere = error.detail == "run_moved";
  const char* const elsewhere = is_elsewhere ? "; give the command with --store of it" : "";
  return error.message + (needs_ring ? " with --keys RING" : elsewhere);
}

int complain_of_store(const Error& error) {
  complain(message_of_store(error));
  return status_of_store(error);
}

int status_of_store(const Error& error) {
  // What no further try of the same command changes.
  constexpr std::array<std::string_view, 7> kOfTheCommand{"store_misuse",  "store_missing", "store_wrong_tenant",
                                                          "run_has_order", "run_is_copy",   "run_moved",
                                                          "result_too_large"};
  const bool is_input = error.code == Errc::seal_refused || std::ranges::count(kOfTheCommand, error.detail) != 0;
  return is_input ? kBadInput : kStoreFailed;
}

int refuse_input(std::string_view message) {
  complain(message);
  return kBadInput;
}

int complain_of_busy(const std::string& message) {
  complain(message + "; wait until it is done, or stop that process, and give the command again");
  return kBusy;
}

ValueBound::ValueBound(const Limits& limits)
    : text_bytes_(std::max<std::uint64_t>(limits.memory_bytes / 8, kSmallText)), memory_bytes_(limits.memory_bytes) {}

ValueBound ValueBound::of_memory(const Limits& limits) {
  ValueBound bound(limits);
  bound.too_long_ = "memory_exceeded: a value of this run has at most " + std::to_string(bound.text_bytes_) +
                    " bytes of text, because its memory_bytes are " + std::to_string(limits.memory_bytes);
  return bound;
}

ValueBound ValueBound::of_answer(const Limits& limits) {
  ValueBound bound = of_memory(limits);
  if (limits.result_bytes >= bound.text_bytes_) return bound;
  bound.text_bytes_ = limits.result_bytes;
  bound.too_long_ = "result_too_large: an answer to this run has at most " + std::to_string(limits.result_bytes) +
                    " bytes (result_bytes); keep it elsewhere and answer with its place";
  return bound;
}

std::optional<std::string> ValueBound::text(const std::string& given, std::string& message) const {
  if (!given.starts_with('@')) return given;
  const std::string path = given.substr(1);
  auto read = read_bounded(path, message, [this](std::string_view) { return text_bytes_; });
  if (!read) return std::nullopt;
  if (!read->is_longer) return std::move(read->bytes);
  message = too_long_ + ": " + (path == "-" ? "standard input" : path) + " has more";
  return std::nullopt;
}

// The text, its value and two copies as EDN are in memory at once, and shall not take more than the run may have.
std::optional<Value> ValueBound::value(std::string_view text, bool is_edn, std::string& message) const {
  const std::uint64_t texts = std::min<std::uint64_t>(3 * text.size(), memory_bytes_);
  const std::uint64_t most = std::max(memory_bytes_ - texts, std::min<std::uint64_t>(memory_bytes_, kSmallValue));
  auto read = is_edn ? edn_within(text, most) : json_within(text, most);
  const std::string doubled = read && !is_edn ? doubled_member(text) : "";
  if (!doubled.empty()) {
    message = "the member " + doubled + " is written twice, and only one of the two can be meant";
    return std::nullopt;
  }
  if (read) return *std::move(read);
  if (read.error().code == Errc::too_large) {
    message = "memory_exceeded: " + read.error().message + ", which is what memory_bytes of the run leaves for them";
    return std::nullopt;
  }
  const Diagnostic problem = *read.error().diagnostic;
  message = "the value must be " + std::string(is_edn ? "EDN" : "JSON") + ", or @ and a file of it: ";
  if (!is_edn) message += "line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column) + ": ";
  message += problem.message;
  const bool is_word = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  if (!is_edn && is_word) message += "; a text is written in quotation marks, as \"yes\"";
  return std::nullopt;
}

Limits limits_of_run(const Store& store, const std::string& run) {
  const auto limits = begun_limits(store, run);
  return limits && *limits ? **limits : Limits();   // what is wrong with the store is said when the value is written
}

std::optional<std::string> value_argument(const std::string& text, bool is_edn, const ValueBound& bound,
                                          std::string& message) {
  std::optional<Value> value;
  if (const auto content = bound.text(text, message)) value = bound.value(*content, is_edn, message);
  if (!value) return std::nullopt;
  return value->to_edn();
}

Value value_of(const std::string& edn) { return Value::from_edn(edn).value(); }

}   // namespace ptcvm::cli
