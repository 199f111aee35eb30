#!/usr/bin/env python3
"""A server for tests of drivers/curl: HTTP and HTTPS on ports of the loopback, with a certificate of its own.

Prints a line "HTTP-PORT HTTPS-PORT CERTIFICATE" and ends when standard input ends.
"""
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MEGABYTE = 1 << 20


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith("http://"):
            return self.answer({"proxied": self.path})
        return getattr(self, "on_" + self.path.strip("/").replace("-", "_"))(body)

    def answer(self, document, status=200, headers=()):
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def on_echo(self, body):
        names = ("authorization", "x-api-key", "x-more", "content-type")
        self.answer({"body": body.decode(), "port": self.client_address[1],
                     "headers": {name: self.headers[name] for name in names if name in self.headers}})

    def on_refusal(self, _):
        self.answer({"error": {"message": "no place for " + self.headers.get("authorization", "nobody")}}, 429,
                    [("Retry-After", "7")])

    def chunks(self, texts, ends=True):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in texts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            self.wfile.flush()
        if ends:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def on_stream(self, _):
        self.chunks(b"data: %d\n\n" % number for number in range(20))

    def on_cut(self, _):
        self.chunks([b"data: 1\n\n"], ends=False)

    def on_big(self, _):
        self.chunks(b"x" * MEGABYTE for _ in range(8))

    def on_short(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"too short")
        self.close_connection = True

    def on_late(self, _):
        time.sleep(0.2)
        self.answer({})

    def on_silent(self, _):
        time.sleep(600)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass   # a client that goes away is what some tests are about


def main():
    folder = tempfile.TemporaryDirectory()
    certificate, key = (str(pathlib.Path(folder.name) / name) for name in ("certificate.pem", "key.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost"], check=True, stderr=subprocess.DEVNULL)
    plain, secure = Server(("127.0.0.1", 0), Handler), Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    for server in (plain, secure):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(plain.server_port, secure.server_port, certificate, flush=True)
    sys.stdin.read()


main()
