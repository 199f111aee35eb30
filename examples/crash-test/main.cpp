// An order is charged, shipped and confirmed. Wherever the process is killed, the card is charged once for it, nothing
// is shipped twice, and a person is asked when nobody else can know.
#include <cstdio>

#include "ptcvm/crash_kit.hpp"

namespace {

const char* const kProgram = R"(
  (let [receipt (task "charge_order_7" (tool/charge {:order 7 :cents 4200}))
        parcel  (task "ship_order_7" (tool/ship {:order 7}))
        signed  (task "signature_order_7" (await (tool/ask_for_signature {:parcel parcel})))]
    (task "file_order_7" (tool/file {:order 7 :receipt receipt :signed signed}))))";

ptc::ToolDefinition defined(const char* name, ptc::EffectClass effect, ptc::AsyncMode async = ptc::AsyncMode::No) {
  ptc::ToolDefinition definition;
  definition.name = name;
  definition.effect = effect;
  definition.async = async;
  return definition;
}

void add_tools(ptc::ToolRegistry& tools, ptc::Ledger& ledger, ptc::CrashPoints& points) {
  // The bank knows keys: the same key again is the same charge.
  tools.add(defined("charge", ptc::EffectClass::Keyed),
            [&ledger](const ptc::ToolCall& call) { return ledger.happened(call, "\"receipt 1\""); });
  // The carrier does not: two calls are two parcels.
  tools.add(defined("ship", ptc::EffectClass::Unsafe), [&ledger, &points](const ptc::ToolCall& call) {
    points.reach("in the middle of shipping");   // a place of one's own at which the process may die
    return ledger.happened(call, "\"parcel 1\"");
  });
  // The signature comes later. Its value stands in the ledger, from where the kit answers.
  tools.add(defined("ask_for_signature", ptc::EffectClass::Idempotent, ptc::AsyncMode::Yes),
            [&ledger](const ptc::ToolCall& call) {
              ledger.record(call, "true");
              return ptc::ToolReply::pending("signature of order 7");
            });
  tools.add(defined("file", ptc::EffectClass::Idempotent),
            [&ledger](const ptc::ToolCall& call) { return ledger.happened(call, ":filed"); });
}

}  // namespace

int main() {
  ptc::CrashOptions options;
  options.source = kProgram;
  options.tools = add_tools;
  options.durable.session.run_id = "order 7";
  const ptc::CrashReport report = ptc::Crash(options).every_boundary();
  std::fputs(report.table().c_str(), stdout);
  return report.ok() ? 0 : 1;
}
