// The one door between public values and values of the machine. A ValueView is the two words of a ptc::Value, and its
// heap.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ptcvm/value.hpp"
#include "runtime/text/value_builder.h"
#include "vm/value/heap.h"

namespace ptcvm {

// What a ValueWriter writes into: a builder over some heap, with the keys that were written before.
struct PTCVM_HIDDEN ValueWriter::Impl {
  explicit Impl(ptc::Heap& h) : heap(h), builder(h), writer(*this) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ptc::Value finish();                   // what was written, owned by the caller; ready for the next value

  struct KnownKey {
    std::string name;
    ptc::Value value;                    // owned
  };
  ptc::Heap& heap;
  ptc::ValueBuilder builder;
  struct KnownRecord {
    std::span<const std::string_view> names;   // static
    ptc::MapShape shape;
  };
  struct OpenCollection {
    ptc::ValueBuilder::Shape shape;
    KnownRecord* record;                 // null: none, or an ordinary map
  };
  std::vector<OpenCollection> open;
  std::vector<std::unique_ptr<KnownRecord>> records;
  std::vector<KnownKey> keys;            // records repeat their keys, in the same order
  std::size_t next_key = 0;              // where the next one is likely to be
  ValueWriter writer;
};

struct PTCVM_HIDDEN Value::Impl {
  ptc::Heap heap;
  ptc::Value root = ptc::Value::nil();   // owned
};

struct ValueAccess {
  static ValueView view(ptc::Value borrowed, ptc::Heap& heap) {
    ValueView view;
    view.tag_ = static_cast<std::uint64_t>(borrowed.tag);
    view.bits_ = borrowed.bits;
    view.heap_ = &heap;
    return view;
  }
  static ptc::Value word(const ValueView& view) {   // borrowed
    ptc::Value value = ptc::Value::nil();
    value.tag = static_cast<ptc::Tag>(view.tag_);
    value.bits = view.bits_;
    return value;
  }
  // Returns null for a default view, which is nil.
  static ptc::Heap* heap(const ValueView& view) { return static_cast<ptc::Heap*>(view.heap_); }
  static Value made(std::unique_ptr<Value::Impl> impl) { return Value(std::move(impl)); }
  // Returns the heap and the root of the value, which is nil afterwards.
  static std::unique_ptr<Value::Impl> taken(Value&& value) {
    return value.impl_ == nullptr ? std::make_unique<Value::Impl>() : std::move(value.impl_);
  }
};

// Returns a copy as a value of that heap, owned by the caller.
ptc::Value imported(ptc::Heap& heap, const ValueView& view);

}  // namespace ptcvm
