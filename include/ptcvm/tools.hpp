// Tools are the functions of the host that programs may call. A tool has a name, a signature, and one of
//
//   a callable that takes the arguments of the signature and returns a value
//       tools.add("add", "(a :int, b :int) -> :int", [](std::int64_t a, std::int64_t b) { return a + b; });
//   a callable that takes a ToolCall and returns a ToolReply: an answer, an error, or an operation that ends later
//       tools.add("page", "(to :string) -> :any", [](ToolCall& call) { return call.pending(); },
//                 {.mode = ToolMode::Async});
//   no callable: the call waits until the host answers it (Run::calls())
//       tools.defer("fetch", "(url :string) -> :string");
//
// add() reads the signature. The run checks arguments before the callable sees them, and results before the program
// sees them, and converts values where nothing is lost. Errors say where: "args.limit: expected int, got string". The
// names of arguments are strings for the callable, with "_" in place of "-".
//
// Tools is a handle to a list that runs share. Adding to a list that a run uses makes a new list; the run keeps its
// own.
// One thread adds tools. Any number of runs on any threads may call them, so callables must allow concurrent calls.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/convert.hpp"

namespace ptcvm {

// Says what the engine may do about a call that may or may not have happened, because its process died.
enum class Effect : std::uint8_t {
  Unsafe,         // a person must say whether the call happened
  Pure,           // the tool has no effect; the engine calls it again
  Idempotent,     // the engine may call the tool again
  Keyed,          // the engine may call the tool again with the same idempotency key
  Reconcilable,   // the engine asks ToolOptions::reconcile
};

// Returns "unsafe", "pure", "idempotent", "keyed" or "reconcilable".
PTCVM_API std::string_view effect_name(Effect effect);
// Returns the effect of this name, or nullopt when no effect has the name.
PTCVM_API std::optional<Effect> find_effect(std::string_view name);

// Says when the program gets the answer.
enum class ToolMode : std::uint8_t {
  Sync,    // the call gives the answer
  Async,   // the call gives a handle at once, and the program awaits the handle
  Auto,    // the call gives the answer, and waits when the answer comes later
};

// Says how often a failed call is tried, with growing pauses. The pause is first_delay · factor^n, at most max_delay,
// minus a part that depends on the call (up to a quarter when jitter is 0.25). The same call has the same pauses.
struct Retry {
  std::uint32_t max_attempts = 1;                                  // counts the first attempt, too
  std::chrono::milliseconds first_delay{100}, max_delay{30'000};   // the first pause; the longest pause
  double factor = 2, jitter = 0.25;                                // the growth of the pause; the part that varies
};

class ToolCall;
class ToolReply;

// Says what a reconcilable tool knows about a call in doubt.
struct Reconciled {
  enum class State : std::uint8_t { Unknown, Happened, DidNot };   // the answer of the other side
  State state = State::Unknown;                   // Unknown: a person must say
  Value result = {};                              // the answer of the call, when the call happened
  std::string reason = {};                        // Unknown: says why nothing is known, for the person; may be ""
};

// Says how a tool is called.
struct ToolOptions {
  Effect effect = Effect::Unsafe;            // what the engine may do about a call in doubt
  ToolMode mode = ToolMode::Sync;            // when the program gets the answer
  bool cache = false;                        // true: equal arguments get the first good answer of the run again
  std::chrono::milliseconds deadline{0};     // the time for one call; 0: the time of the run. See ToolCall::expired()
  Retry retry = {};                          // how often a failed call is tried
  std::string description = {};                   // for people and models
  std::function<Reconciled(ToolCall&)> reconcile = {};   // Effect::Reconcilable: says whether a call in doubt happened
  // false: the signature is any text, for people and models; the engine does not read it, and the callable checks its
  // arguments itself. A snapshot is restored only with the same text.
  bool checks_signature = true;
};

// One call, while its callable runs. All texts and views are valid until the callable returns, in its thread only.
class PTCVM_API ToolCall {
 public:
  struct Impl;   // internal
  std::string_view name() const;
  ValueView args() const;                                 // returns a map with string keys
  ValueView arg(std::string_view name) const { return args()[name]; }   // returns nil when the argument is missing
  ValueView arg(std::size_t index) const;                 // counts in the order of the signature, from 0
  std::string_view arg_name(std::size_t index) const;     // returns "" beyond the signature

  std::string_view run_id() const;                        // returns RunOptions::id
  std::uint64_t turn() const;                             // returns the turn of the session, from 1
  std::string_view task_id() const;                       // returns the id of the innermost open task, or ""
  std::string_view idempotency_key() const;               // stays the same when the call is made again; pass it on
  std::uint32_t attempt() const;                          // counts from 1
  std::uint64_t fencing_token() const;                    // see WaitingCall::fencing_token; 0 without a store

