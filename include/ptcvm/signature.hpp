// Signatures as data: what the text of a signature says, checks of values against it, and its JSON Schema.
//
//   auto signature = ptcvm::Signature::parse("(id :int) -> {name :string}");
//   auto wrong = signature->check_result(value);           // "return.name: expected string, got int"
//
// A Signature is a handle: copies are cheap, and any number of threads may use them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/value.hpp"

namespace ptcvm {

// A parameter or a field, with its type as text.
struct SignatureField {
  std::string name, type;       // as the signature has them: "limit", ":int?"
  bool is_optional = false;     // true when the field may be missing
};

// A part of a value that does not fit a signature.
struct SignatureMismatch {
  std::string path, message;    // "return.items[2].id"; "expected int, got string"
};

// What became of a value that was to fit a signature.
struct SignatureFit {
  Value value;                                  // the value, converted where nothing is lost
  std::vector<SignatureMismatch> mismatches;    // empty when the value fits; else the value is unchanged
  bool is_changed = false;                      // whether something was converted
};

// A signature that was read.
class PTCVM_API Signature {
 public:
  struct Impl;   // internal
  // Reads "(a :int) -> :string" or a type alone. Error: invalid_signature. The message says where; the diagnostic has
  // the message alone, and the column.
  static Result<Signature> parse(std::string_view text);
  // Reads JSON Schema, or the definition of a tool that has schemas. Error: invalid_signature; the message begins with
  // the place, "at /properties/a: ", unless the whole document is wrong.
  static Result<Signature> from_json_schema(std::string_view text);

  std::string text() const;                        // returns the signature in its usual form
  bool has_params() const;                         // returns whether the signature has "(…) ->"
  std::vector<SignatureField> params() const;      // returns the parameters in their order
  std::string result_type() const;                 // returns the type of the result: "{name :string}"
  std::vector<SignatureField> result_fields() const;   // returns the fields of a result that is a record
  // Returns a value that fits the type of the result, as EDN, for examples: {:name "…"}.
  std::string result_example() const;

  // Return what is wrong with a value, each with its path and with "; " between them, or nullopt when it fits.
  std::optional<std::string> check_result(ValueView value, std::string_view root = "return") const;
  // Returns the arguments with string keys and "_" in place of "-", converted where nothing is lost. Error:
  // invalid_value with the path of what does not fit.
  ValueResult bind_params(ValueView args, std::string_view root = "args") const;

  // Convert a value to the type of the result, or arguments to the parameters, and say what does not fit. Paths begin
  // with `root`.
  SignatureFit fit_result(Value value, std::string_view root = "return") const;
  SignatureFit fit_params(Value args, std::string_view root = "args") const;

  // Return JSON Schema (draft 2020-12) as text. json_schema() is {"inputSchema":…,"outputSchema":…} for a signature
  // with parameters, else the schema of the type.
  std::string json_schema() const;
  std::string params_schema() const;
  std::string result_schema() const;

 private:
  explicit Signature(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ptcvm
