#include <algorithm>

#include "fuzz/fuzz_keys.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/log_trial.h"
#include "fuzz/seed_sources.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/memory_store.h"
#include "runtime/seal/sealing.h"

namespace ptc::fuzz {
namespace {

// What a run leaves that waits, and one of each kind of fact.
std::vector<Fact> facts_of_a_run() {
  MemoryStore store;
  open_run(store, "run");
  return std::get<std::vector<Fact>>(store.read("run", 0, 1'000));
}

Fact fact_of_kind(std::size_t kind) {
  Fact fact;
  fact.seq = 1;
  fact.kind = static_cast<FactKind>(kind);
  fact.author = FactAuthor::Outside;
  fact.time_ms = 1'000'000;
  fact.key = "task/t";
  fact.id = "t";
  fact.value = "{:a 1}";
  fact.status = "ok";
  fact.number = 1;
  return fact;
}

std::string row_of(const Fact& fact, std::string_view form = "fact") {
  return R"({"table":"fact","run":1,"seq":)" + std::to_string(fact.seq) +
         R"(,"key":null,"time_ms":1,"rank":1,"body":{")" + std::string(form) + "\":" + fact_json(fact) + "}}";
}

void add_logs(SeedFolder& seeds) {
  std::string lines, rows = R"([{"table":"run","id":1,"log":"run","state":1,"token":1,"owner":"","until_ms":0})";
  for (const Fact& fact : facts_of_a_run()) {
    lines += fact_json(fact) + '\n';
    rows += ',' + row_of(fact);
    seeds.add("journal_rows", lines);
    seeds.add("store_rows", rows + ']');
  }
  rows += R"(,{"table":"parked","run":1,"continuation":"c","deadline_ms":5,"observed_seq":2,)"
          R"("snapshot":{"hex":"00ff"}},)"
          R"({"table":"wait_key","run":1,"place":0,"key":"k"},{"table":"waiting","since":1,"run":1,"woken":1}])";
  seeds.add("store_rows", rows);
  for (std::size_t kind = 0; kind < kFacts.size(); ++kind) {
    const Fact fact = fact_of_kind(kind);
    seeds.add("journal_rows", fact_json(fact));
    seeds.add("journal_rows", fact_bytes(fact));
    seeds.add("store_rows", R"([{"table":"run","id":1,"log":"run","state":0,"token":3,"owner":"o","until_ms":9},)" +
                                row_of(fact) + ']');
  }
  Fact large = fact_of_kind(0);
  large.value = "\"" + std::string(2'000, 'x') + "\"";   // a body that the store packs
  seeds.add("store_rows", R"([{"table":"run","id":1,"log":"run","state":0,"token":3,"owner":"o","until_ms":9},)" +
                              row_of(large, "packed") + ']');
}

void add_envelopes(SeedFolder& seeds) {
  for (const char* const name : {"hmac", "ed"}) {
    const SealingKey* key = fuzz_keys().find(name);
    for (const std::string_view payload : {"", "bytes", "a payload that is longer than others"}) {
      const SealRequest request{.tenant = kTenant, .run_id = kRunId, .sequence = payload.size(), .key = *key,
                                .now_seconds = kNow};
      const auto sealed = seal({reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()}, request);
      if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&sealed)) seeds.add("envelope", *bytes);
    }
  }
  seeds.add("envelope", fuzz_keys().text());
}

}  // namespace

void add_store_seeds(SeedFolder& seeds) {
  add_logs(seeds);
  add_envelopes(seeds);
}

}  // namespace ptc::fuzz
