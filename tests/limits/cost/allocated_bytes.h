// The bytes that this process has from malloc, as a hook counts them. The hook is in every program that links
// allocated_bytes.cpp. The counts are right for programs with one thread.
#pragma once
#include <cstdint>

namespace ptc::test {

std::uint64_t allocated_bytes();             // what is allocated now
std::uint64_t allocated_bytes_peak();        // the most since forget_peak()
void forget_peak();

}  // namespace ptc::test
