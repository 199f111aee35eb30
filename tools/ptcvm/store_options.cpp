#include "tools/ptcvm/store_options.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/engine/clock.h"
#include "runtime/text/edn.h"
#include "runtime/log/log_writer.h"
#include "runtime/text/json_value.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/terminal.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

constexpr std::uint64_t kValueMemory = 256u << 20;

std::string this_person() {
  const passwd* const user = getpwuid(getuid());
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return ptc::utf8_repaired(std::string(user == nullptr ? "somebody" : user->pw_name) + '@' + host);
}

}  // namespace

CLI::Option* declare_store(CLI::App& command, StoreOptions& options) {
  return command.add_option("--store", options.path, "The SQLite file that keeps runs")->type_name("FILE");
}

CLI::Option* declare_default_store(CLI::App& command, StoreOptions& options) {
  return declare_store(command, options)->envname("PTCVM_STORE");
}

void declare_run_id(CLI::App& command, StoreOptions& options) {
  command.add_option("ID", options.id, "The run")->required();
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
  command.add_option("--group-window", options.group_window_ms, "Of --durability group, in milliseconds (5)")
      ->check(CLI::Range(1, 10'000).description(""))
      ->type_name("MS");
}

std::unique_ptr<ptc::SqliteStore> open_store(const StoreOptions& options, StoreUse use, std::string& message) {
  if (options.path.empty()) {
    message = "which store? Give --store FILE, or set PTCVM_STORE";
    return nullptr;
  }
  if (use == StoreUse::Existing && !std::filesystem::exists(options.path)) {
    message = options.path + ": there is no such store";
    return nullptr;
  }
  ptc::SqliteOptions wanted;
  wanted.mode = options.group ? ptc::SqliteMode::Group : ptc::SqliteMode::Sync;
  wanted.group_window = std::chrono::milliseconds(options.group_window_ms);
  auto opened = ptc::SqliteStore::open(options.path, wanted);
  if (auto* store = std::get_if<std::unique_ptr<ptc::SqliteStore>>(&opened)) return std::move(*store);
  const ptc::StoreError& error = std::get<ptc::StoreError>(opened);
  message = options.path + ": " + std::string(ptc::store_error_name(error.kind)) + ": " + error.message;
  return nullptr;
}

bool StoreCommand::open(StoreUse use, int& status) {
  std::string message;
  store_ = open_store(options_, use, message);
  if (store_ == nullptr) status = refuse_input(message);
  return store_ != nullptr;
}

bool StoreCommand::read_notable(int& status) {
  auto info = store_->info(options_.id);
  if (auto* error = std::get_if<ptc::StoreError>(&info)) return check_read(std::move(*error), status);
  if (const auto& known = std::get<std::optional<ptc::RunInfo>>(info)) log_.skip_to(known->head);
  const auto add = [this](const ptc::Fact& fact) { log_.add(fact); };
  return check_read(ptc::visit_notable(*store_, options_.id, add), status);
}

bool StoreCommand::read_log(int& status) { return check_read(ptc::read_on(*store_, options_.id, log_), status); }

bool StoreCommand::check_read(std::optional<ptc::StoreError> error, int& status) {
  if (error) {
    status = complain_of_store(*error);
    return false;
  }
  if (log_.head() != 0) return true;
  status = refuse_input("there is no run " + options_.id + " in " + options_.path + "; `ptcvm runs` lists them");
  return false;
}

ptc::Said StoreCommand::said() const {
  return {options_.by.empty() ? this_person() : options_.by, ptc::system_millis()};
}

int complain_of_store(const ptc::StoreError& error) {
  complain(std::string(ptc::store_error_name(error.kind)) + ": " + error.message);
  return error.kind == ptc::StoreError::Kind::Misuse ? kBadInput : kStoreFailed;
}

int refuse_input(std::string_view message) {
  complain(message);
  return kBadInput;
}

std::optional<std::string> value_argument(const std::string& text, bool is_edn, std::string& message) {
  std::optional<std::string> content = text;
  if (text.starts_with('@')) content = read_file(text.substr(1), message);
  if (!content) return std::nullopt;
  ptc::Heap heap(kValueMemory);
  auto read = is_edn ? ptc::read_edn(heap, *content) : ptc::read_json(heap, *content);
  if (const auto* error = std::get_if<ptc::TextError>(&read)) {
    message = std::string(is_edn ? "EDN" : "JSON") + " is wanted, or @ and a file of it: " + error->message;
    return std::nullopt;
  }
  const ptc::Owned value(heap, std::get<ptc::Value>(read));
  std::string edn;
  ptc::append_edn(edn, value.get(), heap);
  return edn;
}

}  // namespace ptcvm::cli
