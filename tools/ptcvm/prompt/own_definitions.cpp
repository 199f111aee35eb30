#include "tools/ptcvm/prompt/own_definitions.h"

#include <utility>

#include "ptcvm/reference.hpp"
#include "tools/ptcvm/commands.h"

namespace ptcvm::cli {

void OwnDefinitions::add(std::string_view source) {
  for (SourceDefinition& found : definitions_in(source)) written_[found.name] = std::move(found);
}

void OwnDefinitions::add_earlier(const std::vector<std::string>& sources) {
  OwnDefinitions earlier;
  for (const std::string& source : sources) earlier.add(source);
  written_.merge(earlier.written_);
}

std::string OwnDefinitions::doc(const std::string& name) const {
  const auto own = written_.find(name);
  if (own == written_.end()) return {};
  const SourceDefinition& definition = own->second;
  const std::string& parameters = definition.parameters;
  std::string usage;
  if (!parameters.empty()) usage = "(" + name + " " + parameters.substr(1, parameters.size() - 2) + ")";
  if (parameters == "[]") usage = "(" + name + ")";
  const char* const kind = definition.is_function ? "your function" : "your value";
  return reference_text({name, kind, usage, definition.doc});
}

}   // namespace ptcvm::cli
