// Names the process that executes a run, as text in a claim, so that a process that is gone differs from a slow one.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// Returns "ptcvm on HOST, process PID, started T, boot ID SPACE" for this process. T is in clock ticks since that boot,
// and SPACE names the space of process ids.
std::string process_owner();
// Returns true when the named process is surely gone: it ran on this machine, and no such process has been alive since.
// Returns false for texts that process_owner() did not make, and for processes of other machines.
bool owner_is_gone(std::string_view owner);
// Returns true when the named process surely lives: it runs on this machine. Returns false where owner_is_gone() would
// not know either.
bool owner_is_alive(std::string_view owner);

}  // namespace ptc
