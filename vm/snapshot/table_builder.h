// Builds the tables of a snapshot: texts and lists that are left out when they are empty, and a list of bytes that are
// elsewhere.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot_generated.h"

namespace ptc {

class TableBuilder {
 public:
  using Text = flatbuffers::Offset<flatbuffers::String>;
  template <class T>
  using List = flatbuffers::Offset<flatbuffers::Vector<T>>;

  // Forgets what was built, and takes room for so many bytes.
  void begin(std::size_t likely_size) { builder_ = flatbuffers::FlatBufferBuilder(likely_size); }
  flatbuffers::FlatBufferBuilder& builder() { return builder_; }
  std::span<const std::uint8_t> bytes() const { return {builder_.GetBufferPointer(), builder_.GetSize()}; }

  Text text(std::string_view s) { return s.empty() ? Text() : builder_.CreateString(s.data(), s.size()); }
  // Names that occur again and again are stored once. Long ones are not: read so often they would look like an attack
  // (schema/flat_tree.h).
  Text shared_text(std::string_view s) {
    constexpr std::size_t kLongest = 64;
    if (s.empty()) return Text();
    return s.size() > kLongest ? builder_.CreateString(s.data(), s.size())
                               : builder_.CreateSharedString(s.data(), s.size());
  }
  List<std::uint8_t> byte_list(std::span<const std::uint8_t> bytes) {
    return bytes.empty() ? List<std::uint8_t>() : builder_.CreateVector(bytes.data(), bytes.size());
  }
  template <class T, class Make>
  auto list(const std::vector<T>& items, Make make) {
    using Item = decltype(make(items.front()));
    std::vector<Item> made;
    made.reserve(items.size());
    for (const T& item : items) made.push_back(make(item));
    return made.empty() ? List<Item>() : builder_.CreateVector(made);
  }
  List<Text> texts(const std::vector<std::string>& items) {
    return list(items, [this](const std::string& s) { return builder_.CreateString(s); });
  }

  // Makes a list of so many bytes that are elsewhere. Nobody writes to its place, so it takes no memory of the machine.
  List<std::uint8_t> hole(std::size_t size) {
    std::uint8_t* place = nullptr;
    const auto made = builder_.CreateUninitializedVector<std::uint8_t>(size, &place);
    hole_bytes_ = size;
    bytes_behind_ = builder_.GetSize() - sizeof(flatbuffers::uoffset_t) - size;
    return made;
  }
  // Return what was built before and behind the hole.
  std::span<const std::uint8_t> before_hole() const {
    return bytes().first(bytes().size() - hole_bytes_ - bytes_behind_);
  }
  std::span<const std::uint8_t> behind_hole() const { return bytes().last(bytes_behind_); }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  std::size_t hole_bytes_ = 0, bytes_behind_ = 0;
};

}  // namespace ptc
