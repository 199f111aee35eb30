// The tables of an archive in PostgreSQL, as steps from one version to the next. A step that was released never
// changes.
#pragma once
#include <array>

namespace ptcvm::drivers {

inline constexpr auto kPostgresArchiveSteps = std::to_array<const char*>({
    R"sql(
CREATE TABLE ptcvm_tasks.task_reports (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task_id TEXT NOT NULL,
  revision BIGINT NOT NULL, report_json TEXT NOT NULL, created_at BIGINT NOT NULL, UNIQUE (task_id, revision));
CREATE TABLE ptcvm_tasks.task_feedback (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE, feedback_json TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE ptcvm_tasks.episodes (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task_id TEXT NOT NULL UNIQUE,
  input TEXT NOT NULL, plan TEXT NOT NULL, result TEXT NOT NULL, strategy_id TEXT NOT NULL,
  strategy_version TEXT NOT NULL, created_at BIGINT NOT NULL, words TSVECTOR NOT NULL);
CREATE INDEX episodes_words ON ptcvm_tasks.episodes USING gin (words);
CREATE TABLE ptcvm_tasks.traces (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task_id TEXT NOT NULL,
  step_index BIGINT NOT NULL, step_id TEXT NOT NULL, tool_name TEXT NOT NULL, tool_args TEXT NOT NULL,
  tool_output TEXT NOT NULL, duration BIGINT NOT NULL, status TEXT NOT NULL, UNIQUE (task_id, step_index));
CREATE TABLE ptcvm_tasks.memory_facts (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL, task_id TEXT NOT NULL, created_at BIGINT NOT NULL, words TSVECTOR NOT NULL);
CREATE INDEX memory_facts_words ON ptcvm_tasks.memory_facts USING gin (words);
CREATE TABLE ptcvm_tasks.task_folds (task_id TEXT PRIMARY KEY, mark TEXT NOT NULL);
)sql",
});

}  // namespace ptcvm::drivers
