// keywordize-keys and stringify-keys: the keys of every map at any depth; map keys themselves are not
// entered.
#include "vm/builtins/rewrite.h"
#include "vm/value/account.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

class Keywordizer final : public TreeRewriter {
 public:
  using TreeRewriter::TreeRewriter;

 protected:
  Value rewrite_key(Value key) override {
    if (!key.is_string() || string_view_of(key).empty()) return retained(key);
    account::text(2 * string_view_of(key).size());   // hashed and compared, or copied
    return Value::of(call_.heap.intern(string_view_of(key)));
  }
  Value rewrite_leaf(Value leaf) override { return retained(leaf); }
};

class Stringifier final : public TreeRewriter {
 public:
  using TreeRewriter::TreeRewriter;

 protected:
  Value rewrite_key(Value key) override {
    if (!key.is_keyword()) return retained(key);
    account::text(key.keyword->name().size());
    return string_of(call_.heap, key.keyword->name());
  }
  Value rewrite_leaf(Value leaf) override { return retained(leaf); }
};

}  // namespace

Value builtin_keywordize_keys(Call& call) {
  if (call.arg(0).is(Tag::Pending)) return call.type_error(1, "data");
  return Keywordizer(call).rewrite(call.arg(0));
}

Value builtin_stringify_keys(Call& call) {
  if (call.arg(0).is(Tag::Pending)) return call.type_error(1, "data");
  return Stringifier(call).rewrite(call.arg(0));
}

}  // namespace ptc
