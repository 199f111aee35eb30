// A program that calls one tool of this host, asks a manager, and waits: the run becomes bytes, everything is thrown
// away, and a second run goes on from the bytes with the manager's answer.
#include <inttypes.h>
#include <ptcvm/ptcvm.h>
#include <stdio.h>
#include <stdlib.h>

static const char kSource[] =
    "(let [items  (tool/load_order {:id data/order})\n"
    "      total  (sum-by :cents items)\n"
    "      answer (await (tool/ask_manager {:cents total}))]\n"
    "  {:total total :approved (= (:decision answer) \"yes\")})";

// Everything that can go wrong ends here in this small program.
static void check(ptcvm_status status, ptcvm_error* error) {
  if (status == PTCVM_OK) return;
  const ptcvm_text message = ptcvm_error_message(error);
  fprintf(stderr, "%s: %.*s\n", ptcvm_status_name(status).data, (int)message.size, message.data);
  ptcvm_error_free(error);
  exit(1);
}

// A tool with a callback: called from within ptcvm_run_step(), with arguments that fit its signature.
static void load_order(void* user_data, ptcvm_call* call) {
  int64_t id = 0;
  ptcvm_view_int(ptcvm_view_get(ptcvm_call_args(call), ptcvm_text_of("id")), &id);
  printf("loading order %" PRId64 " for %s\n", id, (const char*)user_data);
  ptcvm_call_answer_json(call, ptcvm_text_of("[{\"cents\": 1250}, {\"cents\": 399}]"), NULL);
}

static ptcvm_tools* make_tools(char* user) {
  ptcvm_error* error = NULL;
  ptcvm_tools* tools = NULL;
  check(ptcvm_tools_new(&tools, &error), error);
  check(ptcvm_tools_add(tools, ptcvm_text_of("load_order"), ptcvm_text_of("(id :int) -> [{cents :int}]"), load_order,
                        user, NULL, NULL, &error), error);
  // A tool without one: the run yields, and hands the call out.
  ptcvm_tool_options asks;
  PTCVM_INIT(asks);
  asks.mode = PTCVM_ASYNC;
  check(ptcvm_tools_defer(tools, ptcvm_text_of("ask_manager"), ptcvm_text_of("(cents :int) -> :any"), &asks, &error),
        error);
  return tools;
}

// Starts the run, answers its calls, and gives the bytes of what waits.
static ptcvm_buffer* run_until_it_waits(const ptcvm_engine* engine, const ptcvm_tools* tools) {
  ptcvm_error* error = NULL;
  ptcvm_compile_options compile;
  PTCVM_INIT(compile);
  compile.name = ptcvm_text_of("approval.ptc");
  compile.tools = tools;
  ptcvm_program* program = NULL;
  check(ptcvm_engine_compile(engine, ptcvm_text_of(kSource), &compile, &program, &error), error);

  ptcvm_run_options options;
  PTCVM_INIT(options);
  options.tools = tools;
  options.data_json = ptcvm_text_of("{\"order\": 7}");
  ptcvm_run* run = NULL;
  check(ptcvm_run_start(engine, program, &options, &run, &error), error);
  ptcvm_program_free(program);   // the run keeps what it needs

  while (ptcvm_run_step(run, PTCVM_ALL_FUEL) == PTCVM_YIELDED) {
    for (size_t i = 0, count = ptcvm_run_call_count(run); i < count; ++i) {
      ptcvm_waiting_call call;
      PTCVM_INIT(call);
      check(ptcvm_run_call_at(run, i, &call), NULL);
      ptcvm_buffer* args = NULL;
      check(ptcvm_view_json(call.args, &args, &error), error);
      printf("%.*s %s: a letter is in the mail\n", (int)call.tool.size, call.tool.data, ptcvm_buffer_text(args).data);
      ptcvm_buffer_free(args);
      check(ptcvm_run_answer_pending(run, call.id, ptcvm_text_of("letter-1"), &error), error);
    }
  }
  ptcvm_buffer* snapshot = NULL;
  check(ptcvm_run_snapshot(run, 0, &snapshot, &error), error);
  ptcvm_run_free(run);
  return snapshot;
}

static void finish(const ptcvm_engine* engine, const ptcvm_tools* tools, ptcvm_text snapshot) {
  ptcvm_error* error = NULL;
  ptcvm_restore_options options;
  PTCVM_INIT(options);
  options.tools = tools;
  ptcvm_run* run = NULL;
  check(ptcvm_run_restore(engine, snapshot, &options, &run, &error), error);
  const ptcvm_text yes = ptcvm_text_of("{\"decision\": \"yes\"}");
  check(ptcvm_run_resolve_json(run, ptcvm_text_of("letter-1"), yes, &error), error);
  if (ptcvm_run_step(run, PTCVM_ALL_FUEL) != PTCVM_COMPLETED) exit(1);

  const ptcvm_view result = ptcvm_run_result(run);
  int64_t total = 0;
  int32_t approved = 0;
  ptcvm_view_int(ptcvm_view_get(result, ptcvm_text_of("total")), &total);
  ptcvm_view_bool(ptcvm_view_get(result, ptcvm_text_of("approved")), &approved);
  printf("total %" PRId64 ", %s\n", total, approved ? "approved" : "rejected");
  ptcvm_run_free(run);
}

int main(void) {
  char user[] = "Ada";
  ptcvm_error* error = NULL;
  ptcvm_engine* engine = NULL;
  check(ptcvm_engine_new(NULL, &engine, &error), error);
  ptcvm_tools* tools = make_tools(user);
  ptcvm_buffer* snapshot = run_until_it_waits(engine, tools);
  ptcvm_engine_free(engine);

  check(ptcvm_engine_new(NULL, &engine, &error), error);   // another process would do this much later
  finish(engine, tools, ptcvm_buffer_text(snapshot));
  ptcvm_buffer_free(snapshot);
  ptcvm_tools_free(tools);
  ptcvm_engine_free(engine);
  return 0;
}
