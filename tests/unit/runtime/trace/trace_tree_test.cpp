// Folds of recorded events: the tree of a run with its times, and where the time went.
#include "runtime/trace/trace_tree.h"

#include <algorithm>

#include "runtime/trace/slow_calls.h"
#include "tests/unit/runtime/trace/trace_fixture.h"

namespace ptc {
namespace {

// "  tool pay c1 1001000+2000 ok" a line; open ones end in "…".
std::string text_of(const TraceRun& run) {
  std::string out;
  for (const TraceSpan& span : run.spans) {
    EXPECT_TRUE(span.depth == 0 || run.spans[span.parent].depth + 1 == span.depth);
    out.append(2 * span.depth, ' ').append(span_kind_name(span.kind));
    if (!span.name.empty()) out += ' ' + span.name;
    if (!span.id.empty() && span.id != span.name) out += ' ' + span.id;
    out += ' ' + std::to_string(span.begin_us) + '+' + std::to_string(span.micros());
    if (!span.status.empty()) out += ' ' + span.status;
    if (span.is_open) out += " …";
    out += '\n';
  }
  return out;
}

std::string tree_of(const TraceLines& lines) {
  std::string out;
  for (const TraceRun& run : fold_runs(lines.events())) out += text_of(run);
  return out;
}

TEST(TraceTree, of_a_run_over_two_processes) {
  EXPECT_EQ(tree_of(suspended_and_resumed()),
            "run pay.ptc r 1000000+8000500 ok\n"
            "  task pay_bob 1001000+2100 ok\n"
            "    tool pay c1 1001000+2000 ok\n"
            "  task wait 1004000+7996200 ok\n"
            "    operation ask op1 1004000+7996100 ok\n"
            "  pause op1 1005000+7995000 over\n"
            "  tool pay c1 9000300+100 error\n");
}

TEST(TraceTree, does_not_depend_on_the_order_of_files) {
  const TraceLines whole = suspended_and_resumed();
  std::vector<TraceEvent> turned = whole.events();
  std::rotate(turned.begin(), turned.begin() + 7, turned.end());
  const auto runs = fold_runs(turned);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(text_of(runs[0]), tree_of(whole));
}

TEST(TraceTree, keeps_notes_where_they_happened) {
  const TraceLines lines = suspended_and_resumed();
  const auto runs = fold_runs(lines.events());
  ASSERT_EQ(runs[0].root().notes.size(), 1u);
  EXPECT_EQ(runs[0].root().notes[0]->text, "hello");
  EXPECT_EQ(runs[0].spans[1].notes[0]->kind, TraceKind::Commit);
}

TEST(TraceTree, runs_are_apart_and_in_order_of_their_beginning) {
  TraceLines lines;
  lines.add(5, "run_start", "", "b").add(1, "run_start", "", "a").add(9, "run_end", R"("status":"fail")", "a");
  lines.add(7, "print", "", "b");
  EXPECT_EQ(tree_of(lines), "run a 1+8 fail\nrun b 5+2 …\n");
}

TEST(TraceTree, without_its_beginning_is_what_there_is) {
  TraceLines lines;
  lines.add(100, "resolve", R"("id":"op1","status":"ok")");
  lines.add(200, "tool_end", R"("id":"c4","name":"t","micros":50,"value":"1")");
  lines.add(300, "run_end", R"("status":"ok")");
  EXPECT_EQ(tree_of(lines), "run r 100+200 ok\n  operation op1 100+0 ok\n  tool t c4 150+50 ok\n");
  EXPECT_EQ(tree_of(TraceLines().add(3, "tool_end", R"("id":"c1","micros":50)")), "run r 0+3 …\n  tool c1 0+3 ok\n");
}

TEST(TraceTree, calls_of_a_killed_process_are_lost) {
  TraceLines lines;
  lines.add(10, "run_start").add(20, "tool_start", R"("id":"c1","name":"t")").add(30, "print");
  lines.add(500, "run_start").add(510, "tool_start", R"("id":"c1","name":"t")");
  lines.add(520, "tool_end", R"("id":"c1","name":"t","value":"1","cached":true)");
  lines.add(530, "tool_start", R"("id":"c2","name":"t")").add(600, "progress", R"("id":"c2")");
  EXPECT_EQ(tree_of(lines),
            "run r 10+590 …\n  tool t c1 20+10 lost …\n  tool t c1 510+10 cached\n  tool t c2 530+70 …\n");
}

TEST(TraceTree, a_task_that_was_reset_begins_anew) {
  TraceLines lines;
  lines.add(10, "run_start").add(20, "open", R"("id":"op1","name":"ask","task":"a")");
  lines.add(30, "reset", R"("task":"a","text":"again")");
  lines.add(40, "resolve", R"("id":"op1","task":"a","status":"cancelled")");
  lines.add(50, "tool_start", R"("id":"c1","name":"t","task":"a")").add(60, "tool_end", R"("id":"c1","name":"t")");
  EXPECT_EQ(tree_of(lines),
            "run r 10+50 …\n  task a 20+10 reset\n    operation ask op1 20+20 cancelled\n"
            "  task a 50+10 …\n    tool t c1 50+10 ok\n");
}

TEST(TraceTree, a_task_without_a_commit_is_over_with_its_turn) {
  TraceLines lines;
  lines.add(10, "run_start").add(20, "tool_start", R"("id":"c1","name":"t","task":"a")");
  lines.add(30, "tool_end", R"("id":"c1","name":"t","task":"a","value":"1")");
  lines.add(40, "open", R"("id":"op1","name":"ask","task":"b")").add(50, "run_end", R"("status":"ok")");
  EXPECT_EQ(tree_of(lines),
            "run r 10+40 ok\n  task a 20+10 not kept\n    tool t c1 20+10 ok\n"
            "  task b 40+0 …\n    operation ask op1 40+10 waiting …\n");
}

TEST(TraceTree, a_task_that_goes_on_in_the_next_attempt_is_the_same) {
  TraceLines lines;
  lines.add(10, "run_start").add(20, "tool_start", R"("id":"c1","name":"t","task":"a")");
  lines.add(30, "tool_end", R"("id":"c1","name":"t","task":"a","value":"1")").add(40, "run_end", R"("status":"error")");
  lines.add(500, "run_start").add(510, "commit", R"("task":"a","value":"2")").add(520, "run_end", R"("status":"ok")");
  EXPECT_EQ(tree_of(lines), "run r 10+510 ok\n  task a 20+490 ok\n    tool t c1 20+10 ok\n");
}

TEST(TraceTree, an_operation_that_is_opened_again_is_the_same) {
  TraceLines lines;
  lines.add(10, "open", R"("id":"op1","name":"ask")").add(20, "suspend").add(30, "run_start");
  lines.add(40, "open", R"("id":"op1","name":"ask")").add(50, "resolve", R"("id":"op1","status":"ok")");
  EXPECT_EQ(tree_of(lines), "run r 10+40 …\n  operation ask op1 10+40 ok\n  pause 20+10 over\n");
}

TEST(TraceTree, turns_are_a_level_when_there_are_several) {
  TraceLines lines;
  lines.add(10, "run_start", R"("turn":1)").add(15, "print", R"("turn":1)");
  lines.add(20, "run_end", R"("turn":1,"status":"fail")");
  lines.add(30, "run_start", R"("turn":2)").add(35, "commit", R"("turn":2,"task":"a")");
  EXPECT_EQ(tree_of(lines), "run r 10+25 …\n  turn turn 1 1 10+10 fail\n  turn turn 2 2 30+5 …\n    task a 35+0 ok\n");
}

TEST(TraceTree, parallel_calls_lie_beside_each_other_by_their_beginning) {
  TraceLines lines;
  lines.add(30, "tool_start", R"("id":"c2","name":"t")").add(20, "tool_start", R"("id":"c1","name":"t")");
  lines.add(40, "tool_end", R"("id":"c1")").add(50, "tool_end", R"("id":"c2")");
  EXPECT_EQ(tree_of(lines), "run r 20+30 …\n  tool t c1 20+20 ok\n  tool t c2 30+20 ok\n");
}

TEST(SlowCalls, are_ordered_by_their_total) {
  TraceLines lines = suspended_and_resumed();
  lines.add(9'000'600, "tool_start", R"("id":"c2","name":"slow")");
  const auto slow = slow_calls(fold_runs(lines.events()));
  ASSERT_EQ(slow.size(), 3u);
  EXPECT_EQ(slow[0].name, "ask");
  EXPECT_EQ(slow[0].kind, SpanKind::Operation);
  EXPECT_EQ(slow[0].total_us, 7'996'100u);
  EXPECT_EQ(slow[1].name, "pay");
  EXPECT_EQ(slow[1].count, 2u);
  EXPECT_EQ(slow[1].failed, 1u);
  EXPECT_EQ(slow[1].total_us, 2'100u);
  EXPECT_EQ(slow[1].max_us, 2'000u);
  EXPECT_EQ(slow[1].mean_us(), 1'050u);
  EXPECT_EQ(slow[2].name, "slow");
  EXPECT_EQ(slow[2].open, 1u);
  EXPECT_EQ(slow[2].mean_us(), 0u);
}

TEST(SlowCalls, sums_of_any_times_stay_in_range) {
  TraceLines lines;
  const std::string last = std::to_string(kLastTraceMicros);
  for (int k = 0; k < 200; ++k) {
    lines.add(kLastTraceMicros, "tool_end", R"("name":"t","id":"c)" + std::to_string(k) + R"(","micros":)" + last);
  }
  EXPECT_EQ(slow_calls(fold_runs(lines.events()))[0].total_us, UINT64_MAX);
}

}  // namespace
}  // namespace ptc
