#include "agents/chain/report/report_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "agents/chain/text/json_member.h"
#include "agents/chain/text/terminal_harm.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kMostOutputBytes = 4'000;   // a report for people shows no more for a step

std::string shortened(std::string_view text) {
  if (text.size() <= kMostOutputBytes) return std::string(text);
  std::size_t end = kMostOutputBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "\n[cut: " + std::to_string(text.size()) + " bytes]";
}

std::string harmless(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t harm = terminal_harm(text);
    plain += harm == 0 ? text[0] : ' ';
    text.remove_prefix(std::max<std::size_t>(harm, 1));
  }
  return plain;
}

std::vector<std::string> texts(const json::object& report, std::string_view name) {
  std::vector<std::string> list;
  const json::value* const found = report.if_contains(name);
  if (found == nullptr || !found->is_array()) return list;
  for (const json::value& item : found->get_array()) {
    if (item.is_string()) list.push_back(harmless(item.get_string()));
  }
  return list;
}

std::string count_of(const json::object& object, std::string_view name) {
  const json::value* const count = object.if_contains(name);
  return count == nullptr || !count->is_number() ? "0" : json::serialize(*count);
}

std::string root_cause(const json::object& report) {
  const json::value* const cause = report.if_contains("rootCause");
  if (cause == nullptr || !cause->is_object()) return {};
  const std::string step = harmless(member_text(cause->get_object(), "stepId"));
  return (step.empty() ? "" : step + ": ") + shortened(harmless(member_text(cause->get_object(), "reason")));
}

std::vector<std::string> artifacts(const json::object& report) {
  std::vector<std::string> made;
  const json::value* const list = report.if_contains("artifacts");
  if (list == nullptr || !list->is_array()) return made;
  for (const json::value& one : list->get_array()) {
    const json::object* const artifact = one.if_object();
    if (artifact == nullptr) continue;
    const std::string description = member_text(*artifact, "description");
    made.push_back(harmless(member_text(*artifact, "path")) + (description.empty() ? "" : " (" + description + ')'));
  }
  return made;
}

// Returns "models called 2 times, tools 5 times", with the tokens when a server has counted them.
std::string cost(const json::object& report) {
  const json::value* const found = report.if_contains("cost");
  if (found == nullptr || !found->is_object()) return {};
  const json::object& cost = found->get_object();
  std::string text = "models called " + count_of(cost, "modelCalls") + " times, tools " + count_of(cost, "toolCalls") +
                     " times";
  const std::string input = count_of(cost, "inputTokens"), output = count_of(cost, "outputTokens");
  if (input != "0" || output != "0") text += "; " + input + " tokens in, " + output + " out";
  return text;
}

struct StepRow {
  std::string id, status, checks, output, error;
  std::int64_t ms = 0;
};

std::vector<StepRow> step_rows(const json::object& report) {
  std::vector<StepRow> rows;
  const json::value* const steps = report.if_contains("steps");
  if (steps == nullptr || !steps->is_array()) return rows;
  for (const json::value& value : steps->get_array()) {
    const json::object* const step = value.if_object();
    if (step == nullptr) continue;
    const json::value* const ms = step->if_contains("durationMs");
    const auto text = [&](std::string_view name) { return harmless(member_text(*step, name)); };
    rows.push_back({text("stepId"), text("status"), text("verificationStatus"), shortened(text("output")),
                    shortened(text("error")), ms != nullptr && ms->is_int64() ? ms->get_int64() : 0});
  }
  return rows;
}

std::string_view mark(const StepRow& step) {
  return step.status == "completed" ? "[x]" : step.status == "failed" ? "[!]" : "[ ]";
}

std::string word(const json::object& report) {
  const json::value* const success = report.if_contains("success");
  if (success != nullptr && success->is_bool() && success->get_bool()) return "succeeded";
  return member_text(report, "task") == "failed" ? "failed" : "ended without success";
}

std::string indented(std::string_view text) {
  std::string lines = "      ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "      ";
  }
  return lines + '\n';
}

std::string markdown(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|!").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

// Returns a fence that the text cannot close.
std::string code_block(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fence + "\n" + std::string(text) + "\n" + fence + "\n";
}

std::string html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string html_list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = "<h2>" + std::string(title) + "</h2>\n<ul>\n";
  for (const std::string& item : items) text += "<li>" + html(item) + "</li>\n";
  return text + "</ul>\n";
}

std::string markdown_list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = "\n## " + std::string(title) + "\n\n";
  for (const std::string& item : items) text += "- " + markdown(item) + '\n';
  return text;
}

}  // namespace

