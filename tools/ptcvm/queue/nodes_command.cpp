// ptcvm nodes: the workers of a store, and how one is told to end.
#include <iostream>
#include <memory>

#include "ptcvm/queues.hpp"
#include "ptcvm/schedules.hpp"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kNodesExamples = R"(Examples:
  ptcvm nodes --store runs.db
  ptcvm nodes --store runs.db --all --json
  ptcvm nodes --store runs.db --drain 17

A worker has a number for each time that it joined. States: alive; draining (takes nothing more); dead (its lease is
over: the others take its runs); gone (it has ended). Dead and gone ones are shown with --all. --drain lets a worker
park what it executes, and end.)";

struct NodesRequest {
  StoreOptions store;
  std::uint64_t drained = 0;                   // 0: none
  bool all = false, json = false;
};

std::string_view state_of(const NodeStatus& node, std::int64_t now_ms) {
  if (node.has_left) return "gone";
  if (node.until_ms <= now_ms) return "dead";
  return node.is_draining ? "draining" : "alive";
}

void write_line(const NodeStatus& node, std::string_view state) {
  std::string out = "{";
  ptc::append_json_member(out, "node", node.id);
  ptc::append_json_member(out, "name", node.name);
  ptc::append_json_member(out, "state", state);
  ptc::append_json_member(out, "owner", node.owner);
  ptc::append_json_member(out, "build", node.build);
  ptc::append_json_member(out, "started_ms", node.started_ms);
  ptc::append_json_member(out, "until_ms", node.until_ms);
  ptc::append_json_member(out, "lease_ms", node.lease_ms);
  std::cout << out << "}\n";
}

int list(const NodesRequest& request, const Store& store) {
  const auto all = nodes(store);
  if (!all) return complain_of_store(all.error());
  const auto time = store_time_ms(store);
  if (!time) return complain_of_store(time.error());
  const std::int64_t now = *time;
  std::vector<std::vector<std::string>> rows = {{"NODE", "NAME", "STATE", "SINCE", "LEASE", "PROCESS", "BUILD"}};
  for (const NodeStatus& node : *all) {
    const std::string_view state = state_of(node, now);
    if (!request.all && (state == "gone" || state == "dead")) continue;
    if (request.json) write_line(node, state);
    rows.push_back({std::to_string(node.id), node.name, std::string(state), distance_text(node.started_ms, now),
                    distance_text(node.until_ms, now), node.owner, node.build});
  }
  if (request.json) return kSuccess;
  if (rows.size() == 1) std::cerr << "no workers\n";
  if (rows.size() > 1) std::cout << text_table(rows);
  return kSuccess;
}

int look(const NodesRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  if (request.drained == 0) return list(request, command.store());
  const auto told = drain_node(command.store(), request.drained);
  if (!told) return complain_of_store(told.error());
  const std::string node = "node " + std::to_string(request.drained);
  if (!*told) return refuse_input("there is no " + node + "; `ptcvm nodes --all` lists them");
  std::cout << node << " is told to drain; it hears of it with its next heartbeat\n";
  return kSuccess;
}

}  // namespace

void add_nodes_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("nodes", "List the workers of a store, or let one end");
  auto request = std::make_shared<NodesRequest>();
  declare_store(*command, request->store);
  command->add_option("--drain", request->drained, "Let the worker of this number end")->type_name("NODE");
  command->add_flag("--all", request->all, "Also those that are dead or gone");
  command->add_flag("--json", request->json, "A line of JSON for each");
  command->footer(kNodesExamples);
  command->callback([request, &status] { status = look(*request); });
}

}  // namespace ptcvm::cli
