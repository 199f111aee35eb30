"""Key rings, and seals around snapshots: who wrote the bytes, for which run, and in which order."""
import ctypes
import datetime

from . import _abi
from ._library import Handle, Text, bytes_of, checked, lib, made, struct, taken, text_of
from .tools import chosen

ALGORITHMS = {"hmac_sha256": _abi.HMAC_SHA256, "ed25519": _abi.ED25519}
STATES = {_abi.KEY_ACTIVE: "active", _abi.KEY_VERIFY_ONLY: "verify_only", _abi.KEY_REVOKED: "revoked"}


def millis(moment):
    return round(moment.timestamp() * 1000)


def moment_of(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)


def name_of_algorithm(number):
    return next(name for name, known in ALGORITHMS.items() if known == number)


class Key:
    """A key of a ring, without its secret. not_after is None for a key that never ends."""

    def __init__(self, seen):
        self.id, self.note, self.state = text_of(seen.id), text_of(seen.note), STATES[seen.state]
        self.algorithm = name_of_algorithm(seen.algorithm)
        self.is_signing, self.has_secret = bool(seen.is_signing), bool(seen.has_secret)
        self.created = moment_of(seen.created_ms)
        self.not_after = moment_of(seen.not_after_ms) if seen.has_end else None

    def __repr__(self):
        return f"<key {self.id}: {self.algorithm}, {self.state}>"


class KeyRing(Handle):
    """Keys that seal snapshots and the logs of stores. Threads that change a ring must not use it at the same time."""

    def __init__(self, text=None):
        """Makes a ring without keys, or reads the text of a ring. Error "invalid_key_ring"."""
        super().__init__("key_ring", made("key_ring_new") if text is None else made("key_ring_parse", Text(text)))

    @classmethod
    def load(cls, path):
        """Reads the file of a ring."""
        return cls._of(made("key_ring_load", Text(str(path))))

    @classmethod
    def _of(cls, handle):
        self = cls.__new__(cls)
        Handle.__init__(self, "key_ring", handle)
        return self

    def rotate(self, id, *, algorithm="hmac_sha256", not_after=None):
        """Makes a key of random bytes that signs from now on; the key before it only checks. `not_after` is a
        datetime."""
        wanted = struct(_abi.NewKey, id=Text(id), algorithm=chosen(ALGORITHMS, algorithm, "algorithm"),
                        has_end=int(not_after is not None), not_after_ms=millis(not_after) if not_after else 0)
        self._call("key_ring_rotate", ctypes.byref(wanted))

    def sign_with(self, id):
        """Says which key signs from now on."""
        self._call("key_ring_sign_with", Text(id))

    def revoke(self, id):
        """Refuses from now on whatever the key sealed."""
        self._call("key_ring_revoke", Text(id))

    def public_half(self):
        """Returns a ring that can check and not sign: the Ed25519 keys without their secrets."""
        return KeyRing._of(self._made("key_ring_public_half"))

    def keys(self):
        """Returns the keys as a list of Key."""
        with self._lock:
            out = []
            for index in range(lib.ptcvm_key_ring_count(self._open())):
                seen = struct(_abi.Key)
                checked(lib.ptcvm_key_ring_at(self._open(), index, ctypes.byref(seen)))
                out.append(Key(seen))
            return out

    def text(self):
        """Returns the text of the file, secrets included: keep it safe."""
        return taken(self._made("key_ring_json")).decode()

    def save(self, path, *, replace=False):
        """Writes the file, for its owner only and whole or not at all. Without replace=True a file that is there is
        refused."""
        self._call("key_ring_save", Text(str(path)), int(replace))


class Opened:
    """What was in a seal: payload, key_id, algorithm, tenant, run_id, sequence."""

    def __init__(self, handle):
        try:
            facts = struct(_abi.SealFacts)
            checked(lib.ptcvm_opened_facts(handle, ctypes.byref(facts)))
            self.payload = bytes_of(lib.ptcvm_opened_payload(handle))
            self.key_id, self.tenant, self.run_id = text_of(facts.key_id), text_of(facts.tenant), text_of(facts.run_id)
            self.sequence, self.algorithm = facts.sequence, name_of_algorithm(facts.algorithm)
        finally:
            lib.ptcvm_opened_free(handle)


def seal(ring, payload, *, tenant, run_id, sequence, time=None):
    """Returns the payload with a seal around it, as bytes. `sequence` counts the snapshots of a run. Error
    "seal_refused", with the reason in `detail`."""
    label = struct(_abi.SealLabel, tenant=Text(tenant), run_id=Text(run_id), sequence=sequence,
                   has_time=int(time is not None), time_ms=millis(time) if time else 0)
    return taken(ring._made("seal", Text(payload), ctypes.byref(label)))


def open_sealed(ring, sealed, *, tenant, run_id="", sequence=None, minimum_sequence=0, time=None):
    """Checks a seal, bytes from anywhere, and returns an Opened. Another tenant, another run, another sequence number
    and an older snapshot are refused: Error "seal_refused", with the reason in `detail`."""
    expected = struct(_abi.SealExpectations, tenant=Text(tenant), run_id=Text(run_id),
                      has_sequence=int(sequence is not None), sequence=sequence or 0,
                      minimum_sequence=minimum_sequence, has_time=int(time is not None),
                      time_ms=millis(time) if time else 0)
    return Opened(ring._made("open_sealed", Text(sealed), ctypes.byref(expected)))


def looks_sealed(data):
    """Returns whether the bytes claim to be sealed."""
    return bool(lib.ptcvm_looks_sealed(Text(data)))
