// The runtime's engine and programs behind the public handles.
#pragma once
#include <memory>

#include "ptcvm/engine.hpp"
#include "runtime/engine/engine.h"

namespace ptcvm {

struct PTCVM_HIDDEN Engine::Impl {
  explicit Impl(const ptc::EngineOptions& options) : engine(options) {}
  ptc::Engine engine;
};

struct PTCVM_HIDDEN Program::Impl {
  std::shared_ptr<const ptc::Program> program;
};

struct EngineAccess {
  static const ptc::Engine& engine(const Engine& engine) { return engine.impl_->engine; }
  static const std::shared_ptr<const ptc::Program>& program(const Program& program) { return program.impl_->program; }
  static Program made(std::shared_ptr<const ptc::Program> program) {
    return Program(std::make_shared<const Program::Impl>(Program::Impl{std::move(program)}));
  }
};

}  // namespace ptcvm
