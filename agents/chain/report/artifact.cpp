#include "agents/chain/report/artifact.h"

#include "agents/chain/risk/risk.h"
#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace json = boost::json;

std::vector<Artifact> artifacts_of(std::string_view tool, const json::object& args, const json::value& output,
                                   std::string_view description) {
  constexpr std::size_t kMostArtifacts = 1'000;
  std::vector<Artifact> artifacts;
  for (std::string& path : written_paths(tool, args)) artifacts.push_back({std::move(path), std::string(description)});
  const json::object* const object = output.if_object();
  const json::value* const list = object == nullptr ? nullptr : object->if_contains("artifacts");
  if (list == nullptr || !list->is_array()) return artifacts;
  for (const json::value& one : list->get_array()) {
    if (artifacts.size() == kMostArtifacts) break;
    if (one.is_string()) artifacts.push_back({std::string(one.get_string()), {}});
    if (!one.is_object()) continue;
    std::string path = member_text(one.get_object(), "path");
    if (!path.empty()) artifacts.push_back({std::move(path), member_text(one.get_object(), "description")});
  }
  return artifacts;
}

json::array artifacts_json(const std::vector<Artifact>& artifacts) {
  json::array list;
  for (const Artifact& artifact : artifacts) {
    json::object& one = list.emplace_back(json::object{{"path", artifact.path}}).as_object();
    if (!artifact.description.empty()) one["description"] = artifact.description;
  }
  return list;
}

}  // namespace ptcvm::chain
