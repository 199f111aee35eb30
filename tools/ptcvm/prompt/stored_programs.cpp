#include "tools/ptcvm/prompt/stored_programs.h"

#include <boost/json.hpp>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

std::string_view text_in(const json::object& fact, std::string_view name) {
  const json::value* const found = fact.if_contains({name.data(), name.size()});
  const json::string* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

std::int64_t time_in(const json::object& fact) {
  const json::value* const found = fact.if_contains("time_ms");
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

void take(std::vector<StoredProgram>& programs, const json::object& fact) {
  const std::string_view kind = text_in(fact, "kind");
  if (kind == "run_started") {
    programs.push_back({std::string(text_in(fact, "text")), time_in(fact), false});
  } else if (kind == "run_resumed" && !programs.empty()) {
    programs.back().begun_ms = time_in(fact);
  } else if (kind == "turn_ended" && !programs.empty()) {
    const std::string_view status = text_in(fact, "status");
    programs.back().has_ended_well = status == "ok" || status == "return" || status == "fail";
  }
}

}   // namespace

std::vector<StoredProgram> stored_programs(const Store& store, const std::string& run) {
  std::vector<StoredProgram> programs;
  (void)store.visit_log_json(run, [&programs](std::string_view line) {
    json::error_code failed;
    const json::value fact = json::parse({line.data(), line.size()}, failed);
    if (!failed && fact.is_object()) take(programs, fact.get_object());
  });
  return programs;
}

}   // namespace ptcvm::cli
