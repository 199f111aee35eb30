// Any text as JSON Schema, or as a tool definition that holds some: refused with a reason, or a signature that can be
// written and read again.
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "runtime/signature/json_schema.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(ptc::test::mutated_json_bytes, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  const auto read = ptc::signature_from_json_schema(ptc::fuzz::text_of(data, size));
  if (const auto* error = std::get_if<ptc::JsonSchemaError>(&read)) {
    promise(!error->message.empty(), "refused without a reason");
    return 0;
  }
  const ptc::Signature& signature = std::get<ptc::Signature>(read);
  const std::string text = render_signature(signature);
  if (text.size() > ptc::kMaxSignatureBytes) return 0;
  const auto again = ptc::parse_signature(text);
  const auto* same = std::get_if<ptc::Signature>(&again);
  promise(same != nullptr && *same == signature, "written as a signature, and read as another one");
  return 0;
}
