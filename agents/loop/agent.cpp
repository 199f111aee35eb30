#include "agents/loop/agent.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>
#include <utility>

#include "agents/loop/agent_impl.h"
#include "agents/loop/conversation.h"
#include "agents/loop/prompt.h"
#include "agents/loop/reply_program.h"

namespace ptcvm::loop {

namespace {

namespace json = boost::json;

Error named(Error error, const std::string& path) {
  error.message = (path.empty() ? std::string("agent") : "agent " + path) + ": " + error.message;
  return error;
}

Error invalid(const std::string& path, std::string message) {
  return named({Errc::invalid_value, std::move(message), std::nullopt, {}}, path);
}

json::object schema_of(const std::string& text) {
  boost::system::error_code error;
  json::value schema = json::parse(text, error);
  return schema.is_object() ? std::move(schema.get_object()) : json::object{{"type", "object"}};
}

// Compiles one definition after another, each with its children.
class TreeCompiler {
 public:
  explicit TreeCompiler(Agent::Impl& out) : out_(out) {}

  Result<const CompiledAgent*> compile(const AgentDefinition& definition, const std::string& path) {
    out_.agents.push_back(std::make_unique<CompiledAgent>());
    CompiledAgent& agent = *out_.agents.back();
    agent.path = path;
    agent.definition = &definition;
    agent.model = out_.options.model;
    if (out_.options.model_of && !path.empty()) {
      if (auto model = out_.options.model_of(path)) agent.model = std::move(*model);
    }
    if (auto read = read_signature(agent); !read) return read.error();
    if (auto added = add_tools(agent); !added) return added.error();
    if (auto added = add_children(agent); !added) return added.error();
    choose_mode(agent);
    if (auto checked = check_programs(agent); !checked) return checked.error();
    if (auto checked = check_prompt(agent); !checked) return checked.error();
    add_native_tools(agent);
    std::sort(agent.callable.begin(), agent.callable.end());
    agent.static_prompt = static_prompt(agent);
    agent.frame = wire::request_frame(agent.model.protocol, request_settings(agent));
    return &agent;
  }

 private:
  Result<void> read_signature(CompiledAgent& agent) {
    if (agent.definition->signature.empty()) return {};
    auto read = Signature::parse(agent.definition->signature);
    if (!read) return named(read.error(), agent.path);
    agent.is_text_result = takes_text(*read);
    agent.signature = std::move(*read);
    return {};
  }

  Result<void> add_tools(CompiledAgent& agent) {
    for (const AgentTool& tool : agent.definition->tools) {
      if (!agent.host_tools.emplace(tool.name, &tool).second) {
        return invalid(agent.path, "two tools have the name \"" + tool.name + "\"");
      }
      ToolOptions options;
      options.effect = tool.effect;
      options.mode = tool.mode;
      options.description = tool.description;
      if (auto added = agent.tools.defer(tool.name, tool.signature, options); !added) {
        return named(added.error(), agent.path);
      }
      agent.callable.push_back(tool.name);
    }
    if (!agent.definition->has_llm_query) return {};
    if (agent.host_tools.contains(kLlmQuery) || agent.definition->children.contains(std::string(kLlmQuery))) {
      return invalid(agent.path, "a tool or a child has the name \"llm-query\", and \"llm_query\" is true");
    }
    agent.callable.emplace_back(kLlmQuery);
    return agent.tools.defer(std::string(kLlmQuery), "", {.effect = Effect::Pure, .mode = ToolMode::Auto});
  }

  Result<void> add_children(CompiledAgent& agent) {
    for (const auto& [name, child] : agent.definition->children) {
      if (agent.host_tools.contains(name)) {
        return invalid(agent.path, "a tool and a child have the name \"" + name + "\"");
      }
      const CompiledAgent* compiled = &agent;
      if (child != nullptr) {
        auto made = compile(*child, path_below(agent.path, name));
        if (!made) return made.error();
        compiled = *made;
      }
      agent.children.emplace(name, compiled);
      const std::string& signature = compiled->definition->signature;
      const bool has_params = compiled->signature && compiled->signature->has_params();
      ToolOptions options;
      options.effect = Effect::Keyed;
      options.mode = ToolMode::Auto;
      if (auto added = agent.tools.defer(name, has_params ? signature : "", options); !added) {
        return named(added.error(), agent.path);
      }
      agent.callable.push_back(name);
    }
    return {};
  }

