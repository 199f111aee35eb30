// The journal of a run without a store, as a file (--journal FILE).
#pragma once
#include <string>

#include "ptcvm/session.hpp"

namespace ptcvm::cli {

// Reads the journal into a program that was restored: what is done there is done. Returns false when the file cannot be
// read or belongs to another run; `message` then says why.
bool read_journal(Session& session, const std::string& path, std::string& message);
// Writes the journal back: the tasks that were there, and the tasks that are done. A file beside it takes its place, so
// that a process that dies leaves a whole journal. Returns false when the journal cannot be written; `message` then
// says why, and the file is as it was. Without a path nothing is written.
bool keep_journal(const Run& run, const std::string& path, std::string& message);

}  // namespace ptcvm::cli
