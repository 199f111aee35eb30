#include "api/callable_fit.h"

#include <algorithm>
#include <optional>

namespace ptcvm {
namespace {

using TypeKind = ptc::SignatureType::Kind;
using ShapeKind = ValueShape::Kind;

const char* shape_name(ShapeKind shape) {
  switch (shape) {
    case ShapeKind::Any: return "any value";
    case ShapeKind::Bool: return "a bool";
    case ShapeKind::Int: return "an integer";
    case ShapeKind::Float: return "a floating-point number";
    case ShapeKind::String: return "a string";
    case ShapeKind::Enum: return "an enumerator";
    case ShapeKind::List: return "a list";
    case ShapeKind::Map: return "a map";
    case ShapeKind::Record: return "a struct";
  }
  return "any value";
}

// Returns whether some value of this kind has this shape; parts of the value are not looked at.
bool may_have_shape(TypeKind kind, ShapeKind shape) {
  switch (kind) {
    case TypeKind::Any: return true;
    case TypeKind::Bool: return shape == ShapeKind::Bool;
    case TypeKind::Int: return shape == ShapeKind::Int || shape == ShapeKind::Float;
    case TypeKind::Float: return shape == ShapeKind::Float;
    case TypeKind::String: return shape == ShapeKind::String || shape == ShapeKind::Enum;
    case TypeKind::Keyword: return shape == ShapeKind::Enum;
    case TypeKind::List: return shape == ShapeKind::List;
    case TypeKind::Map:
    case TypeKind::Record: return shape == ShapeKind::Map || shape == ShapeKind::Record;
    case TypeKind::Date:
    case TypeKind::Datetime:
    case TypeKind::Duration: return false;             // a ValueView reads them
  }
  return true;
}

// Returns the shape of a field of a map or a struct, or nullopt when the callable does not read the field.
std::optional<ValueShape> shape_of_field(const ValueShape& shape, std::string_view name) {
  if (shape.kind == ShapeKind::Map) return shape.element();
  const auto* const end = shape.fields + shape.field_count;
  const auto* const found = std::find_if(shape.fields, end, [name](const ShapeField& field) {
    return ptc::same_field_name(field.name, name);
  });
  return found == end ? std::nullopt : std::optional(found->shape());
}

std::string misfit_of(const ptc::SignatureType& type, const ValueShape& shape, const std::string& path);

std::string misfit_of_fields(const ptc::SignatureType& type, const ValueShape& shape, const std::string& path) {
  for (const ptc::SignatureField& field : type.fields) {
    const auto read = shape_of_field(shape, field.name);
    std::string misfit = read ? misfit_of(field.type, *read, path + '.' + field.name) : "";
    if (!misfit.empty()) return misfit;
  }
  return {};
}

// The depth of a signature bounds the recursion.
std::string misfit_of(const ptc::SignatureType& type, const ValueShape& shape, const std::string& path) {
  if (shape.kind == ShapeKind::Any) return {};
  if (!may_have_shape(type.kind, shape.kind)) {
    return path + " is " + render_type(type) + ", and its callable takes " + shape_name(shape.kind);
  }
  if (type.optional && !shape.takes_nil) {
    return path + " is " + render_type(type) + " and may be nil or missing, and its callable takes " +
           shape_name(shape.kind) + "; write std::optional";
  }
  if (type.kind == TypeKind::List) return misfit_of(type.element.front(), shape.element(), path + "[]");
  return misfit_of_fields(type, shape, path);
}

}  // namespace

std::string misfit_of(const std::vector<ptc::SignatureField>& params, std::span<const ValueShape> shapes) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    std::string misfit = misfit_of(params[i].type, shapes[i], "args." + params[i].name);
    if (!misfit.empty()) return misfit;
  }
  return {};
}

}  // namespace ptcvm
