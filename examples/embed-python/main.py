#!/usr/bin/env python3
"""Approves orders. One process asks and goes away; another one, any time later, has the answer and goes on.

usage: main.py ask STATE_FILE ORDER        runs the program until it waits, and writes its state
       main.py answer STATE_FILE DECISION  goes on from the state with what the manager said"""
import pathlib
import sys

from ptcvm import ASYNC, Engine, Tools

SOURCE = """
(let [items  (tool/load_order {:id data/order})
      total  (sum-by :cents items)
      answer (await (tool/ask_manager {:cents total}))]
  (println "the manager said" answer)
  {:total total :approved (= answer "yes")})
"""
ORDERS = {7: [{"cents": 1250}, {"cents": 399}], 8: [{"cents": 100}]}


def make_tools():
    tools = Tools()
    tools.add("load_order", "(id :int) -> [{cents :int}]", lambda id: ORDERS[id])
    tools.defer("ask_manager", "(cents :int) -> :any", mode=ASYNC)
    return tools


def ask(engine, tools, state, order):
    data = {"order": order}
    with engine.compile(SOURCE, "approval.ptc", tools) as program, engine.start(program, tools, data) as run:
        while run.step() == "yielded":
            for call_id, tool, args in run.calls():
                print(f"{tool} {args}: a letter is in the mail")
                run.answer_pending(call_id, "letter-1")
        for operation, tool, _ in run.pending():
            print(f"waits for {operation} of {tool}")
        state.write_bytes(run.snapshot())


def answer(engine, tools, state, decision):
    with engine.restore(state.read_bytes(), tools) as run:
        run.resolve("letter-1", decision)
        run.step()
        print("\n".join(run.prints()))
        print(run.result())


def main():
    command, state, argument = sys.argv[1:]
    with Engine() as engine, make_tools() as tools:
        if command == "ask":
            ask(engine, tools, pathlib.Path(state), int(argument))
        else:
            answer(engine, tools, pathlib.Path(state), argument)


if __name__ == "__main__":
    main()
