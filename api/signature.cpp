#include "ptcvm/signature.hpp"

#include "api/errors.h"
#include "api/value_access.h"
#include "runtime/signature/coercion.h"
#include "runtime/signature/json_schema.h"

namespace ptcvm {

struct PTCVM_HIDDEN Signature::Impl {
  ptc::Signature signature;
};

namespace {

std::vector<SignatureField> fields_of(const std::vector<ptc::SignatureField>& fields) {
  std::vector<SignatureField> out;
  out.reserve(fields.size());
  for (const ptc::SignatureField& field : fields) {
    out.push_back({field.name, ptc::render_type(field.type), field.type.optional});
  }
  return out;
}

std::string example_of(const ptc::SignatureType& type) {
  using Kind = ptc::SignatureType::Kind;
  switch (type.kind) {
    case Kind::Any: return "nil";
    case Kind::String: return "\"…\"";
    case Kind::Int: return "42";
    case Kind::Float: return "3.14";
    case Kind::Bool: return "true";
    case Kind::Keyword: return ":name";
    case Kind::Map: return "{}";
    case Kind::Date: return "(java.time.LocalDate/parse \"2026-01-31\")";
    case Kind::Datetime: return "(java.time.Instant/parse \"2026-01-31T12:00:00Z\")";
    case Kind::Duration: return "(java.time.Duration/ofMinutes 5)";
    case Kind::List: return "[" + example_of(type.element.front()) + "]";
    case Kind::Record: break;
  }
  std::string text = "{";
  for (const ptc::SignatureField& field : type.fields) {
    text.append(text.size() == 1 ? ":" : " :").append(field.name).append(" ").append(example_of(field.type));
  }
  return text + "}";
}

// fit(heap, root) takes the root.
template <class Fit>
SignatureFit fitted(Value value, const Fit& fit) {
  std::unique_ptr<Value::Impl> own = ValueAccess::taken(std::move(value));
  ptc::CoercionResult result = fit(own->heap, std::exchange(own->root, ptc::Value::nil()));
  own->root = result.value;
  SignatureFit out;
  out.value = ValueAccess::made(std::move(own));
  out.is_changed = result.changed;
  for (ptc::SignatureMismatch& mismatch : result.mismatches) {
    out.mismatches.push_back({std::move(mismatch.path), std::move(mismatch.message)});
  }
  return out;
}

}  // namespace

Result<Signature> Signature::parse(std::string_view text) {
  auto parsed = ptc::parse_signature(text);
  if (const auto* const error = std::get_if<ptc::SignatureError>(&parsed)) {
    Error out = host_error(Errc::invalid_signature,
                           "signature: " + error->message + " at column " + std::to_string(error->column));
    out.diagnostic.emplace();
    out.diagnostic->kind = errc_name(out.code);
    out.diagnostic->message = error->message;
    out.diagnostic->column = error->column;
    out.diagnostic->text = out.message;
    return out;
  }
  return Signature(std::make_shared<const Impl>(Impl{std::get<ptc::Signature>(std::move(parsed))}));
}

Result<Signature> Signature::from_json_schema(std::string_view text) {
  auto read = ptc::signature_from_json_schema(text);
  if (const auto* const error = std::get_if<ptc::JsonSchemaError>(&read)) {
    const std::string place = error->pointer.empty() ? "" : "at " + error->pointer + ": ";
    return host_error(Errc::invalid_signature, place + error->message);
  }
  return Signature(std::make_shared<const Impl>(Impl{std::get<ptc::Signature>(std::move(read))}));
}

SignatureFit Signature::fit_result(Value value, std::string_view root) const {
  return fitted(std::move(value), [&](ptc::Heap& heap, ptc::Value taken) {
    return ptc::coerce_type(heap, impl_->signature.result, taken, root);
  });
}
SignatureFit Signature::fit_params(Value args, std::string_view root) const {
  return fitted(std::move(args), [&](ptc::Heap& heap, ptc::Value taken) {
    return ptc::bind_arguments(heap, impl_->signature, taken, root);
  });
}

std::string Signature::json_schema() const {
  return has_params() ? ptc::json_schema_of(impl_->signature) : result_schema();
}

std::string Signature::text() const { return ptc::render_signature(impl_->signature); }
bool Signature::has_params() const { return impl_->signature.has_params; }
std::vector<SignatureField> Signature::params() const { return fields_of(impl_->signature.params); }
std::string Signature::result_type() const { return ptc::render_type(impl_->signature.result); }
std::vector<SignatureField> Signature::result_fields() const { return fields_of(impl_->signature.result.fields); }
std::string Signature::result_example() const { return example_of(impl_->signature.result); }
std::string Signature::params_schema() const { return ptc::json_schema_of_params(impl_->signature); }
std::string Signature::result_schema() const { return ptc::json_schema_of(impl_->signature.result); }

std::optional<std::string> Signature::check_result(ValueView value, std::string_view root) const {
  ptc::Heap own;
  ptc::Heap* const heap = ValueAccess::heap(value);
  const auto mismatches =
      ptc::check_type(heap == nullptr ? own : *heap, impl_->signature.result, ValueAccess::word(value), root);
  if (mismatches.empty()) return std::nullopt;
  return ptc::mismatch_text(mismatches);
}

ValueResult Signature::bind_params(ValueView args, std::string_view root) const {
  auto bound = std::make_unique<Value::Impl>();
  auto result = ptc::bind_arguments(bound->heap, impl_->signature, imported(bound->heap, args), root);
  bound->root = result.value;
  Value value = ValueAccess::made(std::move(bound));
  if (!result.ok()) return host_error(Errc::invalid_value, ptc::mismatch_text(result.mismatches));
  return value;
}

}  // namespace ptcvm
