// Tools: what programs may call. A tool has a name, a signature, and one of
//
//   a callable that takes what the signature says and returns a value
//       tools.add("add", "(a :int, b :int) -> :int", [](std::int64_t a, std::int64_t b) { return a + b; });
//   a callable that takes a ToolCall and gives a ToolReply: an answer, an error, or an operation that ends later
//       tools.add("page", "(to :string) -> :any", [](ToolCall& call) { return call.pending(); },
//                 {.mode = ToolMode::Async});
//   nothing: the call waits until the host answers it (Run::calls())
//       tools.defer("fetch", "(url :string) -> :string");
//
// Signatures are read once, when a tool is added. Arguments are held against them and converted where nothing is lost
// before the callable sees them, results before the program does; errors say where: "args.limit: expected int, got
// string". Names of arguments are strings here, and "-" in them is "_".
//
// Tools is a handle to a list that runs share. Adding to a list that a run uses makes a new list; the run keeps its
// own.
// One thread adds; any number of runs on any threads may call, so callables must be fit for that.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/convert.hpp"

namespace ptcvm {

// What may be done about a call of which nobody knows whether it happened, because its process died.
enum class Effect : std::uint8_t {
  Unsafe,         // a person has to say
  Pure,           // it has no effect: it is called again
  Idempotent,     // it may be called again
  Keyed,          // it may be called again with its idempotency key
  Reconcilable,   // it can be asked (ToolOptions::reconcile)
};

// Returns "unsafe", "pure", "idempotent", "keyed" or "reconcilable".
PTCVM_API std::string_view effect_name(Effect effect);
// Returns the effect of this name, or nullopt when no effect has the name.
PTCVM_API std::optional<Effect> find_effect(std::string_view name);

// When the program gets the answer.
enum class ToolMode : std::uint8_t {
  Sync,    // the call gives the answer
  Async,   // the call gives a handle at once, and the program awaits it
  Auto,    // the call gives the answer, and waits for it when it has to
};

// Attempts after errors, with growing pauses. A pause is the same for the same call: first_delay · factor^n, within
// max_delay, less a part of it that depends on the call (jitter 0.25: up to a quarter).
struct Retry {
  std::uint32_t max_attempts = 1;                                  // with the first one
  std::chrono::milliseconds first_delay{100}, max_delay{30'000};   // behind the first attempt; at most
  double factor = 2, jitter = 0.25;                                // from pause to pause; the part that differs
};

class ToolCall;
class ToolReply;

// What a reconcilable tool knows about a call that was begun.
struct Reconciled {
  enum class State : std::uint8_t { Unknown, Happened, DidNot };   // what the outside says
  State state = State::Unknown;                   // Unknown: a person has to say
  Value result = {};                              // when it happened
};

// What is known of a tool besides its signature.
struct ToolOptions {
  Effect effect = Effect::Unsafe;            // what may be done about a call in doubt
  ToolMode mode = ToolMode::Sync;            // when the program gets the answer
  bool cache = false;                        // equal arguments: the first good answer of the run is used again
  std::chrono::milliseconds deadline{0};     // of one call; 0: that of the run. See ToolCall::expired()
  Retry retry = {};                          // of calls that failed
  std::string description = {};                   // for people and models
  std::function<Reconciled(ToolCall&)> reconcile = {};   // Effect::Reconcilable: asked about a call in doubt
};

// A call, while its callable runs. Everything here is borrowed for that time, and used by its thread only.
class PTCVM_API ToolCall {
 public:
  struct Impl;   // of the library
  std::string_view name() const;
  ValueView args() const;                                 // a map with string keys
  ValueView arg(std::string_view name) const { return args()[name]; }   // nil when it is missing
  ValueView arg(std::size_t index) const;                 // in the order of the signature
  std::string_view arg_name(std::size_t index) const;     // "" beyond the signature

  std::string_view run_id() const;                        // RunOptions::id
  std::uint64_t turn() const;                             // of a session, from 1
  std::string_view task_id() const;                       // of the innermost open task, or ""
  std::string_view idempotency_key() const;               // the same when the program is run again: pass it on
  std::uint32_t attempt() const;                          // from 1

  // When the answer is of no use any more, and whether that is so now, or the run was stopped. A tool that sees it
  // gives up with timed_out().
  std::optional<std::chrono::steady_clock::time_point> deadline() const;
  bool expired() const;
  // What is there so far, for timed_out(). The last one counts.
  template <class T>
  void report_partial(const T& x) {
    partial_writer().write(x);
    finish_partial();
  }

  template <class T>
  ToolReply value(const T& x);                            // by Convert<T>, straight into the run's heap
  ToolReply value(Value&& x);                             // the same for a value that is there
  template <class F>
  ToolReply build(F&& fill);                              // fill(ValueWriter&)
  ToolReply error(std::string message) const;             // the program gets a tool_error
  ToolReply unknown(std::string message) const;           // nobody knows whether it happened: the effect class decides
  // The answer comes later, under that id (""; the run gives it one); progress is what the handle shows meanwhile.
  ToolReply pending(std::string operation_id = {}) const;
  ToolReply pending(std::string operation_id, ValueView progress, std::chrono::milliseconds ttl = {});
  ToolReply timed_out();                                  // {:status :timed-out :partial v}

  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;

