// Where seeds come from. Each adds to the targets that read such bytes.
#pragma once
#include <filesystem>

#include "fuzz/seed_folder.h"

namespace ptc::fuzz {

// Test programs and generated ones: texts, what they are compiled to, what their runs look like at a safe point.
void add_program_seeds(SeedFolder& seeds, const std::filesystem::path& tests);
// The snapshots that are kept.
void add_snapshot_seeds(SeedFolder& seeds, const std::filesystem::path& snapshots);
// Small texts: data, signatures, patterns, formats, dates.
void add_data_seeds(SeedFolder& seeds);
// Replies of model servers.
void add_reply_seeds(SeedFolder& seeds);
// The documents of agents that are kept.
void add_agent_seeds(SeedFolder& seeds, const std::filesystem::path& documents);
// Logs of conversations, links with scenarios, messages between agents.
void add_conversation_seeds(SeedFolder& seeds);
// Logs, rows, envelopes.
void add_store_seeds(SeedFolder& seeds);
// Command lines, and sequences of calls of the APIs.
void add_call_seeds(SeedFolder& seeds);
// Dictionaries, from the tables.
void add_words(SeedFolder& seeds);

}  // namespace ptc::fuzz
