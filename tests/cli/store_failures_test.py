"""What a store says when the machine fails it: a full disk, a limit of the system, a file that is gone."""
import os
import random
import resource
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

MANY = '(loop [i 0] (when (< i 400) (task (str "t" i) (reduce str "" (range 200))) (recur (inc i))))'


class StoreFailuresTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "runs.db")

    def arguments(self, source, *more):
        return ["run", self.file("program.ptc", source), "--store", self.store, "--id", "r", *more]

    def run_within(self, most_bytes, source):
        """The status and the errors of a run whose files must not grow beyond so many bytes."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        done = subprocess.run([PTCVM, *self.arguments(source)], capture_output=True, text=True, timeout=240,
                              preexec_fn=limit)
        return done.returncode, done.stderr


class FileSizeLimitTest(StoreFailuresTest):
    def test_a_write_past_the_limit_is_a_failure_of_the_store(self):
        status, err = self.run_within(200_000, MANY)
        self.assertEqual(status, 74, err)
        self.assertIn("store_", err)
        self.assertEqual(ptcvm(*self.arguments(MANY)), (0, "nil\n", ""))

    def test_a_store_that_cannot_be_written_when_it_is_opened(self):
        for most in (0, 1000, 5000):
            status, err = self.run_within(most, "1")
            self.assertEqual(status, 74, err)
            self.assertIn("store_", err)

    def test_tools_have_the_signal_as_it_was(self):
        source = '(tool/write {})'
        command = "cat > /dev/null; (ulimit -f 1; head -c 100000 /dev/zero > big) || echo '\"ended\"'"
        status, out, err = ptcvm(*self.arguments(source, "--tool-shell", f"write=cd {self.folder.name}; {command}"))
        self.assertEqual((status, out), (0, '"ended"\n'), err)

    def test_a_folder_that_is_not_there_is_bad_input(self):
        self.store = os.path.join(self.folder.name, "nowhere", "runs.db")
        self.assertEqual(ptcvm(*self.arguments("1"))[0], 65)


class FullDiskTest(StoreFailuresTest):
    """The store is on a disk of a megabyte, in memory. Only root may mount one."""
    def setUp(self):
        super().setUp()
        self.disk = os.path.join(self.folder.name, "disk")
        os.mkdir(self.disk)
        self.mount("1m")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        self.store = os.path.join(self.disk, "runs.db")

    def mount(self, size, how=""):
        words = ["mount", "-t", "tmpfs", "-o", f"{how}size={size}", "tmpfs", self.disk]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("there is no mount")
        if done.returncode != 0:
            self.skipTest(f"no disk can be mounted: {done.stderr.strip()}")

    def fill(self):
        with open(os.path.join(self.disk, "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def refused(self, source):
        status, out, err = ptcvm(*self.arguments(source))
        self.assertEqual((status, out), (74, ""), err)
        self.assertIn("store_full", err)

    def test_a_disk_that_becomes_full_is_a_failure_of_the_store(self):
        self.refused(MANY)
        self.mount("64m", "remount,")
        self.assertEqual(ptcvm(*self.arguments(MANY)), (0, "nil\n", ""))

    def test_a_disk_that_is_full_when_the_store_is_made(self):
        self.fill()
        self.refused("1")
        os.remove(os.path.join(self.disk, "filler"))
        self.assertEqual(ptcvm(*self.arguments("1")), (0, "1\n", ""))

    def test_a_disk_that_is_full_when_the_store_is_opened_again(self):
        self.assertEqual(ptcvm(*self.arguments("1")), (0, "1\n", ""))
        self.fill()
        status, out, err = ptcvm("run", self.file("program.ptc", "2"), "--store", self.store, "--id", "other")
        self.assertEqual((status, out), (74, ""), err)


class MovedStoreTest(StoreFailuresTest):
    """An unsafe tool removes or renames the store that its run is kept in."""
    def ledger(self):
        path = os.path.join(self.folder.name, "ledger")
        return os.path.getsize(path) if os.path.exists(path) else 0

    def run_with(self, command, group=()):
        tool = f"pay=cat > /dev/null; cd {self.folder.name}; printf x >> ledger; {command}; echo 1"
        source = '[(task "a" (tool/pay {})) (await-signal "go")]'
        return ptcvm(*self.arguments(source, "--tool-shell", tool, "--tool-effect", "pay=unsafe", *group))

    def test_a_store_that_is_gone_is_said_and_nothing_is_repeated(self):
        for number, command in enumerate(("rm {}", "mv {} elsewhere.db", "rm {}-wal", "rm {0} {0}-wal {0}-shm",
                                          "cp {0} copy; mv copy {0}")):
            for group in ((), ("--durability", "group")):
                with self.subTest(command=command, group=group):
                    self.store = os.path.join(self.folder.name, f"runs{number}{len(group)}.db")
                    before = self.ledger()
                    status, out, err = self.run_with(command.format(os.path.basename(self.store)), group)
                    self.assertEqual((status, out), (74, ""), err)
                    self.assertIn("store_moved", err)
                    if command.startswith("cp"):
                        continue   # another store is there now
                    status, out, err = self.run_with("true", group)
                    self.assertNotEqual(status, 0)
                    self.assertEqual(self.ledger(), before + 1, err)

    def test_a_store_that_is_put_back_goes_on(self):
        self.assertEqual(self.run_with("mv runs.db elsewhere.db")[0], 74)
        os.rename(os.path.join(self.folder.name, "elsewhere.db"), self.store)
        self.assertEqual(self.run_with("true")[0], 75)
        self.assertEqual(self.ledger(), 1)


class CopiedPagesTest(StoreFailuresTest):
    """One page of the database is copied over another: the answer is refused or right, and no call is repeated."""
    SOURCE = '[(task "a" (tool/pay {})) (await-signal "go")]'

    def run_it(self):
        tool = f"pay=cat > /dev/null; printf x >> {self.folder.name}/ledger; echo 1"
        return ptcvm(*self.arguments(self.SOURCE, "--tool-shell", tool, "--tool-effect", "pay=unsafe"))

    def test_a_damaged_file_never_repeats_a_call(self):
        self.assertEqual(self.run_it()[0], 75)
        with open(self.store, "rb") as file:
            good = file.read()
        size = int.from_bytes(good[16:18], "big")
        pages = len(good) // size
        pairs = [(source, target) for source in range(pages) for target in range(pages) if source != target]
        statuses = {}
        for source, target in random.Random(7).sample(pairs, min(40, len(pairs))):
            damaged = bytearray(good)
            damaged[target * size:(target + 1) * size] = good[source * size:(source + 1) * size]
            with open(self.store, "wb") as file:
                file.write(damaged)
            for name in ("-wal", "-shm"):
                if os.path.exists(self.store + name):
                    os.remove(self.store + name)
            with self.subTest(source=source, target=target):
                status, out, err = self.run_it()
                statuses[status] = statuses.get(status, 0) + 1
                self.assertIn(status, (65, 74, 75), err)
                self.assertNotIn("suspended" if status != 75 else "{:", out)
                self.assertEqual(os.path.getsize(os.path.join(self.folder.name, "ledger")), 1, (status, err))
        self.assertGreater(statuses.get(65, 0) + statuses.get(74, 0), 10, statuses)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
