// The options that set limits: one for each row of schema/limits.def.
#pragma once
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "ptcvm/limits.hpp"
#include "schema/limits.h"

namespace ptcvm::cli {

class GivenLimits {
 public:
  // Declares the options. A value out of its range is an error of the command line. The object must stay where it is
  // until the command line is parsed.
  void declare(CLI::App& command);

  bool is_empty() const { return given_.empty(); }   // none was given

  // Returns the defaults, with the limits that were given.
  Limits with_defaults() const;

  // Returns the largest limits, with the limits that were given: the bounds of a run that has limits of its own.
  Limits bounds() const;

 private:
  Limits over(const ptc::Limits& others) const;
  void take(const ptc::LimitInfo& limit, const std::string& text);

  std::map<const ptc::LimitInfo*, std::string> given_;
};

}  // namespace ptcvm::cli
