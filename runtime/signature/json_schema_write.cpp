#include <algorithm>

#include "runtime/text/json_text.h"
#include "runtime/signature/json_schema.h"

namespace ptc {
namespace {

using TypeKind = SignatureType::Kind;

struct SchemaNames {
  std::string_view type;       // "" allows everything
  std::string_view format;     // may be empty
};

SchemaNames schema_names_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::Any: return {"", ""};
    case TypeKind::String: return {"string", ""};
    case TypeKind::Int: return {"integer", ""};
    case TypeKind::Float: return {"number", ""};
    case TypeKind::Bool: return {"boolean", ""};
    case TypeKind::Keyword: return {"string", "keyword"};
    case TypeKind::Date: return {"string", "date"};
    case TypeKind::Datetime: return {"string", "date-time"};
    case TypeKind::Duration: return {"string", "duration"};
    case TypeKind::List: return {"array", ""};
    case TypeKind::Map:
    case TypeKind::Record: return {"object", ""};
  }
  return {"", ""};
}

class SchemaWriter {
 public:
  explicit SchemaWriter(bool names_cross) : names_cross_(names_cross) {}

  void append_type(const SignatureType& type) {
    const SchemaNames names = schema_names_of(type.kind);
    if (names.type.empty()) {
      out_ += type.optional ? R"({"anyOf":[{},{"type":"null"}]})" : "{}";
      return;
    }
    out_ += R"({"type":)";
    if (type.optional) {
      out_ += "[\"" + std::string(names.type) + R"(","null"])";
    } else {
      out_ += '"' + std::string(names.type) + '"';
    }
    if (!names.format.empty()) out_ += R"(,"format":")" + std::string(names.format) + '"';
    if (type.kind == TypeKind::List) {
      out_ += R"(,"items":)";
      append_type(type.element[0]);
    }
    if (type.kind == TypeKind::Record) append_fields(type.fields, true);
    out_ += '}';
  }

  void append_params(const std::vector<SignatureField>& params) {
    out_ += R"({"type":"object")";
    append_fields(params, false);
    out_ += '}';
  }

  std::string take() { return std::move(out_); }

 private:
  void append_name(std::string name) {
    if (names_cross_) std::replace(name.begin(), name.end(), '-', '_');
    append_json_string(out_, name);
  }

  // The rest of an object that has begun.
  void append_fields(const std::vector<SignatureField>& fields, bool takes_more) {
    out_ += R"(,"properties":{)";
    bool any_required = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) out_ += ',';
      append_name(fields[i].name);
      out_ += ':';
      if (fields[i].type.kind == TypeKind::Any) {     // may be nil in any case
        out_ += "{}";
      } else {
        append_type(fields[i].type);
      }
      any_required = any_required || !fields[i].type.optional;
    }
    out_ += '}';
    if (any_required) append_required(fields);
    out_ += takes_more ? R"(,"additionalProperties":true)" : R"(,"additionalProperties":false)";
  }

  void append_required(const std::vector<SignatureField>& fields) {
    const char* before = R"(,"required":[)";
    for (const SignatureField& field : fields) {
      if (field.type.optional) continue;
      out_ += before;
      append_name(field.name);
      before = ",";
    }
    out_ += ']';
  }

  bool names_cross_;
  std::string out_;
};

}  // namespace

std::string json_schema_of(const SignatureType& type) {
  SchemaWriter writer(false);
  writer.append_type(type);
  return writer.take();
}

std::string json_schema_of_params(const Signature& signature) {
  SchemaWriter writer(true);
  writer.append_params(signature.params);
  return writer.take();
}

std::string json_schema_of(const Signature& signature) {
  std::string text = "{";
  if (signature.has_params) text += R"("inputSchema":)" + json_schema_of_params(signature) + ',';
  return text + R"("outputSchema":)" + json_schema_of(signature.result) + '}';
}

}  // namespace ptc
