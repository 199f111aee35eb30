// The driver of the analyzer and its dispatch on the kind of form. See analysis.h for the conventions.
#include "compiler/analyze/analyzer.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "compiler/analyze/analysis.h"
#include "compiler/read/tokens.h"
#include "compiler/analyze/tree_depth.h"

namespace ptc {
namespace {

constexpr std::size_t kClippedBytes = 60;
constexpr std::uint64_t kWorkOfRegex = 32;

// Returns the beginning of the first line, with "…" when there is more.
std::string clip(std::string_view text) {
  std::string shown(clip_utf8(text.substr(0, text.find('\n')), kClippedBytes));
  return shown.size() == text.size() ? shown : shown + "…";
}

// Keywords that forms of the language give a meaning to.
bool is_language_keyword(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"keys", "strs", "or", "as", "else", "when", "let", "while", "asc", "desc"});
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Analyzer::Analyzer(std::string_view source, FormArena& arena, const CompileOptions& options, Ast& ast)
    : source_(source), arena_(arena), options_(options), ast_(ast), constants_(ast), identity_(ast.meter()) {
  for (const std::string_view name : options.memory_names) scope_.define_always(name);
}

std::nullptr_t Analyzer::fail(SourceSpan span, FaultKind kind,
                              std::initializer_list<std::string_view> message, std::string_view hint) {
  if (result_.failed) return nullptr;
  result_.failed = true;
  result_.error.kind = kind;
  result_.error.span = span;
  result_.error.hint = hint;
  for (const std::string_view part : message) result_.error.message += part;
  return nullptr;
}

std::nullptr_t Analyzer::fail(const Form& form, FaultKind kind, std::string_view message,
                              std::string_view hint) {
  return fail(form.span, kind, {message}, hint);
}

std::nullptr_t Analyzer::fail_arity(const Form& form, std::string_view usage) {
  return fail(form.span, FaultKind::InvalidArity, {"expected ", usage});
}

std::string Analyzer::source_text(const Form& form) const {
  if (form.span.begin > source_.size()) return {};
  return clip(source_.substr(form.span.begin, form.span.end - form.span.begin));
}

bool Analyzer::check_symbol_limit(const std::vector<const Form*>& forms) {
  std::unordered_set<std::string> seen;
  SourceSpan first_over;    // the name that is one too many, in the order of the text
  std::vector<const Form*> open(forms.rbegin(), forms.rend());
  while (!open.empty()) {
    const Form& form = *open.back();
    open.pop_back();
    open.insert(open.end(), form.items.rbegin(), form.items.rend());
    const bool symbol = form.kind == FormKind::Symbol || form.kind == FormKind::VarQuote;
    if (symbol && find_head_form(form.text) == nullptr && !find_builtin(form.text)) seen.insert(form.text);
    if (form.kind == FormKind::Keyword && !is_language_keyword(form.text)) seen.insert(":" + form.text);
    if (first_over.line == 0 && seen.size() > options_.max_symbols) first_over = form.span;
  }
  if (seen.size() <= options_.max_symbols) return true;
  fail(first_over, FaultKind::SymbolLimitExceeded,
       {"program contains ", std::to_string(seen.size()), " unique symbols/keywords, exceeds limit of ",
        std::to_string(options_.max_symbols)});
  return false;
}

AnalyzeResult Analyzer::run(const std::vector<const Form*>& forms) {
  if (!check_symbol_limit(forms)) return std::move(result_);
  SourceSpan span;
  if (!forms.empty()) {
    span = forms.front()->span;
    span.end = forms.back()->span.end;
  }
  ast_.root = analyze_body(span, forms, false);
  if (ast_.root != nullptr && check_tree_depth() && report_unbound() && report_unknown_methods())
    report_unknown_tools();
  return std::move(result_);
}

bool Analyzer::check_tree_depth() {
  const Node* deep = find_too_deep(ast_.root, kMaxTreeDepth);
  if (deep == nullptr) return true;
  fail(deep->span, FaultKind::InvalidForm, {kTooDeep}, kTooDeepHint);
  return false;
}

Node* Analyzer::analyze(const Form& form, bool tail) {
  if (result_.failed) return nullptr;
  if (depth_ >= kMaxAnalysisDepth) {
    return fail(form, FaultKind::InvalidForm, kTooDeep, kTooDeepHint);
  }
  ++depth_;
  Node* node = analyze_form(form, tail);
  --depth_;
  return node;
}

Node* Analyzer::analyze_form(const Form& form, bool tail) {
  switch (form.kind) {
    case FormKind::List: return analyze_list(form, tail);
    case FormKind::Symbol: case FormKind::VarQuote: return analyze_symbol(form, form.text, false);
    case FormKind::LocalAlias: return make_local(form.span, form.local);
    case FormKind::Vector: return analyze_collection(form, NodeKind::MakeVector, Constant::Kind::Vector);
    case FormKind::Map: return analyze_collection(form, NodeKind::MakeMap, Constant::Kind::Map);
    case FormKind::Set: return analyze_collection(form, NodeKind::MakeSet, Constant::Kind::Set);
    case FormKind::Lambda: return analyze_lambda(form);
    case FormKind::Regex: return analyze_regex(form);
    case FormKind::Date: return analyze_moment(form, "date", BuiltinId::LocalDate_parse);
    case FormKind::Instant: return analyze_moment(form, "inst", BuiltinId::h_instant);
    case FormKind::Duration: return analyze_moment(form, "duration", BuiltinId::Duration_parse);
    default: return make_constant(form.span, *constants_.atom(form));
  }
}

// The value is made each time: constants of programs are what every engine of this format can read.
Node* Analyzer::analyze_moment(const Form& form, std::string_view tag, BuiltinId maker) {
  if (options_.check_moment != nullptr && !options_.check_moment(tag, form.text)) {
    return fail(form.span, FaultKind::ParseError, {"invalid #", tag, " literal \"", clip(form.text), "\""},
                "Write #date \"2024-01-15\", #inst \"2024-01-15T10:00:00Z\" or #duration \"PT1H30M\"");
  }
  return make_invoke(form.span, maker, {make_string(form.span, form.text)});
}

Node* Analyzer::analyze_regex(const Form& form) {
  if (options_.check_regex == nullptr || regexes_.has(form.text)) {
    return make_constant(form.span, constants_.regex(form.text));
  }
  std::string reason;
  std::size_t position = 0;
  const std::uint32_t size = options_.check_regex(form.text, reason, position);
  ast_.work(kWorkOfRegex + size);
  if (size != 0) {
    if (regexes_.add(form.text, size)) return make_constant(form.span, constants_.regex(form.text));
    return fail(form.span, FaultKind::RegexLimitExceeded,
                {"the regular expressions of this program are too large together: no room for #\"", clip(form.text),
                 "\""},
                "Use fewer or smaller ones: classes such as \\pL and counted repeats are large.");
  }
  return fail(form.span, FaultKind::InvalidForm,
              {"invalid regex literal #\"", clip(form.text), "\": ", reason, " at position ",
               std::to_string(position)});
}

Node* Analyzer::analyze_list(const Form& form, bool tail) {
  if (form.items.empty()) {
    return fail(form, FaultKind::InvalidForm, "Empty list is not a valid expression",
                "Write [] for an empty vector or nil for nothing");
  }
  const Form& head = *form.items[0];
  if (head.kind != FormKind::Symbol) return analyze_call(form);
  if (const HeadForm* special = find_unshadowed_form(head.text)) return (this->*special->handler)(form, tail);
  if (head.text.starts_with("tool/")) return analyze_tool_call(form, std::string_view(head.text).substr(5));
  if (head.text.starts_with("data/")) return analyze_data_call(form);
  return analyze_call(form);
}

// The special form or macro that `name` means in head position here; clojure.core/ in front names it in any
// scope.
const Analyzer::HeadForm* Analyzer::find_unshadowed_form(std::string_view name) const {
  if (name.starts_with("clojure.core/")) return find_head_form(name.substr(13));
  if (name.starts_with("core/")) return find_head_form(name.substr(5));
  const HeadForm* form = find_head_form(name);
  if (form == nullptr || !form->shadowable || scope_.find_local(name) == kNoLocal) return form;
  return nullptr;
}

Node* Analyzer::analyze_body(SourceSpan span, Items forms, bool tail) {
  if (forms.empty()) return make_nil(span);
  if (forms.size() == 1) return analyze(*forms[0], tail);
  Node* node = ast_.make(NodeKind::Do, span);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    Node* kid = analyze(*forms[i], tail && i + 1 == forms.size());
    if (kid == nullptr) return nullptr;
    node->kids.push_back(kid);
  }
  return node;
}

