#include <optional>

#include "agents/loop/program_text.h"
#include "agents/loop/prompt.h"

namespace ptcvm::loop {

namespace {

constexpr int kMostPreviewLevels = 12;

// Writes EDN until the text is long enough.
class PreviewWriter {
 public:
  explicit PreviewWriter(std::size_t most) : most_(most) {}

  void write(ValueView value, int level) {
    if (is_full()) return;
    if (level > kMostPreviewLevels) {
      text_ += "…";
      return;
    }
    switch (value.kind()) {
      case ValueKind::Map: return write_map(value, level);
      case ValueKind::Vector: return write_items(value, level, "[", "]");
      case ValueKind::Set: return write_items(value, level, "#{", "}");
      case ValueKind::String: return write_string(value.as_string().value_or(""));
      default: text_ += value.to_edn();
    }
  }
  std::string take() {
    if (text_.size() > most_) {
      text_.resize(whole_characters(text_, most_));
      text_ += "…";
    }
    return std::move(text_);
  }

 private:
  bool is_full() const { return text_.size() > most_; }
  void write_string(std::string_view text) { text_ += string_literal(text.substr(0, most_ + 8)); }
  void write_items(ValueView value, int level, std::string_view open, std::string_view close) {
    text_ += open;
    const bool is_vector = value.kind() == ValueKind::Vector;
    const std::vector<ValueView> members = is_vector ? std::vector<ValueView>() : value.items();
    for (std::size_t i = 0; i < value.size() && !is_full(); ++i) {
      if (i > 0) text_ += ' ';
      write(is_vector ? value[i] : members[i], level + 1);
    }
    text_ += close;
  }
  void write_map(ValueView value, int level) {
    text_ += '{';
    bool is_first = true;
    for (const ValueEntry& entry : value.entries()) {
      if (is_full()) break;
      if (!is_first) text_ += ' ';
      is_first = false;
      write(entry.key, level + 1);
      text_ += ' ';
      const auto name = entry.key.as_string() ? entry.key.as_string() : entry.key.as_keyword();
      if (name && name->starts_with('_')) {
        text_ += "(hidden)";
      } else {
        write(entry.value, level + 1);
      }
    }
    text_ += '}';
  }

  const std::size_t most_;
  std::string text_;
};

}  // namespace

std::string preview(ValueView value, std::size_t most) {
  PreviewWriter writer(most);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace ptcvm::loop
