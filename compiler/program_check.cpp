#include "compiler/program_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/analyze/program_notes.h"
#include "compiler/bracket_place.h"
#include "compiler/compile.h"
#include "compiler/read/compile_meter.h"
#include "compiler/read/reader.h"

namespace ptc {
namespace {

constexpr std::size_t kMostRounds = 2'000;
constexpr std::uint64_t kMostWork = 2'000'000;   // in units of CompileMeter: a larger text has fewer rounds

constexpr std::string_view kToolPrefix = "tool/";

bool ends_name(char c) { return std::string_view(" \t\r\n,()[]{}\"").find(c) != std::string_view::npos; }

// Returns the symbol that begins at the offset.
std::string_view name_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && !ends_name(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string arguments_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string builtin_takes(const BuiltinInfo& info) {
  const auto least = static_cast<std::size_t>(info.min_args);
  if (info.max_args == kVariadic) return "at least " + arguments_text(least);
  if (info.max_args == info.min_args) return arguments_text(least);
  return std::to_string(least) + " to " + arguments_text(static_cast<std::size_t>(info.max_args));
}

// Returns how the call is written; a call that would make a transducer in Clojure gets the whole chain.
std::string hint_usage(const BuiltinInfo& info, std::size_t count) {
  const std::string usage(info.usage);
  const std::size_t collection = usage.find(" coll"), first = usage.find(' ');
  const bool takes_it_last = collection != std::string::npos && collection != first;   // (nth coll index) makes none
  const bool is_transducer =
      (info.name == "into" && count == 3) || (count == 1 && info.min_args == 2 && takes_it_last);
  if (!is_transducer) return usage;
  return usage + ": there are no transducers, so write (into {} (map f coll)) for (into {} (map f) coll)";
}

// Returns the form of the top level around the offset, by its looks, because its brackets may not fit: it begins at the
// start of a line, with (def, or with any bracket in a text that has indented lines.
SourceSpan text_form_at(std::string_view text, std::size_t offset) {
  const bool has_indented = text.find("\n  ") != std::string_view::npos;
  const auto begins_at = [&](std::size_t at) {
    const bool is_line = at == 0 || text[at - 1] == '\n';
    return is_line && (text.substr(at).starts_with("(def") || (has_indented && text[at] == '('));
  };
  SourceSpan form;
  std::size_t begin = std::min(offset, text.size() - 1), end = offset + 1;
  while (begin > 0 && !begins_at(begin)) --begin;
  while (end < text.size() && !begins_at(end)) ++end;
  form.begin = static_cast<std::uint32_t>(begin);
  form.end = static_cast<std::uint32_t>(std::min(end, text.size()));
  return form;
}

// One check. `text_` is the source with errors that were found put out of the way.
class Check {
 public:
  Check(std::string_view source, const CompileOptions& options) : source_(source), text_(source), options_(options) {
    options_.notes = &notes_;
  }

  ProgramFindings run() {
    bool is_over = false;
    for (std::size_t round = 0; round < kMostRounds && work_ < kMostWork && !is_over; ++round) {
      is_over = analyze_metered();
    }
    report_calls();
    report_names();
    std::ranges::stable_sort(out_.findings, {}, [](const Finding& finding) { return finding.error.span.begin; });
    if (left_out_ > 0) {
      out_.findings.push_back(more_findings());
    } else if (!is_over && !out_.findings.empty()) {
      out_.findings.push_back(unfinished());
    }
    std::ranges::stable_sort(notes_.data, {}, [](const DataUse& use) { return use.span.begin; });
    out_.data = std::move(notes_.data);
    std::ranges::stable_sort(notes_.tools, {}, [](const ToolUse& use) { return use.span.begin; });
    out_.tools = std::move(notes_.tools);
    return std::move(out_);
  }

 private:
  // Returns true when no further error can be found.
  bool analyze_metered() {
    CompileMeter meter(options_.most_bytes, options_.is_over);
    bool is_over = true;
    try {
      is_over = analyze_once(meter);
    } catch (const CompileStopped& stopped) {
      report(error_of(stopped, options_));
    }
    work_ += meter.work_done();
    return is_over;
  }

  bool analyze_once(CompileMeter& meter) {
    notes_ = {};
    FormArena arena(&meter);
    ReadResult read = read_forms(text_, arena);
    if (read.failed) {
      if (std::string hint = bracket_hint(text_, read.error); !hint.empty()) read.error.hint = std::move(hint);
      if (!read.incomplete || !is_told_of_end_) report(read.error);
      is_told_of_end_ = is_told_of_end_ || read.incomplete;      // one missing end is enough
      return !mend_text(read);
    }
    Ast ast(&meter);
    const AnalyzeResult analyzed = analyze(read.forms, text_, arena, options_, ast);
    if (!analyzed.failed) return true;
    if (!masked_.contains(analyzed.error.span.begin)) return !get_around(analyzed.error);
    return !blank(enclosing_list(read.forms, analyzed.error.span), '0');      // 0 is no better there
  }

  // Reports each message once: a name that is wrong in many places is one error.
  void report(const CompileError& error) {
    if (seen_.insert({error.message, 0}).second && has_room(error.span)) out_.findings.push_back({error, {}});
  }

  // Returns whether one more finding is kept, and counts it when not.
  bool has_room(SourceSpan span) {
    if (out_.findings.size() < kMostFindings) return true;
    if (left_out_++ == 0) first_left_out_ = span;
    return false;
  }

  // The looks have taken all the work that they may: what is behind the last finding was not looked at for itself.
  Finding unfinished() const {
    return {{FaultKind::InvalidForm, "There may be more findings: the text is too long to look for all of them at once",
             "Mend the findings above, and check again", out_.findings.back().error.span},
            "more_findings"};
  }

  Finding more_findings() const {
    return {{FaultKind::InvalidForm, std::to_string(left_out_) + " more findings are left out",
             "Mend the findings above, and check again", first_left_out_},
            "more_findings"};
  }

  // Reports each place once: the analyzer looks at some forms twice.
  void report_at(SourceSpan span, std::string message, std::string hint, std::string_view warning = {}) {
    if (!seen_.insert({message, span.begin + 1}).second || !has_room(span)) return;
    out_.findings.push_back({{FaultKind::ArityError, std::move(message), std::move(hint), span}, warning});
  }

  // Puts a reading error out of the way. Returns whether that went.
  bool mend_text(const ReadResult& read) {
    const SourceSpan& span = read.error.span;
    const bool is_text = read.incomplete && span.begin < text_.size() && text_[span.begin] == '"';
    if (!is_text && put_away(text_form_at(text_, span.begin))) {
      is_told_of_end_ = false;
      return true;
    }
    if (read.incomplete && span.begin < source_.size()) {
      const char opener = text_[span.begin] == '#' && span.begin + 1 < text_.size() ? text_[span.begin + 1]
                                                                                    : text_[span.begin];
      const std::string_view openers = "([{\"", closers = ")]}\"";
      if (openers.find(opener) == std::string_view::npos) return false;
      text_ += closers[openers.find(opener)];
      return true;
    }
    if (read.error.message.starts_with("unexpected ")) return false;      // the brackets do not fit
    return blank(span, ' ');
  }

  // Leaves of a form whose brackets do not fit what it defines: (def NAME 0). Returns false when it is the only form.
  bool put_away(const SourceSpan& form) {
    const std::size_t end = std::min<std::size_t>(form.end, source_.size());
    if (form.begin == 0 && end == source_.size()) return false;
    const std::string_view head = name_at(source_, form.begin + 1);
    std::size_t name = form.begin + 1 + head.size();
    while (name < end && source_[name] == ' ') ++name;
    const std::size_t rest = name + name_at(source_, name).size();
    const bool defines = head.starts_with("def") && rest > name && rest + 3 <= end;
    if (!blank(form, ' ')) return false;
    if (!defines) return true;
    text_.replace(form.begin, 4, "(def");
    text_.replace(name, rest - name, source_.substr(name, rest - name));
    for (std::size_t at = rest + 1, next = 0; at < end && next < 2; ++at) {
      if (text_[at] != '\n') text_[at] = "0)"[next++];
    }
    return true;
  }

  // Makes the analyzer accept what the error is about. Returns whether that went.
  bool get_around(const CompileError& error) {
    const std::string_view name = name_at(source_, error.span.begin);
    switch (error.kind) {
      case FaultKind::MemoryExceeded:
      case FaultKind::SymbolLimitExceeded:
      case FaultKind::RegexLimitExceeded: report(error); return false;
      case FaultKind::UnboundVar: {
        CompileError one = error;
        one.message = "Undefined variable: " + std::string(name);
        for (const std::string_view other : stepped_) {
          if (one.hint == "Did you mean: " + std::string(other)) one.hint.clear();   // nothing defines that one, too
        }
        report(one);
        options_.memory_names.push_back(name);
        return stepped_.insert(name).second;
      }
      case FaultKind::UnknownTool: {
        report(error);
        const std::size_t at = source_.find(kToolPrefix, error.span.begin);
        if (at == std::string_view::npos) return false;
        options_.tool_names.push_back(name_at(source_, at + kToolPrefix.size()));
        return stepped_.insert(options_.tool_names.back()).second;
      }
      default: report(error); return blank(error.span, '0');
    }
  }

  // Returns the innermost list around the span; the span itself when there is none.
  static SourceSpan enclosing_list(const std::vector<const Form*>& forms, SourceSpan span) {
    SourceSpan found = span;
    std::vector<const Form*> open = forms;
    while (!open.empty()) {
      const Form& form = *open.back();
      open.pop_back();
      const bool is_around = form.span.begin < span.begin && form.span.end >= span.end;
      if (!is_around) continue;
      if (form.kind == FormKind::List) found = form.span;
      open = form.items;
    }
    return found;
  }

  // Overwrites the span: `first`, then blanks; lines stay. Returns false when nothing changes.
  bool blank(const SourceSpan& span, char first) {
    const std::size_t end = std::min<std::size_t>(span.end, source_.size());
    bool changes = false;
    masked_.insert(span.begin);
    for (std::size_t i = span.begin; i < end; ++i) {
      const char wanted = text_[i] == '\n' ? '\n' : i == span.begin ? first : ' ';
      changes = changes || text_[i] != wanted;
      text_[i] = wanted;
    }
    return changes;
  }

  bool is_of_memory(std::string_view name) const { return std::ranges::count(options_.memory_names, name) > 0; }

  void report_arity(const SourceSpan& span, std::string_view name, const std::string& takes, std::size_t count,
                    std::string_view usage) {
    report_at(span, std::string(name) + " takes " + takes + ", and is given " + std::to_string(count),
              usage.empty() ? "" : "Write " + std::string(usage));
  }

  void report_arity(const NotedCall& call, std::string_view name, const FunctionArity& arity) {
    const bool fits = arity.is_variadic ? call.count >= arity.least : call.count == arity.least;
    if (fits) return;
    report_arity(call.span, name, (arity.is_variadic ? "at least " : "") + arguments_text(arity.least), call.count, "");
  }

  void report_calls() {
    std::map<std::string_view, const NotedDefinition*> once;      // null: redefined
    for (const NotedDefinition& definition : notes_.definitions) {
      const auto [known, is_new] = once.try_emplace(definition.name, &definition);
      if (!is_new || is_of_memory(definition.name)) known->second = nullptr;
    }
    std::map<LocalId, const NotedBinding*> locals;
    for (const NotedBinding& binding : notes_.bindings) locals.emplace(binding.local, &binding);
    for (const NotedCall& call : notes_.calls) {
      if (call.builtin) {
        const BuiltinInfo& info = builtin_info(*call.builtin);
        report_arity(call.span, info.name, builtin_takes(info), call.count, hint_usage(info, call.count));
      } else if (const auto found = once.find(call.global); found != once.end() && found->second != nullptr) {
        if (found->second->arity) report_arity(call, found->second->name, *found->second->arity);
      } else if (const auto local = locals.find(call.local); local != locals.end() && local->second->arity) {
        report_arity(call, local->second->name, *local->second->arity);
      }
    }
  }

  void report_names() {
    std::map<std::string_view, const NotedDefinition*> first;
    for (const NotedDefinition& definition : notes_.definitions) {
      const auto [known, is_new] = first.try_emplace(definition.name, &definition);
      if (is_new || definition.once) continue;
      report_at(definition.span,
                definition.name + " is defined twice; the first time at line " +
                    std::to_string(known->second->span.line),
                "Give one of them another name", "defined_twice");
    }
    for (const auto& [name, definition] : first) {
      if (notes_.used_globals.contains(definition->name)) continue;
      report_at(definition->span, definition->name + " is defined, and nothing here uses it", "",
                "unused_definition");
    }
    for (const NotedBinding& binding : notes_.bindings) {
      if (binding.name.starts_with('_') || notes_.used_locals.contains(binding.local)) continue;
      report_at(binding.span, binding.name + " is bound and never used", "Leave it out, or name it _" + binding.name,
                "unused_name");
    }
  }

  std::string_view source_;
  std::string text_;
  CompileOptions options_;
  ProgramNotes notes_;
  ProgramFindings out_;
  std::set<std::pair<std::string, std::size_t>> seen_;
  std::set<std::uint32_t> masked_;           // where text was put out of the way
  bool is_told_of_end_ = false;
  std::uint64_t work_ = 0;                   // what the rounds so far took, in units of CompileMeter
  std::size_t left_out_ = 0;                 // findings that are not kept
  SourceSpan first_left_out_;
  std::set<std::string_view> stepped_;       // names that were declared to get around them
};

}  // namespace

ProgramFindings check_program_text(std::string_view source, const CompileOptions& options) {
  return Check(source, options).run();
}

}  // namespace ptc
