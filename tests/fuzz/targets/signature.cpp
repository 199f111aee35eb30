// Any text as a signature: refused with a reason and a column, or read; what is written of it, as text and as JSON
// Schema, reads as the same.
#include "fuzz/fuzz_target.h"
#include "runtime/signature/json_schema.h"
#include "runtime/signature/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  const auto parsed = ptc::parse_signature(ptc::fuzz::text_of(data, size));
  if (const auto* error = std::get_if<ptc::SignatureError>(&parsed)) {
    promise(!error->message.empty() && error->column <= size + 1, "refused without reason or place");
    return 0;
  }
  const ptc::Signature& signature = std::get<ptc::Signature>(parsed);
  const std::string text = render_signature(signature);
  const auto again = ptc::parse_signature(text);
  const auto* same = std::get_if<ptc::Signature>(&again);
  promise(same != nullptr && *same == signature, "written, and read as another one");
  const std::string schema = json_schema_of(signature.result);
  const auto type = ptc::type_from_json_schema(schema);
  if (const auto* error = std::get_if<ptc::JsonSchemaError>(&type)) {
    promise(schema.size() > ptc::kMaxJsonSchemaBytes, "written as JSON Schema, and refused: " + error->message);
  }
  ptc::signature_from_json_schema(json_schema_of(signature));
  return 0;
}
