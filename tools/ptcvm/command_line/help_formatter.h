// The text of --help.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace ptcvm::cli {

// Lists the options that an option needs or excludes by their names. CLI11 goes by their addresses, so its text is
// another in each process.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace ptcvm::cli
