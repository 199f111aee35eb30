#include "tools/ptcvm/chain_memory.h"

#include <boost/json/object.hpp>
#include <map>
#include <utility>

#include "drivers/archive/sqlite_archive.h"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/chain_setup.h"
#include "tools/ptcvm/moments.h"
#include "tools/ptcvm/postgres_place.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kFactLog = "chain facts";
constexpr std::size_t kMostFacts = 5, kMostEpisodes = 3;

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

Result<std::vector<chain::MemoryFact>> told_facts(const Store& store) {
  constexpr std::size_t kPage = 500;
  std::map<std::string, chain::MemoryFact> known;
  const HostLog log = HostLog::of(store, kFactLog);
  std::uint64_t after = 0;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = log.read(after, kPage);
    if (!page) return page.error();
    count = page->size();
    for (const HostFact& fact : *page) {
      after = fact.seq;
      known.erase(fact.name);
      if (!fact.body.empty()) known[fact.name] = {fact.name, fact.body, fact.time_ms};
    }
  }
  std::vector<chain::MemoryFact> facts;
  for (auto& [key, fact] : known) facts.push_back(std::move(fact));
  return facts;
}

Result<void> tell_fact(const Store& store, const std::string& key, const std::string& content, const std::string& by) {
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = key;
  fact.body = content;
  fact.by = by;
  fact.time_ms = now_millis();
  const auto put = HostLog::of(store, kFactLog).put(HostCut::blind(), {&fact, 1});
  if (!put) return put.error();
  return {};
}

Result<std::unique_ptr<chain::TaskArchive>> open_archive(const Store& store, const StoreOptions& options) {
  const bool has_file = options.keys.empty() && !options.path.empty() && !is_postgres_url(options.path);
  auto archive = drivers::open_sqlite_archive(has_file ? options.path : ":memory:");
  if (!archive) return archive.error();
  const auto facts = told_facts(store);
  if (!facts) return facts.error();
  if (auto kept = (*archive)->keep_facts(*facts); !kept) return kept.error();
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

}  // namespace ptcvm::cli