Node* Analyzer::analyze_branch(const Form& form, bool tail) {
  const std::size_t mark = scope_.defined_mark();
  Node* node = analyze(form, tail);
  scope_.forget_defined(mark);
  return node;
}

Node* Analyzer::analyze_branch_body(SourceSpan span, Items forms, bool tail) {
  const std::size_t mark = scope_.defined_mark();
  Node* node = analyze_body(span, forms, tail);
  scope_.forget_defined(mark);
  return node;
}

bool Analyzer::analyze_into(Node& parent, Items forms) {
  parent.kids.reserve(parent.kids.size() + forms.size());
  for (const Form* form : forms) {
    Node* kid = analyze(*form, false);
    if (kid == nullptr) return false;
    parent.kids.push_back(kid);
  }
  return true;
}

// A collection of literals is a constant, unless keys are equal that the text does not show to be equal
// (regexes).
Node* Analyzer::analyze_collection(const Form& form, NodeKind kind, Constant::Kind constant) {
  const std::size_t step = kind == NodeKind::MakeMap ? 2 : 1;
  if (kind != NodeKind::MakeVector && !check_duplicates(form, step)) return nullptr;
  Node* node = ast_.make(kind, form.span);
  if (!analyze_into(*node, form.items)) return nullptr;
  std::vector<std::uint32_t> items;
  std::unordered_set<std::uint32_t> keys;
  for (std::size_t i = 0; i < node->kids.size(); ++i) {
    const Node& kid = *node->kids[i];
    if (kid.kind != NodeKind::Const) return node;
    if (kind != NodeKind::MakeVector && i % step == 0 && !keys.insert(kid.constant).second) return node;
    items.push_back(kid.constant);
  }
  return make_constant(form.span, constants_.collection(constant, std::move(items)));
}

bool Analyzer::check_duplicates(const Form& form, std::size_t step) {
  if (form.items.size() < 2 * step) return true;
  std::unordered_map<std::uint32_t, SourceSpan> seen;
  for (std::size_t i = 0; i < form.items.size(); i += step) {
    const Form& key = *form.items[i];
    const auto [first, is_new] = seen.try_emplace(identity_.of(key), key.span);
    if (is_new) continue;
    fail(key.span, FaultKind::DuplicateKey,
         {step == 2 ? "duplicate key " : "duplicate element ", source_text(key),
          step == 2 ? " in map literal" : " in set literal"},
         "It is at line " + std::to_string(first->second.line) + ", column " + std::to_string(first->second.column) +
             ", too" + (step == 2 ? ", and a map has one value for a key" : "") + ": leave one of them out");
    return false;
  }
  return true;
}

AnalyzeResult analyze(const std::vector<const Form*>& forms, std::string_view source, FormArena& arena,
                      const CompileOptions& options, Ast& ast) {
  return Analyzer(source, arena, options, ast).run(forms);
}

}  // namespace ptc
