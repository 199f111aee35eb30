// Intents of a stored agent: the facts that say what it is about to ask a model or to call. A call that was in doubt
// and did not happen is made again under an intent of its own: what is known of the first one says nothing about it.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "agents/loop/agent_run.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

// Returns whether it is an order: a request or a call, which the host makes.
bool is_order(const Operation& operation);
// Returns the key of the first intent of an order.
std::string intent_key(const Operation& order);
std::string intent_body(const Operation& order);
// Returns the key without the number of a further intent.
std::string first_intent_key(const std::string& key);

// Returns the path that a fact is about, from its body; "" when there is none.
std::string answered_path(std::string_view body);

// Forgets the intent of a call that a rejected doubt says did not happen, and marks its path. `rejected` is the body of
// the fact.
void forget_intent(std::string_view rejected, std::set<std::string>& intents);
// Returns the key under which the log gets the intent of an order: a further one when the path is marked. Takes the
// mark away. Error: store_failed.
Result<std::string> new_intent_key(const Operation& order, const HostLog& log, std::set<std::string>& intents);

}  // namespace ptcvm::loop
