#!/usr/bin/env python3
"""The outside systems of the transfer: bank.py WHAT, arguments as JSON on stdin, the answer as JSON on stdout.

What happened is a line of JSON in the file $LEDGER (ledger.jsonl). Each system differs in what a second call does:
balance has no effect; charge knows its idempotency keys; ask_manager and notify put the same note on the same pile;
transfer sends the money, each time; refund sends money, too, but can be asked afterwards (refund_happened).
"""
import json
import os
import sys

LEDGER = os.environ.get("LEDGER", "ledger.jsonl")


def entries():
    if not os.path.exists(LEDGER):
        return []
    with open(LEDGER, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def happened(what, key, arguments, answer):
    line = json.dumps({"what": what, "key": key, "args": arguments, "answer": answer}) + "\n"
    with open(LEDGER, "a", encoding="utf-8") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    return answer


def find(what, key):
    return next((entry for entry in entries() if (entry["what"], entry["key"]) == (what, key)), None)


def answer(what, arguments, key):
    if what == "balance":
        spent = {"charge": 1, "refund": -1}
        return {"balance": 20000 - sum(spent.get(entry["what"], 0) * entry["args"]["amount"] for entry in entries())}
    if what == "charge":
        known = find("charge", key)
        return known["answer"] if known else happened(what, key, arguments, {"receipt": f"R-{len(entries()) + 1}"})
    if what in ("ask_manager", "notify"):
        same = [entry for entry in entries() if (entry["what"], entry["args"]) == (what, arguments)]
        return same[0]["answer"] if same else happened(what, key, arguments, {})
    if what == "transfer":
        return happened(what, key, arguments, {"wire": f"W-{len(entries()) + 1}"})
    if what == "refund":
        return happened(what, key, arguments, {})
    if what == "refund_happened":
        known = find("refund", arguments["key"])
        return {"happened": True, "value": known["answer"]} if known else {"happened": False}
    sys.exit(f"no such service: {what}")


json.dump(answer(sys.argv[1], json.load(sys.stdin), os.environ.get("PTCVM_IDEMPOTENCY_KEY", "")), sys.stdout)
