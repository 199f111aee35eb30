// Files that come with messages. The name of a file is used once in a conversation, and the first file of a name keeps
// it. A file that comes with a message under a name of other bytes gets another name, "notes (2).txt", and its message
// names it so. In a list of facts the files of a message are in front of it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

// Returns "stem (2).ext" and so on; number 1 is the name itself.
std::string numbered_name(const std::string& name, std::size_t number);
// Returns whether the name is `of`, or `of` with a number.
bool is_numbered(std::string_view name, const std::string& of);

// Leaves out the files of messages that the view has, or that are in the list before: they came with the message.
void drop_known_files(std::vector<ProposedFact>& facts, const ConversationView& view);
// Gives each file that comes with a message a name under which the view has its bytes, or nothing.
void name_files(std::vector<ProposedFact>& facts, const ConversationView& view);
// Returns the files that come with messages.
std::vector<ProposedFact> files_of_messages(const std::vector<ProposedFact>& facts);

}  // namespace ptcvm::harness
