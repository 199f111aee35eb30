// Gives the memory of a snapshot back to the system while it is read, so that the snapshot and the heap that is made of
// it are not in memory as a whole at once (decision 0049).
#pragma once
#include <cstdint>
#include <functional>
#include <span>

namespace ptc {

// Returns a function for RestoreOptions::has_read. The caller owns the bytes, in memory that no file backs, and reads
// none of them after a restore that came as far as the values: their content is lost then.
std::function<void(std::span<const std::uint8_t>)> giving_back(std::span<std::uint8_t> bytes);

}  // namespace ptc
