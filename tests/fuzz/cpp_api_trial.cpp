// The calls of the C++ API that a sequence makes.
#include <tuple>
#include <type_traits>

#include "fuzz/cpp_api_heap.h"
#include "ptcvm/journal.hpp"

namespace ptcvm::fuzz {

namespace {

constexpr std::size_t kMostCalls = 48;

void look_at(std::string_view text) {
  [[maybe_unused]] static volatile std::size_t seen = 0;
  std::size_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  seen = sum;
}

void look_at(ValueView view) {
  look_at(view.to_edn());
  look_at(view.to_text(20));
  look_at(view.to_json());
  for (const ValueEntry& entry : view.entries()) look_at(value_kind_name(entry.value.kind()));
}

void look_at(const std::vector<WaitingCall>& calls) {
  for (const WaitingCall& call : calls) {
    look_at(call.key);
    look_at(call.args);
  }
}

// Returns the number of a call that waits, most of the time.
template <class Stepped>
std::uint64_t call_of(CppHeap& heap, const Stepped& run) {
  const std::vector<WaitingCall> calls = run.calls();
  look_at(calls);
  if (calls.empty() || heap.script().one_in(8)) return heap.script().number<std::uint64_t>();
  return calls[heap.script().below(calls.size())].id;
}

// What a Run and a StoredRun answer alike.
template <class Stepped>
void answer(CppHeap& heap, Stepped& run) {
  const std::uint64_t call = call_of(heap, run);
  switch (heap.script().below(6)) {
    case 0: heap.check(run.answer(call, heap.view(), heap.details())); break;
    case 1: heap.check(run.answer_json(call, heap.text(), heap.details())); break;
    case 2: heap.check(run.answer_error(call, heap.text(), heap.details())); break;
    case 3: heap.check(run.answer_pending(call, heap.text(), heap.details())); break;
    case 4: heap.check(run.answer_too_large(call, heap.details())); break;
    default: heap.check(run.make(call)); break;
  }
  heap.check(run.args_json(call));
}

template <class Stepped>
void disturb(CppHeap& heap, Stepped& run) {
  switch (heap.script().below(4)) {
    case 0: run.hold_memory(heap.script().number<std::uint64_t>()); break;
    case 1: run.count_time(std::chrono::microseconds(heap.script().number<std::int64_t>())); break;
    case 2: run.cancel(); break;
    default: static_cast<void>(run.memory_left()); break;
  }
}

void look_at_run(Run& run) {
  look_at(run.result());
  look_at(run.result_edn().value_or(""));
  look_at(run.result_json().value_or(""));
  look_at(run.outcome().value.view());
  for (const CallRecord& record : run.call_records()) look_at(record.args_edn);
  for (const PendingRecord& record : run.pending_records()) look_at(record.args_json);
  for (const PendingOperation& operation : run.pending()) look_at(operation.args);
  look_at(run.questions());
  look_at(run.journal_edn());
  static_cast<void>(run.take_cancelled());
  static_cast<void>(run.wake_time_ms());
  promise(run.is_over() == (run.state() <= RunState::Failed), "a run is over when its state says so");
}

void resolve(CppHeap& heap, Run& run) {
  const auto pending = run.pending();
  const std::string known = pending.empty() ? heap.text() : pending.front().id;
  switch (heap.script().below(6)) {
    case 0: heap.check(run.resolve(known, heap.view())); break;
    case 1: heap.check(run.resolve_error(known, heap.text())); break;
    case 2: heap.check(run.resolve_cancelled(known, heap.text())); break;
    case 3: heap.check(run.progress(known, heap.view())); break;
    case 4: heap.check(run.decide(heap.text(), heap.script().one_in(2), heap.text())); break;
    default: {
      std::vector<Resolution> all(heap.script().below(3));
      for (Resolution& each : all) {
        each = {heap.script().one_in(2) ? known : heap.text(),
                static_cast<Resolution::Kind>(heap.script().below(4)), heap.view(), heap.text()};
      }
      heap.check(run.resolve_all(all));
      break;
    }
  }
}

void resolve(CppHeap& heap, StoredRun& run) {
  switch (heap.script().below(6)) {
    case 0: heap.check(run.resolve(heap.text(), heap.view(), heap.text())); break;
    case 1: heap.check(run.resolve_error(heap.text(), heap.text())); break;
    case 2: heap.check(run.progress(heap.text(), heap.view())); break;
    case 3: heap.check(run.decide(heap.text(), heap.script().one_in(2), heap.text(), heap.text(), heap.text())); break;
    case 4: heap.check(run.settle(heap.text(), static_cast<DoubtAnswer>(heap.script().below(3)), heap.view())); break;
    default: heap.check(run.answer_unknown(call_of(heap, run), heap.text(), heap.details())); break;
  }
}

void write_to(CppHeap& heap, Store& store) {
  const std::string run = heap.script().one_in(2) ? "r" : heap.text();
  switch (heap.script().below(8)) {
    case 0: heap.check(store.resolve(run, heap.text(), heap.view(), heap.text())); break;
    case 1: heap.check(store.resolve_error(run, heap.text(), heap.text())); break;
    case 2: heap.check(store.progress(run, heap.text(), heap.view())); break;
    case 3: heap.check(store.put(run, heap.text(), heap.view(), heap.text(), heap.text())); break;
    case 4: heap.check(store.decide(run, heap.text(), heap.script().one_in(2), heap.text())); break;
    case 5: heap.check(store.settle(run, heap.text(), static_cast<DoubtAnswer>(heap.script().below(3)))); break;
    case 6: heap.check(store.reset_task(run, heap.text(), heap.text(), heap.text())); break;
    default: {
      const auto lines = store.log_json(run);
      heap.check(lines);
      if (lines) heap.check(store.import_log(heap.text(), *lines));
      break;
    }
  }
}

void look_at(CppHeap& heap, const Store& store) {
  heap.check(store.runs(heap.text(), heap.script().number<std::size_t>()));
  heap.check(store.woken(heap.script().number<std::int64_t>(), heap.script().number<std::size_t>()));
  const std::string run = heap.script().one_in(2) ? "r" : heap.text();
  heap.check(store.find(run));
  heap.check(store.detail(run));
  heap.check(store.doubts(run));
  const auto journal = store.journal(run, static_cast<JournalExtent>(heap.script().below(2)));
  heap.check(journal);
  if (!journal) return;
  look_at(journal_edn(*journal));
  look_at(journal_json(*journal));
  look_at(mission_log(*journal, heap.script().number<std::size_t>()));
  look_at(checklist(*journal));
}

void seal_bytes(CppHeap& heap, const KeyRing& ring) {
  const SealLabel label{"acme", "r", heap.script().number<std::uint64_t>(), {}};
  auto sealed = seal(heap.bytes(), ring, label);
  heap.check(sealed);
  if (!sealed) return;
  promise(looks_sealed(*sealed), "an envelope looks like one");
  const auto opened = open_sealed(*sealed, ring, {.tenant = "acme", .sequence = label.sequence});
  promise(opened && opened->run_id == "r", "what was sealed opens");
  heap.keep_bytes(*std::move(sealed));
}

void change(CppHeap& heap, KeyRing& ring) {
  switch (heap.script().below(4)) {
    case 0: {
      NewKey key{heap.script().text({}), static_cast<SealAlgorithm>(heap.script().below(2)), {}, {}};
      if (heap.script().one_in(4)) key.not_after_ms = heap.script().number<std::int64_t>();
      if (heap.script().one_in(4)) key.time_ms = heap.script().number<std::int64_t>();
      heap.check(ring.rotate(key));
      break;
    }
    case 1: heap.check(ring.sign_with(heap.text())); break;
    case 2: heap.check(ring.revoke(heap.text())); break;
    default: promise(KeyRing::parse(ring.to_json()).has_value(), "a ring reads its own text"); break;
  }
}

void fit(CppHeap& heap, const Signature& signature) {
  static_cast<void>(signature.check_result(heap.view(), heap.text()));
  heap.check(signature.bind_params(heap.view()));
  look_at(signature.fit_result(Value::copy_of(heap.view())).value.view());
  look_at(signature.json_schema());
  promise(Signature::parse(signature.text()).has_value(), "a signature reads its own text");
}

void look_at(CppHeap& heap, const SnapshotView& view) {
  look_at(view.facts().run_id);
  for (const SnapshotView::Operation& each : view.operations()) look_at(each.args);
  for (const SnapshotView::Named& each : view.definitions()) look_at(each.value);
  for (const SnapshotView::Named& each : view.journal()) look_at(each.value);
  for (const auto& frame : view.frames(heap.script().number<std::size_t>(), heap.script().number<std::size_t>())) {
    for (const SnapshotView::Named& each : frame.locals) look_at(each.value);
  }
  look_at(view.excerpt(heap.script().number<std::size_t>()));
  look_at(view.json());
}

}  // namespace

// Facts of a log have places without gaps, whatever is written.
struct HostLogCalls {
  static void write(CppHeap& heap, HostLog& log) {
    const auto before = log.head();
    heap.check(before);
    if (!before) return;   // the id of the log is impossible
    const auto facts = heap.facts();
    HostParked parked;
    parked.continuation = heap.text();
    parked.wait_keys = {heap.text()};
    parked.deadline_ms = heap.script().number<std::int64_t>();
    parked.observed_seq = heap.script().number<std::uint64_t>();
    bool has_failed = false;
    const auto take = [&](const auto& result) {
      heap.check(result);
      has_failed = !result;
    };
    switch (heap.script().below(5)) {
      case 0: take(log.put(heap.cut(), facts)); break;
      case 1: take(log.decide(heap.cut(), facts)); break;
      case 2: take(log.park(heap.cut(), facts, parked)); break;
      case 3: take(log.resumed(heap.cut(), facts)); break;
      default: take(log.ended(heap.cut(), facts)); break;
    }
    promise(!has_failed || log.head().value() == *before, "a write that failed wrote something");
    std::uint64_t seq = 0;
    for (const HostFact& fact : log.read(0, SIZE_MAX).value()) promise(fact.seq == ++seq, "a log has a gap");
  }

