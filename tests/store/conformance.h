// What every store of facts must do (runtime/log/fact_store.h), as tests that run on any implementation. Needs the
// headers of the runtime and GoogleTest, nothing else of this tree:
//
//   const bool mine = ptc::store_conformance("MyStore", [] { return std::make_unique<MyStore>(…); });
//
// at namespace scope registers one test for each case, MyStore.KeepsOrder and so on. Each gets a fresh, empty store;
// no two are alive at a time.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "runtime/log/fact_store.h"

namespace ptc {

using FreshStore = std::function<std::unique_ptr<FactStore>()>;

bool store_conformance(const std::string& suite, FreshStore fresh);

// For those who run them in another way.
struct StoreCase {
  const char* name;
  void (*run)(FactStore& store);
};
std::span<const StoreCase> store_write_cases();    // numbers, keys, classes, fencing
std::span<const StoreCase> store_seen_cases();     // what a write tells of others
std::span<const StoreCase> store_call_cases();     // open calls
std::span<const StoreCase> store_run_cases();      // claims, parking, waking, listing
std::span<const StoreCase> store_value_cases();    // sizes and texts, misuse
std::span<const StoreCase> store_thread_cases();   // races

}  // namespace ptc
