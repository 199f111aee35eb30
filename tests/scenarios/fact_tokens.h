// Facts of a conversation as short tokens: "in:m1", "st:working", "draft:c1". A fact may also be an object.
#pragma once
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::scenarios {

// Makes facts of tokens. Numbered tokens ("pad:3") never make the same name twice.
class FactTokens {
 public:
  // Takes a token, an object, or a list of them. Throws std::runtime_error for anything else.
  std::vector<harness::ProposedFact> read(const boost::json::value& tokens);

 private:
  void add(std::string_view token, std::vector<harness::ProposedFact>& facts);
  int count_ = 0;
};

// Returns the token of a fact.
std::string token_of(harness::FactType type, const boost::json::object& body);
// Returns the facts of the view as tokens.
boost::json::array tokens_of(const harness::ConversationView& view);

}  // namespace ptcvm::scenarios
