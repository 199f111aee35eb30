#include "runtime/text/plan.h"

#include <algorithm>

#include "runtime/text/edn.h"
#include "runtime/text/one_line.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kPlanMemory = 16u << 20;

const std::string* summary_of(const StepSummaries& summaries, std::string_view id) {
  const auto at = std::find_if(summaries.begin(), summaries.end(), [id](const auto& one) { return one.first == id; });
  return at == summaries.end() ? nullptr : &at->second;
}

bool has_step(const Plan& plan, std::string_view id) {
  return std::any_of(plan.begin(), plan.end(), [id](const PlanStep& step) { return step.id == id; });
}

bool id_text(Value value, Heap& heap, std::string& out) {
  if (value.is_string()) {
    out = string_view_of(value);
  } else if (value.is_keyword()) {
    out = value.keyword->name();
  } else if (value.is(Tag::Int)) {
    append_edn(out, value, heap);
  } else {
    return false;
  }
  return !out.empty();
}

bool read_step(Value value, Heap& heap, std::size_t number, PlanStep& step) {
  if (value.is_string()) {
    step = {std::to_string(number), std::string(string_view_of(value))};
    return true;
  }
  if (!value.is_vector() || vector_count(value) != 2) return false;
  const Value description = vector_at(value, 1);
  if (!description.is_string() || !id_text(vector_at(value, 0), heap, step.id)) return false;
  step.description = string_view_of(description);
  return true;
}

}  // namespace

Plan numbered_plan(std::span<const std::string> descriptions) {
  Plan plan;
  for (const std::string& text : descriptions) plan.push_back({std::to_string(plan.size() + 1), text});
  return plan;
}

std::optional<Plan> read_plan(std::string_view edn, std::string& why) {
  Heap heap(kPlanMemory);
  auto read = read_edn(heap, edn);
  if (const auto* error = std::get_if<EdnError>(&read)) {
    why = error->message;
    return std::nullopt;
  }
  const Owned value(heap, std::get<Value>(read));
  if (!value.get().is_vector()) {
    why = "a plan is a vector of texts, or of pairs [id description]";
    return std::nullopt;
  }
  Plan plan;
  for (std::uint32_t k = 0; k < vector_count(value.get()); ++k) {
    PlanStep step;
    if (!read_step(vector_at(value.get(), k), heap, k + 1, step)) {
      why = "step " + std::to_string(k + 1) + " is neither a text nor a pair [id description]";
      return std::nullopt;
    }
    if (has_step(plan, step.id)) {
      why = "two steps with the id " + step.id;
      return std::nullopt;
    }
    plan.push_back(std::move(step));
  }
  return plan;
}

std::string plan_edn(const Plan& plan) {
  std::string text = "[";
  for (const PlanStep& step : plan) {
    text += text.size() > 1 ? " [" : "[";
    append_quoted(text, step.id);
    text += ' ';
    append_quoted(text, step.description);
    text += ']';
  }
  return text + ']';
}

void add_summaries(StepSummaries& all, const StepSummaries& more) {
  for (const auto& [id, summary] : more) {
    const auto at = std::find_if(all.begin(), all.end(), [&id = id](const auto& one) { return one.first == id; });
    if (at == all.end()) {
      all.emplace_back(id, summary);
    } else {
      at->second = summary;
    }
  }
}

std::string render_checklist(const Plan& plan, const StepSummaries& summaries) {
  if (plan.empty()) return {};
  std::string out = "## Progress\nUse `(step-done \"id\" \"summary\")` to mark steps complete (optional).\n\n";
  for (const PlanStep& step : plan) {
    const std::string* const summary = summary_of(summaries, step.id);
    if (&step != &plan.front()) out += '\n';
    out.append(summary == nullptr ? "- [ ] **" : "- [x] **").append(one_line(step.id)).append(".** ");
    out += one_line(step.description);
    if (summary != nullptr) out.append(" — ").append(one_line(*summary));
  }
  StepSummaries others;
  for (const auto& one : summaries) {
    if (!has_step(plan, one.first)) others.push_back(one);
  }
  std::sort(others.begin(), others.end());
  if (!others.empty()) out += "\n\n### Out-of-Plan Steps";
  for (const auto& [id, summary] : others) {
    out.append("\n- [x] ").append(one_line(id)).append(": ").append(one_line(summary));
  }
  return out;
}

}  // namespace ptc
