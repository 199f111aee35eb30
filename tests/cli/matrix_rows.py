"""Rows of the failure matrix: what each does to four workers over PostgreSQL, on top of the trial of
worker_kills_test.py, which checks runs, calls and logs against a ledger."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from worker_kills_test import LEASE, STEPS, Trial, Workers
from worker_process import wait_until_it_hears

SKEWED_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec* out) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  int status = real(id, out);
  if (id == CLOCK_REALTIME && getenv("SKEW")) out->tv_sec += atoll(getenv("SKEW"));
  return status;
}
"""


class Row(Trial):
    """One failure, `times` times. `settings` are those of a server of its own."""
    settings = ()
    name = ""
    deaths_each = 0          # workers whose calls one failure may cut off, besides those that the trial counts

    def __init__(self, arguments, folder, server, database):
        super().__init__(arguments, folder, server, database)
        self.times, self.places = arguments.times, [{} for _ in range(4)]
        self.told = ""

    def workers(self):
        return Workers(self.ptcvm, self.worker_url(), self.folder, self.ledger, self.places)

    def worker_url(self):
        return self.url

    def deaths(self, events):
        return super().deaths(events) + self.times * self.deaths_each

    def harm(self, workers):
        """One failure. Workers that ended by it were started again."""
        raise NotImplementedError

    def run(self):
        self.feed()
        workers = self.workers()
        try:
            self.harm_all(workers)
            self.calm(workers)
            self.judge(workers)
        finally:
            workers.kill()

    def harm_all(self, workers):
        self.wait_for_calls(1)
        for _ in range(self.times):
            self.counts[self.name] += 1
            self.harm(workers)
            assert workers.are_there(), "no worker ends by itself"
            self.feed()
            self.wait_for_calls(sum(self.calls().values()) + 1)

    def wait_for_calls(self, count):
        until = time.monotonic() + 120
        while sum(self.calls().values()) < min(count, 2 * self.jobs * STEPS) and time.monotonic() < until:
            threading.Event().wait(0.05)
            self.settle_doubts()


class Struck(Row):
    """One worker gets what the row is called."""

    def harm(self, workers):
        workers.strike(self.name, self.rng)


class Kill(Struck):
    name = "kill"


class Stop(Struck):
    name = "stop"


class Drain(Struck):
    name = "drain"


class Restart(Row):
    name = "restart"
    settings = ("fsync=off",)

    def harm(self, workers):
        self.server.crash()
        self.server.start()


class Disconnect(Row):
    name = "disconnect"

    def harm(self, workers):
        for _ in range(5):
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            f"WHERE datname = '{self.database}' AND pid <> pg_backend_pid()")
            threading.Event().wait(0.2)


class ReadOnly(Row):
    """A turn whose write is refused has failed: all workers may make the calls of their slots again."""
    name, deaths_each = "read_only", 4

    def harm(self, workers):
        self.server.sql(f"ALTER DATABASE {self.database} SET default_transaction_read_only = on")
        self.end_connections()
        threading.Event().wait(1)
        self.server.sql(f"BEGIN READ WRITE; ALTER DATABASE {self.database} RESET default_transaction_read_only; COMMIT")
        self.end_connections()

    def end_connections(self):
        self.server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'")


