// Any bytes as the document of an agent: refused by a name, or a run that lists what it waits for, and that is the same
// from both of its faces.
#pragma once
#include <cstdint>
#include <span>

namespace ptc::fuzz {

void try_document(std::span<const std::uint8_t> bytes);

}  // namespace ptc::fuzz
