"""Databases for trials: one PostgreSQL server, which begins with the first trial that has a store there."""
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Databases:
    def __init__(self, ptcvm):
        self._ptcvm, self._server, self._count, self._lock = ptcvm, None, 0, threading.Lock()

    def new_url(self):
        """Makes a database with an empty store, and returns its URL."""
        with self._lock:
            if self._server is None:
                sys.path.insert(0, os.path.join(HERE, "..", "..", "cli"))
                from postgres_server import PostgresServer
                self._server = PostgresServer()
            self._count += 1
            url = self._server.new_database(f"trial_{self._count}")
        subprocess.run([self._ptcvm, "store", "migrate", "--store", url], check=True, stdout=subprocess.DEVNULL)
        return url

    def close(self):
        if self._server is not None:
            self._server.stop()