class FullDisk(Row):
    """The log of the server is on a disk of its own, which is full for two seconds. Only root may mount one."""
    name, deaths_each = "full_disk", 4
    settings = ("fsync=off", "wal_recycle=off", "min_wal_size=32MB")

    def run(self):
        self.disk = self.server.folder + "/data/pg_wal"
        self.server.crash()
        shutil.move(self.disk, self.server.folder + "/wal")
        os.mkdir(self.disk)
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", self.disk], check=True)
            shutil.copytree(self.server.folder + "/wal", self.disk, dirs_exist_ok=True)
            subprocess.run(["chown", "-R", "--reference=" + self.server.folder, self.disk], check=True)
            self.server.start()
            super().run()
        finally:
            self.server.stop()
            subprocess.run(["umount", self.disk], check=True)

    def harm(self, workers):
        full = self.disk + "/filler"
        with open(full, "wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(b" " * 65536)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.server.sql("SELECT pg_switch_wal()", self.database)
        self.told = "the server had ended" if self.server.process.poll() is not None else "the server had gone on"
        os.remove(full)
        if self.server.process.poll() is not None:
            self.server.start()


class Deadlock(Row):
    """Another client takes the rows of jobs before the rows of their runs, and the server ends transactions with 40P01:
    those of workers more often, because that client waits longer before it looks for a deadlock."""
    name = "deadlock"
    settings = ("fsync=off", "deadlock_timeout=20ms")

    def harm(self, workers):
        for _ in range(10):
            self.server.sql("SET deadlock_timeout = '300ms'; DO $$ DECLARE v bigint; BEGIN FOR v IN SELECT run "
                            "FROM ptcvm.job WHERE state = 2 ORDER BY run DESC LOOP "
                            "PERFORM FROM ptcvm.job WHERE run = v FOR UPDATE; PERFORM pg_sleep(0.05); "
                            "PERFORM FROM ptcvm.run WHERE id = v FOR UPDATE; "
                            "END LOOP; EXCEPTION WHEN deadlock_detected THEN NULL; END $$", self.database)
        self.told = self.server.sql(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{self.database}'") + \
            " deadlocks"


class Clocks(Row):
    """Workers whose clocks are a day ahead and a day behind."""
    name, deaths_each = "clocks", 1

    def workers(self):
        source, library = self.folder + "/clock.c", self.folder + "/clock.so"
        with open(source, "w", encoding="ascii") as out:
            out.write(SKEWED_CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        self.places = [{"LD_PRELOAD": library, "SKEW": str(skew)} for skew in (86400, -86400, 0, 86400)]
        return super().workers()

    def harm(self, workers):
        workers.strike("kill", self.rng)


class Cut(Row):
    """Connections go through a proxy, which loses an answer or a call of five of them, and ends them."""
    name, deaths_each = "cut", 5

    def worker_url(self):
        self.proxy = Proxy(self.server.folder + "/.s.PGSQL.5432", self.folder, self.rng)
        return f"postgresql://ptc@/{self.database}?host={self.folder}"

    def harm(self, workers):
        before = self.proxy.cuts
        self.proxy.left += 5
        until = time.monotonic() + 60
        while self.proxy.cuts < before + 5 and time.monotonic() < until:
            threading.Event().wait(0.05)
        self.told = f"{self.proxy.cuts} cuts"


class Proxy:
    """Forwards connections of a socket, and cuts `left` of them: the n-th packet, in either direction, is lost."""

    def __init__(self, server, folder, rng):
        self.server, self.rng, self.left, self.cuts = server, rng, 0, 0
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(folder + "/.s.PGSQL.5432")
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(self.server)
            for source, target in ((client, behind), (behind, client)):
                threading.Thread(target=self.forward, args=(source, target), daemon=True).start()

    def forward(self, source, target):
        try:
            while data := source.recv(65536):
                if self.cuts_now():
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cuts_now(self):
        with self.lock:
            if self.left == 0 or self.rng.random() > 0.1:
                return False
            self.left, self.cuts = self.left - 1, self.cuts + 1
            return True


class Crasher(Row):
    """A run whose tool kills its worker is set aside at the third death; the other runs go on."""
    name = "crasher"

    def run(self):
        crash = self.folder + "/crash.ptc"
        with open(crash, "w", encoding="ascii") as out:
            out.write("(tool/crash {})")
        with open(self.folder + "/crash.json", "w", encoding="ascii") as out:
            out.write('[{"name": "crash", "command": ["sh", "-c", "kill -9 $PPID"], "effect": "keyed"}]')
        self.ask("enqueue", crash, "--id", "crasher", "--queue", "crashers")
        deaths = 0
        while self.state_of("crasher") != "4":
            done = subprocess.run([self.ptcvm, "worker", "--store", self.url, "--queue", "crashers", "--tools",
                                   self.folder + "/crash.json", "--once", "--lease", f"{LEASE:g}s", "--poll", "100ms"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            deaths += done.returncode == -signal.SIGKILL
            assert deaths <= 3, "it was set aside too late"
        assert deaths == 3, f"it was set aside after {deaths} deaths"
        self.told = "set aside after 3 deaths"

    def state_of(self, run):
        return self.server.sql("SELECT j.state FROM ptcvm.job j JOIN ptcvm.run r ON r.id = j.run "
                               f"WHERE r.log = '{run}'", self.database)


class Drain100(Row):
    """SIGTERM while 100 programs run: all of them are parked in their middle, or over, before the worker ends."""
    name = "drain_100"

    def run(self):
        program = self.folder + "/long.ptc"
        with open(program, "w", encoding="ascii") as out:
            out.write("(reduce (fn [s i] (reduce + s (range 100))) 0 (range 20000))")
        self.ask("enqueue", program, "--bulk", "-", stdin="\n".join(f'{{"id": "r{n}"}}' for n in range(100)))
        first = subprocess.Popen([self.ptcvm, "worker", "--store", self.url, "--slots", "100"],
                                 stdout=subprocess.DEVNULL)
        while self.count("state = 2") < 100:
            assert first.poll() is None
            threading.Event().wait(0.02)
        wait_until_it_hears(first)
        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=120) == 0
        assert self.count("state = 2") == 0, "the worker has given all back"
        parked = self.count("state = 0")
        subprocess.run([self.ptcvm, "worker", "--store", self.url, "--slots", "4", "--until-empty"], check=True,
                       stdout=subprocess.DEVNULL)
        assert self.count("state = 5") == 100, "another worker has ended all"
        self.told = f"{parked} parked, {100 - parked} over"

    def count(self, which):
        return int(self.server.sql(f"SELECT count(*) FROM ptcvm.job WHERE {which}", self.database))


class NotTold(Row):
    """Workers that nobody tells: everything is found by looking."""
    name, deaths_each = "not_told", 1

    def workers(self):
        self.places = [{"NO_LISTEN": "1"} for _ in range(4)]
        return super().workers()

    def harm(self, workers):
        workers.strike("kill", self.rng)


ROWS = (Kill, Stop, Drain, Restart, Disconnect, Cut, ReadOnly, FullDisk, Deadlock, Clocks, NotTold, Crasher, Drain100)
