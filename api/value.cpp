#include "ptcvm/value.hpp"

#include "api/errors.h"
#include "api/value_access.h"
#include "ptcvm/convert.hpp"
#include "runtime/text/edn.h"
#include "runtime/text/edn_json.h"
#include "runtime/text/json_value.h"

namespace ptcvm {

struct Value::Builder::State {
  std::unique_ptr<Value::Impl> value = std::make_unique<Value::Impl>();
  std::unique_ptr<ValueWriter::Impl> writer = std::make_unique<ValueWriter::Impl>(value->heap);
};

Value::Builder::Builder() : state_(std::make_unique<State>()) {}
Value::Builder::~Builder() = default;
ValueWriter& Value::Builder::writer() { return state_->writer->writer; }

Value Value::Builder::finish() {
  state_->value->root = state_->writer->finish();
  state_->writer.reset();
  return Value(std::move(state_->value));
}

std::string json_of_edn(std::string_view edn) { return ptc::json_of_edn(edn); }

Value::Value() = default;
Value::~Value() = default;
Value::Value(Value&& moved) noexcept = default;
Value& Value::operator=(Value&& moved) noexcept = default;
Value::Value(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ValueView Value::view() const& { return impl_ == nullptr ? ValueView() : ValueAccess::view(impl_->root, impl_->heap); }

Value Value::copy_of(ValueView value) {
  if (value.is_nil()) return {};
  auto impl = std::make_unique<Impl>();
  impl->root = imported(impl->heap, value);
  return Value(std::move(impl));
}

ValueResult Value::from_edn(std::string_view text) {
  auto impl = std::make_unique<Impl>();
  auto read = ptc::read_edn(impl->heap, text);
  if (const auto* error = std::get_if<ptc::TextError>(&read)) return text_error("EDN", text, *error);
  impl->root = std::get<ptc::Value>(read);
  return Value(std::move(impl));
}

ValueResult Value::from_json(std::string_view text) {
  auto impl = std::make_unique<Impl>();
  auto read = ptc::read_json(impl->heap, text);
  if (const auto* error = std::get_if<ptc::TextError>(&read)) return text_error("JSON", text, *error);
  impl->root = std::get<ptc::Value>(read);
  return Value(std::move(impl));
}

std::string Path::text() const {
  std::string out = parent == nullptr ? std::string() : parent->text();
  if (name.empty()) return out + '[' + std::to_string(index) + ']';
  if (!out.empty()) out += '.';
  return out += name;
}

Error expected(std::string_view what, ValueView got, const Path& at) {
  return host_error(Errc::invalid_value, at.text() + ": expected " + std::string(what) + ", got " +
                                             value_kind_name(got.kind()));
}

}  // namespace ptcvm