std::string report_text(const json::object& report) {
  const std::string error = harmless(member_text(report, "error"));
  std::string text = "Task " + harmless(member_text(report, "taskId")) + ' ' + word(report) + " in revision " +
                     std::to_string(member_number(report, "revision")) + ": " +
                     harmless(member_text(report, "summary")) + '\n';
  text += "  " + harmless(member_text(report, "intentSummary")) + '\n';
  if (!error.empty()) text += "  " + error + '\n';
  for (const StepRow& step : step_rows(report)) {
    text += std::string(mark(step)) + ' ' + step.id + " (" + std::to_string(step.ms) + " ms, checks " + step.checks +
            ")\n";
    if (!step.error.empty()) text += indented(step.error);
    if (step.error.empty() && !step.output.empty()) text += indented(step.output);
  }
  if (const std::string cause = root_cause(report); !cause.empty()) text += "root cause: " + cause + '\n';
  for (const std::string& made : artifacts(report)) text += "made: " + made + '\n';
  if (const std::string spent = cost(report); !spent.empty()) text += "cost: " + spent + '\n';
  for (const std::string& note : texts(report, "verificationNotes")) text += "note: " + note + '\n';
  for (const std::string& next : texts(report, "followUps")) text += "next: " + next + '\n';
  return text;
}

std::string report_markdown(const json::object& report) {
  std::string text = "# " + markdown(harmless(member_text(report, "intentSummary"))) + "\n\nTask `" +
                     harmless(member_text(report, "taskId")) + "` " + word(report) + " in revision " +
                     std::to_string(member_number(report, "revision")) + ". " +
                     markdown(harmless(member_text(report, "summary"))) + '\n';
  if (const std::string error = harmless(member_text(report, "error")); !error.empty()) {
    text += "\n**" + markdown(error) + "**\n";
  }
  text += "\n| step | status | checks | time |\n|---|---|---|---|\n";
  const std::vector<StepRow> rows = step_rows(report);
  for (const StepRow& step : rows) {
    text += "| " + markdown(step.id) + " | " + step.status + " | " + step.checks + " | " + std::to_string(step.ms) +
            " ms |\n";
  }
  for (const StepRow& step : rows) {
    if (step.error.empty() && step.output.empty()) continue;
    text += "\n## " + markdown(step.id) + "\n\n" + code_block(step.error.empty() ? step.output : step.error);
  }
  if (const std::string cause = root_cause(report); !cause.empty()) {
    text += "\n## Root cause\n\n" + markdown(cause) + '\n';
  }
  text += markdown_list("Made", artifacts(report));
  if (const std::string spent = cost(report); !spent.empty()) text += "\n## Cost\n\n" + spent + '\n';
  text += markdown_list("Notes", texts(report, "verificationNotes"));
  return text + markdown_list("Next", texts(report, "followUps"));
}

std::string report_html(const json::object& report) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>" + html(harmless(member_text(report, "taskId"))) +
      "</title>\n<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
      "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .6em;text-align:left;vertical-align:top}"
      "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}.failed{background:#fdd}.completed{background:#dfd}"
      "</style>\n<h1>" +
      html(harmless(member_text(report, "intentSummary"))) + "</h1>\n<p>The task " + word(report) + " in revision " +
      std::to_string(member_number(report, "revision")) + ". " + html(harmless(member_text(report, "summary"))) +
      "</p>\n";
  if (const std::string error = harmless(member_text(report, "error")); !error.empty()) {
    text += "<p><strong>" + html(error) + "</strong></p>\n";
  }
  text += "<table>\n<tr><th>Step</th><th>Status</th><th>Checks</th><th>Time</th><th>Output</th></tr>\n";
  for (const StepRow& step : step_rows(report)) {
    text += "<tr class=\"" + html(step.status) + "\"><td>" + html(step.id) + "</td><td>" + html(step.status) +
            "</td><td>" + html(step.checks) + "</td><td>" + std::to_string(step.ms) + " ms</td><td><pre>" +
            html(step.error.empty() ? step.output : step.error) + "</pre></td></tr>\n";
  }
  text += "</table>\n";
  if (const std::string cause = root_cause(report); !cause.empty()) {
    text += "<h2>Root cause</h2>\n<p>" + html(cause) + "</p>\n";
  }
  text += html_list("Made", artifacts(report));
  if (const std::string spent = cost(report); !spent.empty()) text += "<h2>Cost</h2>\n<p>" + html(spent) + "</p>\n";
  text += html_list("Notes", texts(report, "verificationNotes"));
  return text + html_list("Next", texts(report, "followUps")) + "</html>\n";
}

}  // namespace ptcvm::chain
