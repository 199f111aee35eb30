// The C API of ptcvm, an embeddable engine for PTC-Lisp: C11, also for C++ and for foreign function interfaces.
//
// Status     A function that can fail returns a ptcvm_status; 0 means success. When the last parameter is a
//            ptcvm_error** that is not NULL, the function writes NULL or an error there, which the caller frees. A
//            failed function sets its output to NULL and changes nothing else. No C++ exception leaves a function.
// Misuse     NULL for a handle, a struct_size that makes no sense, or an index beyond the end gives
//            PTCVM_INVALID_ARGUMENT, or nil, 0 or "" when the function returns no status. The library cannot recognise
//            a freed handle: using one is undefined. Every _free function takes NULL.
// Ownership  An object that comes out through a TYPE** belongs to the caller, who frees it with ptcvm_TYPE_free(). A
//            returned ptcvm_text or ptcvm_view is borrowed; the function says for how long. A function copies its
//            inputs before it returns, unless its comment says that it borrows them. Handles keep alive what they were
//            made from, so free them in any order. The run of a session is freed with the session.
// Threads    Any number of threads may use a ptcvm_engine, ptcvm_program or ptcvm_store at once. One thread
//            changes a ptcvm_tools or ptcvm_key_ring, and no other thread uses the handle meanwhile. One thread at a
//            time may use any other object and the views into it; the object may move between threads. Any thread may
//            call ptcvm_run_cancel() and ptcvm_stepper_cancel().
// Structs    Each struct begins with struct_size. Set up every struct with PTCVM_INIT(), which sets the defaults. The
//            library takes shorter structs from programs that were compiled with an older header, and longer structs
//            when the unknown part is 0. The library fills as much of an output struct as struct_size says.
// Texts      are UTF-8 with a length, not terminated. {NULL, 0} is "". Times are ms since 1970, UTC. Flags are 0 or 1.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ptcvm/limits.h"

