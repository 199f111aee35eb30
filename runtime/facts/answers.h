// What people and other systems say about a run, from any process: facts that wake it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/facts/fact_store.h"

namespace ptc {

// What a person says about a call that is in doubt; from any process. "": there is no such doubt.
enum class DoubtAnswer : std::uint8_t { Happened, DidNot, GiveUp };
StoreResult<bool> settle_doubt(FactStore& store, std::string_view run, std::string_view idempotency_key,
                               DoubtAnswer answer, std::string value_edn, std::string person, std::int64_t now_ms);

// The answer to an operation, from any process: status "ok" (value), "error" or "cancelled" (text). The fact that
// holds: this one, or an earlier answer.
StoreResult<Put> answer_operation(FactStore& store, std::string_view run, std::string_view operation,
                                  std::string_view status, std::string value_edn, std::string text, std::string source,
                                  std::int64_t now_ms);

}  // namespace ptc
