// Finds what a child has started, wherever it is. A process can leave its process group and its session, and it keeps
// its environment, so each child has a mark there. The mark of a process that a child of a child starts begins with the
// mark of the child, also when ptcvm itself is a tool.
#pragma once
#include <string>

namespace ptcvm::stdio {

// The environment variable with the mark.
inline constexpr const char* kMarkVariable = "PTCVM_MARK";

// Returns a mark that no other child has, also of other processes. Any thread may call it.
std::string new_mark();

// Kills every process with this mark, until there is none. Does not find processes of other users, nor those that have
// removed the variable. Looks at each process of the system, which takes about 40 microseconds for each.
void kill_marked(const std::string& mark);

}  // namespace ptcvm::stdio
