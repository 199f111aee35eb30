"""Snapshots for readers, signatures, key rings and seals."""
import datetime
import pathlib
import tempfile
import unittest

import ptcvm
from ptcvm import Engine, Error, KeyRing, Signature, SnapshotView, Store, Tagged, Tools

ENGINE = Engine()
SOURCE = """(def limit 10)
(defn ask [who]
  (let [answer (await (tool/ask {:to who}))]
    (str who answer)))
(println "begins")
(task "greeted" 7)
(pmap ask ["Ann" "Bo"])"""


def parked():
    tools = Tools()
    tools.defer("ask", "(to :string) -> :string", mode="async")
    run = ENGINE.start(ENGINE.compile(SOURCE, name="letters.ptc"), tools=tools, id="letters")
    while run.step() == "yielded":
        for call in run.calls():
            run.answer_pending(call.id, "letter-" + call.args["to"])
    return run


class Readers(unittest.TestCase):
    def test_a_snapshot_is_read_without_its_tools(self):
        run = parked()
        view = SnapshotView(ENGINE, run.snapshot())
        facts = view.facts()
        self.assertEqual((facts.run_id, facts.place, facts.turn, facts.tool_calls), ("letters", "turn_suspended", 1, 2))
        self.assertEqual([(one.id, one.tool, one.args, one.status, one.is_awaited, one.result) for one in
                          view.operations()],
                         [("letter-Ann", "ask", {"to": "Ann"}, "waiting", True, None),
                          ("letter-Bo", "ask", {"to": "Bo"}, "waiting", True, None)])
        self.assertEqual(view.definitions()["limit"], 10)
        self.assertIsInstance(view.definitions()["ask"], Tagged)
        self.assertEqual((view.journal(), view.prints()), ({"greeted": 7}, ["begins"]))
        program, *branches = view.fibers()
        self.assertEqual((program.parent, program.state, program.source_name, program.line),
                         (None, "waits_for_branches", "letters.ptc", 7))
        self.assertEqual([(one.parent, one.state, one.line) for one in branches], [(0, "waits_for_operations", 3)] * 2)
        self.assertIn("(await (tool/ask", branches[0].excerpt)
        self.assertEqual([frame.function for frame in branches[0].frames if frame.function], ["await", "ask"])
        self.assertEqual([frame.locals["who"] for frame in branches[0].frames if "who" in frame.locals], ["Ann"])
        again = SnapshotView(ENGINE, run.snapshot_json())
        self.assertEqual((again.to_bytes(), again.to_json()["run"]), (run.snapshot(), "letters"))

    def test_what_is_no_snapshot_is_refused(self):
        with self.assertRaises(Error) as refused:
            SnapshotView(ENGINE, b"nonsense")
        self.assertEqual((refused.exception.status, refused.exception.detail), ("invalid_snapshot", "not_a_snapshot"))
        with self.assertRaises(Error) as refused:
            SnapshotView(ENGINE, parked().snapshot(), max_bytes=10)
        self.assertEqual(refused.exception.status, "too_large")


class Signatures(unittest.TestCase):
    def test_values_are_held_against_it(self):
        signature = Signature("(q :string,limit :int?) -> [{id :int}]")
        self.assertEqual(str(signature), "(q :string, limit :int?) -> [{id :int}]")
        self.assertEqual(signature.fit_params({"q": "a", "limit": "3"}), {"q": "a", "limit": 3})
        self.assertEqual(signature.fit_result([{"id": 2.0}]), [{"id": 2}])
        for fit, value, message in ((signature.fit_params, {"q": 1}, "args.q: expected string, got int"),
                                    (signature.fit_params, {"q": "a", "lmit": 1}, "args.lmit: unknown argument"),
                                    (signature.fit_result, [{"id": "x"}, {}], "return[0].id: expected int, got string; "
                                     "return[1].id: expected int, the field is missing")):
            with self.assertRaises(Error) as refused:
                fit(value)
            self.assertEqual(refused.exception.status, "invalid_value")
            self.assertIn(message, refused.exception.message)

    def test_json_schema_goes_both_ways(self):
        schema = Signature("{id :int, tags [:string]?}").json_schema()
        self.assertEqual(schema["required"], ["id"])
        self.assertEqual(str(Signature.from_json_schema(schema)), "{id :int, tags [:string]?}")
        with self.assertRaises(Error) as refused:
            Signature("(a :strng) -> :int")
        self.assertEqual(refused.exception.status, "invalid_signature")


