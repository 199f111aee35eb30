#include "tools/ptcvm/chain/chain_memory.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <utility>

#include "agents/chain/memory/task_record_json.h"
#include "drivers/archive/sqlite_archive.h"
#ifdef PTCVM_HAVE_POSTGRES
#include "drivers/archive/postgres_archive.h"
#endif
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/store/postgres_place.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kFactLog = "chain facts";
constexpr const char* kImportLog = "chain imports";   // tasks of other stores, a fact each
constexpr std::size_t kMostFacts = 5, kMostEpisodes = 3;

// A store with a key ring keeps no plain tables. A role that may make no tables in its database has an archive in
// memory.
Result<std::unique_ptr<chain::TaskArchive>> archive_in(const StoreOptions& options) {
  const bool is_kept = options.keys.empty() && !options.path.empty();
  if (is_kept && !is_postgres_url(options.path)) return drivers::open_sqlite_archive(options.path);
#ifdef PTCVM_HAVE_POSTGRES
  if (is_kept) {
    auto archive = drivers::open_postgres_archive(options.path);
    if (archive || archive.error().detail == "store_version") return archive;
  }
#endif
  return drivers::open_sqlite_archive(":memory:");
}

Result<void> keep_imported(const Store& store, const StoreOptions& place, chain::TaskArchive& archive) {
  const auto records = imported_records(store, place);
  if (!records) return records.error();
  for (const chain::TaskRecord& record : *records) {
    const auto kept = archive.mark(record.task_id);
    if (!kept) return kept.error();
    if (*kept) continue;   // an imported record does not change
    if (auto done = archive.keep(record, "imported"); !done) return done;
  }
  return {};
}

Result<void> keep_changed(const Store& store, chain::TaskArchive& archive) {
  const auto ids = task_ids(store);
  if (!ids) return ids.error();
  for (const std::string& id : *ids) {
    const auto mark = chain::task_mark(store, id);
    if (!mark && mark.error().code == Errc::seal_refused) continue;   // a log of another tenant, or a changed one
    if (!mark) return mark.error();
    const auto kept = archive.mark(id);
    if (!kept) return kept.error();
    if (*kept == *mark) continue;
    const auto setup = kept_setup(store, id);
    if (!setup && setup.error().code == Errc::seal_refused) continue;
    if (!setup) return setup.error();
    const auto record = chain::read_task_record(store, id, *setup ? (*setup)->input : std::string());
    if (!record && record.error().code == Errc::seal_refused) continue;
    if (!record) return record.error();
    if (auto done = archive.keep(*record, *mark); !done) return done;
  }
  return {};
}

}  // namespace

Result<std::vector<chain::MemoryFact>> told_facts(const Store& store, const StoreOptions& place) {
  std::map<std::string, chain::MemoryFact> known;
  const auto visited = visit_shared_facts(store, place, kFactLog, [&](const HostFact& fact) {
    known.erase(fact.name);
    if (!fact.body.empty()) known[fact.name] = {fact.name, fact.body, fact.time_ms};
  });
  if (!visited) return visited.error();
  std::vector<chain::MemoryFact> facts;
  for (auto& [key, fact] : known) facts.push_back(std::move(fact));
  return facts;
}

Result<void> tell_fact(const Store& store, const StoreOptions& place, const std::string& key,
                       const std::string& content, const std::string& by, std::int64_t time_ms) {
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = key;
  fact.body = content;
  fact.by = by;
  fact.time_ms = time_ms == 0 ? now_millis() : time_ms;
  const auto put = HostLog::of(store, shared_log(place, kFactLog)).put(HostCut::blind(), {&fact, 1});
  if (!put) return put.error();
  return {};
}

