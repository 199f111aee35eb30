#include "schema/flat_tree.h"

#include <flatbuffers/flatbuffers.h>

namespace ptc {
namespace {

using flatbuffers::TypeTable;

// Names of tools and tasks are stored once however often they occur; no more than that is shared.
constexpr std::uint64_t kMaxSharing = 16;

// Walks what the type tables describe; recursion is as deep as the schema nests tables. Every part is paid for out of
// the size of the buffer, so that a part that is reached again and again uses that up.
class FlatWalk {
 public:
  explicit FlatWalk(std::span<const std::uint8_t> bytes) : bytes_(bytes), left_(bytes.size() * kMaxSharing) {}

  bool run(const TypeTable* root) {
    std::uint64_t at = 0;
    return target(0, at) && table(at, root);
  }

 private:
  bool pay(std::uint64_t count) {
    if (count > left_) return false;
    left_ -= count;
    return true;
  }
  bool holds(std::uint64_t at, std::uint64_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  std::uint32_t word(std::uint64_t at, unsigned width) const {   // must hold
    std::uint32_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= std::uint32_t{bytes_[at + i]} << (8 * i);
    return value;
  }
  // Where the offset that lies at `at` leads.
  bool target(std::uint64_t at, std::uint64_t& out) const {
    if (!holds(at, 4)) return false;
    out = at + word(at, 4);
    return holds(out, 4);
  }

  bool table(std::uint64_t at, const TypeTable* type) {
    if (!holds(at, 4) || !pay(4)) return false;
    const std::int64_t layout = static_cast<std::int64_t>(at) - static_cast<std::int32_t>(word(at, 4));
    if (layout < 0 || !holds(static_cast<std::uint64_t>(layout), 4)) return false;
    const auto fields = static_cast<std::uint64_t>(layout);
    const std::uint64_t size = word(fields, 2);
    if (!holds(fields, size)) return false;
    for (std::size_t i = 0; i < type->num_elems && 4 + 2 * i + 2 <= size; ++i) {
      const std::uint32_t offset = word(fields + 4 + 2 * i, 2);
      if (offset != 0 && !field(at + offset, type, i)) return false;
    }
    return true;
  }

  bool field(std::uint64_t at, const TypeTable* owner, std::size_t index) {
    const flatbuffers::TypeCode code = owner->type_codes[index];
    const TypeTable* const type = code.sequence_ref < 0 ? nullptr : owner->type_refs[code.sequence_ref]();
    std::uint64_t to = 0;
    if (code.is_repeating != 0) return target(at, to) && list(to, code.base_type, type);
    if (code.base_type == flatbuffers::ET_STRING) return target(at, to) && text(to);
    if (code.base_type != flatbuffers::ET_SEQUENCE) return at % width_of(code.base_type, nullptr) == 0;
    if (type->st != flatbuffers::ST_TABLE) return true;
    return target(at, to) && table(to, type);
  }

  bool text(std::uint64_t at) {
    const std::uint64_t size = word(at, 4);
    return holds(at + 4, size) && pay(4 + size);
  }

  bool list(std::uint64_t at, unsigned base, const TypeTable* type) {
    const std::uint64_t count = word(at, 4), width = width_of(base, type);
    if (!holds(at + 4, count * width) || !pay(4 + count * width)) return false;
    if (base != flatbuffers::ET_SEQUENCE && (at + 4) % width != 0) return false;   // the verifier does not look
    const bool texts = base == flatbuffers::ET_STRING;
    const bool tables = base == flatbuffers::ET_SEQUENCE && type->st == flatbuffers::ST_TABLE;
    for (std::uint64_t i = 0; (texts || tables) && i < count; ++i) {
      std::uint64_t to = 0;
      if (!target(at + 4 + i * 4, to)) return false;
      if (!(texts ? text(to) : table(to, type))) return false;
    }
    return true;
  }

  static std::uint64_t width_of(unsigned base, const TypeTable* type) {
    switch (base) {
      case flatbuffers::ET_UTYPE:
      case flatbuffers::ET_BOOL:
      case flatbuffers::ET_CHAR:
      case flatbuffers::ET_UCHAR: return 1;
      case flatbuffers::ET_SHORT:
      case flatbuffers::ET_USHORT: return 2;
      case flatbuffers::ET_LONG:
      case flatbuffers::ET_ULONG:
      case flatbuffers::ET_DOUBLE: return 8;
      case flatbuffers::ET_SEQUENCE:   // a struct of ours has no field wider than 4 bytes
        if (type->st == flatbuffers::ST_STRUCT) return static_cast<std::uint64_t>(type->values[type->num_elems]);
        return 4;
      default: return 4;
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::uint64_t left_;
};

}  // namespace

bool is_flat_tree(std::span<const std::uint8_t> bytes, const TypeTable* root) {
  return bytes.size() <= kMaxFlatBytes && FlatWalk(bytes).run(root);
}

}  // namespace ptc
