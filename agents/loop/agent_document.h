// The document of an agent run: its state as FlatBuffers and as JSON. Both say the same, and the same state gives the
// same bytes. What is read may come from anywhere: the reader refuses everything that the loop could not go on with.
// The bytes end with a checksum of all bytes before it, since version 2. The JSON face has none, because people edit
// it. A checksum finds accidents. Hosts that hand documents out put a seal around them (ptcvm/sealing.hpp).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent_state_generated.h"
#include "ptcvm/result.hpp"

namespace ptcvm::loop {

inline constexpr std::uint32_t kDocumentVersion = 7, kOldestDocumentVersion = 1;
inline constexpr std::size_t kMostDocumentBytes = 256u << 20;

// Returns the version in which a state is written: the oldest one that has all of it. So the bytes of a state stay what
// an earlier library wrote, and the logs of runs have hashes of these bytes.
std::uint32_t written_version(const state::DocumentT& document);

std::vector<std::byte> write_document(const state::DocumentT& document);
// Reads either face. Error: invalid_snapshot, and the message says what is wrong; too_large.
Result<std::unique_ptr<state::DocumentT>> read_document(std::span<const std::byte> bytes);

}  // namespace ptcvm::loop
