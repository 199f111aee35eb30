// What fuzz targets are written with. A target is one file of tests/fuzz/targets with the two functions below, the
// second only where it breaks its input by its parts. Engines of the libFuzzer kind (libFuzzer, AFL++, OSS-Fuzz) link
// it into a program of its own; standalone_driver.cpp links all of them into one, under names that CMake gives them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/byte_mutation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);   // the engine's own

namespace ptc::fuzz {

using test::Octets;
using test::Random;

// A promise that does not hold ends the process, so that the engine keeps the input.
[[noreturn]] void complain(std::string_view what);
inline void promise(bool holds, std::string_view what) {
  if (!holds) complain(what);
}
inline void expect_none(std::string_view complaint) { promise(complaint.empty(), complaint); }

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
// The text up to the first line break, which is taken off with it; all of it when there is none.
std::string_view take_line(std::string_view& text);

// What a target decides by itself depends on its input alone.
std::uint64_t seed_of(std::span<const std::uint8_t> bytes);

// Puts a mutant in place of data: nothing changed when it is too large.
std::size_t put_mutant(const Octets& mutant, std::uint8_t* data, std::size_t size, std::size_t most);

// Gives a mutant of the bytes; the second is another input that was seen lately, for parts.
using Mutation = Octets (*)(const Octets&, const Octets&, Random&);
// The engine's own mutation in one of four cases, which is what finds the ways through a container; else `mutation`.
std::size_t mutate_with(Mutation mutation, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace ptc::fuzz
