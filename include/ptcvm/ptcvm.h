// The C API of ptcvm, an embeddable engine for PTC-Lisp: C11, also for C++ and for foreign function interfaces.
//
// Status     Functions that can fail return a ptcvm_status (0: done) and, where their last parameter is a ptcvm_error**
//            that is not NULL, put an error there that the caller frees, or NULL. A failed function changes nothing
//            else but its output, which is NULL then. No C++ exception ever leaves a function.
// Misuse     NULL where a handle is wanted, a struct_size that makes no sense, or an index beyond the end gives
//            PTCVM_INVALID_ARGUMENT, or nil, 0, "" where no status is returned. A handle that was freed is never
//            recognised: using it is undefined. Every _free function takes NULL.
// Ownership  What comes out through a TYPE** belongs to the caller and is freed with ptcvm_TYPE_free(). A ptcvm_text or
//            ptcvm_view that comes out is borrowed, as long as its function says. What goes in is copied before the
//            function returns, unless it is said to be borrowed. Handles keep alive what they were made from, so they
//            are freed in any order; only a session's run dies with its session.
// Threads    ptcvm_engine, ptcvm_program and ptcvm_store: any number of threads at once. ptcvm_tools: one thread adds,
//            and nobody else uses the handle meanwhile. Everything else, and the views into it: one thread at a time,
//            which need not be the same one always. ptcvm_run_cancel() alone may be called from any thread.
// Structs    begin with struct_size. Set up each with PTCVM_INIT(), which means defaults. The library takes shorter
//            structs (of programs that were compiled against an older header) and longer ones, when what it does not
//            know in them is 0; it fills as much of an output struct as its struct_size says.
// Texts      are UTF-8 with a length, not terminated. {NULL, 0} is "". Times are ms since 1970, UTC; flags are 0 or 1.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define PTCVM_EXPORT __attribute__((visibility("default")))
#else
#define PTCVM_EXPORT
#endif
#ifdef __cplusplus
extern "C" {
#endif

// Goes up with each release that adds to this file; nothing in it is ever changed or taken away under the same soname.
#define PTCVM_ABI_VERSION 1
// What every struct that is handed to the library begins with: all its other members are 0 afterwards.
#define PTCVM_INIT(a_struct) \
  ((void)memset(&(a_struct), 0, sizeof(a_struct)), (void)((a_struct).struct_size = sizeof(a_struct)))
#define PTCVM_ALL_FUEL UINT64_MAX

typedef struct ptcvm_engine ptcvm_engine;       // compiles, and keeps what it compiled
typedef struct ptcvm_program ptcvm_program;     // compiled code, immutable
typedef struct ptcvm_tools ptcvm_tools;         // what programs may call
typedef struct ptcvm_call ptcvm_call;           // one call of a tool, while its callback runs
typedef struct ptcvm_run ptcvm_run;             // one program with its memory
typedef struct ptcvm_session ptcvm_session;     // one program after another with one memory
typedef struct ptcvm_store ptcvm_store;         // runs that survive their process
typedef struct ptcvm_stored ptcvm_stored;       // what ptcvm_run_stored() came to
typedef struct ptcvm_stored_runs ptcvm_stored_runs;
typedef struct ptcvm_value ptcvm_value;         // owns a value that belongs to no run
typedef struct ptcvm_entries ptcvm_entries;     // the parts of a collection
typedef struct ptcvm_writer ptcvm_writer;       // puts a value together
typedef struct ptcvm_buffer ptcvm_buffer;       // owns a text or bytes
typedef struct ptcvm_texts ptcvm_texts;         // owns a list of texts
typedef struct ptcvm_error ptcvm_error;

typedef struct ptcvm_text {
  const char* data;
  size_t size;                                  // in bytes
} ptcvm_text;

// Looks at a value that lives elsewhere; {{0}} is nil. What is in it is the library's business.
typedef struct ptcvm_view {
  uint64_t word[3];
} ptcvm_view;

typedef int32_t ptcvm_status;
enum {
  PTCVM_OK = 0,
  PTCVM_INVALID_PROGRAM = 1,      // source that cannot be compiled, with a diagnostic; bytes that are no program
  PTCVM_INVALID_VALUE = 2,        // text that is no EDN or JSON, or a value of another shape
  PTCVM_INVALID_SIGNATURE = 3,
  PTCVM_INVALID_SNAPSHOT = 4,     // bytes that are no snapshot, damaged, or of a newer format
  PTCVM_REFUSED = 5,              // a snapshot whose tools are missing or changed; a decision about other arguments
  PTCVM_UNKNOWN_OPERATION = 6,    // nothing waits under that id
  PTCVM_ALREADY_RESOLVED = 7,     // it was resolved otherwise before
  PTCVM_TOO_LARGE = 8,
  PTCVM_WRONG_STATE = 9,          // the call makes no sense now
  PTCVM_BUSY = 10,                // another process executes the run
  PTCVM_STORE_FAILED = 11,
  PTCVM_NOT_AVAILABLE = 12,       // this build of the library cannot do that
  PTCVM_INVALID_ARGUMENT = 100,   // the caller's mistake: NULL, a struct_size, an index, an unknown constant
  PTCVM_OUT_OF_MEMORY = 101,
  PTCVM_INTERNAL = 102
};

// Of the library that is loaded, "MAJOR.MINOR.PATCH" and PTCVM_ABI_VERSION: at least that of the header is needed.
PTCVM_EXPORT ptcvm_text ptcvm_version(void);
PTCVM_EXPORT uint32_t ptcvm_abi_version(void);
PTCVM_EXPORT ptcvm_text ptcvm_status_name(ptcvm_status status);   // "invalid_program" …, "" for an unknown one

// Of a zero-terminated string, borrowed; NULL is "".
static inline ptcvm_text ptcvm_text_of(const char* zero_terminated) {
  ptcvm_text text;
  text.data = zero_terminated;
  text.size = zero_terminated == NULL ? 0 : strlen(zero_terminated);
  return text;
}

// Where and why a program failed or could not be compiled. An output struct.
typedef struct ptcvm_diagnostic {
  size_t struct_size;
  ptcvm_text kind;                // a stable name: "type_error", "unbound_var", "fuel_exhausted", …
  ptcvm_text message, hint;       // hint: what would help, or ""
  ptcvm_text source_name;
  uint32_t line, column;          // from 1; column in code points; 0: no place
  uint32_t begin, end;            // the stretch of source, in bytes
  int32_t is_limit;               // a budget was used up, the program itself may be right
  int32_t is_incomplete;          // the source ends inside of a form
  ptcvm_text text;                // all of it for people: message, place, line with caret, hint
} ptcvm_diagnostic;

// Texts of an error are borrowed from it.
PTCVM_EXPORT ptcvm_status ptcvm_error_status(const ptcvm_error* error);
PTCVM_EXPORT ptcvm_text ptcvm_error_message(const ptcvm_error* error);     // one sentence for people
// 1 when there is one, which only PTCVM_INVALID_PROGRAM has.
PTCVM_EXPORT int32_t ptcvm_error_diagnostic(const ptcvm_error* error, ptcvm_diagnostic* out);
PTCVM_EXPORT void ptcvm_error_free(ptcvm_error* error);

// Borrowed from the buffer. A zero byte that does not count follows.
PTCVM_EXPORT ptcvm_text ptcvm_buffer_text(const ptcvm_buffer* buffer);
PTCVM_EXPORT void ptcvm_buffer_free(ptcvm_buffer* buffer);
PTCVM_EXPORT size_t ptcvm_texts_count(const ptcvm_texts* texts);
PTCVM_EXPORT ptcvm_text ptcvm_texts_at(const ptcvm_texts* texts, size_t index);   // borrowed from the list
PTCVM_EXPORT void ptcvm_texts_free(ptcvm_texts* texts);

// ---- Values. A view is valid as long as what it looks into: a ptcvm_value until it is freed, a run as is said there.

enum {
  PTCVM_NIL = 0,
  PTCVM_BOOL,
  PTCVM_INT,
  PTCVM_BIGINT,                   // its digits: ptcvm_view_edn()
  PTCVM_FLOAT,
  PTCVM_STRING,
  PTCVM_KEYWORD,
  PTCVM_VECTOR,
  PTCVM_MAP,
  PTCVM_SET,
  PTCVM_DATE,
  PTCVM_INSTANT,
  PTCVM_DURATION,
  PTCVM_REGEX,
  PTCVM_VAR,
  PTCVM_FUNCTION,
  PTCVM_PENDING
};
PTCVM_EXPORT int32_t ptcvm_view_kind(ptcvm_view view);
PTCVM_EXPORT int32_t ptcvm_view_is_truthy(ptcvm_view view);        // neither nil nor false
// 1 and the content, when the value is of that kind; else 0, and *out stays as it is. Nothing is converted but int to
// double. Texts are borrowed from the value.
PTCVM_EXPORT int32_t ptcvm_view_bool(ptcvm_view view, int32_t* out);
PTCVM_EXPORT int32_t ptcvm_view_int(ptcvm_view view, int64_t* out);
PTCVM_EXPORT int32_t ptcvm_view_double(ptcvm_view view, double* out);
PTCVM_EXPORT int32_t ptcvm_view_string(ptcvm_view view, ptcvm_text* out);
PTCVM_EXPORT int32_t ptcvm_view_keyword(ptcvm_view view, ptcvm_text* out);   // without the colon
PTCVM_EXPORT int32_t ptcvm_view_pending(ptcvm_view view, ptcvm_text* out);   // the operation that a handle stands for
PTCVM_EXPORT size_t ptcvm_view_size(ptcvm_view view);              // elements, entries or members; else 0
PTCVM_EXPORT ptcvm_view ptcvm_view_at(ptcvm_view view, size_t index);        // of a vector; nil beyond its end
// At that string or keyword key of a map, "-" and "_" taken as the same; nil when there is none.
PTCVM_EXPORT ptcvm_view ptcvm_view_get(ptcvm_view view, ptcvm_text key);
PTCVM_EXPORT int32_t ptcvm_view_equal(ptcvm_view a, ptcvm_view b);           // as (= a b)
PTCVM_EXPORT ptcvm_status ptcvm_view_edn(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error);
// Keywords as their names, sets as arrays, functions as text.
PTCVM_EXPORT ptcvm_status ptcvm_view_json(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error);

// The parts of a map, vector or set, in the language's order; none of anything else. Views out of it are views of the
// collection. Keys of vectors and sets are nil.
PTCVM_EXPORT ptcvm_status ptcvm_view_entries(ptcvm_view view, ptcvm_entries** out, ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_entries_count(const ptcvm_entries* entries);
PTCVM_EXPORT ptcvm_view ptcvm_entries_key(const ptcvm_entries* entries, size_t index);
PTCVM_EXPORT ptcvm_view ptcvm_entries_value(const ptcvm_entries* entries, size_t index);
PTCVM_EXPORT void ptcvm_entries_free(ptcvm_entries* entries);

// PTCVM_INVALID_VALUE: the message says where. From JSON: objects become maps with string keys.
PTCVM_EXPORT ptcvm_status ptcvm_value_from_json(ptcvm_text text, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_value_from_edn(ptcvm_text text, ptcvm_value** out, ptcvm_error** error);
// Plain data; anything else in it becomes nil.
PTCVM_EXPORT ptcvm_status ptcvm_value_copy(ptcvm_view view, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_view ptcvm_value_view(const ptcvm_value* value);          // NULL is nil
PTCVM_EXPORT void ptcvm_value_free(ptcvm_value* value);

// Writes one value, part by part: a scalar, or a collection between begin and end with what is in it; a map gets key,
// value, key, value. A collection that is not closed is closed at the end; a key without a value gets nil; of what is
// written behind the value the last thing counts.
PTCVM_EXPORT ptcvm_status ptcvm_writer_new(ptcvm_writer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_writer_nil(ptcvm_writer* writer);
PTCVM_EXPORT ptcvm_status ptcvm_writer_bool(ptcvm_writer* writer, int32_t value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_int(ptcvm_writer* writer, int64_t value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_double(ptcvm_writer* writer, double value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_string(ptcvm_writer* writer, ptcvm_text utf8);   // malformed: U+FFFD
PTCVM_EXPORT ptcvm_status ptcvm_writer_keyword(ptcvm_writer* writer, ptcvm_text name);
PTCVM_EXPORT ptcvm_status ptcvm_writer_copy(ptcvm_writer* writer, ptcvm_view view);
PTCVM_EXPORT ptcvm_status ptcvm_writer_begin(ptcvm_writer* writer, int32_t kind);       // PTCVM_VECTOR, _MAP or _SET
PTCVM_EXPORT ptcvm_status ptcvm_writer_end(ptcvm_writer* writer);
// What was written; the writer is empty then, and is used again or freed.
PTCVM_EXPORT ptcvm_status ptcvm_writer_finish(ptcvm_writer* writer, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_writer_free(ptcvm_writer* writer);

// ---- Engine and programs

typedef struct ptcvm_engine_options {
  size_t struct_size;
  int32_t has_sizes;              // 1: the three below count; 0: their defaults, 512, 8 MiB and 1024
  int32_t has_kept_memory;        // 1: the last counts; 0: 64 MiB
  size_t cached_programs;         // compiled programs by source
  size_t cached_source_bytes;
  size_t shelved_programs;        // that snapshots may name by hash
  size_t kept_memory_bytes;       // that ended runs held, for the next ones; 0: the system gets it back
} ptcvm_engine_options;

typedef struct ptcvm_compile_options {
  size_t struct_size;
  ptcvm_text name;                // of the source, for messages
  const ptcvm_tools* tools;       // not NULL: a call of an unknown tool is an error here, not when it runs
  const ptcvm_text* defined;      // names that the program may use without defining them
  size_t defined_count;
  int32_t strict_task_ids;        // (task ID …) takes string literals only
  uint32_t max_symbols;           // 0: 10,000
} ptcvm_compile_options;

typedef struct ptcvm_engine_statistics {
  size_t struct_size;
  uint64_t compiled, cache_hits;
  size_t cached_programs;
} ptcvm_engine_statistics;

PTCVM_EXPORT ptcvm_status ptcvm_engine_new(const ptcvm_engine_options* options, ptcvm_engine** out,
                                           ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_engine_get_statistics(const ptcvm_engine* engine, ptcvm_engine_statistics* out);
PTCVM_EXPORT void ptcvm_engine_free(ptcvm_engine* engine);
// Source to program, from the cache when it is there. Nothing is executed. PTCVM_INVALID_PROGRAM with a diagnostic;
// PTCVM_NOT_AVAILABLE in the library without a compiler. `options` may be NULL, here and everywhere.
PTCVM_EXPORT ptcvm_status ptcvm_engine_compile(const ptcvm_engine* engine, ptcvm_text source,
                                               const ptcvm_compile_options* options, ptcvm_program** out,
                                               ptcvm_error** error);
// Bytecode from anywhere: PTCVM_INVALID_PROGRAM when it could do harm.
PTCVM_EXPORT ptcvm_status ptcvm_engine_load(const ptcvm_engine* engine, ptcvm_text bytecode, ptcvm_program** out,
                                            ptcvm_error** error);
PTCVM_EXPORT ptcvm_text ptcvm_program_source(const ptcvm_program* program);    // borrowed from the program
PTCVM_EXPORT ptcvm_status ptcvm_program_sha256(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_program_bytecode(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_program_tools(const ptcvm_program* program, ptcvm_texts** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_program_free(ptcvm_program* program);

// ---- Tools. A run keeps the list as it was when the run was made.

enum {                            // what may be done about a call of which nobody knows whether it happened
  PTCVM_UNSAFE = 0,               // a person has to say
  PTCVM_PURE,
  PTCVM_IDEMPOTENT,
  PTCVM_KEYED,                    // it may be called again with its idempotency key
  PTCVM_RECONCILABLE              // it can be asked: ptcvm_tool_options.reconcile
};
enum {
  PTCVM_SYNC = 0,                 // the call gives the answer
  PTCVM_ASYNC,                    // the call gives a handle at once, and the program awaits it
  PTCVM_AUTO                      // the call gives the answer, and waits for it when it has to
};

// Called on the thread that steps the run. It must return; it may not unwind (C++ exceptions, longjmp), nor touch the
// run whose call it is, but for ptcvm_run_cancel().
typedef void (*ptcvm_call_fn)(void* user_data, ptcvm_call* call);

typedef struct ptcvm_tool_options {
  size_t struct_size;
  ptcvm_text description;         // for people and models
  ptcvm_text question;            // not "": every call is asked about with it before it is made; ptcvm_run_decide()
  int32_t effect, mode;
  int32_t cache;                  // equal arguments: the first good answer of the run is used again
  uint32_t max_attempts;          // 0 or 1: errors are not tried again
  int64_t first_delay_ms, max_delay_ms;   // of the growing pauses between attempts; 0: 100 and 30,000
  int64_t deadline_ms;            // of one call; 0: that of the run
  ptcvm_call_fn reconcile;        // with the tool's user_data: ptcvm_call_answer(), or ptcvm_call_did_not_happen()
} ptcvm_tool_options;

PTCVM_EXPORT ptcvm_status ptcvm_tools_new(ptcvm_tools** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_tools_free(ptcvm_tools* tools);
// A tool that the host answers itself: the run yields, and the call is in ptcvm_run_call_at(). The signature,
// "(q :string, limit :int?) -> [{id :int}]", is held against arguments and answers; "": nothing is checked.
// PTCVM_INVALID_SIGNATURE: the message says where. A second tool of the same name replaces the first.
PTCVM_EXPORT ptcvm_status ptcvm_tools_defer(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature,
                                            const ptcvm_tool_options* options, ptcvm_error** error);
// A tool with a callback. `destroy` (may be NULL) is called with user_data exactly once: when neither the list nor a
// run needs the tool any more, on whatever thread that is; at once when this function fails.
PTCVM_EXPORT ptcvm_status ptcvm_tools_add(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature,
                                          ptcvm_call_fn callback, void* user_data, void (*destroy)(void* user_data),
                                          const ptcvm_tool_options* options, ptcvm_error** error);

// Of the call whose callback runs; texts and views are borrowed until it returns.
PTCVM_EXPORT ptcvm_text ptcvm_call_name(const ptcvm_call* call);
PTCVM_EXPORT ptcvm_view ptcvm_call_args(const ptcvm_call* call);             // a map with string keys
PTCVM_EXPORT ptcvm_text ptcvm_call_run_id(const ptcvm_call* call);
PTCVM_EXPORT uint64_t ptcvm_call_turn(const ptcvm_call* call);
PTCVM_EXPORT ptcvm_text ptcvm_call_task_id(const ptcvm_call* call);          // of the innermost open task, or ""
PTCVM_EXPORT ptcvm_text ptcvm_call_idempotency_key(const ptcvm_call* call);
PTCVM_EXPORT uint32_t ptcvm_call_attempt(const ptcvm_call* call);            // from 1
// Whether the answer is of no use any more: a callback that sees it gives up with ptcvm_call_timed_out().
PTCVM_EXPORT int32_t ptcvm_call_is_expired(const ptcvm_call* call);
// What a tool says, once in each call: PTCVM_WRONG_STATE the second time. Saying nothing is an error of the tool.
PTCVM_EXPORT ptcvm_status ptcvm_call_answer(ptcvm_call* call, ptcvm_view value);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_json(ptcvm_call* call, ptcvm_text json, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_error(ptcvm_call* call, ptcvm_text message);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_unknown(ptcvm_call* call, ptcvm_text message);   // the effect decides
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_pending(ptcvm_call* call, ptcvm_text operation);  // "": the run names it
PTCVM_EXPORT ptcvm_status ptcvm_call_timed_out(ptcvm_call* call);            // {:status :timed-out :partial v}
PTCVM_EXPORT ptcvm_status ptcvm_call_report_partial(ptcvm_call* call, ptcvm_view value);      // the last one counts
// In `reconcile` only; saying nothing there means that it is not known.
PTCVM_EXPORT ptcvm_status ptcvm_call_did_not_happen(ptcvm_call* call);
// In `before_tool` only; saying nothing there lets the call through.
PTCVM_EXPORT ptcvm_status ptcvm_call_deny(ptcvm_call* call, ptcvm_text why);
PTCVM_EXPORT ptcvm_status ptcvm_call_ask(ptcvm_call* call, ptcvm_text question);
PTCVM_EXPORT ptcvm_status ptcvm_call_change(ptcvm_call* call, ptcvm_view args);               // a map with string keys

// ---- Runs

typedef int32_t ptcvm_state;
enum {
  PTCVM_NO_STATE = -1,            // misuse: no run, or a step inside of a step. Or memory ran out: free the run
  PTCVM_COMPLETED = 0,            // ptcvm_run_result(): the value of the last form
  PTCVM_RETURNED = 1,             // (return v)
  PTCVM_FAILED = 2,               // (fail v), then the result is v; or a fault, then there is a diagnostic
  PTCVM_SUSPENDED = 3,            // waits for operations or decisions; ptcvm_run_snapshot() takes it elsewhere
  PTCVM_YIELDED = 4               // fuel is used up, calls wait for answers, or the events want to be taken: step again
};

// Budgets; passing one ends the turn with the fault named here. All hold across suspensions.
typedef struct ptcvm_limits {
  size_t struct_size;
  uint64_t fuel;                  // units of work, the same on every machine    fuel_exhausted
  uint64_t memory_bytes;          // memory_exceeded
  uint64_t string_bytes;          // of one string                               string_limit_exceeded
  uint64_t print_bytes;           // of all prints together                      print_limit_exceeded
  uint64_t snapshot_bytes;        // snapshot_too_large
  uint64_t result_bytes;          // of one resolution, as EDN; larger ones are refused
  int64_t timeout_ms;             // of a turn, waiting does not count; 0: none   timeout
  int64_t operation_ttl_ms;       // of operations without a deadline; 0: for ever
  int64_t await_timeout_ms;       // of awaits without one; 0: none               await_timeout
  uint32_t depth;                 // recursion_limit_exceeded
  uint32_t loop;                  // loop_limit_exceeded
  uint32_t tool_calls;            // tool_call_limit_exceeded
  uint32_t parallel_branches;     // parallel_capacity_exceeded
  uint32_t pending_operations;    // pending_limit_exceeded
  uint32_t suspensions;           // suspension_limit_exceeded
  uint32_t integer_bits;          // integer_limit_exceeded
  uint32_t reserved;
} ptcvm_limits;
// Fills a struct whose struct_size is set (PTCVM_INIT) with the defaults. Change some afterwards: 0 means 0 here.
PTCVM_EXPORT ptcvm_status ptcvm_limits_default(ptcvm_limits* limits);

typedef struct ptcvm_run_options {
  size_t struct_size;
  ptcvm_text id;                  // part of every idempotency key; "": "run"
  const ptcvm_tools* tools;       // NULL: none
  const ptcvm_limits* limits;     // NULL: the defaults
  ptcvm_view data;                // map for data/…
  ptcvm_text data_json;           // the same as JSON text, read when it is not ""
  ptcvm_text signature;           // of the result: one that does not fit is a fault
  int32_t has_time, no_journal;   // no_journal: (task …) is refused
  int64_t time_ms;                // has_time: what the program sees as the time; else the system clock
  size_t event_capacity;          // 0: no events; else so many may wait in ptcvm_run_next_event()
  int32_t event_forms, reserved;  // event_forms: an event for each form, too; slow
  ptcvm_call_fn before_tool;      // judges every call before it is made; borrowed, with its data, by the run
  void* before_tool_data;
} ptcvm_run_options;

typedef struct ptcvm_restore_options {
  size_t struct_size;
  const ptcvm_tools* tools;       // must have what the run names, as it was: else PTCVM_REFUSED, with a report
  const ptcvm_limits* limits;     // the run gets the smaller of these and its own
  size_t max_bytes;               // of the snapshot; 0: 64 MiB
  int32_t has_time, reserved;
  int64_t time_ms;
  size_t event_capacity;
  int32_t event_forms, reserved2;
  ptcvm_call_fn before_tool;
  void* before_tool_data;
} ptcvm_restore_options;

typedef struct ptcvm_usage {
  size_t struct_size;
  uint64_t fuel, peak_bytes, active_micros;
  uint32_t tool_calls, suspensions;
} ptcvm_usage;

// Makes a run that stands at the beginning of its program. PTCVM_INVALID_SIGNATURE, PTCVM_INVALID_VALUE (data).
PTCVM_EXPORT ptcvm_status ptcvm_run_start(const ptcvm_engine* engine, const ptcvm_program* program,
                                          const ptcvm_run_options* options, ptcvm_run** out, ptcvm_error** error);
// A run that goes on where the snapshot, bytes or JSON from anywhere, was taken. PTCVM_INVALID_SNAPSHOT, PTCVM_REFUSED,
// PTCVM_TOO_LARGE.
PTCVM_EXPORT ptcvm_status ptcvm_run_restore(const ptcvm_engine* engine, ptcvm_text snapshot,
                                            const ptcvm_restore_options* options, ptcvm_run** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_run_free(ptcvm_run* run);   // the run of a session stays

// Goes on for at most about `fuel` units of work (PTCVM_ALL_FUEL: until something else stops it). Does not block, sleep
// or start threads; callbacks of tools are called from within. What is over, or suspended with nothing new, stays so.
PTCVM_EXPORT ptcvm_state ptcvm_run_step(ptcvm_run* run, uint64_t fuel);
PTCVM_EXPORT ptcvm_state ptcvm_run_get_state(const ptcvm_run* run);         // of the last step
// 1: the run, which waits, keeps about its snapshot and gives its other memory back; whatever is asked of it next puts
// it together again, in a few microseconds. What was borrowed from it ends. 0: it does not wait; nothing happened.
PTCVM_EXPORT int32_t ptcvm_run_park(ptcvm_run* run);
// The next step ends the turn with the fault "cancelled". Any thread, as long as the run is not freed meanwhile.
PTCVM_EXPORT void ptcvm_run_cancel(ptcvm_run* run);

// Of a run that is over, else nil. Valid until the run is freed or begins another turn.
PTCVM_EXPORT ptcvm_view ptcvm_run_result(ptcvm_run* run);
// 1 when the turn ended with a fault. Texts are borrowed until the next call of this function.
PTCVM_EXPORT int32_t ptcvm_run_diagnostic(ptcvm_run* run, ptcvm_diagnostic* out);
PTCVM_EXPORT ptcvm_status ptcvm_run_prints(const ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_get_usage(const ptcvm_run* run, ptcvm_usage* out);
PTCVM_EXPORT size_t ptcvm_run_memory_bytes(const ptcvm_run* run);           // of its heap now
PTCVM_EXPORT ptcvm_text ptcvm_run_id(const ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_journal_edn(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);
// 1 and when the run should be stepped although nothing came (sleeps, deadlines, retries).
PTCVM_EXPORT int32_t ptcvm_run_wake_time(const ptcvm_run* run, int64_t* out_ms);
PTCVM_EXPORT void ptcvm_run_set_time(ptcvm_run* run, int64_t ms);   // what the program sees from the next step on

// The whole run between two steps; the same state gives the same bytes. With by_hash, programs are named by their hash,
// and whoever restores must have compiled or loaded them.
PTCVM_EXPORT ptcvm_status ptcvm_run_snapshot(const ptcvm_run* run, int32_t by_hash, ptcvm_buffer** out,
                                             ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_snapshot_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);

// A call of a deferred tool that waits for its answer, or one that somebody has to decide about.
typedef struct ptcvm_waiting_call {
  size_t struct_size;
  uint64_t id;                    // for ptcvm_run_answer…()
  ptcvm_text tool;
  ptcvm_text key;                 // the idempotency key; of a question: for ptcvm_run_decide()
  ptcvm_text task_id;
  ptcvm_text question;            // "" for a call of a deferred tool
  ptcvm_view args;
} ptcvm_waiting_call;

typedef struct ptcvm_pending_operation {
  size_t struct_size;
  ptcvm_text id, tool;
  ptcvm_view args, progress;
  int64_t since_ms;
  int64_t deadline_ms;            // when the program stops waiting for it; 0: never
  int32_t is_awaited;             // a part of the program waits for it now
  int32_t reserved;
} ptcvm_pending_operation;

// The _count functions look, and the _at functions show what was seen: answering within a loop does not shift anything.
// Texts and views are borrowed until the next _count of that kind, step or free.
PTCVM_EXPORT size_t ptcvm_run_call_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_call_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out);
PTCVM_EXPORT size_t ptcvm_run_question_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_question_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out);
PTCVM_EXPORT size_t ptcvm_run_pending_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_pending_at(const ptcvm_run* run, size_t index, ptcvm_pending_operation* out);

// Answers of the host to calls of deferred tools. PTCVM_WRONG_STATE: no such call waits.
PTCVM_EXPORT ptcvm_status ptcvm_run_answer(ptcvm_run* run, uint64_t call, ptcvm_view value, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_json(ptcvm_run* run, uint64_t call, ptcvm_text json, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_edn(ptcvm_run* run, uint64_t call, ptcvm_text edn, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_error(ptcvm_run* run, uint64_t call, ptcvm_text message,
                                                 ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_pending(ptcvm_run* run, uint64_t call, ptcvm_text operation,
                                                   ptcvm_error** error);   // tools of mode ASYNC or AUTO
// A denied call is a tool_error with the reason. args_edn (may be NULL): what the one who decides has seen.
// PTCVM_REFUSED: it was decided otherwise, nobody asked, or it is about other arguments.
PTCVM_EXPORT ptcvm_status ptcvm_run_decide(ptcvm_run* run, ptcvm_text key, int32_t is_allowed, ptcvm_text reason,
                                           const ptcvm_text* args_edn, ptcvm_error** error);
// What became of an operation; the program sees it with the next step. The same twice changes nothing, otherwise
// PTCVM_ALREADY_RESOLVED. PTCVM_UNKNOWN_OPERATION, PTCVM_TOO_LARGE, PTCVM_INVALID_VALUE.
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve(ptcvm_run* run, ptcvm_text operation, ptcvm_view value,
                                            ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve_json(ptcvm_run* run, ptcvm_text operation, ptcvm_text json,
                                                 ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve_edn(ptcvm_run* run, ptcvm_text operation, ptcvm_text edn,
                                                ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve_error(ptcvm_run* run, ptcvm_text operation, ptcvm_text reason,
                                                  ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve_cancelled(ptcvm_run* run, ptcvm_text operation, ptcvm_text reason,
                                                      ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_progress(ptcvm_run* run, ptcvm_text operation, ptcvm_view value,
                                             ptcvm_error** error);
// Operations that the program gave up since the last time: tell their tools.
PTCVM_EXPORT ptcvm_status ptcvm_run_take_cancelled(ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error);

// ---- Events: what happens in a run, for traces. Switched on by event_capacity.

enum {
  PTCVM_EVENT_RUN_START = 0, PTCVM_EVENT_FORM, PTCVM_EVENT_TOOL_START, PTCVM_EVENT_TOOL_END, PTCVM_EVENT_OPEN,
  PTCVM_EVENT_RESOLVE, PTCVM_EVENT_COMMIT, PTCVM_EVENT_RESET, PTCVM_EVENT_PRINT, PTCVM_EVENT_PROGRESS,
  PTCVM_EVENT_ASK, PTCVM_EVENT_RETRY, PTCVM_EVENT_LIMIT, PTCVM_EVENT_WARNING, PTCVM_EVENT_SUSPEND,
  PTCVM_EVENT_RESUME, PTCVM_EVENT_FAULT, PTCVM_EVENT_RUN_END
};
// Which members an event of a kind has: EventKind in event.hpp. The others are "", nil or 0.
typedef struct ptcvm_event {
  size_t struct_size;
  int32_t kind, is_cached;
  uint32_t line, column, attempt, reserved;
  uint64_t sequence;              // from 1, in the run
  uint64_t turn;
  int64_t unix_micros;
  uint64_t micros, fuel, bytes;
  ptcvm_text name, id, task, operation, text, error, status;
  ptcvm_view args, value;         // copies: plain data only
} ptcvm_event;
PTCVM_EXPORT ptcvm_text ptcvm_event_name(int32_t kind);                     // "run_start" …, "" for an unknown one
// The oldest event that waits: 1, and it is taken; 0 when there is none. Borrowed until the next call of this function.
// A run with as many as event_capacity yields, and does nothing before some are taken. What one slice of work and the
// host's own calls make is never cut off, so somewhat more may wait.
PTCVM_EXPORT int32_t ptcvm_run_next_event(ptcvm_run* run, ptcvm_event* out);
// The event that was taken last, as a line of a trace.
PTCVM_EXPORT ptcvm_status ptcvm_run_event_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);

// ---- Sessions: definitions, the journal, waiting operations and *1 *2 *3 go from turn to turn.

PTCVM_EXPORT ptcvm_status ptcvm_session_new(const ptcvm_engine* engine, const ptcvm_run_options* options,
                                            ptcvm_session** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_session_restore(const ptcvm_engine* engine, ptcvm_text snapshot,
                                                const ptcvm_restore_options* options, ptcvm_session** out,
                                                ptcvm_error** error);
// Its run, borrowed: for everything above. Over before the first turn.
PTCVM_EXPORT ptcvm_run* ptcvm_session_run(ptcvm_session* session);
// The next turn, to be stepped. PTCVM_WRONG_STATE: a turn is not over. PTCVM_INVALID_PROGRAM with a diagnostic.
PTCVM_EXPORT ptcvm_status ptcvm_session_begin(ptcvm_session* session, ptcvm_text source, ptcvm_error** error);
// The same, and steps until the turn is over or nothing goes on by itself: ptcvm_run_get_state().
PTCVM_EXPORT ptcvm_status ptcvm_session_eval(ptcvm_session* session, ptcvm_text source, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_session_definitions_edn(const ptcvm_session* session, ptcvm_buffer** out,
                                                        ptcvm_error** error);
PTCVM_EXPORT void ptcvm_session_free(ptcvm_session* session);

// ---- Stores. Calling ptcvm_run_stored() again with the same id is always right.

typedef struct ptcvm_sqlite_options {
  size_t struct_size;
  int32_t is_grouped;             // writes of a window share one sync: a crash takes back at most the last window
  int32_t reserved;
  int64_t window_ms;              // 0: 5
  int64_t busy_timeout_ms;        // how long to wait for other processes; 0: 5,000
} ptcvm_sqlite_options;

PTCVM_EXPORT ptcvm_status ptcvm_store_in_memory(ptcvm_store** out, ptcvm_error** error);
// A file, made when it is not there. Who links archives links libptcvm-sqlite.a for it; libptcvm.so has it inside.
// PTCVM_STORE_FAILED; PTCVM_NOT_AVAILABLE in a library that was built without SQLite.
PTCVM_EXPORT ptcvm_status ptcvm_store_open_sqlite(ptcvm_text path, const ptcvm_sqlite_options* options,
                                                  ptcvm_store** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_store_free(ptcvm_store* store);

// What others say, from any process; `by` names them, or is "". It wakes the run. PTCVM_STORE_FAILED,
// PTCVM_ALREADY_RESOLVED, PTCVM_INVALID_VALUE (a value that cannot be written down).
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                              ptcvm_view value, ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve_error(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                                    ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve_cancelled(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                                        ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
// A value under an id: (task "id" …) has it, and (await-signal "id") gets it.
PTCVM_EXPORT ptcvm_status ptcvm_store_put(ptcvm_store* store, ptcvm_text run, ptcvm_text id, ptcvm_view value,
                                          ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_decide(ptcvm_store* store, ptcvm_text run, ptcvm_text key, int32_t is_allowed,
                                             ptcvm_text reason, ptcvm_text by, const ptcvm_text* args_edn,
                                             ptcvm_error** error);
// Every fact of a run as a line of JSON.
PTCVM_EXPORT ptcvm_status ptcvm_store_log_json(const ptcvm_store* store, ptcvm_text run, ptcvm_buffer** out,
                                               ptcvm_error** error);
// Ids of runs that are to be run again, at most `most`.
PTCVM_EXPORT ptcvm_status ptcvm_store_woken(const ptcvm_store* store, int64_t now_ms, size_t most, ptcvm_texts** out,
                                            ptcvm_error** error);

enum { PTCVM_STORED_RUNNING = 0, PTCVM_STORED_PARKED, PTCVM_STORED_ENDED };
typedef struct ptcvm_stored_run {
  size_t struct_size;
  ptcvm_text id;                  // borrowed from the list
  int32_t state;
  int32_t is_woken;               // parked, and something that it waits for has come
  int64_t deadline_ms;            // when it wakes by itself; 0: never
  int64_t started_ms, changed_ms;
} ptcvm_stored_run;
// By id, those behind `after`, at most `most`.
PTCVM_EXPORT ptcvm_status ptcvm_store_runs(const ptcvm_store* store, ptcvm_text after, size_t most,
                                           ptcvm_stored_runs** out, ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_stored_runs_count(const ptcvm_stored_runs* runs);
PTCVM_EXPORT ptcvm_status ptcvm_stored_runs_at(const ptcvm_stored_runs* runs, size_t index, ptcvm_stored_run* out);
PTCVM_EXPORT void ptcvm_stored_runs_free(ptcvm_stored_runs* runs);

typedef struct ptcvm_stored_options {
  size_t struct_size;
  ptcvm_text id;                  // of the run; "": "run"
  const ptcvm_limits* limits;
  ptcvm_view data;                // kept in the log
  ptcvm_text signature;
  ptcvm_text name;                // of the source, for messages
  int64_t lease_ms;               // of the claim, prolonged at each write; 0: 60,000
  int32_t again;                  // a new turn, although the last one ended well
  int32_t has_time;
  int64_t time_ms;
  ptcvm_call_fn before_tool;
  void* before_tool_data;
} ptcvm_stored_options;

enum {
  PTCVM_STORED_END_ENDED = 0,     // the turn is over
  PTCVM_STORED_END_BEFORE,        // it was over and well before: there are state and result
  PTCVM_STORED_END_SUSPENDED,     // parked: pending, questions
  PTCVM_STORED_END_IN_DOUBT       // parked: nobody knows whether the calls in doubt happened, and a person has to say
};
enum { PTCVM_WAIT_PENDING = 0, PTCVM_WAIT_QUESTION, PTCVM_WAIT_DOUBT };
// What a parked run waits for.
typedef struct ptcvm_stored_wait {
  size_t struct_size;
  ptcvm_text key;                 // the id of the operation; the key of a question or of a doubt
  ptcvm_text tool, args_edn;
  ptcvm_text text;                // the question
} ptcvm_stored_wait;

// Claims the run, goes on with it or runs it from the top against its log, and parks or ends it. Tools are called in
// this thread, pauses between attempts are slept here. PTCVM_BUSY: another process executes it. PTCVM_REFUSED: nothing
// ran. PTCVM_STORE_FAILED: what the log holds is right, run it again. PTCVM_NOT_AVAILABLE: a deferred tool; use
// PTCVM_ASYNC and ptcvm_call_answer_pending().
PTCVM_EXPORT ptcvm_status ptcvm_run_stored(const ptcvm_engine* engine, ptcvm_store* store, const ptcvm_tools* tools,
                                           ptcvm_text source, const ptcvm_stored_options* options, ptcvm_stored** out,
                                           ptcvm_error** error);
// Texts and views are borrowed from it.
PTCVM_EXPORT int32_t ptcvm_stored_end(const ptcvm_stored* stored);          // -1: stored is NULL
PTCVM_EXPORT ptcvm_state ptcvm_stored_state(const ptcvm_stored* stored);
PTCVM_EXPORT ptcvm_view ptcvm_stored_result(const ptcvm_stored* stored);
PTCVM_EXPORT int32_t ptcvm_stored_diagnostic(const ptcvm_stored* stored, ptcvm_diagnostic* out);
PTCVM_EXPORT size_t ptcvm_stored_print_count(const ptcvm_stored* stored);
PTCVM_EXPORT ptcvm_text ptcvm_stored_print_at(const ptcvm_stored* stored, size_t index);
PTCVM_EXPORT ptcvm_status ptcvm_stored_get_usage(const ptcvm_stored* stored, ptcvm_usage* out);
PTCVM_EXPORT size_t ptcvm_stored_wait_count(const ptcvm_stored* stored, int32_t what);    // PTCVM_WAIT_…
PTCVM_EXPORT ptcvm_status ptcvm_stored_wait_at(const ptcvm_stored* stored, int32_t what, size_t index,
                                               ptcvm_stored_wait* out);
PTCVM_EXPORT int32_t ptcvm_stored_wake_time(const ptcvm_stored* stored, int64_t* out_ms);
PTCVM_EXPORT ptcvm_text ptcvm_stored_warning(const ptcvm_stored* stored);   // "" for none
PTCVM_EXPORT void ptcvm_stored_free(ptcvm_stored* stored);

#ifdef __cplusplus
}
#endif
