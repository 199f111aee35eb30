// Walks a value along a type, finds mismatches, and converts on the way when the caller wants that.
//
// Recursion follows the type, whose depth is limited, never the value. Values are DAGs. A part that many others share
// is visited once for each type that it is compared with (after kFreeVisits) and converted once, so work and memory
// stay linear in the value. The path is a stack of places; only mismatches turn it into text.
#pragma once
#include <map>
#include <utility>

#include "runtime/signature/coercion.h"
#include "vm/value/visited_pairs.h"

namespace ptc {

class TypeWalk {
 public:
  enum class Mode : std::uint8_t { Check, Convert };

  TypeWalk(Heap& heap, std::string_view root, Mode mode, std::size_t max_mismatches)
      : heap_(heap), root_(root), mode_(mode), max_(max_mismatches) {}
  ~TypeWalk();
  TypeWalk(const TypeWalk&) = delete;
  TypeWalk& operator=(const TypeWalk&) = delete;

  // Returns Absent when nothing changes, else an owned value. Borrows the value. The result is meaningless when there
  // are mismatches.
  Value walk(const SignatureType& type, Value value);
  Value walk_arguments(const std::vector<SignatureField>& params, Value map);

  std::vector<SignatureMismatch> take_mismatches() { return std::move(found_); }

 private:
  struct Place {
    std::string_view name;       // the name of a field; "" for an element
    std::uint32_t index;
  };
  // The fields of one type: their names as keywords, and their places in the keys of the last map. Lists of records
  // mostly have the same keys all along.
  struct KnownFields {
    std::vector<Value> names;
    KeyArray* keys = nullptr;    // owned
    std::vector<std::uint32_t> places;   // for each field, its index in keys, or kNowhere
    std::vector<std::uint32_t> fitting;  // for each field, a bit for each tag of values that stay as they are
  };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  using Visit = std::pair<const SignatureType*, const Object*>;

  Value walk_scalar(const SignatureType& type, Value value);
  Value walk_collection(const SignatureType& type, Value value);
  Value walk_shared(const SignatureType& type, Value value);
  Value walk_elements(const SignatureType& element, Value vector);
  Value walk_element(const SignatureType& element, Value vector, std::uint32_t i, Value changed);
  bool is_known_record(const KnownFields& known, Value value) const;
  Value walk_fields(const std::vector<SignatureField>& fields, Value map);
  KnownFields& known_fields(const std::vector<SignatureField>& fields);
  void find_places(const std::vector<SignatureField>& fields, Value map, KeyArray* keys, KnownFields& known);
  Value find(Value map, const std::string& name, Value keyword, Value* found_key);
  void refuse_unknown(const std::vector<SignatureField>& params, Value map);

  bool is_full() const { return found_.size() >= max_; }
  void report(std::string message, std::string found = {});
  void report_kind(const SignatureType& type, Value value);
  void report_at(std::string_view name, std::string message);

  Heap& heap_;
  std::string_view root_;
  Mode mode_;
  std::size_t max_;
  std::vector<Place> path_;
  std::vector<SignatureMismatch> found_;
  VisitedPairs visited_;
  // The map is only searched, so the order of addresses does not matter.
  std::map<Visit, Value> converted_;     // owned
  std::map<const std::vector<SignatureField>*, KnownFields> fields_;
};

}  // namespace ptc