Result<std::vector<chain::TaskRecord>> imported_records(const Store& store, const StoreOptions& place) {
  std::vector<chain::TaskRecord> records;
  const auto visited = visit_shared_facts(store, place, kImportLog, [&](const HostFact& fact) {
    boost::system::error_code error;
    const json::value document = json::parse(fact.body, error);
    auto record = chain::read_record(error ? json::value() : document);
    if (auto* const read = std::get_if<chain::TaskRecord>(&record)) records.push_back(std::move(*read));
  });
  if (!visited) return visited.error();
  return records;
}

Result<bool> import_record(const Store& store, const StoreOptions& place, const chain::TaskRecord& record) {
  const auto own = store.find(record.task_id);
  if (!own) return own.error();
  if (*own) return false;
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = record.task_id;
  fact.key = "task/" + record.task_id;
  fact.body = json::serialize(chain::record_json(record));
  fact.time_ms = now_millis();
  const auto put = HostLog::of(store, shared_log(place, kImportLog)).put(HostCut::blind(), {&fact, 1});
  if (!put) return put.error();
  return put->puts.front().is_mine;
}

Result<std::vector<chain::TaskRecord>> all_records(const Store& store, const StoreOptions& place) {
  auto records = imported_records(store, place);
  if (!records) return records.error();
  const auto ids = task_ids(store);
  if (!ids) return ids.error();
  for (const std::string& id : *ids) {
    const auto setup = kept_setup(store, id);
    if (!setup && setup.error().code == Errc::seal_refused) continue;   // a log of another tenant, or a changed one
    if (!setup) return setup.error();
    auto record = chain::read_task_record(store, id, *setup ? (*setup)->input : std::string());
    if (!record && record.error().code == Errc::seal_refused) continue;
    if (!record) return record.error();
    records->push_back(*std::move(record));
  }
  std::sort(records->begin(), records->end(), [](const auto& a, const auto& b) { return a.task_id < b.task_id; });
  return records;
}

Result<std::unique_ptr<chain::TaskArchive>> open_archive(const Store& store, const StoreOptions& options) {
  auto archive = archive_in(options);
  if (!archive) return archive.error();
  const auto facts = told_facts(store, options);
  if (!facts) return facts.error();
  if (auto kept = (*archive)->keep_facts(*facts); !kept) return kept.error();
  if (auto kept = keep_imported(store, options, **archive); !kept) return kept.error();
  if (auto kept = keep_changed(store, **archive); !kept) return kept.error();
  return archive;
}

Result<json::array> recalled_facts(chain::TaskArchive& archive, const std::string& text) {
  const auto found = archive.find_facts(text, kMostFacts);
  if (!found) return found.error();
  json::array facts;
  for (const chain::MemoryFact& fact : *found) {
    facts.push_back(json::object{{"key", fact.key}, {"content", fact.content}, {"createdAt", fact.created_ms}});
  }
  return facts;
}

Result<json::array> recalled_episodes(chain::TaskArchive& archive, const std::string& text,
                                      const std::string& task_id) {
  const auto found = archive.find_episodes(text, kMostEpisodes + 1);
  if (!found) return found.error();
  json::array episodes;
  for (const chain::Episode& episode : *found) {
    if (episode.task_id == task_id || episodes.size() == kMostEpisodes) continue;
    episodes.push_back(json::object{{"taskId", episode.task_id},
                                    {"input", episode.input},
                                    {"result", episode.result},
                                    {"strategyId", episode.strategy_id},
                                    {"strategyVersion", episode.strategy_version},
                                    {"createdAt", episode.created_ms}});
  }
  return episodes;
}

Result<void> recall_context(const Store& store, const StoreOptions& options, const std::string& text,
                            const std::string& task_id, json::object& context) {
  const auto archive = open_archive(store, options);
  if (!archive) return archive.error();
  auto facts = recalled_facts(**archive, text);
  if (!facts) return facts.error();
  auto episodes = recalled_episodes(**archive, text, task_id);
  if (!episodes) return episodes.error();
  context["facts"] = *std::move(facts);
  context["episodes"] = *std::move(episodes);
  return {};
}

}  // namespace ptcvm::cli
