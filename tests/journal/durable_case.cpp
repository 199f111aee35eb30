#include "journal/durable_case.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "runtime/text/edn.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/sqlite/sqlite_store.h"
#ifdef PTC_HAVE_POSTGRES
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "tests/support/postgres_server.h"
#endif
#include "unit/runtime/durable/dying_store.h"

namespace ptc::test {
namespace {

// Its process dies at the moment when the turn has ended.
class UnendedStore final : public DyingStore {
 public:
  explicit UnendedStore(FactStore& store) : DyingStore(store, INT_MAX, false) {}
  StoreResult<Written> ended(std::string_view, Cut, std::span<const Fact>) override {
    return StoreError{StoreError::Kind::Io, "the process is dead"};
  }
};

ToolRegistry registry_of(const DurableProgram& program, DurableSeen& seen) {
  ToolRegistry tools;
  for (const CaseTool& tool : program.tools) {
    ToolDefinition definition;
    definition.name = tool.name;
    definition.effect = tool.effect;
    tools.add(std::move(definition), [&tool, &seen](const ToolCall& call) {
      if (!tool.error.empty()) return ToolReply::error(tool.error);
      seen.charges.emplace_back(call.meta.idempotency_key);
      if (!call.meta.task_id.empty()) seen.task_charges.emplace_back(call.meta.idempotency_key);
      auto value = read_edn(call.heap, tool.answer);
      if (const auto* const good = std::get_if<Value>(&value)) return ToolReply::value(*good);
      return ToolReply::error("the answer of the test is no EDN");
    });
  }
  return tools;
}

void read_journal(FactStore& store, const std::string& run_id, DurableSeen& seen) {
  RunLog log;
  auto facts = store.read(run_id, 0, 100'000);
  if (const auto* const good = std::get_if<std::vector<Fact>>(&facts)) {
    for (const Fact& fact : *good) log.add(fact);
  }
  for (const LoggedTask& task : log.tasks()) seen.journal.emplace(task.id, task.value_edn);
}

}  // namespace

DurableCase::DurableCase(const Engine& engine, FactStore& store, std::string run_id, const DurableProgram& program)
    : engine_(engine), store_(store), run_id_(std::move(run_id)), program_(program) {}

DurableSeen DurableCase::run() { return run_on(store_); }

DurableSeen DurableCase::run_and_die() {
  UnendedStore dying(store_);
  return run_on(dying);
}

DurableSeen DurableCase::run_on(FactStore& store) {
  DurableSeen seen;
  DurableOptions options;
  options.session = program_.session;
  options.session.run_id = run_id_;
  options.now_ms = [] { return std::int64_t{1'000'000}; };
  const auto claim = store_.claim(run_id_, "probe", 1'000'000, 1);
  if (const auto* const held = std::get_if<Claim>(&claim)) {
    if (held->granted) {
      store_.release(run_id_, held->token);
    } else {
      options.dead_token = held->held_token;
    }
  }
  const ToolRegistry tools = registry_of(program_, seen);
  const DurableOutcome out = run_durably(engine_, store, tools, program_.source, options);
  seen.end = out.end;
  seen.status = outcome_status_name(out.outcome.status);
  seen.message = out.message + out.error.message;
  if (out.outcome.status == OutcomeStatus::Error) {
    seen.kind = fault_name(out.outcome.fault.kind);
    seen.message += out.outcome.fault.message;
  }
  read_journal(store_, run_id_, seen);
  return seen;
}

std::string seen_text(const DurableSeen& seen) {
  std::string text = seen.status + ' ' + seen.kind + " {";
  for (const auto& [id, value] : seen.journal) text += id + ' ' + value + ' ';
  text += "} charges [";
  for (const std::string& key : seen.charges) text += key + ' ';
  return text + "] " + seen.message;
}

CaseStores::CaseStores() {
  const bool has_memory_disk = std::filesystem::is_directory("/dev/shm");
  const auto base = has_memory_disk ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  std::string pattern = (base / "ptc_journal_XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  stores_.emplace_back("memory", std::make_unique<MemoryStore>());
  auto opened = SqliteStore::open(folder_ + "/facts.db");
  auto* const good = std::get_if<std::unique_ptr<SqliteStore>>(&opened);
  if (good == nullptr) {
    std::fprintf(stderr, "no SQLite store: %s\n", std::get<StoreError>(opened).message.c_str());
    std::exit(1);
  }
  stores_.emplace_back("SQLite", std::move(*good));
  add_postgres();
}

void CaseStores::add_postgres() {
#ifdef PTC_HAVE_POSTGRES
  server_ = std::make_shared<PostgresServer>();
  const std::string url = server_->url();
  PostgresOptions options;
  options.clock = PostgresClock::Caller;
  const auto made = migrate_postgres(url);
  auto opened = PostgresStore::open(url, options);
  auto* const good = std::get_if<std::unique_ptr<PostgresStore>>(&opened);
  if (!std::holds_alternative<int>(made) || good == nullptr) {
    std::fprintf(stderr, "no store in PostgreSQL\n");
    std::exit(1);
  }
  stores_.emplace_back("PostgreSQL", std::move(*good));
#endif
}

CaseStores::~CaseStores() {
  stores_.clear();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace ptc::test
