"""A tool of the judge: `answer_tool.py NAME` reads arguments from standard input and answers from tools.json.

Every call becomes a line of calls.jsonl, which says how often a call has failed so far and what took effect."""
import json
import sys

name, args = sys.argv[1], json.load(sys.stdin)
with open("tools.json", encoding="utf-8") as file:
    tool = json.load(file)[name]
try:
    with open("calls.jsonl", encoding="utf-8") as file:
        earlier = [json.loads(line) for line in file]
except FileNotFoundError:
    earlier = []
wanted = str(args.get(tool["by"]))
failed = sum(1 for call in earlier if call["tool"] == name and call["args"] == args and not call["ok"])
answers = tool["answers"]
why = ""
if failed < tool["fails"].get(wanted, 0):
    why = tool["words"]
elif wanted not in answers and "*" not in answers:
    why = f"there is no {tool['by']} {wanted}"
with open("calls.jsonl", "a", encoding="utf-8") as file:
    file.write(json.dumps({"tool": name, "args": args, "ok": not why}) + "\n")
if why:
    sys.exit(why)
print(json.dumps(answers.get(wanted, answers.get("*"))))
