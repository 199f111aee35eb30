#include "tools/ptcvm/agent/agent_child_models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "agents/loop/agent_names.h"

namespace ptcvm::cli {
namespace {

// Returns the definition of a path, or nullptr. A child that is the agent itself has none.
const loop::AgentDefinition* find_definition(const loop::AgentDefinition& root, std::string_view path) {
  const loop::AgentDefinition* at = &root;
  while (at != nullptr && !path.empty()) {
    const auto child = at->children.find(std::string(path.substr(0, path.find('/'))));
    at = child == at->children.end() ? nullptr : child->second.get();
    const std::size_t slash = path.find('/');
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return at;
}

// Reads words PATH=MODEL. Returns the models by their paths.
std::optional<std::map<std::string, std::string>> named_models(const std::vector<std::string>& texts,
                                                               std::string& message) {
  std::map<std::string, std::string> out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string path = text.substr(0, equals);
    if (equals == std::string::npos || path.empty() || equals + 1 == text.size()) {
      message = "--child-model " + text + ": PATH=MODEL is wanted";
      return std::nullopt;
    }
    if (!out.emplace(path, text.substr(equals + 1)).second) {
      message = "--child-model " + path + ": the child has one model";
      return std::nullopt;
    }
  }
  return out;
}

// Asks for each agent the model that is its own.
class RoutedSource : public ModelSource {
 public:
  RoutedSource(loop::AgentDefinition root, std::unique_ptr<ModelSource> of_root) : root_(std::move(root)) {
    routes_[""].source = std::move(of_root);
  }
  void add(const std::string& path, std::unique_ptr<ModelSource> source) { routes_[path].source = std::move(source); }

  bool has_virtual_time() const override {
    return std::ranges::all_of(routes_, [](const auto& route) { return route.second.source->has_virtual_time(); });
  }
  void ask(const loop::Operation& operation) override {
    Route& route = route_of(operation.agent);
    ++route.in_flight;
    route.source->ask(operation);
  }
  std::vector<ModelAnswer> take(int most_ms) override {
    std::vector<ModelAnswer> answers;
    for (auto& [path, route] : routes_) {
      if (route.in_flight == 0) continue;
      for (ModelAnswer& answer : route.source->take(answers.empty() ? most_ms : 1)) {
        --route.in_flight;
        answers.push_back(std::move(answer));
      }
    }
    return answers;
  }
  bool keeps_requests(std::string_view agent_path) const override {
    return routes_.find(nearest_route(agent_path))->second.source->keeps_requests(agent_path);
  }
  void skip(std::string_view agent_path, std::size_t replies) override {
    route_of(agent_path).source->skip(agent_path, replies);
  }

 private:
  struct Route {
    std::unique_ptr<ModelSource> source;
    std::size_t in_flight = 0;
  };
  // Returns the path of a route; the root has one.
  std::string nearest_route(std::string_view run_path) const {
    std::string path = definition_path(root_, run_path);
    while (!routes_.contains(path)) {
      const std::size_t slash = path.rfind('/');
      path.resize(slash == std::string::npos ? 0 : slash);
    }
    return path;
  }
  Route& route_of(std::string_view run_path) { return routes_.find(nearest_route(run_path))->second; }

  loop::AgentDefinition root_;
  std::map<std::string, Route, std::less<>> routes_;
};

// Returns whether the path is of an agent whose programs may ask a model, with "llm-query" behind it.
bool names_queries(const loop::AgentDefinition& root, std::string_view path) {
  if (!path.ends_with(loop::kLlmQuery)) return false;
  path.remove_suffix(loop::kLlmQuery.size());
  if (path.empty()) return root.has_llm_query;
  if (!path.ends_with('/')) return false;
  const auto* const asker = find_definition(root, path.substr(0, path.size() - 1));
  return asker != nullptr && asker->has_llm_query;
}

}  // namespace

std::string definition_path(const loop::AgentDefinition& root, std::string_view path) {
  std::string out;
  const loop::AgentDefinition* at = &root;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, std::min(slash, path.find('#'))));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (name == loop::kLlmQuery && at->has_llm_query) return loop::path_below(out, name);
    const auto child = at->children.find(name);
    if (child == at->children.end() || child->second == nullptr) continue;
    at = child->second.get();
    out = loop::path_below(out, name);
  }
  return out;
}

const ChildModel* find_child_model(const ChildModels& models, std::string_view path) {
  for (;;) {
    if (const auto found = models.find(path); found != models.end()) return &found->second;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    path = path.substr(0, slash);
  }
}

bool read_child_models(const loop::AgentDefinition& root, const std::vector<std::string>& texts, ChildModels& models,
                       std::string& message) {
  const auto named = named_models(texts, message);
  if (!named) return false;
  for (const auto& [path, model] : *named) {
    if (find_definition(root, path) == nullptr && !names_queries(root, path)) {
      message = "--child-model " + path + ": the agent has no child of this path with a definition of its own";
      return false;
    }
    models[path].model = model;
  }
  return true;
}

bool can_open_child_models(const std::vector<std::string>& texts, bool is_stream, std::string& message) {
  const auto named = named_models(texts, message);
  return named && std::ranges::all_of(*named, [&](const auto& child) {
           return open_model(child.second, is_stream, {}, message, child.first).has_value();
         });
}

std::unique_ptr<ModelSource> open_child_models(const loop::AgentDefinition& root, ChildModels& models,
                                               std::unique_ptr<ModelSource> of_root, bool is_stream,
                                               const OnBytes& on_bytes, std::string& message) {
  if (models.empty()) return of_root;
  auto routed = std::make_unique<RoutedSource>(root, std::move(of_root));
  for (auto& [path, child] : models) {
    auto opened = open_model(child.model, is_stream, on_bytes, message, path);
    if (!opened) return nullptr;
    child.choice = std::move(opened->choice);
    routed->add(path, std::move(opened->source));
  }
  return routed;
}

}  // namespace ptcvm::cli
