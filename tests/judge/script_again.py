"""Makes a script of replies from a recording: the same replies, whatever the requests are now."""
import json


def script_of(recording):
    """Returns the lines of a script for the lines of a recording of chat completions."""
    lines = []
    for text in recording.splitlines():
        exchange = json.loads(text)
        message = json.loads(exchange["reply"]["body"])["choices"][0]["message"]
        calls = [{"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
                 for call in message.get("tool_calls", [])]
        line = {"tool_calls": calls} if calls else {"text": message["content"]}
        if exchange["path"]:
            line["for"] = exchange["path"]
        lines.append(json.dumps(line, ensure_ascii=False))
    return "\n".join(lines) + "\n"
