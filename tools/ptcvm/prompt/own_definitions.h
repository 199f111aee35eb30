// What the programs of a prompt say about their definitions, for people who ask for them by name.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/check.hpp"

namespace ptcvm::cli {

class OwnDefinitions {
 public:
  // Takes the definitions of a program that has ended well. A later one replaces an earlier one of the same name.
  void add(std::string_view source);
  // Takes the definitions of programs that ended before all others.
  void add_earlier(const std::vector<std::string>& sources);
  // Returns what the reference would say about such a name, or "" when no program defines it.
  std::string doc(const std::string& name) const;

 private:
  std::map<std::string, SourceDefinition> written_;
};

}   // namespace ptcvm::cli
