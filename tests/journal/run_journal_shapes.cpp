// Program shapes with what their journal must hold: ptc_journal_shapes_test SHAPES.jsonl. One JSON object a line:
// source, tools (name, effect), answers by tool (EDN text or {"error": text}), limits, and under "expect" status,
// error_kind, journal_keys, charges and charges_on_rerun_of_the_tasks. Each runs on every store, and then again: once
// after an end that was written, and once after one whose process died just before it.
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "journal/durable_case.h"

namespace {

namespace json = boost::json;
using ptc::test::CaseTool;
using ptc::test::DurableCase;
using ptc::test::DurableProgram;
using ptc::test::DurableSeen;

struct Shape {
  std::string id;
  DurableProgram program;
  std::string status, kind;
  std::set<std::string> journal_keys;
  std::size_t charges = 0, charges_again = 0;
};

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

template <class Number>
void set_limit(const json::object& limits, const char* name, Number& limit) {
  if (const json::value* const given = limits.if_contains(name)) {
    limit = static_cast<Number>(std::min<std::int64_t>(given->as_int64(), std::numeric_limits<Number>::max() / 2));
  }
}

void read_limits(const json::object& limits, ptc::SessionOptions& session) {
  set_limit(limits, "fuel", session.limits.fuel);
  set_limit(limits, "memory_bytes", session.limits.memory_bytes);
  set_limit(limits, "loop", session.limits.loop);
  set_limit(limits, "depth", session.limits.depth);
  set_limit(limits, "tool_calls", session.limits.tool_calls);
  std::int64_t timeout_ms = 0;
  set_limit(limits, "timeout_ms", timeout_ms);
  if (timeout_ms == 0) return;
  session.limits.timeout_ms = timeout_ms;
  if (!limits.contains("fuel")) session.limits.fuel = std::numeric_limits<std::uint64_t>::max() / 2;
}

Shape read_shape(const std::string& line) {
  const json::object all = json::parse(line).as_object();
  Shape shape;
  shape.id = text_of(all.at("id"));
  shape.program.source = text_of(all.at("source"));
  for (const json::value& tool : all.at("tools").as_array()) {
    CaseTool made{text_of(tool.at("name")), ptc::read_effect_class(text_of(tool.at("effect"))), {}, {}};
    const json::value& answer = all.at("answers").at(made.name);
    if (answer.is_string()) {
      made.answer = text_of(answer);
    } else {
      made.error = text_of(answer.at("error"));
    }
    shape.program.tools.push_back(std::move(made));
  }
  read_limits(all.at("limits").as_object(), shape.program.session);
  const json::value& expect = all.at("expect");
  shape.status = text_of(expect.at("status"));
  if (expect.at("error_kind").is_string()) shape.kind = text_of(expect.at("error_kind"));
  for (const json::value& key : expect.at("journal_keys").as_array()) shape.journal_keys.insert(text_of(key));
  shape.charges = static_cast<std::size_t>(expect.at("charges").as_int64());
  shape.charges_again = static_cast<std::size_t>(expect.at("charges_on_rerun_of_the_tasks").as_int64());
  return shape;
}

// What is wrong, or "". Effects outside of tasks are not looked at in the second run: a limit that stopped them the
// first time may not do so again.
std::string complaint(const Shape& shape, const DurableSeen& first, const DurableSeen& again, bool ends) {
  if (ends && first.end != ptc::DurableEnd::Ended) return "it did not end";
  if (ends && first.status != shape.status) return "another status";
  if (ends && first.kind != shape.kind) return "another error";
  std::set<std::string> keys;
  for (const auto& entry : first.journal) keys.insert(entry.first);
  if (keys != shape.journal_keys) return "another journal";
  if (first.charges.size() != shape.charges) return "another number of charges";
  if (std::set(first.charges.begin(), first.charges.end()).size() != first.charges.size()) return "a key twice";
  if (again.task_charges.size() != shape.charges_again) return "charged again";
  for (const std::string& key : again.charges) {
    if (std::find(first.charges.begin(), first.charges.end(), key) != first.charges.end()) return "a key again: " + key;
  }
  if (again.end != ptc::DurableEnd::Ended && again.end != ptc::DurableEnd::EndedBefore) return "no second end";
  if (again.journal != first.journal) return "the journal changed";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("ptc_journal_shapes_test SHAPES.jsonl\n", stderr);
    return 2;
  }
  const ptc::Engine engine;
  ptc::test::CaseStores stores;
  std::ifstream file(argv[1]);
  std::size_t passed = 0, failed = 0;
  for (std::string line; std::getline(file, line);) {
    const Shape shape = read_shape(line);
    for (const auto& [store_name, store] : stores.all()) {
      for (const bool ends : {true, false}) {
        DurableCase run(engine, *store, shape.id + (ends ? "" : ", killed at its end"), shape.program);
        const DurableSeen first = ends ? run.run() : run.run_and_die();
        const DurableSeen again = run.run();
        const std::string wrong = complaint(shape, first, again, ends);
        ++(wrong.empty() ? passed : failed);
        if (wrong.empty()) continue;
        std::printf("FAILED %s%s, %s: %s\n  %s\n  first %s\n  again %s\n", shape.id.c_str(), ends ? "" : " (killed)",
                    store_name.c_str(), wrong.c_str(), shape.program.source.c_str(), seen_text(first).c_str(),
                    seen_text(again).c_str());
      }
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
