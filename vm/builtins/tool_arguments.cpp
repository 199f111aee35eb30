// What a tool call hands to the host: data only, string keys with "-" turned into "_", sets as vectors.
// Keyword values and dates stay values; they become text where the host's format has no such kind.
#include <algorithm>
#include <string>

#include "vm/builtins/complaint.h"
#include "vm/builtins/rewrite.h"
#include "vm/builtins/text.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class ArgumentConverter final : public TreeRewriter {
 public:
  using TreeRewriter::TreeRewriter;

 protected:
  Value rewrite_key(Value key) override {
    ScratchText text(call_.heap);
    if (key.is_keyword()) {
      text.assign(key.keyword->name());
    } else if (key.is_string()) {
      text.assign(string_view_of(key));
    } else {
      const std::size_t limit = static_cast<std::size_t>(call_.env.limits.string_bytes);
      std::string readable;
      bool truncated = false;
      append_readable(readable, key, call_.heap, {limit, &truncated});
      if (truncated && !check_text_size(call_, limit + 1)) return Value::absent();
      text.assign(readable);
    }
    account::text(4 * text.size());
    if (key.is_keyword() || key.is_string()) std::replace(text.data(), text.data() + text.size(), '-', '_');
    return string_of(call_.heap, text);
  }

  Value rewrite_leaf(Value leaf) override {
    if (leaf.is(Tag::Pending)) {
      const std::string id(static_cast<const Pending*>(leaf.object)->id->view());
      return call_.fail(FaultKind::PendingInToolArgs,
                        "arg " + path() + " is a pending operation (" + id + "); await it first",
                        "await it first, or pass (pending-id h)");
    }
    const bool is_code =
        leaf.is_function() || leaf.is(Tag::Regex) || leaf.is(Tag::Var) || leaf.is(Tag::Hidden);
    if (!is_code) return retained(leaf);
    const std::string kind = leaf.is_function() ? "functions" : leaf.is(Tag::Regex) ? "regexes" : "vars";
    return call_.fail(FaultKind::InvalidToolArgs,
                      "arg " + path() + ": " + kind + " cannot be passed to tools");
  }

  Value finish_set(std::vector<Value>& taken_items) override { return vector_of(call_.heap, taken_items); }

  // Two different keys must not turn into one argument.
  bool accept_keys(const std::vector<Value>& keys) override {
    Owned seen(call_.heap, set_empty(call_.heap));
    for (const Value key : keys) {
      work_done(1);
      if (set_contains(seen.get(), key)) {
        call_.fail(FaultKind::InvalidToolArgs, "two keys give the same argument name " + shown(call_, key));
        return false;
      }
      seen.reset(set_add(call_.heap, seen.take(), retained(key)));
    }
    return true;
  }
};

}  // namespace

Value builtin_h_tool_args(Call& call) {
  const Value arguments = call.arg(0);
  if (arguments.is_nil()) return map_empty(call.heap);
  if (arguments.is_map()) return ArgumentConverter(call).rewrite(arguments);
  std::string hint = "Got " + shown(call, arguments) + " — wrap in {:key value}";
  return call.fail(FaultKind::InvalidToolArgs,
                   "Tool calls require named arguments. Use (tool/n {:key value}), not positional args.",
                   std::move(hint));
}

}  // namespace ptc
