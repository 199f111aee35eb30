// The model servers of `ptcvm agent`, called with libcurl. A build without libcurl refuses them.
#pragma once
#include <optional>
#include <string>

#include "tools/ptcvm/agent/agent_models.h"

namespace ptcvm::cli {

// Opens "chat:NAME[@URL]" and so on; keys come from the environment. Returns nullopt when the address cannot be read;
// `message` then says why.
std::optional<OpenedModel> open_server(const std::string& address, bool is_stream, OnBytes on_bytes,
                                       std::string& message);

}  // namespace ptcvm::cli
