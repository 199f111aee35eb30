// Any lines as facts in JSON, any bytes as the row of a fact: refused, or written again as they are. Facts that were
// read become the log of a run, which is folded, and the run is opened on it.
#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "fuzz/log_trial.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/log_import.h"
#include "runtime/log/memory_store.h"

using ptc::fuzz::promise;

namespace {

void try_row(std::span<const std::uint8_t> bytes) {
  const auto fact = ptc::read_fact(bytes);
  if (!fact) return;
  promise(is_storable(*fact), "a row holds a fact that no row may hold");
  promise(std::ranges::equal(fact_bytes(*fact), bytes), "a row is read, and written otherwise");
}

void expect_same_again(const ptc::Fact& fact) {
  std::string why;
  const auto again = ptc::read_fact_json(fact_json(fact), why);
  promise(again && *again == fact, "a fact is written as JSON, and read as another one");
  if (!is_storable(fact)) return;
  auto row = ptc::read_fact(fact_bytes(fact));
  promise(row.has_value(), "a fact is written as a row, and refused");
  row->seq = fact.seq;
  promise(*row == fact, "a fact is written as a row, and read as another one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_row({data, size});
  std::string message;
  const auto facts = ptc::read_facts(ptc::fuzz::text_of(data, size), message);
  if (!facts) {
    promise(!message.empty(), "refused without a reason");
    return 0;
  }
  for (const ptc::Fact& fact : *facts) expect_same_again(fact);
  ptc::MemoryStore store;
  ptc::fuzz::write_log(store, "run", *facts);
  ptc::fuzz::open_run(store, "run");
  return 0;
}
