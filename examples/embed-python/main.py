#!/usr/bin/env python3
"""Approves orders. One process asks and goes away; another one, any time later, has the answer and goes on.

usage: main.py ask STATE_FILE ORDER        runs the program until it waits, and writes its state
       main.py answer STATE_FILE DECISION  goes on from the state with what the manager said"""
import pathlib
import sys

import ptcvm

SOURCE = """
(let [items  (tool/load_order {:id data/order})
      total  (sum-by :cents items)
      answer (await (tool/ask_manager {:cents total}))]
  (println "the manager said" answer)
  {:total total :approved (= answer "yes")})
"""
ORDERS = {7: [{"cents": 1250}, {"cents": 399}], 8: [{"cents": 100}]}


def make_tools():
    tools = ptcvm.Tools()
    tools.add("load_order", "(id :int) -> [{cents :int}]", lambda id: ORDERS[id], effect="pure")
    tools.defer("ask_manager", "(cents :int) -> :any", mode="async")
    return tools


def ask(engine, tools, state, order):
    program = engine.compile(SOURCE, name="approval.ptc", tools=tools)
    run = engine.start(program, tools=tools, data={"order": order})
    while run.step() == "yielded":
        for call in run.calls():
            print(f"{call.tool} {call.args}: a letter is in the mail")
            run.answer_pending(call.id, "letter-1")
    for operation in run.pending():
        print(f"waits for {operation.id} of {operation.tool}")
    state.write_bytes(run.snapshot())


def answer(engine, tools, state, decision):
    run = engine.restore(state.read_bytes(), tools=tools)
    run.resolve("letter-1", decision)
    result = run.run()
    print("\n".join(run.prints()))
    print(f"approved: {result['approved']}, total: {result['total']}")


def main():
    command, state, argument = sys.argv[1:]
    engine, tools = ptcvm.Engine(), make_tools()
    if command == "ask":
        ask(engine, tools, pathlib.Path(state), int(argument))
    else:
        answer(engine, tools, pathlib.Path(state), argument)


if __name__ == "__main__":
    main()