 private:
  friend struct ToolAccess;
  explicit ToolCall(Impl& impl) : impl_(impl) {}
  ValueWriter& reply_writer();
  ToolReply finish_reply();
  ValueWriter& partial_writer();
  void finish_partial();
  Impl& impl_;
};

// What a callable says. Made by its ToolCall and used up by returning it.
class PTCVM_API ToolReply {
 public:
  struct Impl;   // of the library
  ToolReply(ToolReply&&) noexcept;
  ToolReply& operator=(ToolReply&&) noexcept;
  ~ToolReply();

 private:
  friend struct ToolAccess;
  explicit ToolReply(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

template <class T>
ToolReply ToolCall::value(const T& x) {
  reply_writer().write(x);
  return finish_reply();
}
template <class F>
ToolReply ToolCall::build(F&& fill) {
  fill(reply_writer());
  return finish_reply();
}

namespace detail {

template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<boost::system::result<T, Error>> : std::true_type {};

template <class T>
ToolReply reply_of(ToolCall& call, T&& answer) {
  using Answer = std::decay_t<T>;
  if constexpr (std::is_same_v<Answer, ToolReply>) {
    return std::move(answer);
  } else if constexpr (std::is_same_v<Answer, Value>) {
    return call.value(std::move(answer));
  } else if constexpr (IsResult<Answer>::value) {
    if (!answer) return call.error(answer.error().message);
    return reply_of(call, *std::move(answer));
  } else {
    return call.value(answer);
  }
}

// Calls f with the arguments of the signature, converted to what f takes.
template <class F, class R, class... Args>
ToolReply call_typed(F& f, ToolCall& call) {
  std::optional<Error> error;
  std::size_t index = 0;
  [[maybe_unused]] const auto argument = [&]<class T>(std::type_identity<T>) -> std::optional<T> {
    const Path root{nullptr, "args", 0};
    const std::size_t i = index++;
    if (error) return std::nullopt;
    auto read = Convert<T>::read(call.arg(i), Path{&root, call.arg_name(i), 0});
    if (read) return std::move(*read);
    error = std::move(read).error();
    return std::nullopt;
  };
  std::tuple<std::optional<std::decay_t<Args>>...> args{argument(std::type_identity<std::decay_t<Args>>())...};
  if (error) return call.error(std::move(error->message));
  return std::apply(
      [&](auto&... arg) {
        if constexpr (std::is_void_v<R>) {
          f(*std::move(arg)...);
          return call.value(nullptr);
        } else {
          return reply_of(call, f(*std::move(arg)...));
        }
      },
      args);
}

template <class F, class Call>
struct Typed;
template <class F, class C, class R, class... Args>
struct Typed<F, R (C::*)(Args...) const> {
  static constexpr std::size_t kCount = sizeof...(Args);
  static ToolReply call(F& f, ToolCall& c) { return call_typed<F, R, Args...>(f, c); }
};
template <class F, class C, class R, class... Args>
struct Typed<F, R (C::*)(Args...)> : Typed<F, R (C::*)(Args...) const> {};
template <class F, class R, class... Args>
struct Typed<F, R (*)(Args...)> {
  static constexpr std::size_t kCount = sizeof...(Args);
  static ToolReply call(F& f, ToolCall& c) { return call_typed<F, R, Args...>(f, c); }
};
template <class F>
auto call_operator() {
  if constexpr (std::is_pointer_v<F>) {
    return Typed<F, F>();
  } else {
    return Typed<F, decltype(&F::operator())>();
  }
}

}  // namespace detail

// What is known of a tool, for prompts and listings.
struct ToolInfo {
  std::string name, signature, description;   // as given
  Effect effect{};                            // as in ToolOptions
  ToolMode mode{};                            // as in ToolOptions
  bool deferred = false, cache = false;       // the host answers it; good answers are used again
};

// See the top of this file: a handle to a list.
class PTCVM_API Tools {
 public:
  struct Impl;   // of the library
  Tools();

  // A second tool of the same name replaces the first. invalid_signature: the message says where; invalid_value: the
  // callable takes another number of arguments than the signature. A signature may be "" for a callable that takes a
  // ToolCall, or nothing: then nothing is checked.
  template <class F>
  Result<void> add(std::string name, std::string_view signature, F callable, ToolOptions options = {}) {
    if constexpr (std::is_invocable_v<F&, ToolCall&>) {
      return add_handler(std::move(name), signature,
                         [f = std::move(callable)](ToolCall& call) mutable { return detail::reply_of(call, f(call)); },
                         std::move(options), kAnyCount);
    } else {
      using Call = decltype(detail::call_operator<F>());
      return add_handler(std::move(name), signature,
                         [f = std::move(callable)](ToolCall& call) mutable { return Call::call(f, call); },
                         std::move(options), Call::kCount);
    }
  }
  // A tool that the host answers itself: the run yields with the call as data.
  Result<void> defer(std::string name, std::string_view signature, ToolOptions options = {});

  // Returns a new list in which each callable is called through `around`. next() calls the callable and returns its
  // reply; `around` may act before and after, or give a reply of its own. Deferred tools and the functions in
  // ToolOptions::reconcile stay as they are.
  using Around = std::function<ToolReply(ToolCall&, const std::function<ToolReply()>& next)>;
  Tools wrapped(Around around) const;

  std::vector<ToolInfo> list() const;        // by name
  bool empty() const;                        // no tool was added

 private:
  friend struct ToolAccess;
  using Handler = std::function<ToolReply(ToolCall&)>;
  static constexpr std::size_t kAnyCount = SIZE_MAX;
  Result<void> add_handler(std::string name, std::string_view signature, Handler handler, ToolOptions options,
                           std::size_t count);
  std::shared_ptr<Impl> impl_;
};

}  // namespace ptcvm
