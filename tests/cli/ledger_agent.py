"""An agent of the other side for tests: it writes down what it gets before it answers."""
import http.server
import json
import threading


class LedgerAgent:
    """An agent that takes messages into a list of (messageId, text), and answers as `fate`, `state` and `history` say.
    `history` is the one of each task that it tells."""

    def __init__(self):
        self.ledger, self.fate, self.takes_once, self.state, self.history = [], None, False, "working", []
        agent = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                extensions = [{"uri": "urn:ptcvm:message-ids-once:v1"}] if agent.takes_once else []
                self.answer(200, json.dumps({"capabilities": {"extensions": extensions}}))

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, result = 200, {"kind": "task", "id": "t1", "status": {"state": agent.state},
                                       "history": agent.history}
                if request["method"] == "message/send":
                    said = request["params"]["message"]
                    agent.ledger.append((said["messageId"], said["parts"][0]["text"]))
                    if agent.fate == "hang up":
                        self.close_connection = True
                        return
                body = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                if agent.fate == "empty result":
                    body["result"] = {}
                if agent.fate == "another id":
                    body["id"] = 77
                code = {"refuse": -32602, "internal error": -32603, "try again": -32050}.get(agent.fate)
                if code:
                    error = {"code": code, "message": "no\n\tsuch thing"}
                    body = {"jsonrpc": "2.0", "id": request["id"], "error": error}
                if agent.fate == "status 500":
                    status = 500
                self.answer(status, "<html>" if agent.fate == "nonsense" else json.dumps(body))

            def answer(self, status, text):
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