#if defined(__GNUC__)
#define PTCVM_EXPORT __attribute__((visibility("default")))
#else
#define PTCVM_EXPORT
#endif
#ifdef __cplusplus
extern "C" {
#endif

// The version goes up with each release that adds to this file. Under the same soname nothing in this file changes.
#define PTCVM_ABI_VERSION 1
// Sets struct_size and makes all other members 0. Call PTCVM_INIT() on every struct before the library sees it.
#define PTCVM_INIT(a_struct) \
  ((void)memset(&(a_struct), 0, sizeof(a_struct)), (void)((a_struct).struct_size = sizeof(a_struct)))
#define PTCVM_ALL_FUEL UINT64_MAX

typedef struct ptcvm_engine ptcvm_engine;       // compiles programs and keeps them
typedef struct ptcvm_program ptcvm_program;     // a compiled program, immutable
typedef struct ptcvm_tools ptcvm_tools;         // the tools that programs may call
typedef struct ptcvm_call ptcvm_call;           // one call of a tool, while its callback runs
typedef struct ptcvm_run ptcvm_run;             // one program with its memory
typedef struct ptcvm_session ptcvm_session;     // runs one program after another with one memory
typedef struct ptcvm_store ptcvm_store;         // keeps runs that survive their process
typedef struct ptcvm_stored ptcvm_stored;       // the result of ptcvm_run_stored(), or of a stepper
typedef struct ptcvm_stored_runs ptcvm_stored_runs;
typedef struct ptcvm_stepper ptcvm_stepper;     // steps one run of a store
typedef struct ptcvm_value ptcvm_value;         // owns a value that belongs to no run
typedef struct ptcvm_entries ptcvm_entries;     // the parts of a collection
typedef struct ptcvm_writer ptcvm_writer;       // builds a value
typedef struct ptcvm_buffer ptcvm_buffer;       // owns a text or bytes
typedef struct ptcvm_texts ptcvm_texts;         // owns a list of texts
typedef struct ptcvm_key_ring ptcvm_key_ring;   // keys that seal snapshots
typedef struct ptcvm_opened ptcvm_opened;       // what was in a sealed snapshot
typedef struct ptcvm_snapshot ptcvm_snapshot;   // a snapshot that is read, not run
typedef struct ptcvm_error ptcvm_error;

typedef struct ptcvm_text {
  const char* data;
  size_t size;                                  // in bytes
} ptcvm_text;

// Looks at a value that another object owns; {{0}} is nil. Do not read or write the members.
typedef struct ptcvm_view {
  uint64_t word[3];
} ptcvm_view;

typedef int32_t ptcvm_status;
enum {
  PTCVM_OK = 0,
  PTCVM_INVALID_PROGRAM = 1,      // the source cannot be compiled (see the diagnostic), or the bytes are not a program
  PTCVM_INVALID_VALUE = 2,        // the text is not EDN or JSON, or the value has another shape
  PTCVM_INVALID_SIGNATURE = 3,
  PTCVM_INVALID_SNAPSHOT = 4,     // the bytes are not a snapshot, are damaged, or have a newer format
  PTCVM_REFUSED = 5,              // tools are missing or changed; or the decision is about other arguments
  PTCVM_UNKNOWN_OPERATION = 6,    // no operation of that id waits
  PTCVM_ALREADY_RESOLVED = 7,     // the operation was resolved before, in another way
  PTCVM_TOO_LARGE = 8,
  PTCVM_WRONG_STATE = 9,          // the call makes no sense now
  PTCVM_BUSY = 10,                // another process executes the run
  PTCVM_STORE_FAILED = 11,
  PTCVM_NOT_AVAILABLE = 12,       // this build of the library cannot do that
  PTCVM_INVALID_KEY_RING = 13,    // the file cannot be read or is not a key ring; or the ring refuses the change
  PTCVM_SEAL_REFUSED = 14,        // ptcvm_error_detail() says why: "rolled_back", "bad_signature", …
  PTCVM_INVALID_ARGUMENT = 100,   // the caller made a mistake: NULL, a struct_size, an index, an unknown constant
  PTCVM_OUT_OF_MEMORY = 101,
  PTCVM_INTERNAL = 102
};

// Return the version of the loaded library: "MAJOR.MINOR.PATCH", and its PTCVM_ABI_VERSION. A program needs a library
// whose ABI version is at least the version of the header that the program was compiled with.
PTCVM_EXPORT ptcvm_text ptcvm_version(void);
PTCVM_EXPORT uint32_t ptcvm_abi_version(void);
PTCVM_EXPORT ptcvm_text ptcvm_status_name(ptcvm_status status);   // returns "invalid_program" …, or "" when unknown

// Returns a text that borrows a zero-terminated string. NULL gives "".
static inline ptcvm_text ptcvm_text_of(const char* zero_terminated) {
  ptcvm_text text;
  text.data = zero_terminated;
  text.size = zero_terminated == NULL ? 0 : strlen(zero_terminated);
  return text;
}

// Says where and why a program failed or could not be compiled. An output struct.
typedef struct ptcvm_diagnostic {
  size_t struct_size;
  ptcvm_text kind;                // a stable name: "type_error", "unbound_var", "fuel_exhausted", …
  ptcvm_text message, hint;       // what is wrong; what would help, or ""
  ptcvm_text source_name;
  uint32_t line, column;          // count from 1; columns count code points; 0 when there is no place
  uint32_t begin, end;            // the place in the source, as offsets in bytes
  int32_t is_limit;               // 1 when a budget was used up; the program itself may be right
  int32_t is_incomplete;          // 1 when the source ends inside of a form
  ptcvm_text text, found;         // everything in one text for people; the value that did not fit, cut, or ""
} ptcvm_diagnostic;

// Return the parts of an error. Texts are borrowed from the error.
PTCVM_EXPORT ptcvm_status ptcvm_error_status(const ptcvm_error* error);
PTCVM_EXPORT ptcvm_text ptcvm_error_message(const ptcvm_error* error);     // returns one sentence for people
// Returns the stable name of the kind within the status, or "". PTCVM_SEAL_REFUSED and PTCVM_STORE_FAILED have names.
PTCVM_EXPORT ptcvm_text ptcvm_error_detail(const ptcvm_error* error);
// Returns 1 and fills `out` when the error has a diagnostic, as PTCVM_INVALID_PROGRAM of a source has.
PTCVM_EXPORT int32_t ptcvm_error_diagnostic(const ptcvm_error* error, ptcvm_diagnostic* out);
PTCVM_EXPORT void ptcvm_error_free(ptcvm_error* error);

// Returns the text of the buffer, borrowed from the buffer. A zero byte follows the text and is not a part of it.
PTCVM_EXPORT ptcvm_text ptcvm_buffer_text(const ptcvm_buffer* buffer);
PTCVM_EXPORT void ptcvm_buffer_free(ptcvm_buffer* buffer);
PTCVM_EXPORT size_t ptcvm_texts_count(const ptcvm_texts* texts);
PTCVM_EXPORT ptcvm_text ptcvm_texts_at(const ptcvm_texts* texts, size_t index);   // the text is borrowed from the list
PTCVM_EXPORT void ptcvm_texts_free(ptcvm_texts* texts);

// ---- Values. A view into a ptcvm_value is valid until the value is freed. Functions of runs say how long theirs are.

enum {
  PTCVM_NIL = 0,
  PTCVM_BOOL,
  PTCVM_INT,
  PTCVM_BIGINT,                   // ptcvm_view_edn() gives the digits
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
PTCVM_EXPORT int32_t ptcvm_view_is_truthy(ptcvm_view view);        // returns 0 for nil and false, else 1
// Return 1 and write the content to *out when the value has that kind; else return 0 and leave *out unchanged. Only
// ints convert, to doubles. Texts are borrowed from the value.
PTCVM_EXPORT int32_t ptcvm_view_bool(ptcvm_view view, int32_t* out);
PTCVM_EXPORT int32_t ptcvm_view_int(ptcvm_view view, int64_t* out);
PTCVM_EXPORT int32_t ptcvm_view_double(ptcvm_view view, double* out);
PTCVM_EXPORT int32_t ptcvm_view_string(ptcvm_view view, ptcvm_text* out);
PTCVM_EXPORT int32_t ptcvm_view_keyword(ptcvm_view view, ptcvm_text* out);   // gives the name without the colon
PTCVM_EXPORT int32_t ptcvm_view_pending(ptcvm_view view, ptcvm_text* out);   // gives the id of the operation
PTCVM_EXPORT size_t ptcvm_view_size(ptcvm_view view);              // counts elements or entries; 0 for a scalar
PTCVM_EXPORT ptcvm_view ptcvm_view_at(ptcvm_view view, size_t index);        // gives nil beyond the end
// Returns the value at that string or keyword key of a map, or nil. "-" and "_" count as the same character.
PTCVM_EXPORT ptcvm_view ptcvm_view_get(ptcvm_view view, ptcvm_text key);
PTCVM_EXPORT int32_t ptcvm_view_equal(ptcvm_view a, ptcvm_view b);           // compares as (= a b)
PTCVM_EXPORT ptcvm_status ptcvm_view_edn(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error);
// Writes keywords as names, sets as arrays, and functions as text.
PTCVM_EXPORT ptcvm_status ptcvm_view_json(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error);

// Lists the parts of a map, vector or set in the order of the language. A scalar has no parts. The views are valid as
// long as the view of the collection. Elements of vectors and sets have nil as their key.
PTCVM_EXPORT ptcvm_status ptcvm_view_entries(ptcvm_view view, ptcvm_entries** out, ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_entries_count(const ptcvm_entries* entries);
PTCVM_EXPORT ptcvm_view ptcvm_entries_key(const ptcvm_entries* entries, size_t index);
PTCVM_EXPORT ptcvm_view ptcvm_entries_value(const ptcvm_entries* entries, size_t index);
PTCVM_EXPORT void ptcvm_entries_free(ptcvm_entries* entries);

// Read a value from text. JSON objects become maps with string keys. PTCVM_INVALID_VALUE: the message says where.
PTCVM_EXPORT ptcvm_status ptcvm_value_from_json(ptcvm_text text, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_value_from_edn(ptcvm_text text, ptcvm_value** out, ptcvm_error** error);
// Copies plain data. Functions and vars in the value become nil.
PTCVM_EXPORT ptcvm_status ptcvm_value_copy(ptcvm_view view, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_view ptcvm_value_view(const ptcvm_value* value);          // gives nil for NULL
PTCVM_EXPORT void ptcvm_value_free(ptcvm_value* value);

// A writer builds one value part by part: a scalar, or a collection between begin and end. Write keys and values of a
// map in turn. ptcvm_writer_finish() closes open collections, gives nil to a key without a value, and keeps the last
// value when more than one was written.
PTCVM_EXPORT ptcvm_status ptcvm_writer_new(ptcvm_writer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_writer_nil(ptcvm_writer* writer);
PTCVM_EXPORT ptcvm_status ptcvm_writer_bool(ptcvm_writer* writer, int32_t value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_int(ptcvm_writer* writer, int64_t value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_double(ptcvm_writer* writer, double value);
PTCVM_EXPORT ptcvm_status ptcvm_writer_string(ptcvm_writer* writer, ptcvm_text utf8);   // U+FFFD for malformed bytes
PTCVM_EXPORT ptcvm_status ptcvm_writer_keyword(ptcvm_writer* writer, ptcvm_text name);
PTCVM_EXPORT ptcvm_status ptcvm_writer_copy(ptcvm_writer* writer, ptcvm_view view);
PTCVM_EXPORT ptcvm_status ptcvm_writer_begin(ptcvm_writer* writer, int32_t kind);       // PTCVM_VECTOR, _MAP or _SET
PTCVM_EXPORT ptcvm_status ptcvm_writer_end(ptcvm_writer* writer);
// Returns the value and empties the writer, which can be used again.
PTCVM_EXPORT ptcvm_status ptcvm_writer_finish(ptcvm_writer* writer, ptcvm_value** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_writer_free(ptcvm_writer* writer);

// ---- Engine and programs

typedef struct ptcvm_engine_options {
  size_t struct_size;
  int32_t has_sizes;              // 1: the next three sizes count; 0: the defaults 512, 8 MiB and 1024 count
  int32_t has_kept_memory;        // 1: kept_memory_bytes counts; 0: the default of 64 MiB counts
  size_t cached_programs;         // most programs that the cache keeps
  size_t cached_source_bytes;     // most bytes of all cached sources together
  size_t shelved_programs;        // most programs that snapshots may name by hash
  size_t kept_memory_bytes;       // most memory of ended runs that the next runs may use; 0 keeps none
} ptcvm_engine_options;

typedef struct ptcvm_compile_options {
  size_t struct_size;
  ptcvm_text name;                // the name of the source, for messages
  const ptcvm_tools* tools;       // when not NULL, a call of a tool that is not in the list cannot be compiled
  const ptcvm_text* defined;      // names that the program may use without defining them
  size_t defined_count;
  int32_t strict_task_ids;        // 1: the id in (task id …) must be a string literal
  uint32_t max_symbols;           // most distinct names in a source; 0 means 10,000
  int32_t no_optimize, reserved;  // 1: neither fold constants nor inline functions
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
// Returns the program of a source, from the cache when the cache has it. Executes nothing. PTCVM_INVALID_PROGRAM has a
// diagnostic; PTCVM_NOT_AVAILABLE comes from the library without a compiler. Every `options` in this file may be NULL.
PTCVM_EXPORT ptcvm_status ptcvm_engine_compile(const ptcvm_engine* engine, ptcvm_text source,
                                               const ptcvm_compile_options* options, ptcvm_program** out,
                                               ptcvm_error** error);
// Loads bytecode, which may come from anywhere. Refuses bytes that could do harm with PTCVM_INVALID_PROGRAM.
PTCVM_EXPORT ptcvm_status ptcvm_engine_load(const ptcvm_engine* engine, ptcvm_text bytecode, ptcvm_program** out,
                                            ptcvm_error** error);
PTCVM_EXPORT ptcvm_text ptcvm_program_source(const ptcvm_program* program);    // borrowed from the program
PTCVM_EXPORT ptcvm_status ptcvm_program_sha256(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_program_bytecode(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_program_tools(const ptcvm_program* program, ptcvm_texts** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_program_free(ptcvm_program* program);

// ---- Tools. A run keeps the list as it was when the run was made.

enum {                            // says what the engine may do about a call that may or may not have happened
  PTCVM_UNSAFE = 0,               // a person must say whether the call happened
  PTCVM_PURE,
  PTCVM_IDEMPOTENT,
  PTCVM_KEYED,                    // the engine may call the tool again with the same idempotency key
  PTCVM_RECONCILABLE              // the engine asks ptcvm_tool_options.reconcile
};
enum {
  PTCVM_SYNC = 0,                 // the call gives the answer
  PTCVM_ASYNC,                    // the call gives a handle at once, and the program awaits the handle
  PTCVM_AUTO                      // the call gives the answer, and waits when the answer comes later
};

// A callback runs on the thread that steps the run. The callback must return: it may not throw or longjmp. It may not
// use the run of its call, except with ptcvm_run_cancel().
typedef void (*ptcvm_call_fn)(void* user_data, ptcvm_call* call);

typedef struct ptcvm_tool_options {
  size_t struct_size;
  ptcvm_text description;         // for people and models
  ptcvm_text question;            // when not "", each call waits for ptcvm_run_decide() with this question
  int32_t effect, mode;
  int32_t cache;                  // 1: equal arguments get the first good answer of the run again
  uint32_t max_attempts;          // 0 and 1 mean that a failed call is not tried again
  int64_t first_delay_ms, max_delay_ms;   // the first and the longest pause between attempts; 0 means 100 and 30,000
  int64_t deadline_ms;            // the time for one call; 0 means the time of the run
  ptcvm_call_fn reconcile;        // gets the user_data of the tool; calls ptcvm_call_answer() or …_did_not_happen()
  // 1: the signature is any text, for people and models; the engine does not read it and checks nothing.
  int32_t no_signature_check, reserved;
} ptcvm_tool_options;

PTCVM_EXPORT ptcvm_status ptcvm_tools_new(ptcvm_tools** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_tools_free(ptcvm_tools* tools);
// Adds a tool that the host answers itself: the run yields, and ptcvm_run_call_at() shows the call. The run checks
// arguments and answers against the signature, "(q :string, limit :int?) -> [{id :int}]"; "" checks nothing. A second
// tool of the same name replaces the first. PTCVM_INVALID_SIGNATURE: the message says where.
PTCVM_EXPORT ptcvm_status ptcvm_tools_defer(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature,
                                            const ptcvm_tool_options* options, ptcvm_error** error);
// Adds a tool with a callback. The library calls `destroy` (may be NULL) with user_data exactly once: when neither the
// list nor a run needs the tool any more, on the thread that frees the last of them; at once when this function fails.
PTCVM_EXPORT ptcvm_status ptcvm_tools_add(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature,
                                          ptcvm_call_fn callback, void* user_data, void (*destroy)(void* user_data),
                                          const ptcvm_tool_options* options, ptcvm_error** error);

// Return facts about the call whose callback runs. Texts and views are borrowed until the callback returns.
PTCVM_EXPORT ptcvm_text ptcvm_call_name(const ptcvm_call* call);
PTCVM_EXPORT ptcvm_view ptcvm_call_args(const ptcvm_call* call);             // returns a map with string keys
PTCVM_EXPORT ptcvm_text ptcvm_call_run_id(const ptcvm_call* call);
PTCVM_EXPORT uint64_t ptcvm_call_turn(const ptcvm_call* call);
PTCVM_EXPORT ptcvm_text ptcvm_call_task_id(const ptcvm_call* call);          // the innermost open task, or ""
PTCVM_EXPORT ptcvm_text ptcvm_call_idempotency_key(const ptcvm_call* call);
PTCVM_EXPORT uint32_t ptcvm_call_attempt(const ptcvm_call* call);            // counts from 1
// Returns 1 when the answer has become useless. A callback that sees this gives up with ptcvm_call_timed_out().
PTCVM_EXPORT int32_t ptcvm_call_is_expired(const ptcvm_call* call);
// Answer the call. A second answer is PTCVM_WRONG_STATE. A callback that returns without an answer is a tool_error.
PTCVM_EXPORT ptcvm_status ptcvm_call_answer(ptcvm_call* call, ptcvm_view value);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_json(ptcvm_call* call, ptcvm_text json, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_error(ptcvm_call* call, ptcvm_text message);
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_unknown(ptcvm_call* call, ptcvm_text message);   // the effect decides
PTCVM_EXPORT ptcvm_status ptcvm_call_answer_pending(ptcvm_call* call, ptcvm_text operation);  // "": the run names it
PTCVM_EXPORT ptcvm_status ptcvm_call_timed_out(ptcvm_call* call);            // answers {:status :timed-out :partial v}
PTCVM_EXPORT ptcvm_status ptcvm_call_report_partial(ptcvm_call* call, ptcvm_view value);      // the last value counts
// Only `reconcile` may call this function. A reconcile that says nothing does not know what happened.
PTCVM_EXPORT ptcvm_status ptcvm_call_did_not_happen(ptcvm_call* call);
// Only `before_tool` may call these functions. A before_tool that says nothing allows the call.
PTCVM_EXPORT ptcvm_status ptcvm_call_deny(ptcvm_call* call, ptcvm_text why);
PTCVM_EXPORT ptcvm_status ptcvm_call_ask(ptcvm_call* call, ptcvm_text question);
PTCVM_EXPORT ptcvm_status ptcvm_call_change(ptcvm_call* call, ptcvm_view args);               // a map with string keys

// ---- Runs

typedef int32_t ptcvm_state;
enum {
  PTCVM_NO_STATE = -1,            // misuse: no run, or a step inside of a step; or memory ran out, so free the run
  PTCVM_COMPLETED = 0,            // the program is over; ptcvm_run_result() is the value of the last form
  PTCVM_RETURNED = 1,             // the program is over; ptcvm_run_result() is v of (return v)
  PTCVM_FAILED = 2,               // the result is v of (fail v); or there is a fault with a diagnostic
  PTCVM_SUSPENDED = 3,            // the run waits for operations or decisions; ptcvm_run_snapshot() takes it elsewhere
  PTCVM_YIELDED = 4               // fuel is used up, calls wait for answers, or events wait to be taken; step again
};

// Fills a struct whose struct_size is set (PTCVM_INIT) with the defaults. Change some afterwards: 0 means 0 here.
PTCVM_EXPORT ptcvm_status ptcvm_limits_default(ptcvm_limits* limits);

typedef struct ptcvm_run_options {
  size_t struct_size;
  ptcvm_text id;                  // part of every idempotency key; "" means "run"
  const ptcvm_tools* tools;       // NULL means that there are no tools
  const ptcvm_limits* limits;     // NULL means the defaults
  ptcvm_view data;                // a map for data/…
  ptcvm_text data_json;           // the map as JSON text; "" when `data` is used
  ptcvm_text signature;           // the shape of the result; a result of another shape is a fault
  int32_t has_time, no_journal;   // 1: time_ms counts; 1: the program may not use (task …)
  int64_t time_ms;                // the time for the program; without has_time the system clock
  size_t event_capacity;          // most events that wait in ptcvm_run_next_event(); 0 means no events
  int32_t event_forms, reserved;  // 1: each form is an event, too, which is slow
  ptcvm_call_fn before_tool;      // judges every call before it is made; the run borrows the callback and its data
  void* before_tool_data;
  int32_t pauses_at_calls;        // 1: a step also yields before it calls tools and after it called them
  int32_t is_out_of_time;         // 1: every turn ends with the fault timeout before its first instruction
} ptcvm_run_options;

typedef struct ptcvm_restore_options {
  size_t struct_size;
  const ptcvm_tools* tools;       // must have the tools of the run, unchanged; else PTCVM_REFUSED
  const ptcvm_limits* limits;     // the run gets the smaller of these limits and its own
  size_t max_bytes;               // the largest snapshot that is taken; 0 means 64 MiB
  int32_t has_time, reserved;
  int64_t time_ms;
  size_t event_capacity;
  int32_t event_forms, reserved2;
  ptcvm_call_fn before_tool;
  void* before_tool_data;
  int32_t pauses_at_calls, reserved3;
} ptcvm_restore_options;

typedef struct ptcvm_usage {
  size_t struct_size;
  uint64_t fuel, peak_bytes, active_micros;
  uint32_t tool_calls, suspensions;
} ptcvm_usage;

// Makes a run at the beginning of its program. PTCVM_INVALID_SIGNATURE; PTCVM_INVALID_VALUE when data is not a map.
PTCVM_EXPORT ptcvm_status ptcvm_run_start(const ptcvm_engine* engine, const ptcvm_program* program,
                                          const ptcvm_run_options* options, ptcvm_run** out, ptcvm_error** error);
// Makes a run that goes on where the snapshot was taken. The snapshot is bytes or JSON from anywhere.
// PTCVM_INVALID_SNAPSHOT, PTCVM_REFUSED, PTCVM_TOO_LARGE.
PTCVM_EXPORT ptcvm_status ptcvm_run_restore(const ptcvm_engine* engine, ptcvm_text snapshot,
                                            const ptcvm_restore_options* options, ptcvm_run** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_run_free(ptcvm_run* run);   // does not free the run of a session

// Executes at most about `fuel` units of work (PTCVM_ALL_FUEL sets no bound) and returns the state. Does not block,
// sleep or start threads, and calls the callbacks of tools. A run that is over, or suspended without an answer, stays
// so.
PTCVM_EXPORT ptcvm_state ptcvm_run_step(ptcvm_run* run, uint64_t fuel);
PTCVM_EXPORT ptcvm_state ptcvm_run_get_state(const ptcvm_run* run);         // returns the state after the last step
// Frees the memory of a run that waits, except about the size of its snapshot. The next call of any function restores
// the run in a few microseconds. Texts and views of the run become invalid. Returns 1, or 0 when the run does not wait.
PTCVM_EXPORT int32_t ptcvm_run_park(ptcvm_run* run);
// Makes the next step end with the fault "cancelled". Any thread may call this, as long as no thread frees the run.
PTCVM_EXPORT void ptcvm_run_cancel(ptcvm_run* run);

// Returns the result of a run that is over, else nil. The view is valid until the run is freed or begins another turn.
PTCVM_EXPORT ptcvm_view ptcvm_run_result(ptcvm_run* run);
// Returns 1 when the turn ended with a fault. Texts are borrowed until the next call of this function.
PTCVM_EXPORT int32_t ptcvm_run_diagnostic(ptcvm_run* run, ptcvm_diagnostic* out);
PTCVM_EXPORT ptcvm_status ptcvm_run_prints(const ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_warnings(const ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_get_usage(const ptcvm_run* run, ptcvm_usage* out);
PTCVM_EXPORT size_t ptcvm_run_memory_bytes(const ptcvm_run* run);           // returns the size of the heap now
PTCVM_EXPORT ptcvm_text ptcvm_run_id(const ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_journal_edn(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);
// Returns 1 and the time at which the host should step a waiting run although no answer has come (for sleeps, deadlines
// and retries), or 0 when there is no such time.
PTCVM_EXPORT int32_t ptcvm_run_wake_time(const ptcvm_run* run, int64_t* out_ms);
PTCVM_EXPORT void ptcvm_run_set_time(ptcvm_run* run, int64_t ms);   // for the next steps

// Returns the whole run between two steps. The same state gives the same bytes. With by_hash the snapshot names its
// programs by hash, and ptcvm_run_restore() needs an engine that has them.
PTCVM_EXPORT ptcvm_status ptcvm_run_snapshot(const ptcvm_run* run, int32_t by_hash, ptcvm_buffer** out,
                                             ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_snapshot_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);

// A call of a deferred tool that waits for its answer, or a call that somebody must decide.
typedef struct ptcvm_waiting_call {
  size_t struct_size;
  uint64_t id;                    // the number of the call, for ptcvm_run_answer…()
  ptcvm_text tool;
  ptcvm_text key;                 // the idempotency key; for a question, the key for ptcvm_run_decide()
  ptcvm_text task_id;
  ptcvm_text question;            // the question; "" for a call of a deferred tool
  ptcvm_view args;
  uint64_t attempt;               // in a stepper: the number of this attempt, from 1
  int32_t is_deferred;            // 0: the tool has a callback, which ptcvm_stepper_make() calls
  int32_t reserved;
} ptcvm_waiting_call;

typedef struct ptcvm_pending_operation {
  size_t struct_size;
  ptcvm_text id, tool;
  ptcvm_view args, progress;
  int64_t since_ms;
  int64_t deadline_ms;            // when the program stops waiting for the operation; 0 means never
  int32_t is_awaited;             // 1 when a part of the program waits for the operation now
  int32_t reserved;
} ptcvm_pending_operation;

// A call that the program made and that has its answer, as texts. All texts of one list have a common limit, which
// grows with the memory that the run has left; a text beyond the limit is "…".
typedef struct ptcvm_call_record {
  size_t struct_size;
  ptcvm_text tool, args_edn;
  ptcvm_text result_edn;          // "" for a call that failed; a handle for an open operation
  ptcvm_text error;               // why the call failed
  int32_t failed, is_cached;      // 1: the answer came from the cache of the run
} ptcvm_call_record;

// A _count function takes a list, and the _at functions show that list, so answering in a loop does not shift indices.
// Texts and views are borrowed until the next _count of that kind, step or free.
PTCVM_EXPORT size_t ptcvm_run_call_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_call_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out);
PTCVM_EXPORT size_t ptcvm_run_question_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_question_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out);
PTCVM_EXPORT size_t ptcvm_run_pending_count(ptcvm_run* run);
PTCVM_EXPORT ptcvm_status ptcvm_run_pending_at(const ptcvm_run* run, size_t index, ptcvm_pending_operation* out);
PTCVM_EXPORT size_t ptcvm_run_record_count(ptcvm_run* run);      // lists the calls of tools of this turn
PTCVM_EXPORT ptcvm_status ptcvm_run_record_at(const ptcvm_run* run, size_t index, ptcvm_call_record* out);

// Answer a call of a deferred tool. PTCVM_WRONG_STATE when no such call waits.
PTCVM_EXPORT ptcvm_status ptcvm_run_answer(ptcvm_run* run, uint64_t call, ptcvm_view value, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_json(ptcvm_run* run, uint64_t call, ptcvm_text json, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_edn(ptcvm_run* run, uint64_t call, ptcvm_text edn, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_error(ptcvm_run* run, uint64_t call, ptcvm_text message,
                                                 ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_run_answer_pending(ptcvm_run* run, uint64_t call, ptcvm_text operation,
                                                   ptcvm_error** error);   // takes tools of mode ASYNC or AUTO
// Decides a call about which a hook asks. A denied call becomes a tool_error with the reason. Pass args_edn (may be
// NULL) when a person has seen the arguments. PTCVM_REFUSED when the call was decided otherwise, when nobody asked, or
// when the call has other arguments.
PTCVM_EXPORT ptcvm_status ptcvm_run_decide(ptcvm_run* run, ptcvm_text key, int32_t is_allowed, ptcvm_text reason,
                                           const ptcvm_text* args_edn, ptcvm_error** error);
// Resolve an operation. The program sees the resolution in the next step. Resolving again in the same way changes
// nothing; another way is PTCVM_ALREADY_RESOLVED. PTCVM_UNKNOWN_OPERATION, PTCVM_TOO_LARGE, PTCVM_INVALID_VALUE.
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
enum { PTCVM_RESOLVE_OK = 0, PTCVM_RESOLVE_ERROR, PTCVM_RESOLVE_CANCELLED, PTCVM_RESOLVE_PROGRESS };
// Says what became of an operation. `value` counts for OK and PROGRESS, `reason` for ERROR and CANCELLED.
typedef struct ptcvm_resolution {
  ptcvm_text operation;
  int32_t kind, reserved;         // PTCVM_RESOLVE_…
  ptcvm_view value;
  ptcvm_text reason;
} ptcvm_resolution;
// Resolves several operations in that order, or none of them: the first one that is refused gives the error.
PTCVM_EXPORT ptcvm_status ptcvm_run_resolve_all(ptcvm_run* run, const ptcvm_resolution* resolutions, size_t count,
                                                ptcvm_error** error);
// Returns the operations that the program gave up since the last call, so that their tools can stop.
PTCVM_EXPORT ptcvm_status ptcvm_run_take_cancelled(ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error);

// ---- Events tell what happens in a run. event_capacity switches them on.

enum {
  PTCVM_EVENT_RUN_START = 0, PTCVM_EVENT_FORM, PTCVM_EVENT_TOOL_START, PTCVM_EVENT_TOOL_END, PTCVM_EVENT_OPEN,
  PTCVM_EVENT_RESOLVE, PTCVM_EVENT_COMMIT, PTCVM_EVENT_RESET, PTCVM_EVENT_PRINT, PTCVM_EVENT_PROGRESS,
  PTCVM_EVENT_ASK, PTCVM_EVENT_RETRY, PTCVM_EVENT_LIMIT, PTCVM_EVENT_WARNING, PTCVM_EVENT_SUSPEND,
  PTCVM_EVENT_RESUME, PTCVM_EVENT_FAULT, PTCVM_EVENT_RUN_END
};
// EventKind in event.hpp lists the members of each kind. All other members are "", nil or 0.
typedef struct ptcvm_event {
  size_t struct_size;
  int32_t kind, is_cached;
  uint32_t line, column, attempt, reserved;
  uint64_t sequence;              // counts the events of the run, from 1
  uint64_t turn;
  int64_t unix_micros;
  uint64_t micros, fuel, bytes;
  ptcvm_text name, id, task, operation, text, error, status;
  ptcvm_view args, value;         // copies: plain data only
} ptcvm_event;
PTCVM_EXPORT ptcvm_text ptcvm_event_name(int32_t kind);                     // returns "run_start" …, or "" when unknown
// Takes the oldest event that waits and returns 1, or returns 0 when no event waits. The event is borrowed until the
// next call of this function. A run with event_capacity events yields, and does nothing before the host has taken some.
// One slice of work and the calls of the host can exceed event_capacity somewhat, because no event is dropped.
PTCVM_EXPORT int32_t ptcvm_run_next_event(ptcvm_run* run, ptcvm_event* out);
// Returns the event that was taken last as a line of a trace.
PTCVM_EXPORT ptcvm_status ptcvm_run_event_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error);

// ---- Sessions. Definitions, the journal, waiting operations and *1 *2 *3 go from turn to turn.

PTCVM_EXPORT ptcvm_status ptcvm_session_new(const ptcvm_engine* engine, const ptcvm_run_options* options,
                                            ptcvm_session** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_session_restore(const ptcvm_engine* engine, ptcvm_text snapshot,
                                                const ptcvm_restore_options* options, ptcvm_session** out,
                                                ptcvm_error** error);
// Returns the run of the session, borrowed from the session. Before the first turn the run is over.
PTCVM_EXPORT ptcvm_run* ptcvm_session_run(ptcvm_session* session);
// Begins the next turn, which the host steps. PTCVM_WRONG_STATE when the last turn is not over; PTCVM_INVALID_PROGRAM.
PTCVM_EXPORT ptcvm_status ptcvm_session_begin(ptcvm_session* session, ptcvm_text source, ptcvm_error** error);
// Begins the next turn, and steps until the turn is over or waits. ptcvm_run_get_state() says which.
PTCVM_EXPORT ptcvm_status ptcvm_session_eval(ptcvm_session* session, ptcvm_text source, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_session_definitions_edn(const ptcvm_session* session, ptcvm_buffer** out,
                                                        ptcvm_error** error);
PTCVM_EXPORT void ptcvm_session_free(ptcvm_session* session);

// ---- Stores. It is always right to call ptcvm_run_stored() again with the same id.

typedef struct ptcvm_sqlite_options {
  size_t struct_size;
  int32_t is_grouped;             // 1: writes of a window share one sync; a crash can take back the last window
  int32_t reserved;
  int64_t window_ms;              // 0 means 5
  int64_t busy_timeout_ms;        // how long a call waits for other processes; 0 means 5,000
  const ptcvm_key_ring* keys;     // seals each log and checks it; the store keeps a copy of the ring. NULL: no seals
  ptcvm_text tenant;              // whose logs these are; 1 to 256 bytes beside `keys`, else ""
} ptcvm_sqlite_options;

PTCVM_EXPORT ptcvm_status ptcvm_store_in_memory(ptcvm_store** out, ptcvm_error** error);
// Opens a file, and makes the file when it is not there. A program that links archives needs libptcvm-sqlite.a, too.
// PTCVM_STORE_FAILED; PTCVM_INVALID_ARGUMENT for a ring without a tenant or a tenant without a ring;
// PTCVM_NOT_AVAILABLE in a library that was built without SQLite. With a ring, functions that read or write a log
// give PTCVM_SEAL_REFUSED when somebody without the ring has changed the log; ptcvm_error_detail() names the reason.
// Without a ring, sealed logs can be read and not written (keys_needed).
PTCVM_EXPORT ptcvm_status ptcvm_store_open_sqlite(ptcvm_text path, const ptcvm_sqlite_options* options,
                                                  ptcvm_store** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_store_free(ptcvm_store* store);

// Resolve an operation, from any process, and wake the run. `by` names the speaker, or is "". PTCVM_STORE_FAILED,
// PTCVM_ALREADY_RESOLVED, PTCVM_INVALID_VALUE (a value that is not plain data).
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                              ptcvm_view value, ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve_error(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                                    ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_resolve_cancelled(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                                        ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
// Puts a value under an id: (task "id" …) has the value, and (await-signal "id") gets it.
PTCVM_EXPORT ptcvm_status ptcvm_store_put(ptcvm_store* store, ptcvm_text run, ptcvm_text id, ptcvm_view value,
                                          ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_store_decide(ptcvm_store* store, ptcvm_text run, ptcvm_text key, int32_t is_allowed,
                                             ptcvm_text reason, ptcvm_text by, const ptcvm_text* args_edn,
                                             ptcvm_error** error);
// Sets what the handle of an operation shows until the operation is resolved.
PTCVM_EXPORT ptcvm_status ptcvm_store_progress(ptcvm_store* store, ptcvm_text run, ptcvm_text operation,
                                               ptcvm_view value, ptcvm_text by, ptcvm_error** error);
enum { PTCVM_DOUBT_HAPPENED = 0, PTCVM_DOUBT_DID_NOT, PTCVM_DOUBT_GIVE_UP };
// Says what became of a call in doubt, by its key (PTCVM_WAIT_DOUBT): it happened with this result, it did not happen
// and is made again, or it shall fail. PTCVM_REFUSED: there is no such doubt any more.
PTCVM_EXPORT ptcvm_status ptcvm_store_settle(ptcvm_store* store, ptcvm_text run, ptcvm_text key, int32_t answer,
                                             ptcvm_view result, ptcvm_text by, ptcvm_error** error);
// Opens a task again: the run does it when it reaches it next. PTCVM_BUSY; PTCVM_REFUSED, with the detail "no_task"
// or "needs_reason": the calls of the task had effects, and `reason` is "".
PTCVM_EXPORT ptcvm_status ptcvm_store_reset_task(ptcvm_store* store, ptcvm_text run, ptcvm_text task,
                                                 ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
// Returns what the log of a run says as one JSON object: run, turn, over, tasks, effects, operations.
PTCVM_EXPORT ptcvm_status ptcvm_store_journal_json(const ptcvm_store* store, ptcvm_text run, ptcvm_buffer** out,
                                                   ptcvm_error** error);
// Writes lines that ptcvm_store_log_json() returned as the log of a run that is not there yet. PTCVM_INVALID_VALUE,
// PTCVM_REFUSED (the run is there), PTCVM_BUSY.
PTCVM_EXPORT ptcvm_status ptcvm_store_import_log(ptcvm_store* store, ptcvm_text run, ptcvm_text lines,
                                                 ptcvm_error** error);
// Returns every fact of a run as a line of JSON.
PTCVM_EXPORT ptcvm_status ptcvm_store_log_json(const ptcvm_store* store, ptcvm_text run, ptcvm_buffer** out,
                                               ptcvm_error** error);
// Returns the ids of runs that somebody should run again, at most `most`.
PTCVM_EXPORT ptcvm_status ptcvm_store_woken(const ptcvm_store* store, int64_t now_ms, size_t most, ptcvm_texts** out,
                                            ptcvm_error** error);

enum { PTCVM_STORED_RUNNING = 0, PTCVM_STORED_PARKED, PTCVM_STORED_ENDED, PTCVM_STORED_MOVING, PTCVM_STORED_MOVED };
typedef struct ptcvm_stored_run {
  size_t struct_size;
  ptcvm_text id;                  // the text is borrowed from the list
  int32_t state;
  int32_t is_woken;               // 1 when the run is parked and an answer for it has come
  int64_t deadline_ms;            // when the run wakes by itself; 0 means never
  int64_t started_ms, changed_ms;
} ptcvm_stored_run;
// Returns runs sorted by id, after the id `after`, at most `most`.
PTCVM_EXPORT ptcvm_status ptcvm_store_runs(const ptcvm_store* store, ptcvm_text after, size_t most,
                                           ptcvm_stored_runs** out, ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_stored_runs_count(const ptcvm_stored_runs* runs);
PTCVM_EXPORT ptcvm_status ptcvm_stored_runs_at(const ptcvm_stored_runs* runs, size_t index, ptcvm_stored_run* out);
PTCVM_EXPORT void ptcvm_stored_runs_free(ptcvm_stored_runs* runs);

// Returns the time of the host in ms since 1970.
typedef int64_t (*ptcvm_clock_fn)(void* user_data);
// Gets the diagnostic of a turn that failed. The diagnostic and its texts are borrowed for the call.
typedef void (*ptcvm_diagnostic_fn)(void* user_data, const ptcvm_diagnostic* diagnostic);

typedef struct ptcvm_stored_options {
  size_t struct_size;
  ptcvm_text id;                  // the id of the run; "" means "run"
  const ptcvm_limits* limits;
  ptcvm_view data;                // a map for data/…; the log keeps it
  ptcvm_text signature;
  ptcvm_text name;                // the name of the source, for messages
  int64_t lease_ms;               // the lease of the claim, which each write prolongs; 0 means 60,000
  int32_t again;                  // 1 begins a new turn although the last one ended well
  int32_t has_time;
  int64_t time_ms;
  ptcvm_call_fn before_tool;
  void* before_tool_data;
  int32_t keeps_session;          // 1: the definitions of a turn are there in the next turn of the run
  int32_t reserved;
  size_t parallel_calls;          // most calls that a stepper hands out at once; 0: there is no bound
  size_t event_capacity;          // most events that wait in ptcvm_stepper_next_event(); 0: no events. Steppers only
  ptcvm_clock_fn clock;           // leases, deadlines and facts go by this clock; NULL: the system clock
  void* clock_data;
  ptcvm_diagnostic_fn on_error;   // called in the step that ends with a failed turn; NULL: nobody is told
  void* on_error_data;
} ptcvm_stored_options;

enum {
  PTCVM_STORED_END_ENDED = 0,     // the turn is over
  PTCVM_STORED_END_BEFORE,        // the turn had ended well before; state and result are set
  PTCVM_STORED_END_SUSPENDED,     // the run is parked; see pending and questions
  PTCVM_STORED_END_IN_DOUBT       // the run is parked; a person must say whether the calls in doubt happened
};
enum { PTCVM_WAIT_PENDING = 0, PTCVM_WAIT_QUESTION, PTCVM_WAIT_DOUBT };
// One thing that a parked run waits for.
typedef struct ptcvm_stored_wait {
  size_t struct_size;
  ptcvm_text key;                 // the id of an operation, or the key of a question or a doubt
  ptcvm_text tool, args_edn;
  ptcvm_text text;                // the question
} ptcvm_stored_wait;

// Claims the run, goes on with it or runs it from the top against its log, and parks or ends it. Calls tools in this
// thread, and sleeps here between attempts. PTCVM_BUSY when another process executes the run. PTCVM_REFUSED when
// nothing ran. PTCVM_STORE_FAILED leaves the log intact: call again. PTCVM_NOT_AVAILABLE for a deferred tool: use a
// stepper, or PTCVM_ASYNC and ptcvm_call_answer_pending(). PTCVM_INVALID_ARGUMENT for an event_capacity above 0.
PTCVM_EXPORT ptcvm_status ptcvm_run_stored(const ptcvm_engine* engine, ptcvm_store* store, const ptcvm_tools* tools,
                                           ptcvm_text source, const ptcvm_stored_options* options, ptcvm_stored** out,
                                           ptcvm_error** error);
// Return the parts of the outcome. Texts and views are borrowed from it.
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

// ---- Steppers execute a stored run and never block. Several calls are in flight at once, each with its intent in the
// store. A process that dies loses nothing: the effect of each open call decides what the next stepper does.

enum {
  PTCVM_STEP_NONE = -1,           // the step failed
  PTCVM_STEP_YIELDED = 0,         // the fuel of the step is used up; step again
  PTCVM_STEP_WAITS,               // for answers to its calls, or for ptcvm_stepper_wake_time() when there are no calls
  PTCVM_STEP_DONE                 // ptcvm_stepper_take_outcome() says how; the claim of the run was given back
};

// Makes a stepper. The first step claims the run; nothing is written before. `source` and `options` are as in
// ptcvm_run_stored(). Deferred tools are allowed. PTCVM_INVALID_VALUE: a limit is out of its range.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_start(const ptcvm_engine* engine, const ptcvm_store* store,
                                              const ptcvm_tools* tools, ptcvm_text source,
                                              const ptcvm_stored_options* options, ptcvm_stepper** out,
                                              ptcvm_error** error);
// Makes a stepper for a run that was begun before, by the id in the options. The log has source, name, data, limits and
// signature; limits of the options count where they are smaller. PTCVM_WRONG_STATE: the run was never begun.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_open(const ptcvm_engine* engine, const ptcvm_store* store,
                                             const ptcvm_tools* tools, const ptcvm_stored_options* options,
                                             ptcvm_stepper** out, ptcvm_error** error);
// Gives the claim of the run back. Open calls stay open in the store.
PTCVM_EXPORT void ptcvm_stepper_free(ptcvm_stepper* stepper);

// Executes at most about `fuel` units of work and writes PTCVM_STEP_… to *out_step. Waits for the disk and for nothing
// else; calls no tools. PTCVM_BUSY: another process executes the run. PTCVM_REFUSED: nothing ran. PTCVM_STORE_FAILED:
// what the store holds is right; step again. After PTCVM_OUT_OF_MEMORY only free the stepper. A step after
// PTCVM_STEP_DONE opens the run again.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_step(ptcvm_stepper* stepper, uint64_t fuel, int32_t* out_step,
                                             ptcvm_error** error);
// Makes the next step end the turn with the fault "cancelled". Any thread may call this, as long as no thread frees
// the stepper.
PTCVM_EXPORT void ptcvm_stepper_cancel(ptcvm_stepper* stepper);
PTCVM_EXPORT ptcvm_text ptcvm_stepper_id(const ptcvm_stepper* stepper);      // the id of the run, borrowed

// Take a list of the calls that can be made now, in the order of calling, and show an element of that list. Texts and
// views are borrowed until the next _count or free, so a loop may answer the calls on its way.
PTCVM_EXPORT size_t ptcvm_stepper_call_count(ptcvm_stepper* stepper);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_call_at(const ptcvm_stepper* stepper, size_t index, ptcvm_waiting_call* out);
// Answer a call, in any order. The store has the answer at once, or, for the last call in flight, together with what
// the program does next. PTCVM_WRONG_STATE when no such call waits.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer(ptcvm_stepper* stepper, uint64_t call, ptcvm_view value,
                                               ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer_json(ptcvm_stepper* stepper, uint64_t call, ptcvm_text json,
                                                    ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer_edn(ptcvm_stepper* stepper, uint64_t call, ptcvm_text edn,
                                                   ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer_error(ptcvm_stepper* stepper, uint64_t call, ptcvm_text message,
                                                     ptcvm_error** error);
// Says that nobody knows whether the call happened. The effect of its tool decides what follows.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer_unknown(ptcvm_stepper* stepper, uint64_t call, ptcvm_text message,
                                                       ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_answer_pending(ptcvm_stepper* stepper, uint64_t call, ptcvm_text operation,
                                                       ptcvm_error** error);   // takes tools of mode ASYNC or AUTO
// Calls the callback of the tool in this thread, and answers with what the callback says. PTCVM_NOT_AVAILABLE: the
// tool is deferred.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_make(ptcvm_stepper* stepper, uint64_t call, ptcvm_error** error);

// Takes the oldest event that waits and returns 1, or returns 0 when no event waits. The event is borrowed until the
// next call of this function. A stepper with event_capacity events yields, and does nothing before the host has taken
// some. One slice of work and the answers of the host can exceed event_capacity somewhat, because no event is dropped.
// The store has what an event tells before the event is there.
PTCVM_EXPORT int32_t ptcvm_stepper_next_event(ptcvm_stepper* stepper, ptcvm_event* out);
// Returns the event that was taken last as a line of a trace.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_event_json(const ptcvm_stepper* stepper, ptcvm_buffer** out,
                                                   ptcvm_error** error);

// Returns 1 and the time at which the host should step the run although no answer has come, or 0 when there is none.
PTCVM_EXPORT int32_t ptcvm_stepper_wake_time(const ptcvm_stepper* stepper, int64_t* out_ms);
// Hands out how the last step that was PTCVM_STEP_DONE ended, once, for the ptcvm_stored_… functions. The caller frees
// the outcome with ptcvm_stored_free(). PTCVM_WRONG_STATE: the run is not done, or the outcome was taken.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_take_outcome(ptcvm_stepper* stepper, ptcvm_stored** out, ptcvm_error** error);

// Say something to the run, as ptcvm_store_resolve() and the others do for any run. A program that is executed now sees
// it when it is suspended next; a run that is done goes on with the next step.
PTCVM_EXPORT ptcvm_status ptcvm_stepper_resolve(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_view value,
                                                ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_resolve_json(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text json,
                                                     ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_resolve_edn(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text edn,
                                                    ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_resolve_error(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text reason,
                                                      ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_resolve_cancelled(ptcvm_stepper* stepper, ptcvm_text operation,
                                                          ptcvm_text reason, ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_progress(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_view value,
                                                 ptcvm_text by, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_decide(ptcvm_stepper* stepper, ptcvm_text key, int32_t is_allowed,
                                               ptcvm_text reason, ptcvm_text by, const ptcvm_text* args_edn,
                                               ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_stepper_settle(ptcvm_stepper* stepper, ptcvm_text key, int32_t answer,
                                               ptcvm_view result, ptcvm_text by, ptcvm_error** error);

// ---- Snapshots for readers: what a snapshot holds, without tools and without running it.

enum { PTCVM_BETWEEN_TURNS = 0, PTCVM_TURN_SUSPENDED, PTCVM_BETWEEN_STEPS };
enum {                            // says what a fiber does next
  PTCVM_FIBER_READY = 0, PTCVM_FIBER_WAITS_FOR_TOOL, PTCVM_FIBER_WAITS_FOR_OPERATIONS, PTCVM_FIBER_WAITS_FOR_TASK,
  PTCVM_FIBER_WAITS_FOR_BRANCHES, PTCVM_FIBER_FINISHED, PTCVM_FIBER_FAULTED
};
enum { PTCVM_DEFINITIONS = 0, PTCVM_JOURNAL };   // lists of named values

// SnapshotView in snapshot_view.hpp says what each member is. Texts and views are borrowed from the
// snapshot view until the next _count of that kind or free.
typedef struct ptcvm_snapshot_facts {
  size_t struct_size;
  ptcvm_text run_id;
  uint32_t format;
  int32_t place;                  // PTCVM_BETWEEN_TURNS and so on
  uint64_t turn, fuel, tool_calls, suspensions, print_bytes, memory_bytes;
} ptcvm_snapshot_facts;
typedef struct ptcvm_snapshot_operation {
  size_t struct_size;
  ptcvm_text id, tool, status, reason, task_id;
  ptcvm_view args, result;
  int64_t since_ms, due_ms, deadline_ms;
  int32_t is_sleep, is_awaited;
} ptcvm_snapshot_operation;
typedef struct ptcvm_snapshot_fiber {
  size_t struct_size;
  int64_t parent;                 // the index of the fiber whose branch this is; -1 for the program
  size_t frame_count;
  ptcvm_text fault, source_name;
  int32_t state;                  // PTCVM_FIBER_READY and so on
  uint32_t line, column, reserved;
} ptcvm_snapshot_fiber;
typedef struct ptcvm_snapshot_frame {
  size_t struct_size;
  ptcvm_text function;
  uint32_t line, column;
  size_t local_count;
} ptcvm_snapshot_frame;

// Opens a snapshot: bytes or JSON from anywhere, at most max_bytes of them (0: 64 MiB). PTCVM_INVALID_SNAPSHOT,
// PTCVM_TOO_LARGE; ptcvm_error_detail() names the reason.
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_open(const ptcvm_engine* engine, ptcvm_text snapshot, size_t max_bytes,
                                              ptcvm_snapshot** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_snapshot_free(ptcvm_snapshot* snapshot);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_get_facts(ptcvm_snapshot* snapshot, ptcvm_snapshot_facts* out);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_limits(const ptcvm_snapshot* snapshot, ptcvm_limits* out);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_prints(const ptcvm_snapshot* snapshot, ptcvm_texts** out, ptcvm_error** error);
// Return the snapshot as ptcvm_run_snapshot() and ptcvm_run_snapshot_json() would.
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_bytes(const ptcvm_snapshot* snapshot, ptcvm_buffer** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_json(const ptcvm_snapshot* snapshot, ptcvm_buffer** out, ptcvm_error** error);
// A _count function takes a list, and the _at functions show that list.
PTCVM_EXPORT size_t ptcvm_snapshot_operation_count(ptcvm_snapshot* snapshot);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_operation_at(const ptcvm_snapshot* snapshot, size_t index,
                                                      ptcvm_snapshot_operation* out);
PTCVM_EXPORT size_t ptcvm_snapshot_value_count(ptcvm_snapshot* snapshot, int32_t list);   // PTCVM_DEFINITIONS, _JOURNAL
PTCVM_EXPORT ptcvm_text ptcvm_snapshot_value_name(const ptcvm_snapshot* snapshot, int32_t list, size_t index);
PTCVM_EXPORT ptcvm_view ptcvm_snapshot_value(const ptcvm_snapshot* snapshot, int32_t list, size_t index);
PTCVM_EXPORT size_t ptcvm_snapshot_fiber_count(ptcvm_snapshot* snapshot);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_fiber_at(const ptcvm_snapshot* snapshot, size_t index,
                                                  ptcvm_snapshot_fiber* out);
// Gives the line of the source at the place of the fiber, and a line with carets below it, or "" without a place.
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_excerpt(const ptcvm_snapshot* snapshot, size_t fiber, ptcvm_buffer** out,
                                                 ptcvm_error** error);
// Takes the frames of one fiber, innermost first, which replace the frames that were taken before.
PTCVM_EXPORT size_t ptcvm_snapshot_frame_count(ptcvm_snapshot* snapshot, size_t fiber);
PTCVM_EXPORT ptcvm_status ptcvm_snapshot_frame_at(const ptcvm_snapshot* snapshot, size_t index,
                                                  ptcvm_snapshot_frame* out);
PTCVM_EXPORT ptcvm_text ptcvm_snapshot_local_name(const ptcvm_snapshot* snapshot, size_t frame, size_t index);
PTCVM_EXPORT ptcvm_view ptcvm_snapshot_local(const ptcvm_snapshot* snapshot, size_t frame, size_t index);

// ---- Sealing: a signature around snapshot bytes that binds them to a tenant, a run and a sequence number.

enum { PTCVM_HMAC_SHA256 = 0, PTCVM_ED25519 };
enum { PTCVM_KEY_ACTIVE = 0, PTCVM_KEY_VERIFY_ONLY, PTCVM_KEY_REVOKED };

typedef struct ptcvm_new_key {
  size_t struct_size;
  ptcvm_text id;                  // 1 to 64 letters, digits, and . _ -
  int32_t algorithm;
  int32_t has_end, has_time;      // 0: the key never ends; 0: the key begins now, by the system clock
  int32_t reserved;
  int64_t not_after_ms, time_ms;
} ptcvm_new_key;

// A key without its secret. Times are whole seconds.
typedef struct ptcvm_key {
  size_t struct_size;
  ptcvm_text id, note;            // borrowed until the ring is changed or freed
  int32_t algorithm, state;
  int32_t is_signing;             // ptcvm_seal() uses this key
  int32_t has_secret;             // without its secret a key only checks
  int32_t has_end, reserved;
  int64_t created_ms, not_after_ms;
} ptcvm_key;

// Makes a ring without keys. A ring's secrets are zeroed when it is freed.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_new(ptcvm_key_ring** out, ptcvm_error** error);
// Reads a ring from the text of a file, or from a file. PTCVM_INVALID_KEY_RING.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_parse(ptcvm_text json, ptcvm_key_ring** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_load(ptcvm_text path, ptcvm_key_ring** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_key_ring_free(ptcvm_key_ring* ring);
// Makes a key of random bytes that signs from now on; the key before it only checks. Refused, with no change:
// PTCVM_INVALID_KEY_RING, here and in the two below.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_rotate(ptcvm_key_ring* ring, const ptcvm_new_key* wanted, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_sign_with(ptcvm_key_ring* ring, ptcvm_text id, ptcvm_error** error);
// Refuses from now on whatever the key sealed.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_revoke(ptcvm_key_ring* ring, ptcvm_text id, ptcvm_error** error);
// Makes a ring that can check and not sign: the Ed25519 keys without their secrets.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_public_half(const ptcvm_key_ring* ring, ptcvm_key_ring** out,
                                                     ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_key_ring_count(const ptcvm_key_ring* ring);
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_at(const ptcvm_key_ring* ring, size_t index, ptcvm_key* out);
// Returns the text of the file, secrets included: keep it safe. Freeing the buffer zeroes it.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_json(const ptcvm_key_ring* ring, ptcvm_buffer** out, ptcvm_error** error);
// Writes the file, for its owner only and whole or not at all. PTCVM_STORE_FAILED: it cannot be written, or a file is
// there and `replace` is 0.
PTCVM_EXPORT ptcvm_status ptcvm_key_ring_save(const ptcvm_key_ring* ring, ptcvm_text path, int32_t replace,
                                              ptcvm_error** error);

typedef struct ptcvm_seal_label {
  size_t struct_size;
  ptcvm_text tenant, run_id;      // 1 to 256 bytes each
  uint64_t sequence;              // count the snapshots of a run: 1, 2, 3 …
  int32_t has_time, reserved;     // 0: the system clock decides whether the key is valid
  int64_t time_ms;
} ptcvm_seal_label;

typedef struct ptcvm_seal_expectations {
  size_t struct_size;
  ptcvm_text tenant;              // the bytes of another tenant are refused
  ptcvm_text run_id;              // "": any run
  int32_t has_sequence, has_time;
  uint64_t sequence;              // has_sequence: this one and no other
  uint64_t minimum_sequence;      // an older snapshot is refused
  int64_t time_ms;                // has_time: decides whether the key is valid; else the system clock
} ptcvm_seal_expectations;

// What was bound into a seal. Texts are borrowed from the ptcvm_opened.
typedef struct ptcvm_seal_facts {
  size_t struct_size;
  ptcvm_text key_id, tenant, run_id;
  uint64_t sequence;
  int32_t algorithm, reserved;
} ptcvm_seal_facts;

// Puts an envelope around the payload, signed with the key of the ring that signs. PTCVM_SEAL_REFUSED.
PTCVM_EXPORT ptcvm_status ptcvm_seal(const ptcvm_key_ring* ring, ptcvm_text payload, const ptcvm_seal_label* label,
                                     ptcvm_buffer** out, ptcvm_error** error);
// Checks an envelope, bytes from anywhere. PTCVM_SEAL_REFUSED. A good signature says who wrote the payload, and nothing
// about what the payload is: ptcvm_run_restore() checks it.
PTCVM_EXPORT ptcvm_status ptcvm_open_sealed(const ptcvm_key_ring* ring, ptcvm_text bytes,
                                            const ptcvm_seal_expectations* expected, ptcvm_opened** out,
                                            ptcvm_error** error);
PTCVM_EXPORT ptcvm_text ptcvm_opened_payload(const ptcvm_opened* opened);     // borrowed; "" for NULL
PTCVM_EXPORT ptcvm_status ptcvm_opened_facts(const ptcvm_opened* opened, ptcvm_seal_facts* out);
PTCVM_EXPORT void ptcvm_opened_free(ptcvm_opened* opened);
PTCVM_EXPORT int32_t ptcvm_looks_sealed(ptcvm_text bytes);                    // 1: the bytes claim to be an envelope

#ifdef __cplusplus
}
#endif
