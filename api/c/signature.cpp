// Signatures: what tools take and give, read and checked without a run.
#include "ptcvm/signature.hpp"

#include "api/c/handles.h"
#include "ptcvm/signature.h"

struct ptcvm_signature {
  ptcvm::Signature signature;
};

namespace ptcvm::c {
namespace {

std::unique_ptr<ptcvm_signature> handle_of(Result<Signature> read) {
  return std::unique_ptr<ptcvm_signature>(new ptcvm_signature{taken(std::move(read))});
}

std::unique_ptr<ptcvm_value> fitted(SignatureFit fit) {
  if (fit.mismatches.empty()) return std::unique_ptr<ptcvm_value>(new ptcvm_value{std::move(fit.value)});
  std::string text;
  for (const SignatureMismatch& mismatch : fit.mismatches) {
    text.append(text.empty() ? "" : "; ").append(mismatch.path).append(": ").append(mismatch.message);
  }
  throw Failure{{Errc::invalid_value, std::move(text), std::nullopt, {}}};
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_status ptcvm_signature_parse(ptcvm_text text, ptcvm_signature** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::handle_of(ptcvm::Signature::parse(c::text_in(text))); });
}
ptcvm_status ptcvm_signature_from_json_schema(ptcvm_text json, ptcvm_signature** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::handle_of(ptcvm::Signature::from_json_schema(c::text_in(json))); });
}
void ptcvm_signature_free(ptcvm_signature* signature) { delete signature; }

ptcvm_status ptcvm_signature_text(const ptcvm_signature* signature, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(signature).signature.text()); });
}
ptcvm_status ptcvm_signature_json_schema(const ptcvm_signature* signature, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(signature).signature.json_schema()); });
}
ptcvm_status ptcvm_signature_fit(const ptcvm_signature* signature, int32_t part, ptcvm_view value, ptcvm_value** out,
                                 ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    c::require(part == PTCVM_PARAMS || part == PTCVM_RESULT, "no such constant");
    const ptcvm::Signature& wanted = c::the(signature).signature;
    ptcvm::Value given = ptcvm::Value::copy_of(c::view_in(value));
    return c::fitted(part == PTCVM_PARAMS ? wanted.fit_params(std::move(given)) : wanted.fit_result(std::move(given)));
  });
}
