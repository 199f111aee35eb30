// The tables of an archive, as steps from one version to the next. A step that was released never changes.
#pragma once
#include <array>

namespace ptcvm::drivers {

inline constexpr auto kArchiveSteps = std::to_array<const char*>({
    R"sql(
CREATE TABLE task_reports (id INTEGER PRIMARY KEY, task_id TEXT NOT NULL, revision INTEGER NOT NULL,
  report_json TEXT NOT NULL, created_at INTEGER NOT NULL, UNIQUE (task_id, revision));
CREATE TABLE task_feedback (id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, feedback_json TEXT NOT NULL,
  created_at INTEGER NOT NULL);
CREATE TABLE episodes (id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, input TEXT NOT NULL, plan TEXT NOT NULL,
  result TEXT NOT NULL, strategy_id TEXT NOT NULL, strategy_version TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE traces (id INTEGER PRIMARY KEY, task_id TEXT NOT NULL, step_index INTEGER NOT NULL, step_id TEXT NOT NULL,
  tool_name TEXT NOT NULL, tool_args TEXT NOT NULL, tool_output TEXT NOT NULL, duration INTEGER NOT NULL,
  status TEXT NOT NULL, UNIQUE (task_id, step_index));
CREATE TABLE task_folds (task_id TEXT PRIMARY KEY, mark TEXT NOT NULL);
CREATE VIRTUAL TABLE episodes_text USING fts5(input, result, content='episodes', content_rowid='id',
  tokenize='porter unicode61');
CREATE TRIGGER episodes_added AFTER INSERT ON episodes BEGIN
  INSERT INTO episodes_text (rowid, input, result) VALUES (new.id, new.input, new.result); END;
CREATE TRIGGER episodes_removed AFTER DELETE ON episodes BEGIN
  INSERT INTO episodes_text (episodes_text, rowid, input, result) VALUES ('delete', old.id, old.input, old.result); END;
CREATE TABLE memory_facts (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, content TEXT NOT NULL,
  task_id TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE VIRTUAL TABLE memory_facts_text USING fts5(content, content='memory_facts', content_rowid='id',
  tokenize='porter unicode61');
CREATE TRIGGER memory_facts_added AFTER INSERT ON memory_facts BEGIN
  INSERT INTO memory_facts_text (rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER memory_facts_removed AFTER DELETE ON memory_facts BEGIN
  INSERT INTO memory_facts_text (memory_facts_text, rowid, content) VALUES ('delete', old.id, old.content); END;
)sql",
});

}  // namespace ptcvm::drivers
