// A list whose elements never move, found by index. An empty list takes no memory of its own, unlike a std::deque.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace ptc {

template <class T>
class StableList {
 public:
  template <class Place, class Element>
  class Walk {
   public:
    explicit Walk(Place place) : place_(place) {}
    Element& operator*() const { return **place_; }
    Walk& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Walk&) const = default;

   private:
    Place place_;
  };

  T& emplace_back() { return *elements_.emplace_back(std::make_unique<T>()); }
  std::size_t size() const { return elements_.size(); }
  T& operator[](std::size_t k) { return *elements_[k]; }
  const T& operator[](std::size_t k) const { return *elements_[k]; }
  auto begin() { return Walk<typename Elements::iterator, T>(elements_.begin()); }
  auto end() { return Walk<typename Elements::iterator, T>(elements_.end()); }
  auto begin() const { return Walk<typename Elements::const_iterator, const T>(elements_.begin()); }
  auto end() const { return Walk<typename Elements::const_iterator, const T>(elements_.end()); }

 private:
  using Elements = std::vector<std::unique_ptr<T>>;
  Elements elements_;
};

}  // namespace ptc
