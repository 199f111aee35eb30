"""Cases over conversations in a store of their own."""
import json
import os

from ptcvm_process import CommandLineTest, ptcvm


class ConversationCase(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "talk.db")

    def told(self, command, *args, conversation="clinic", status=0):
        """The last line of standard output as JSON, or None, and standard error."""
        got, out, err = ptcvm("harness", command, "--store", self.store, "--id", conversation, *args)
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1]) if out else None, err
