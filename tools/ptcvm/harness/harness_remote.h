// The other side of a conversation behind a server of A2A.
#pragma once
#include <memory>
#include <string>

#include "agents/harness/sending/outbox.h"

namespace ptcvm::cli {

// Returns why this is no address of a server, or "".
std::string wrong_remote(const std::string& url);
// Makes the transport to the agent at this URL. PTCVM_A2A_TOKEN in the environment is the token of the server. nullptr,
// with the reason: this is no address, or this ptcvm was built without libcurl. The conversation must outlive the
// transport.
std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation& conversation,
                                                     std::string& message);

}  // namespace ptcvm::cli
