// Who executes a run, as text in a claim: so that a process that is gone can be told from a slow one.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// "ptcvm on HOST, process PID, started T, boot ID SPACE": this process. T is in clock ticks since that boot, SPACE is
// the space of its process id.
std::string process_owner();
// Whether the process that this text names is surely gone: it ran on this machine, and no such process is alive since
// then. False for texts that process_owner() did not make, and for processes of other machines.
bool owner_is_gone(std::string_view owner);

}  // namespace ptc