class Seals(unittest.TestCase):
    def ring(self, **options):
        ring = KeyRing()
        ring.rotate("k1", **options)
        return ring

    def refusal(self, *args, **options):
        with self.assertRaises(Error) as refused:
            ptcvm.open_sealed(*args, **options)
        self.assertEqual(refused.exception.status, "seal_refused")
        return refused.exception.detail

    def test_a_seal_binds_tenant_run_and_order(self):
        ring, state = self.ring(), parked().snapshot()
        sealed = ptcvm.seal(ring, state, tenant="acme", run_id="letters", sequence=3)
        self.assertTrue(ptcvm.looks_sealed(sealed))
        self.assertFalse(ptcvm.looks_sealed(state))
        opened = ptcvm.open_sealed(ring, sealed, tenant="acme", run_id="letters", sequence=3)
        self.assertEqual((opened.payload, opened.key_id, opened.tenant, opened.run_id, opened.sequence,
                          opened.algorithm), (state, "k1", "acme", "letters", 3, "hmac_sha256"))
        self.assertEqual(self.refusal(ring, sealed, tenant="other"), "wrong_tenant")
        self.assertEqual(self.refusal(ring, sealed, tenant="acme", run_id="r"), "wrong_run")
        self.assertEqual(self.refusal(ring, sealed, tenant="acme", minimum_sequence=4), "rolled_back")
        self.assertEqual(self.refusal(ring, sealed, tenant="acme", sequence=2), "wrong_sequence")
        self.assertEqual(self.refusal(self.ring(), sealed, tenant="acme"), "bad_signature")
        ring.revoke("k1")
        self.assertEqual(self.refusal(ring, sealed, tenant="acme"), "revoked_key")

    def test_keys_of_a_ring(self):
        end = datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc)
        ring = self.ring(algorithm="ed25519", not_after=end)
        ring.rotate("k2", algorithm="ed25519")
        first, second = ring.keys()
        self.assertEqual((first.id, first.algorithm, first.state, first.not_after, first.is_signing, first.has_secret),
                         ("k1", "ed25519", "verify_only", end, False, True))
        self.assertEqual((second.id, second.state, second.not_after, second.is_signing), ("k2", "active", None, True))
        public = ring.public_half()
        self.assertEqual([key.has_secret for key in public.keys()], [False, False])
        sealed = ptcvm.seal(ring, b"state", tenant="acme", run_id="r", sequence=1)
        self.assertEqual(ptcvm.open_sealed(public, sealed, tenant="acme").payload, b"state")
        with self.assertRaises(Error) as refused:
            ptcvm.seal(public, b"state", tenant="acme", run_id="r", sequence=1)
        self.assertEqual(refused.exception.detail, "key_cannot_sign")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "ring")
            ring.save(path)
            self.assertEqual(KeyRing.load(path).text(), ring.text())
            with self.assertRaises(Error):
                ring.save(path)
            ring.save(path, replace=True)
        with self.assertRaises(ValueError):
            ring.rotate("k3", algorithm="rsa")
        with self.assertRaises(Error) as refused:
            KeyRing("{}")
        self.assertEqual(refused.exception.status, "invalid_key_ring")

    def test_a_store_is_sealed(self):
        ring = self.ring()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "s.db")
            with Store(path, keys=ring, tenant="acme") as store:
                self.assertEqual(ENGINE.stored(store, '(task "a" 1)', id="r").run(), 1)
            with Store(path, keys=ring, tenant="other") as store:
                with self.assertRaises(Error) as refused:
                    ENGINE.stored(store, '(task "a" 1)', id="r").run()
                self.assertEqual(refused.exception.status, "seal_refused")


if __name__ == "__main__":
    unittest.main()
