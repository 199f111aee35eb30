// Things that a task has made: files and folders.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::chain {

struct Artifact {
  std::string path, description;   // the description may be ""
};

// Returns what a step has made that called the tool with the arguments, and whose output is `output`. A tool says it in
// the member "artifacts" of its output: a list of paths, or of {"path", "description"}. The tools for files that
// risk.h knows make what they write. `description` is what the step is about.
std::vector<Artifact> artifacts_of(std::string_view tool, const boost::json::object& args,
                                   const boost::json::value& output, std::string_view description);

boost::json::array artifacts_json(const std::vector<Artifact>& artifacts);

}  // namespace ptcvm::chain
