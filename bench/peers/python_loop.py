#!/usr/bin/env python3
"""A minimal loop of an agent in Python: the request as bytes, the reply read from bytes, the program and its answer.

usage: python_loop.py TURNS

Prints microseconds of processor time a turn. The model is scripted: each reply calls run_program. The program is Python
that was compiled before, so that only the loop is measured. The whole conversation is in each request, as in every
loop over chat completions."""
import json
import sys
import time

TURNS = int(sys.argv[1])
REPLY = json.dumps({
    "id": "c1", "object": "chat.completion", "model": "scripted",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "tool_calls": [{
            "id": "call_1", "type": "function", "function": {
                "name": "run_program", "arguments": json.dumps({"program": "total = sum(rows)"})}}]}}],
    "usage": {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135}}).encode()
TOOL = {"type": "function", "function": {"name": "run_program", "parameters": {
    "type": "object", "properties": {"program": {"type": "string"}}, "required": ["program"]}}}


def run(turns):
    rows, compiled = [1, 2, 3, 4], {}
    messages = [{"role": "system", "content": "You write programs. " * 100},
                {"role": "user", "content": "Add up rows."}]
    for _ in range(turns):
        json.dumps({"model": "scripted", "messages": messages, "tools": [TOOL]}).encode()
        message = json.loads(REPLY)["choices"][0]["message"]
        messages.append(message)
        for call in message["tool_calls"]:
            program = json.loads(call["function"]["arguments"])["program"]
            if program not in compiled:
                compiled[program] = compile(program, "program", "exec")
            names = {"rows": rows, "sum": sum}
            exec(compiled[program], names)
            value = {"total": names["total"], "seen": len(rows)}
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(value)})


best = float("inf")
for _ in range(3):
    begin = time.process_time()
    run(TURNS)
    best = min(best, time.process_time() - begin)
print(f"{best / TURNS * 1e6:.2f}")
