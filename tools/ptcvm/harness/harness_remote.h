// The other side of a conversation behind a server of A2A.
#pragma once
#include <memory>
#include <string>

#include "agents/harness/outbox.h"

namespace ptcvm::cli {

// Makes the transport to the agent at this URL. PTCVM_A2A_TOKEN in the environment is the token of the server. nullptr,
// with the reason: this ptcvm was built without libcurl. The conversation must outlive the transport.
std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation& conversation,
                                                     std::string& message);

}  // namespace ptcvm::cli
