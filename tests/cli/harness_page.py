"""A server of `ptcvm harness serve`, for tests without a browser."""
import http.client
import json
import os
import signal
import subprocess

from ptcvm_process import PTCVM

TOKEN = "a-secret"


class Page:
    """A process of the server. Keyword arguments of call() are headers, with _ for -."""

    def __init__(self, *args, port=0, token=TOKEN, **environment):
        tokens = () if token is None else ("--token", f"ann={token}")
        self.process = subprocess.Popen([PTCVM, "harness", "serve", "--port", str(port), *tokens, *args],
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(f"the server ended before it was ready, with the status {self.process.wait()}")
        self.port = int(self.address.split("/")[2].rsplit(":", 1)[1])
        self.token = token

    def raw(self, method, path, body=None, **headers):
        """Status, headers and bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
        sent = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), data

    def call(self, method, path, body=None, **headers):
        """Status and JSON of a request with the token."""
        headers = {"Authorization": f"Bearer {self.token}", "Content_Type": "application/json", **headers}
        status, _, data = self.raw(method, path, None if body is None else json.dumps(body), **headers)
        return status, json.loads(data)

    def act(self, conversation, action, **body):
        return self.call("POST", f"/api/conversations/{conversation}/{action}", body)

    def state(self, conversation):
        return self.call("GET", f"/api/conversations/{conversation}")[1]

    def wait_for(self, conversation, is_there, tries=200):
        """The state when it is there; looks again when an event comes."""
        events = Events(self, conversation)
        try:
            for _ in range(tries):
                state = self.state(conversation)
                if is_there(state):
                    return state
                events.next()
        finally:
            events.close()
        raise AssertionError(f"it did not happen: {state}")

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(timeout=240)
        self.process.stdout.close()
        return status


class Events:
    """The events of a conversation, one after another."""

    def __init__(self, page, conversation, last_id=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=240)
        headers = {"Authorization": f"Bearer {page.token}"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        self.connection.request("GET", f"/api/conversations/{conversation}/events", headers=headers)
        self.response = self.connection.getresponse()
        self.last_id = last_id

    def next(self):
        """Name and data; comments and the time to wait are passed over."""
        name, data = "message", []
        for line in self.response:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "id":
                self.last_id = value
            elif field == "data":
                data.append(value)
            elif field == "" and data:
                return name, json.loads("\n".join(data))
        raise EOFError("the stream has ended")

    def named(self, name):
        while True:
            found, data = self.next()
            if found == name:
                return data

    def close(self):
        self.connection.close()


