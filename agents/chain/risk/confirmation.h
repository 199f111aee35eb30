// Questions whether a call may be made, as operations of the run that executes the steps.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::chain {

// The parts of the id of such an operation: confirm/REVISION/STEP/SIGNATURE.
struct ConfirmationId {
  std::uint32_t revision = 0;
  std::string_view step, signature;
};

std::string confirmation_id(std::uint32_t revision, std::string_view step, std::string_view signature);
// Returns views into the text, or nullopt when the text is no such id.
std::optional<ConfirmationId> read_confirmation_id(std::string_view id);

struct ConfirmationReply {
  bool is_approved = false, is_lasting = false;   // lasting: for other tasks, too
};
// Reads what a person said: yes, y, always, a; everything else is a refusal.
ConfirmationReply read_confirmation(std::string_view reply);
// Returns whether the reply is one of those words, no or n.
bool is_confirmation(std::string_view reply);

}  // namespace ptcvm::chain
