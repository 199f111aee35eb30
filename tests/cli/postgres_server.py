"""A PostgreSQL server of its own for tests, in a temporary folder, over a socket there and nowhere else."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


class PostgresServer:
    """Begins with the object and ends with stop(). A test that runs as root gives the server to the user nobody."""

    def __init__(self, *settings, place=None):
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not folders:
            raise RuntimeError("there is no /usr/lib/postgresql/*/bin: run tools/install-dependencies")
        self.binaries = folders[-1]
        # In memory where that can be: what a crash leaves is the same, and recovery does not wait for a busy disk.
        place = place or ("/dev/shm" if os.path.isdir("/dev/shm") else "/tmp")
        self.folder = tempfile.mkdtemp(prefix="ptc_pg_", dir=place)
        self.other = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.other = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.call("initdb", "-D", self.folder + "/data", "-U", "ptc", "-A", "trust", "-N", "--locale=C", "-E", "UTF8")
        self.words = [self.binaries + "/postgres", "-D", self.folder + "/data", "-k", self.folder]
        for setting in ("listen_addresses=", "shared_buffers=32MB", *(settings or ("fsync=off",))):
            self.words += ["-c", setting]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                                        **self.other)
        while subprocess.run([self.binaries + "/pg_isready", "-q", "-h", self.folder], check=False).returncode != 0:
            if self.process.poll() is not None:
                raise RuntimeError("the server ended")
            time.sleep(0.01)

    def call(self, program, *words):
        subprocess.run([self.binaries + "/" + program, *words], check=True, stdout=subprocess.DEVNULL, cwd="/",
                       **self.other)

    def sql(self, text, database="postgres"):
        done = subprocess.run([self.binaries + "/psql", "-h", self.folder, "-U", "ptc", "-d", database, "-tAqX",
                               "-v", "ON_ERROR_STOP=1"], input=text, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def url(self, database):
        return f"postgresql://ptc@/{database}?host={self.folder}"

    def new_database(self, name):
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def crash(self):
        """As pg_ctl stop -m immediate: nothing is finished, and the next start() recovers."""
        self.process.send_signal(signal.SIGQUIT)   # ends at once, with its children
        self.process.wait()

    def stop(self):
        self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)