  static void claim(CppHeap& heap, HostLog& log) {
    const auto claimed = log.claim(heap.script().one_in(2) ? heap.text() : "", heap.script().number<std::int64_t>(),
                                   heap.script().number<std::int64_t>());
    heap.check(claimed);
    if (claimed && claimed->is_granted) heap.token_ = claimed->token;
    if (heap.script().one_in(4)) heap.check(log.renew(heap.token_, 0, heap.script().number<std::int64_t>()));
    if (heap.script().one_in(4)) heap.check(log.release(heap.token_));
    heap.check(log.find(heap.text()));
    heap.check(log.parked());
    heap.check(log.read(heap.script().number<std::uint64_t>(), heap.script().number<std::size_t>()));
  }
};

namespace {

template <class T, class Do>
void with(CppHeap& heap, Do act) {
  if (T* const object = heap.draw<T>()) act(*object);
}

void begin(CppHeap& heap) {
  Engine& engine = *heap.draw<Engine>();
  switch (heap.script().below(9)) {
    case 0: {
      const auto most = heap.script().number<std::uint32_t>();
      heap.keep(engine.compile(heap.program(), {.name = "p", .max_symbols = most}));
      break;
    }
    case 1: heap.keep(engine.load(heap.bytes())); break;
    case 2:
      if (const Program* const program = heap.draw<Program>()) {
        heap.keep(Run::start(engine, *program, heap.run_options()));
      }
      break;
    case 3: {
      const RestoreOptions options{.tools = *heap.draw<Tools>(), .limits = heap.limits()};
      heap.keep(Run::restore(engine, heap.bytes(), options));
      break;
    }
    case 4: heap.keep(Session::create(engine, heap.run_options())); break;
    case 5: heap.keep(Session::restore(engine, heap.bytes(), {.tools = *heap.draw<Tools>()})); break;
    case 6: heap.keep(StoredRun::start(engine, *heap.draw<Store>(), *heap.draw<Tools>(), heap.program(),
                                       heap.stored_options())); break;
    case 7: heap.keep(StoredRun::open(engine, *heap.draw<Store>(), *heap.draw<Tools>(), heap.stored_options())); break;
    default: heap.keep(SnapshotView::open(engine, heap.bytes(), heap.script().number<std::size_t>())); break;
  }
}

void use_session(CppHeap& heap, Session& session) {
  switch (heap.script().below(7)) {
    case 0: look_at(session.eval(heap.program()).value.view()); break;
    case 1: heap.check(session.begin(heap.program())); break;
    case 2: heap.check(session.load_definitions(heap.text())); break;
    case 3: heap.check(session.load_journal(heap.text())); break;
    case 4: heap.check(session.load_data_json(heap.text(), heap.text())); break;
    case 5: heap.check(session.load_budget(heap.text())); break;
    default: answer(heap, session.run()); session.run().step(); break;
  }
  look_at(session.definitions_edn());
  look_at(session.data_edn());
}

void read_texts(CppHeap& heap) {
  switch (heap.script().below(5)) {
    case 0: heap.keep(Value::from_edn(heap.text())); break;
    case 1: heap.keep(Value::from_json(heap.text())); break;
    case 2: heap.keep(Signature::parse(heap.text())); break;
    case 3: heap.keep(Signature::from_json_schema(heap.text())); break;
    default: heap.check(read_plan(heap.text())); break;
  }
}

void step(CppHeap& heap, StoredRun& run) {
  const auto stepped = run.step(heap.script().number<std::uint64_t>());
  heap.check(stepped);
  look_at(run.calls());
  static_cast<void>(run.wake_time_ms());
  if (stepped && *stepped == StoredStep::Done) look_at(run.take_outcome().outcome.value.view());
}

void drop(CppHeap& heap) {
  switch (heap.script().below(6)) {
    case 0: heap.drop<Engine>(); break;
    case 1: heap.drop<Program>(); break;
    case 2: heap.drop<Tools>(); break;
    case 3: heap.drop<Store>(); break;
    case 4: heap.drop<StoredRun>(); break;
    default: heap.drop<Run>(); break;
  }
}

using Call = void (*)(CppHeap&);
constexpr Call kCalls[] = {
    begin, begin, read_texts, drop,
    [](CppHeap& heap) { with<Run>(heap, [&](Run& run) { run.step(heap.script().number<std::uint64_t>()); }); },
    [](CppHeap& heap) { with<Run>(heap, [&](Run& run) { answer(heap, run); }); },
    [](CppHeap& heap) { with<Run>(heap, [&](Run& run) { resolve(heap, run); }); },
    [](CppHeap& heap) { with<Run>(heap, [&](Run& run) { disturb(heap, run); }); },
    [](CppHeap& heap) { with<Run>(heap, look_at_run); },
    [](CppHeap& heap) { with<Run>(heap, [&](Run& run) { run.set_time(heap.script().number<std::int64_t>()); }); },
    [](CppHeap& heap) { with<Run>(heap, [](Run& run) { run.park(); }); },
    [](CppHeap& heap) { with<Session>(heap, [&](Session& session) { use_session(heap, session); }); },
    [](CppHeap& heap) { with<StoredRun>(heap, [&](StoredRun& run) { step(heap, run); }); },
    [](CppHeap& heap) { with<StoredRun>(heap, [&](StoredRun& run) { answer(heap, run); }); },
    [](CppHeap& heap) { with<StoredRun>(heap, [&](StoredRun& run) { resolve(heap, run); }); },
    [](CppHeap& heap) { with<StoredRun>(heap, [&](StoredRun& run) { disturb(heap, run); }); },
    [](CppHeap& heap) { with<Store>(heap, [&](Store& store) { write_to(heap, store); }); },
    [](CppHeap& heap) { with<Store>(heap, [&](Store& store) { look_at(heap, store); }); },
    [](CppHeap& heap) { with<HostLog>(heap, [&](HostLog& log) { HostLogCalls::write(heap, log); }); },
    [](CppHeap& heap) { with<HostLog>(heap, [&](HostLog& log) { HostLogCalls::claim(heap, log); }); },
    [](CppHeap& heap) { with<KeyRing>(heap, [&](KeyRing& ring) { change(heap, ring); }); },
    [](CppHeap& heap) { with<KeyRing>(heap, [&](KeyRing& ring) { seal_bytes(heap, ring); }); },
    [](CppHeap& heap) { with<Signature>(heap, [&](Signature& signature) { fit(heap, signature); }); },
    [](CppHeap& heap) { with<SnapshotView>(heap, [&](SnapshotView& view) { look_at(heap, view); }); },
    [](CppHeap& heap) { heap.check(heap.draw<Tools>()->defer(heap.text(), heap.text(), heap.tool_options())); },
};

}  // namespace

void try_cpp_calls(std::string_view bytes) {
  CallScript script(bytes);
  CppHeap heap(script);
  for (std::size_t i = 0; i < kMostCalls && !script.is_over(); ++i) kCalls[script.below(std::size(kCalls))](heap);
}

}  // namespace ptcvm::fuzz
