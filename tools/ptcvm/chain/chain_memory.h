// What later tasks know of earlier ones: facts that people tell, corrections, and episodes. The logs of a store are the
// truth; an archive in the same file makes them searchable. A store with a key ring keeps no archive in its file: its
// archive is made anew, in memory, by each command that needs it.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <vector>

#include "agents/chain/memory/task_archive.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Opens the archive of a store, and brings it up to date with the logs.
Result<std::unique_ptr<chain::TaskArchive>> open_archive(const Store& store, const StoreOptions& options);

// Facts that people told, in the order of their keys. An empty content forgets the fact.
Result<std::vector<chain::MemoryFact>> told_facts(const Store& store, const StoreOptions& place);
// `time_ms` is when it was told, in ms since 1970; 0: now.
Result<void> tell_fact(const Store& store, const StoreOptions& place, const std::string& key,
                       const std::string& content, const std::string& by, std::int64_t time_ms = 0);

// Records of tasks of other stores, as `ptcvm chain import` took them.
Result<std::vector<chain::TaskRecord>> imported_records(const Store& store, const StoreOptions& place);
// Keeps a record of another store. Returns false when the store has a task of that id, its own or an imported one.
Result<bool> import_record(const Store& store, const StoreOptions& place, const chain::TaskRecord& record);
// Returns the records of all tasks of the store, its own and the imported ones, by their ids.
Result<std::vector<chain::TaskRecord>> all_records(const Store& store, const StoreOptions& place);

// Return what an archive knows of a text, as contexts of planners have it: the best five facts, and the best three
// episodes of other tasks.
Result<boost::json::array> recalled_facts(chain::TaskArchive& archive, const std::string& text);
Result<boost::json::array> recalled_episodes(chain::TaskArchive& archive, const std::string& text,
                                             const std::string& task_id);
// Adds both to the context of a task.
Result<void> recall_context(const Store& store, const StoreOptions& options, const std::string& text,
                            const std::string& task_id, boost::json::object& context);

}  // namespace ptcvm::cli
