// An order is charged, shipped and confirmed. Wherever the process is killed, the card is charged once for the order,
// nothing is shipped twice, and a person is asked when nobody else can know.
#include <cstdio>

#include <ptcvm/crash_kit.hpp>

namespace {

using ptcvm::Effect;
using ptcvm::ToolCall;

const char* const kProgram = R"(
  (let [receipt (task "charge_order_7" (tool/charge {:order 7 :cents 4200}))
        parcel  (task "ship_order_7" (tool/ship {:order 7}))
        signed  (task "signature_order_7" (await (tool/ask_for_signature {:parcel parcel})))]
    (task "file_order_7" (tool/file {:order 7 :receipt receipt :signed signed}))))";

// [tools]
void add_tools(ptcvm::Tools& tools, ptcvm::crash::Ledger& ledger, ptcvm::crash::Points& points) {
  // The bank knows keys: the same key again is the same charge.
  tools.add("charge", "(order :int, cents :int) -> :string",
            [&ledger](ToolCall& call) { return ledger.happened(call, "\"receipt 1\""); },
            {.effect = Effect::Keyed}).value();
  // The carrier does not: two calls are two parcels.
  tools.add("ship", "(order :int) -> :string", [&ledger, &points](ToolCall& call) {
         points.reach("in the middle of shipping");   // a place of your own at which the process may die
         return ledger.happened(call, "\"parcel 1\"");
       }, {.effect = Effect::Unsafe}).value();
  // The signature comes later. Its value is in the ledger, from where the kit answers.
  tools.add("ask_for_signature", "(parcel :string) -> :bool", [&ledger](ToolCall& call) {
         ledger.record(call, "true");
         return call.pending("signature of order 7");
       }, {.effect = Effect::Idempotent, .mode = ptcvm::ToolMode::Async}).value();
  tools.add("file", "(order :int, receipt :string, signed :bool) -> :string",
            [&ledger](ToolCall& call) { return ledger.happened(call, "\"filed\""); },
            {.effect = Effect::Idempotent}).value();
}
// [/tools]

}  // namespace

// crash_test [FOLDER]: a folder in memory makes it several times faster.
int main(int argc, char** argv) {
  ptcvm::crash::Options options;
  options.source = kProgram;
  options.tools = add_tools;
  options.run.id = "order 7";
  if (argc > 1) options.folder = argv[1];
  const ptcvm::crash::Report report = ptcvm::crash::Kit(options).every_boundary();
  std::fputs(report.table().c_str(), stdout);
  return report.ok() ? 0 : 1;
}
