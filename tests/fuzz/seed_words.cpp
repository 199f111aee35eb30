#include <span>

#include "fuzz/seed_sources.h"
#include "schema/builtin_id.h"
#include "schema/fault_kind.h"
#include "schema/special_form.h"
#include "vm/snapshot/state_fields.h"

namespace ptc::fuzz {
namespace {

constexpr std::string_view kTokens[] = {
    "#(", "#{", "#\"", "#'", "#_", "##Inf", "##NaN", "##-Inf", "%1", "%&", "&", "^{", "'", "`", "~", "@", "\\newline",
    "\\u0041", "0x1f", "1/2", "1e9", "1N", "1.5M", "36rZ", ":as", ":keys", ":strs", ":or", ":when", ":while", ":let",
    ":else", "::a", "data/", "tool/ask", "tool/now", "*1", ";"};
constexpr std::string_view kEdnTokens[] = {
    "#inst \"", "#uuid \"", "#ptc/fn \"", "#ptc/kw \"", "#ptc/regex \"", "#ptc/jdate \"", "#ptc/closure {:src \"",
    "#ptc/", "#time/", "#_", "#{", "##NaN", "nil", "true", "\\space", "1N", "1/3", "1e400", "-0.0"};
constexpr std::string_view kJsonTokens[] = {
    "null", "true", "false", "\\ud83d\\ude00", "\\u0000", "1e400", "-0.0", "18446744073709551616", "[[", "{\"\":",
    "}}", "\"\":"};
constexpr std::string_view kRegexTokens[] = {
    "(?:", "(?i)", "(?<name>", "(?=", "(?!", "\\p{L}", "\\pN", "[^", "[[:alpha:]]", "{2,5}", "{1000}", "*?", "+?",
    "\\d", "\\W", "\\b", "\\Q", "\\E", "\\x{41}", "$1", "|", "\\1", "&&"};
constexpr std::string_view kSignatureTokens[] = {
    ":string", ":int", ":float", ":bool", ":keyword", ":map", ":any", ":date", ":datetime", ":duration", "->", "()",
    "?", "[:", "{a :"};
constexpr std::string_view kSchemaTokens[] = {
    "\"type\":", "\"properties\":", "\"required\":", "\"items\":", "\"$ref\":", "\"#/$defs/", "\"$defs\":",
    "\"anyOf\":", "\"oneOf\":", "\"allOf\":", "\"enum\":", "\"const\":", "\"format\":", "\"nullable\":",
    "\"additionalProperties\":", "\"inputSchema\":", "\"outputSchema\":", "\"function\":", "\"parameters\":",
    "\"prefixItems\":", "\"string\"", "\"integer\"", "\"object\"", "\"array\"", "\"date-time\""};
constexpr std::string_view kFormatTokens[] = {
    "%s", "%d", "%,d", "%08.3f", "%-10s", "%+x", "%#o", "%e", "%b", "%c", "%n", "%%", "%1$s", "%99999d", "%.500f",
    "%h", "%S"};
constexpr std::string_view kDateTokens[] = {
    "2026-11-22", "T12:30:00Z", "T23:59:60", "+02:00", "-18:00", "P1DT2H", "PT0.5S", "Wed, 8 Jan 2026 14:30:00 +0200",
    "Thu Jan 01 00:00:01 GMT 1970", "24:00", "-0001", "+10000-01-01", "02-29", "W01", "Z", ".123456789"};
constexpr std::string_view kBatchTokens[] = {
    "\"source\":", "\"suspend\":", "\"every\"", "\"pending\"", "\"face\":", "\"json\"", "\"alternate\"", "\"tools\":",
    "\"tool_defs\":", "\"args_edn\":", "\"result_edn\":", "\"error\":", "\"limits\":", "\"opts\":", "\"memory_edn\":",
    "\"context_edn\":", "\"journal_edn\":", "\"history_edn\":", "\"async\":", "\"resolve_order\":", "\"lifo\"",
    "\"clock_ms\":", "\"signature\":"};
constexpr std::string_view kFactMembers[] = {
    "\"seq\":", "\"kind\":", "\"author\":", "\"time\":", "\"key\":", "\"id\":", "\"value\":", "\"text\":",
    "\"status\":", "\"tool\":", "\"args\":", "\"effect\":", "\"idempotency_key\":", "\"task\":", "\"number\":",
    "\"source\":"};

void add_all(SeedFolder& seeds, std::string_view target, std::span<const std::string_view> words) {
  for (const std::string_view word : words) seeds.word(target, word);
}

void add_language(SeedFolder& seeds, std::string_view target) {
  for (const BuiltinInfo& builtin : kBuiltins) seeds.word(target, builtin.name);
  for (const SpecialFormInfo& form : kSpecialForms) seeds.word(target, form.name);
  add_all(seeds, target, kTokens);
}

void add_snapshot_members(SeedFolder& seeds) {
  const auto member = [&](std::string_view name, const auto&) {
    seeds.word("snapshot_json", '"' + std::string(name) + "\":");
  };
  RunLimits limits;
  for_each_limit(limits, [&](const LimitInfo& limit, auto number) { member(limit_member(limit), number); });
  RunState state;
  for_each_budget_used(state, member);
  for_each_counter(state, member);
  using Names = std::span<const std::string_view>;
  for (const Names names : {Names(kFiberStateNames), Names(kOperationKindNames), Names(kOperationStatusNames),
                            Names(kOutstandingNames), Names(kToolModeNames)}) {
    for (const std::string_view name : names) seeds.word("snapshot_json", '"' + std::string(name) + '"');
  }
  for (const std::string_view kind : {"ref", "clo", "kw", "int", "big", "re", "fn", "pend"}) {
    seeds.word("snapshot_json", "{\"$\":\"" + std::string(kind) + "\",\"v\":");
  }
}

}  // namespace

void add_words(SeedFolder& seeds) {
  for (const char* const target : {"reader", "compiler", "batch"}) add_language(seeds, target);
  for (const char* const target : {"bytecode", "bytecode_mutated", "snapshot", "snapshot_mutated", "snapshot_json"}) {
    for (const BuiltinInfo& builtin : kBuiltins) seeds.word(target, builtin.name);
  }
  for (const FaultInfo& fault : kFaults) {
    for (const char* const target : {"snapshot", "snapshot_json", "journal_rows"}) seeds.word(target, fault.name);
  }
  add_snapshot_members(seeds);
  add_all(seeds, "edn", kEdnTokens);
  add_all(seeds, "edn", kTokens);
  for (const char* const target : {"json", "tool_results", "batch", "journal_rows", "schema"}) {
    add_all(seeds, target, kJsonTokens);
  }
  add_all(seeds, "regex", kRegexTokens);
  add_all(seeds, "signature", kSignatureTokens);
  add_all(seeds, "tool_results", kSignatureTokens);
  add_all(seeds, "schema", kSchemaTokens);
  add_all(seeds, "format", kFormatTokens);
  add_all(seeds, "dates", kDateTokens);
  add_all(seeds, "batch", kBatchTokens);
  add_all(seeds, "journal_rows", kFactMembers);
}

}  // namespace ptc::fuzz
