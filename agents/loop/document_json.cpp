#include "agents/loop/document_json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/mp11/algorithm.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "agents/loop/agent_state_described.h"

namespace ptcvm::loop {

namespace {

namespace json = boost::json;
using boost::describe::describe_members;
using boost::describe::mod_public;

template <class T>
using MembersOf = describe_members<T, mod_public>;

template <class Enum>
const char* const* enum_names() {
  if constexpr (std::is_same_v<Enum, state::TurnKind>) return state::EnumNamesTurnKind();
  if constexpr (std::is_same_v<Enum, state::OperationKind>) return state::EnumNamesOperationKind();
  if constexpr (std::is_same_v<Enum, state::Phase>) return state::EnumNamesPhase();
  if constexpr (std::is_same_v<Enum, state::AfterProgram>) return state::EnumNamesAfterProgram();
}

template <class T>
json::value face_of(const T& x);
template <class T>
json::value face_of(const std::unique_ptr<T>& x) {
  return x == nullptr ? json::value() : face_of(*x);
}
json::value face_of(const std::vector<std::uint8_t>& bytes) {
  return json::value(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
template <class T>
json::value face_of(const std::vector<T>& items) {
  json::array out;
  for (const T& item : items) out.push_back(face_of(item));
  return out;
}

// What is empty or zero is left out: people read what is there.
bool is_plain(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::uint64: return value.get_uint64() == 0;
    case json::kind::string: return value.get_string().empty();
    case json::kind::array: return value.get_array().empty();
    default: return false;
  }
}

template <class T>
json::value face_of(const T& x) {
  if constexpr (std::is_enum_v<T>) {
    return json::value(enum_names<T>()[static_cast<std::size_t>(x)]);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json::value(x);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return json::value(x);
  } else {
    json::object out;
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      json::value face = face_of(x.*member.pointer);
      if (!is_plain(face)) out[member.name] = std::move(face);
    });
    return out;
  }
}

// Reads members into a state. Keeps the name of the first member that has the wrong type or that nobody knows.
class FaceReader {
 public:
  template <class T>
  void read(const json::value& face, T& x) {
    if constexpr (std::is_enum_v<T>) {
      read_enum(face, x);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!face.is_string()) return wrong();
      x = std::string_view(face.get_string());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!face.is_bool()) return wrong();
      x = face.get_bool();
    } else if constexpr (std::is_arithmetic_v<T>) {
      boost::system::error_code error;
      x = face.to_number<T>(error);
      if (error) wrong();
    } else {
      read_struct(face, x);
    }
  }
  template <class T>
  void read(const json::value& face, std::unique_ptr<T>& x) {
    x = std::make_unique<T>();
    read(face, *x);
  }
  void read(const json::value& face, std::vector<std::uint8_t>& bytes) {
    if (!face.is_string()) return wrong();
    bytes.assign(face.get_string().begin(), face.get_string().end());
  }
  template <class T>
  void read(const json::value& face, std::vector<T>& items) {
    if (!face.is_array()) return wrong();
    for (const json::value& item : face.get_array()) {
      items.emplace_back();
      read(item, items.back());
    }
  }
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  void wrong() {
    if (!fault_) fault_ = at_;
  }
  template <class T>
  void read_enum(const json::value& face, T& x) {
    if (!face.is_string()) return wrong();
    for (std::size_t i = 0; enum_names<T>()[i] != nullptr; ++i) {
      if (face.get_string() != enum_names<T>()[i]) continue;
      x = static_cast<T>(i);
      return;
    }
    wrong();
  }
  template <class T>
  void read_struct(const json::value& face, T& x) {
    if (!face.is_object()) return wrong();
    for (const auto& entry : face.get_object()) {
      bool is_known = false;
      at_ = entry.key();
      boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
        if (is_known || entry.key() != member.name) return;
        is_known = true;
        read(entry.value(), x.*member.pointer);
      });
      if (!is_known) wrong();
    }
  }

  std::string at_;
  std::optional<std::string> fault_;
};

}  // namespace

std::string write_document_json(const state::DocumentT& document) { return json::serialize(face_of(document)); }

Result<std::unique_ptr<state::DocumentT>> read_document_json(std::string_view text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 256;
  const json::value face = json::parse(text, error, {}, options);
  auto document = std::make_unique<state::DocumentT>();
  FaceReader reader;
  if (!error) reader.read(face, *document);
  if (!error && !reader.fault()) return document;
  return Error{Errc::invalid_snapshot,
               error ? "the document of the agent is no JSON: " + error.message()
                     : "the document of the agent has a wrong member \"" + *reader.fault() + "\"",
               std::nullopt, {}};
}

}  // namespace ptcvm::loop
