// Bytes of hosts as the runtime has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ptcvm {

inline std::span<const std::uint8_t> octets(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace ptcvm