  // deadline() returns the time at which the answer becomes useless. expired() returns whether that time is over or the
  // run was stopped. A tool that sees this gives up with timed_out().
  std::optional<std::chrono::steady_clock::time_point> deadline() const;
  bool expired() const;
  // Keeps a partial answer for timed_out(). The last partial answer counts.
  template <class T>
  void report_partial(const T& x) {
    partial_writer().write(x);
    finish_partial();
  }

  template <class T>
  ToolReply value(const T& x);                            // answers with Convert<T>, written into the heap of the run
  ToolReply value(Value&& x);                             // answers with a value that exists
  template <class F>
  ToolReply build(F&& fill);                              // answers with the value that fill(ValueWriter&) writes
  ToolReply error(std::string message) const;             // fails: the program gets a tool_error
  ToolReply unknown(std::string message) const;           // says that the call may have happened; the effect decides
  // Says that the answer comes later, under that id. The id "" lets the run choose one. The handle shows progress.
  ToolReply pending(std::string operation_id = {}) const;
  ToolReply pending(std::string operation_id, ValueView progress, std::chrono::milliseconds ttl = {});
  ToolReply timed_out();                                  // answers {:status :timed-out :partial v}

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

// The reply of a callable. The ToolCall makes it, and the callable returns it.
class PTCVM_API ToolReply {
 public:
  struct Impl;   // internal
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

// Calls f with the arguments of the signature, converted to the types that f takes.
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
  static std::array<ValueShape, sizeof...(Args)> shapes() { return {shape_of<std::decay_t<Args>>()...}; }
  static ToolReply call(F& f, ToolCall& c) { return call_typed<F, R, Args...>(f, c); }
};
template <class F, class C, class R, class... Args>
struct Typed<F, R (C::*)(Args...)> : Typed<F, R (C::*)(Args...) const> {};
template <class F, class R, class... Args>
struct Typed<F, R (*)(Args...)> {
  static std::array<ValueShape, sizeof...(Args)> shapes() { return {shape_of<std::decay_t<Args>>()...}; }
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

// Describes a tool, for prompts and listings.
struct ToolInfo {
  std::string name, signature, description;   // as given to add() or defer()
  Effect effect{};                            // as in ToolOptions
  ToolMode mode{};                            // as in ToolOptions
  bool deferred = false, cache = false;       // whether the host answers calls; whether good answers are used again
};

// A handle to a list of tools; the top of this file has the rules.
class PTCVM_API Tools {
 public:
  struct Impl;   // internal
  Tools();

  // Adds a tool. A second tool of the same name replaces the first. A callable that takes a ToolCall or no argument may
  // have the signature "", which checks nothing. Errors: invalid_signature, and the message says where; invalid_value
  // when the callable and the signature have different numbers of arguments, or when no value that fits an argument of
  // the signature can be read as the parameter of the callable. The tool is then not added.
  template <class F>
  [[nodiscard]] Result<void> add(std::string name, std::string_view signature, F callable, ToolOptions options = {}) {
    if constexpr (std::is_invocable_v<F&, ToolCall&>) {
      return add_handler(std::move(name), signature,
                         [f = std::move(callable)](ToolCall& call) mutable { return detail::reply_of(call, f(call)); },
                         std::move(options), std::nullopt);
    } else {
      using Call = decltype(detail::call_operator<F>());
      const auto shapes = Call::shapes();
      return add_handler(std::move(name), signature,
                         [f = std::move(callable)](ToolCall& call) mutable { return Call::call(f, call); },
                         std::move(options), std::span<const ValueShape>(shapes));
    }
  }
  // Adds a tool that the host answers itself: the run yields with the call as data. Error: invalid_signature.
  [[nodiscard]] Result<void> defer(std::string name, std::string_view signature, ToolOptions options = {});

  // Returns a new list in which each callable is called through `around`. next() calls the callable and returns its
  // reply; `around` may act before and after, or give a reply of its own. Deferred tools and the functions in
  // ToolOptions::reconcile stay as they are.
  using Around = std::function<ToolReply(ToolCall&, const std::function<ToolReply()>& next)>;
  Tools wrapped(Around around) const;

  std::vector<ToolInfo> list() const;        // returns all tools, sorted by name
  // Returns the tool that a call of this name reaches, or nullopt: the tool of exactly this name, or else a tool whose
  // name has "-" in place of "_" or the other way round.
  std::optional<ToolInfo> find(std::string_view name) const;
  bool empty() const;                        // returns whether the list has no tool

 private:
  friend struct ToolAccess;
  using Handler = std::function<ToolReply(ToolCall&)>;
  // `shapes` has the parameters of the callable, or nullopt when it takes a ToolCall.
  Result<void> add_handler(std::string name, std::string_view signature, Handler handler, ToolOptions options,
                           std::optional<std::span<const ValueShape>> shapes);
  std::shared_ptr<Impl> impl_;
};

}  // namespace ptcvm
