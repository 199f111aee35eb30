// ptc_scenarios KIND FILE.jsonl [--store memory|sqlite]: holds every case of the file against the library, with both
// stores unless one is named. Prints a line of JSON for each case and "N passed, N failed" at the end; ends with 0 when
// no case failed, 1 when one did, 2 when it cannot begin. Where given.run of a case is the id of another case of the
// file, the runner puts what is given to the other case in its place.
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/scenarios/scenario_kind.h"

namespace {

using ptcvm::scenarios::ScenarioKind;
using ptcvm::scenarios::StoreType;

struct NamedKind {
  std::string_view name;
  ScenarioKind kind;
  bool has_store;   // false: the cases are the same with every store
};
constexpr NamedKind kKinds[] = {{"agent", ptcvm::scenarios::agent_scenario, true},
                                {"chain", ptcvm::scenarios::chain_scenario, true},
                                {"coherence", ptcvm::scenarios::coherence_scenario, true},
                                {"harness", ptcvm::scenarios::harness_scenario, true},
                                {"wire", ptcvm::scenarios::wire_scenario, false}};

const NamedKind* kind_of(std::string_view name) {
  for (const NamedKind& known : kKinds) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

std::optional<std::string> hold(ScenarioKind kind, const boost::json::value& scenario,
                                const std::vector<StoreType>& stores) {
  const boost::json::object* const object = scenario.if_object();
  if (object == nullptr) return "the line is no JSON object";
  for (const StoreType type : stores) {
    try {
      const ptcvm::scenarios::ScenarioStore store(type);
      if (auto why = kind(*object, store)) return (type == StoreType::Sqlite ? "sqlite: " : "memory: ") + *why;
    } catch (const std::exception& error) {
      return std::string("the case cannot be read: ") + error.what();
    }
  }
  return std::nullopt;
}

// Returns the stores that the command names; none: the command is wrong.
std::vector<StoreType> named_stores(int argc, char** argv) {
  if (argc == 3) return {StoreType::Memory, StoreType::Sqlite};
  if (argc != 5 || std::string_view(argv[3]) != "--store") return {};
  const std::string_view name = argv[4];
  if (name == "memory") return {StoreType::Memory};
  return name == "sqlite" ? std::vector{StoreType::Sqlite} : std::vector<StoreType>();
}

// Puts what is given to another case in the place of its id.
void name_run(boost::json::value& scenario, const std::map<std::string, boost::json::value>& given_by_id) {
  if (!scenario.is_object()) return;
  boost::json::value* const given = scenario.get_object().if_contains("given");
  boost::json::value* const run = given == nullptr || !given->is_object() ? nullptr
                                                                          : given->get_object().if_contains("run");
  if (run == nullptr || !run->is_string()) return;
  const auto found = given_by_id.find(std::string(run->get_string()));
  if (found != given_by_id.end()) *run = found->second;
}

// Returns the cases of the file in order. A line that is no JSON is null.
std::vector<boost::json::value> read_cases(std::istream& file) {
  std::vector<boost::json::value> cases;
  std::map<std::string, boost::json::value> given_by_id;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    boost::system::error_code error;
    cases.push_back(boost::json::parse(line, error));
    const boost::json::object* const scenario = cases.back().if_object();
    if (scenario == nullptr || !scenario->contains("id") || !scenario->contains("given")) continue;
    given_by_id[std::string(scenario->at("id").as_string())] = scenario->at("given");
  }
  for (boost::json::value& scenario : cases) name_run(scenario, given_by_id);
  return cases;
}

int usage() {
  std::cerr << "usage: ptc_scenarios KIND FILE.jsonl [--store memory|sqlite]\nkinds:";
  for (const NamedKind& known : kKinds) std::cerr << ' ' << known.name;
  std::cerr << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<StoreType> stores = named_stores(argc, argv);
  if (stores.empty()) return usage();
  const NamedKind* const kind = kind_of(argv[1]);
  if (kind == nullptr) return usage();
  if (!kind->has_store) stores = {StoreType::Memory};
  std::ifstream file(argv[2]);
  if (!file) {
    std::cerr << "ptc_scenarios: cannot open " << argv[2] << '\n';
    return 2;
  }
  std::size_t passed = 0, failed = 0;
  for (const boost::json::value& scenario : read_cases(file)) {
    const std::optional<std::string> why = hold(kind->kind, scenario, stores);
    const auto* const id = scenario.is_object() ? scenario.get_object().if_contains("id") : nullptr;
    boost::json::object verdict{{"id", id == nullptr ? boost::json::value() : *id}, {"ok", !why}};
    if (why) verdict["why"] = *why;
    std::cout << boost::json::serialize(verdict) << '\n';
    ++(why ? failed : passed);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
