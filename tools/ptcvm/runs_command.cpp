// ptcvm runs: what a store holds, one line a run.
#include <iostream>

#include "runtime/engine/clock.h"
#include "runtime/text/json_text.h"
#include "runtime/log/process_owner.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/moments.h"
#include "tools/ptcvm/store_options.h"
#include "tools/ptcvm/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kRunsExamples = R"(Examples:
  ptcvm runs --store runs.db
  ptcvm runs --store runs.db --state woken --json

States: running; interrupted (its process is gone: run or resume it again); waiting; woken (what it waits for has
come: resume it); in doubt (a person has to say something: ptcvm doubt list); ended ok, ended return, ended fail, ended
error.)";

struct RunsRequest {
  StoreOptions store;
  std::string state;
  bool json = false;
};

struct RunLine {
  ptc::RunInfo info;
  std::string state, waits_for;
};

class Runs {
 public:
  explicit Runs(ptc::SqliteStore& store) : store_(store) {}

  // The error, if there is one.
  std::optional<ptc::StoreError> read(const std::string& state, std::vector<RunLine>& out) {
    constexpr std::size_t kPage = 500;
    std::string after;
    for (std::size_t count = kPage; count == kPage;) {
      auto page = store_.runs(after, kPage);
      if (auto* error = std::get_if<ptc::StoreError>(&page)) return std::move(*error);
      auto& infos = std::get<std::vector<ptc::RunInfo>>(page);
      count = infos.size();
      for (ptc::RunInfo& info : infos) {
        after = info.log;
        RunLine line = line_of(std::move(info));
        if (state.empty() || line.state.starts_with(state)) out.push_back(std::move(line));
      }
    }
    return std::nullopt;
  }

 private:
  RunLine line_of(ptc::RunInfo info) {
    RunLine line{std::move(info), {}, {}};
    switch (line.info.state) {
      case ptc::LogState::Ended: line.state = "ended" + status_of_end(line.info); break;
      case ptc::LogState::Running:
        line.state = line.info.owner.empty() || ptc::owner_is_gone(line.info.owner) ? "interrupted" : "running";
        break;
      case ptc::LogState::Parked: describe_parked(line); break;
    }
    return line;
  }

  std::string status_of_end(const ptc::RunInfo& info) {
    auto last = store_.read(info.log, info.head - 1, 1);
    const auto* const facts = std::get_if<std::vector<ptc::Fact>>(&last);
    const bool is_end = facts != nullptr && !facts->empty() && facts->front().kind == ptc::FactKind::TurnEnded;
    return is_end ? ' ' + facts->front().status : "";
  }

  void describe_parked(RunLine& line) {
    line.state = line.info.woken ? "woken" : "waiting";
    auto parked = store_.parked(line.info.log);
    const auto* const known = std::get_if<std::optional<ptc::Parked>>(&parked);
    if (known == nullptr || !*known) return;
    for (const std::string& key : (*known)->wait_keys) {
      const std::string_view word = std::string_view(key).substr(0, key.find('/'));
      if (word == "doubt" && !line.info.woken) line.state = "in doubt";
      if (word == "external") continue;   // the signal beside it
      line.waits_for += (line.waits_for.empty() ? "" : " ") + key.substr(word.size() + 1);
    }
  }

  ptc::SqliteStore& store_;
};

void write_line_of_json(const RunLine& line) {
  std::string out = "{\"id\":";
  ptc::append_json_string(out, line.info.log);
  out += ",\"state\":";
  ptc::append_json_string(out, line.state);
  out += ",\"facts\":" + std::to_string(line.info.head);
  out += ",\"started_ms\":" + std::to_string(line.info.started_ms);
  out += ",\"changed_ms\":" + std::to_string(line.info.changed_ms);
  out += ",\"deadline_ms\":" + (line.info.deadline_ms ? std::to_string(*line.info.deadline_ms) : "null");
  out += ",\"waits_for\":";
  ptc::append_json_string(out, line.waits_for);
  out += ",\"owner\":";
  ptc::append_json_string(out, line.info.owner);
  std::cout << out << "}\n";
}

int list(const RunsRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  std::vector<RunLine> lines;
  if (auto error = Runs(command.store()).read(request.state, lines)) return complain_of_store(*error);
  if (request.json) {
    for (const RunLine& line : lines) write_line_of_json(line);
    return kSuccess;
  }
  const std::int64_t now = ptc::system_millis();
  std::vector<std::vector<std::string>> rows = {{"ID", "STATE", "FACTS", "CHANGED", "WAITS FOR"}};
  for (const RunLine& line : lines) {
    rows.push_back({line.info.log, line.state, std::to_string(line.info.head),
                    distance_text(line.info.changed_ms, now), line.waits_for});
  }
  if (lines.empty()) std::cerr << "no runs\n";
  if (!lines.empty()) std::cout << text_table(rows);
  return kSuccess;
}

}  // namespace

void add_runs_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("runs", "List the runs of a store and their states");
  auto request = std::make_shared<RunsRequest>();
  declare_default_store(*command, request->store);
  command->add_option("--state", request->state, "Only those in this state, or whose state begins so");
  command->add_flag("--json", request->json, "A line of JSON for each");
  command->footer(kRunsExamples);
  command->callback([request, &status] { status = list(*request); });
}

}  // namespace ptcvm::cli
