// Any bytes as the reply of a model server: read whole and in pieces with the same result, and never a call out of what
// is not complete. What was read can go back to its provider.
#pragma once
#include <cstddef>
#include <cstdint>

#include "agents/wire/reply.h"

namespace ptc::fuzz {

// The first byte of the input says whether it is a stream, and how large the pieces are.
void try_reply(ptcvm::wire::Protocol protocol, const std::uint8_t* data, std::size_t size);

}  // namespace ptc::fuzz
