#!/usr/bin/env python3
"""A server of the Model Context Protocol over stdio, for tests: notes in a folder, and many ways to go wrong.

usage: mcp_notes_server.py FOLDER [WRONG]

Each start and each call adds a line to FOLDER/calls. WRONG names what the server does wrong."""
import json
import os
import pathlib
import signal
import sys
import time

FOLDER = pathlib.Path(sys.argv[1])
WRONG = sys.argv[2] if len(sys.argv) > 2 else ""
TEXT = {"type": "string"}


def tool(name, properties, hints=None, output=None, description=""):
    made = {"name": name, "description": description or name, "annotations": hints or {},
            "inputSchema": {"type": "object", "properties": properties, "required": sorted(properties)}}
    return {**made, "outputSchema": output} if output else made


TOOLS = [
    tool("read_note", {"name": {**TEXT, "description": "The name of the note"}}, {"readOnlyHint": True},
         {"type": "object", "properties": {"text": TEXT, "length": {"type": "integer"}}, "required": ["text"]},
         "Reads a note"),
    tool("write_note", {"name": TEXT, "text": TEXT}, {"destructiveHint": True}, description="Writes a note"),
    tool("note.list", {}, {"readOnlyHint": True}),
    tool("die", {}), tool("fail", {}), tool("hang", {}), tool("talk", {}), tool("picture", {}),
    tool("unit-of", {"unit-name": {"enum": ["day", "week"]}}),
]


def note(text):
    with open(FOLDER / "calls", "a", encoding="utf-8") as out:
        out.write(text + "\n")


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def die_once(name):
    """Dies in the middle of a call, unless it has died before."""
    mark = FOLDER / f"{name}-died"
    if not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)


def call(request):
    name, args = request["params"]["name"], request["params"]["arguments"]
    meta = request["params"]["_meta"]
    note(" ".join([name, json.dumps(args, sort_keys=True)]))
    if name == "read_note":
        if args["name"] == "die":
            die_once(name)
        if args["name"] == "kill the caller":
            mark = FOLDER / "caller-died"
            if not mark.exists():
                mark.write_text("")
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(60)
        path = FOLDER / args["name"]
        if not path.exists():
            return text(f"there is no note {args['name']}", isError=True)
        found = path.read_text(encoding="utf-8")
        return text("see structuredContent", structuredContent={"text": found, "length": len(found)})
    if name == "write_note":
        if args["text"] == "kill the caller":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        (FOLDER / args["name"]).write_text(args["text"], encoding="utf-8")
        if args["text"] == "die":
            die_once(name)
        return text(meta.get("ptcvm/idempotencyKey", ""))
    if name == "note.list":
        return text("\n".join(sorted(path.name for path in FOLDER.iterdir())))
    if name == "die":
        print("dying", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "fail":
        return text("the disk is full", isError=True)
    if name == "hang":
        time.sleep(60)
    if name == "talk":
        send({"method": "notifications/progress",
              "params": {"progressToken": meta["progressToken"], "progress": 1, "total": 2}})
        send({"id": "ping-1", "method": "ping"})
        answer = json.loads(sys.stdin.readline())
        return text(json.dumps(answer, sort_keys=True))
    if name == "picture":
        return {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}
    return text(json.dumps(args))


def page_of(request):
    """Two tools a page."""
    start = int(request.get("params", {}).get("cursor", 0))
    page = {"tools": TOOLS[start:start + 2]}
    return {**page, "nextCursor": str(start + 2)} if start + 2 < len(TOOLS) else page


def wrong_list(request):
    cursor = request.get("params", {}).get("cursor", "")
    return {"tools": {"tools": "many"}, "pages": {"tools": [], "nextCursor": cursor + "x"},
            "twins": {"tools": [TOOLS[0], TOOLS[0]]}, "names": {"tools": [tool("a.b", {}), tool("a/b", {})]},
            "many": {"tools": [tool(f"t{i}", {}) for i in range(1001)]}}.get(WRONG) or page_of(request)


def handle(request):
    method, answer = request.get("method"), {"id": request.get("id")}
    if method == "initialize":
        if WRONG == "silent":
            time.sleep(60)
        if WRONG == "banner":
            print("Welcome!", flush=True)
        version = "1999-12-31" if WRONG == "version" else request["params"]["protocolVersion"]
        send({**answer, "result": {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                                   "serverInfo": {"name": "notes", "version": "1"}}})
    elif method == "tools/list":
        send({**answer, "result": wrong_list(request)})
    elif method == "tools/call":
        if WRONG == "id":
            answer["id"] = 12345
        if WRONG == "endless":
            while True:
                sys.stdout.write("x" * 65536)
        result = call(request)
        send({**answer, "result": 7 if WRONG == "result" else result})
        if WRONG == "twice":
            send({**answer, "result": result})
    elif "id" in request and method:
        send({**answer, "error": {"code": -32601, "message": "unknown method"}})


if WRONG == "status":
    sys.exit("no licence")
note("start")
for line in sys.stdin:
    handle(json.loads(line))
note("end")
