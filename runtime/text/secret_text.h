// Holds text with secrets for a moment, and the memory of a JSON parser that reads the text. Both are zeroed when
// freed.
// Hazard: a string that grows leaves its old memory behind. Reserve first.
#pragma once
#include <boost/json/memory_resource.hpp>
#include <string>

namespace ptc {

// Hazard: a string that grows leaves its old memory behind. Reserve first.
class SecretText {
 public:
  explicit SecretText(std::size_t bytes) { text.reserve(bytes); }
  explicit SecretText(std::string taken) : text(std::move(taken)) {}
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;
  ~SecretText();

  std::string text;
};

class SecretMemory final : public boost::json::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace ptc
