"""Signatures: what tools take and give, read and checked without a run."""
import json

from . import _abi
from ._library import Handle, Text, Written, lib, made, taken, value_of


class Signature(Handle):
    """A signature such as "(q :string, limit :int?) -> [{id :int}]", or a type alone."""

    def __init__(self, text):
        """Error "invalid_signature": the message says where the text is wrong."""
        super().__init__("signature", made("signature_parse", Text(text)))

    @classmethod
    def from_json_schema(cls, schema):
        """Returns the signature of a JSON Schema, or of the definition of a tool that has schemas: a dict, or JSON."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        self = cls.__new__(cls)
        Handle.__init__(self, "signature", made("signature_from_json_schema", Text(text)))
        return self

    def json_schema(self):
        """Returns the JSON Schema as a dict: {"inputSchema", "outputSchema"} for a signature with parameters."""
        return json.loads(taken(self._made("signature_json_schema")))

    def fit_result(self, value):
        """Returns the value as the type of the result has it, converted where nothing is lost. Error "invalid_value":
        the message has the path of each part that does not fit."""
        return self._fit(_abi.RESULT, value)

    def fit_params(self, args):
        """Returns the arguments by name as a tool gets them. Error "invalid_value"."""
        return self._fit(_abi.PARAMS, args)

    def _fit(self, part, value):
        with Written(value, times_as_text=False) as view:
            handle = self._made("signature_fit", part, view)
        try:
            return value_of(lib.ptcvm_value_view(handle))
        finally:
            lib.ptcvm_value_free(handle)

    def __str__(self):
        return taken(self._made("signature_text")).decode()

    def __repr__(self):
        return f"Signature({str(self)!r})"
