// Values against signatures. Recursion follows the type, whose depth is limited, never the value.
#include <algorithm>

#include "runtime/signature.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

using TypeKind = SignatureType::Kind;

std::string_view got_word(Value v) {
  if (v.is_integer()) return "int";
  if (v.is_float()) return "float";
  return type_word(v);
}

bool scalar_fits(TypeKind kind, Value v) {
  switch (kind) {
    case TypeKind::Any: return true;
    case TypeKind::String: return v.is_string();
    case TypeKind::Int: return v.is_integer();
    case TypeKind::Float: return v.is_number();
    case TypeKind::Bool: return v.is(Tag::True) || v.is(Tag::False);
    case TypeKind::Keyword: return v.is_keyword();
    case TypeKind::Date: return v.is(Tag::Date);
    case TypeKind::Datetime: return v.is(Tag::Instant);
    case TypeKind::Duration: return v.is(Tag::Duration);
    case TypeKind::Map:
    case TypeKind::Record: return v.is_map();
    case TypeKind::List: return v.is_vector();
  }
  return false;
}

std::string expected_word(const SignatureType& type) {
  switch (type.kind) {
    case TypeKind::List: return "list";
    case TypeKind::Record: return "map";
    default: break;
  }
  SignatureType plain;
  plain.kind = type.kind;
  return render_type(plain).substr(1);
}

class TypeChecker {
 public:
  TypeChecker(Heap& heap, std::string_view root, std::size_t max) : heap_(heap), path_(root), max_(max) {}

  void check(const SignatureType& type, Value value) {
    if (found_.size() >= max_ || (type.optional && value.is_nil())) return;
    if (!scalar_fits(type.kind, value)) {
      report("expected " + expected_word(type) + ", got " + std::string(got_word(value)));
      return;
    }
    if (type.kind == TypeKind::List) check_elements(type.element[0], value);
    if (type.kind == TypeKind::Record) check_fields(type.fields, value);
  }

  std::vector<SignatureMismatch> take() { return std::move(found_); }

 private:
  void report(std::string message) { found_.push_back({path_, std::move(message)}); }

  void check_elements(const SignatureType& type, Value vector) {
    const std::size_t path_size = path_.size();
    for (std::uint32_t i = 0, n = vector_count(vector); i < n && found_.size() < max_; ++i) {
      path_ += '[' + std::to_string(i) + ']';
      check(type, vector_at(vector, i));
      path_.resize(path_size);
    }
  }

  void check_fields(const std::vector<SignatureField>& fields, Value map) {
    const std::size_t path_size = path_.size();
    for (const SignatureField& field : fields) {
      path_ += '.' + field.name;
      const Value value = find(map, field.name);
      if (!value.is_absent()) {
        check(field.type, value);
      } else if (!field.type.optional && found_.size() < max_) {
        report("expected " + expected_word(field.type) + ", the field is missing");
      }
      path_.resize(path_size);
    }
  }

  Value find(Value map, const std::string& name) {
    const Value exact = map_find_flexible(heap_, map, Value::of(heap_.intern(name)));
    if (!exact.is_absent() || name.find('_') == std::string::npos) return exact;
    std::string hyphens = name;
    std::replace(hyphens.begin(), hyphens.end(), '_', '-');
    return map_find_flexible(heap_, map, Value::of(heap_.intern(hyphens)));
  }

  Heap& heap_;
  std::string path_;
  std::size_t max_;
  std::vector<SignatureMismatch> found_;
};

}  // namespace

std::vector<SignatureMismatch> check_type(Heap& heap, const SignatureType& type, Value value, std::string_view root,
                                          std::size_t max_mismatches) {
  TypeChecker checker(heap, root, max_mismatches);
  checker.check(type, value);
  return checker.take();
}

std::string mismatch_text(const std::vector<SignatureMismatch>& mismatches) {
  std::string text;
  for (const SignatureMismatch& mismatch : mismatches) {
    if (!text.empty()) text += "; ";
    text += mismatch.path + ": " + mismatch.message;
  }
  return text;
}

}  // namespace ptc
