// The options that set limits: one for each row of schema/limits.def.
#pragma once
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "schema/limits.h"

namespace ptcvm::cli {

class GivenLimits {
 public:
  // Declares the options. A value out of its range is an error of the command line. The object must stay where it is
  // until the command line is parsed.
  void declare(CLI::App& command);

  // Sets the limits that were given.
  void apply(ptc::Limits& limits) const;

  // Makes the limits smaller where smaller ones were given.
  void cut(ptc::Limits& limits) const;

 private:
  void take(const ptc::LimitInfo& limit, const std::string& text);

  std::map<const ptc::LimitInfo*, std::string> given_;
};

}  // namespace ptcvm::cli
