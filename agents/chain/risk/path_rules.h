// Paths as text: made absolute, without "." and "..", and compared with the folders of the safety rules.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/risk/risk.h"

namespace ptcvm::chain {

enum class PathClass { Denied, Allowed, Protected, Other };

class PathRules {
 public:
  explicit PathRules(const SafetyRules& rules);

  // Returns the absolute path without "." and "..". A relative path begins at the working folder.
  std::string absolute(std::string_view path) const;
  bool is_relative(std::string_view path) const;
  // Returns the class of an absolute path: denied before allowed before protected.
  PathClass class_of(std::string_view absolute_path) const;
  // Returns whether a denied or protected folder is below the absolute path.
  bool holds_guarded(std::string_view absolute_path) const;
  bool holds_denied(std::string_view absolute_path) const;
  // Returns whether a path that begins with these characters could be in a denied or protected folder. The characters
  // begin at "/" or "~".
  bool may_reach_guarded(std::string_view begin) const;

 private:
  std::vector<std::string> resolved(const std::vector<std::string>& folders) const;

  std::string home_, working_folder_;
  std::vector<std::string> denied_, allowed_, protected_;
};

// Returns whether ".." is one of the names of the path.
bool goes_up(std::string_view path);

}  // namespace ptcvm::chain
