#include "tools/ptcvm/doubt_text.h"

#include "runtime/json_text.h"
#include "tools/ptcvm/words.h"

namespace ptcvm {
namespace {

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out.append(out.size() > 1 ? ",\"" : "\"").append(name).append("\":");
  ptc::append_json_string(out, text);
}

}  // namespace

std::string doubt_json(const std::string& run, const ptc::LoggedEffect& doubt) {
  std::string out = "{";
  append_member(out, "run", run);
  append_member(out, "key", doubt.key);
  append_member(out, "tool", doubt.tool);
  out += ",\"args\":" + json_of_edn(doubt.args);
  append_member(out, "effect", doubt.effect_class);
  if (!doubt.task.empty()) append_member(out, "task", doubt.task);
  return out + ",\"attempt\":" + std::to_string(doubt.attempt) + '}';
}

std::string doubt_text(const StoreOptions& store, const std::string& run, const ptc::LoggedEffect& doubt) {
  const std::string settle = "\n      ptcvm doubt settle --store " + quoted_word(store.path) + ' ' + quoted_word(run) +
                             ' ' + quoted_word(doubt.key);
  std::string text = "  " + doubt.tool + ' ' + doubt.args + "  (" + doubt.effect_class;
  if (!doubt.task.empty()) text += ", task " + doubt.task;
  text += ")\n    it happened, and this was the answer:" + settle + " --happened JSON";
  text += "\n    it did not happen:" + settle + " --did-not";
  return text + "\n    it shall not be tried again:" + settle + " --give-up";
}

}  // namespace ptcvm
