// Tells stores apart, however they are named: each gets a random identity, which a log of its own keeps.
#pragma once
#include <string>

#include "runtime/log/fact_store.h"

namespace ptc {

// The id of that log. In a file with seals, others begin like it: each ring and tenant reads only its own logs.
inline constexpr std::string_view kIdentityLog = "ptcvm/store";

// Returns the identity of a store, 32 hexadecimal digits. Gives the store one when it has none.
StoreResult<std::string> store_identity(FactStore& store, std::int64_t now_ms);
// Returns 32 hexadecimal digits that nobody has had before.
std::string fresh_identity();

}   // namespace ptc
