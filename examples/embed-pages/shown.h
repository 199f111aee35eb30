// What the programs of this folder share.
#pragma once
#include <ptcvm/ptcvm.hpp>

#include <cstdio>
#include <string>
#include <string_view>

inline void show(std::string_view what, std::string_view text) {
  std::printf("%.*s: %.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(text.size()), text.data());
}

// A run of that source. Sources here are right: value() throws for one that is not.
inline ptcvm::Run started(const ptcvm::Engine& engine, std::string_view source, const ptcvm::RunOptions& options = {}) {
  return ptcvm::Run::start(engine, engine.compile(source).value(), options).value();
}