  static void choose_mode(CompiledAgent& agent) {
    if (agent.definition->output == AgentOutput::Program) return;
    const bool has_tools = !agent.callable.empty();
    agent.mode = has_tools ? ReplyMode::Native : agent.is_text_result ? ReplyMode::Text : ReplyMode::Json;
  }

  static std::string call_of_progress(const AgentDefinition& definition) {
    return definition.progress.empty() ? std::string() : "(" + definition.progress + " {} nil)";
  }

  // The program and the function of a definition compile, so that no run begins that must fail.
  Result<void> check_programs(const CompiledAgent& agent) const {
    const AgentDefinition& definition = *agent.definition;
    if (!definition.program.empty() && definition.output != AgentOutput::Program) {
      return invalid(agent.path, "an agent with a program has no other output");
    }
    CompileOptions options;
    options.tools = &agent.tools;
    for (const auto& [member, source] :
         {std::pair("program", definition.program), std::pair("progress", call_of_progress(definition))}) {
      if (source.empty()) continue;
      const auto compiled = out_.engine.compile(source, options);
      if (!compiled) return invalid(agent.path, "\"" + std::string(member) + "\": " + compiled.error().message);
    }
    return {};
  }

  // Everything that the prompt names is data of the signature.
  static Result<void> check_prompt(const CompiledAgent& agent) {
    const auto names = template_names(agent.definition->prompt);
    if (!names) return invalid(agent.path, "the prompt is no template: " + names.error().message);
    if (!agent.signature || !agent.signature->has_params()) return {};
    std::set<std::string> known;
    for (const SignatureField& field : agent.signature->params()) known.insert(field.name);
    for (const std::string& name : *names) {
      if (known.contains(name.substr(0, name.find('.')))) continue;
      return invalid(agent.path, "the prompt names {{" + name + "}}, and the signature has no such parameter");
    }
    return {};
  }

  static void add_native_tools(CompiledAgent& agent) {
    if (agent.mode == ReplyMode::Program) {
      json::object program{{"type", "string"}, {"description", "The source of one PTC-Lisp program"}};
      json::object parameters{{"type", "object"},
                              {"properties", json::object{{"program", std::move(program)}}},
                              {"required", json::array{"program"}},
                              {"additionalProperties", false}};
      agent.native_tools.push_back({std::string(kRunProgram), "Runs one program and shows what it gave.",
                                    std::move(parameters)});
      return;
    }
    if (agent.mode != ReplyMode::Native) return;
    for (const AgentTool& tool : agent.definition->tools) {
      const auto signature = Signature::parse(tool.signature);
      agent.native_tools.push_back(
          {tool.name, tool.description, schema_of(signature ? signature->params_schema() : std::string())});
    }
    for (const auto& [name, child] : agent.children) {
      const std::string& about = child->definition->description;
      const auto schema = child->signature ? child->signature->params_schema() : std::string();
      agent.native_tools.push_back({name, about.empty() ? "Asks the agent " + name : about, schema_of(schema)});
    }
  }

  Agent::Impl& out_;
};

}  // namespace

Result<Agent> Agent::make(const Engine& engine, AgentDefinition definition, AgentOptions options) {
  auto impl = std::make_shared<Impl>(Impl{engine, std::move(definition), std::move(options), {}, {}});
  impl->definition_text = json::serialize(agent_json(impl->definition));
  auto root = TreeCompiler(*impl).compile(impl->definition, "");
  if (!root) return root.error();
  return Agent(std::move(impl));
}

Result<Agent> Agent::with_program(std::string program) const {
  AgentDefinition other = impl_->definition;
  other.program = std::move(program);
  return make(impl_->engine, std::move(other), impl_->options);
}

const AgentDefinition& Agent::definition() const { return impl_->definition; }

}  // namespace ptcvm::loop
