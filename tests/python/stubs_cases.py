"""The stubs say what the package has: the same names, the same parameters, the same defaults."""
import ast
import inspect
import pathlib
import unittest

import ptcvm
from ptcvm import options, run, sealing, snapshot_view, stepped, store, stored_run, tools

PACKAGE = pathlib.Path(ptcvm.__file__).parent
STUBS = ast.parse((PACKAGE / "__init__.pyi").read_text())
RENAMED = {"_Stepped": run.Run, "_Handle": ptcvm._library.Handle, "_AtAPlace": ptcvm.errors._AtAPlace,
           "_Located": ptcvm.errors._Located}
HIDDEN = {"__init__", "__enter__", "__exit__", "__await__"}
OPTIONS = {"check": options.run_options, "start": options.run_options, "session": options.run_options,
           "restore": options.restore_options, "restore_session": options.restore_options,
           "stored": options.stored_options,
           "add": tools.tool_options, "defer": tools.tool_options, "tool": [tools.Tools.add, tools.tool_options]}
CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}


def found(name):
    for place in (ptcvm, run, stepped, store, stored_run, sealing, snapshot_view):
        if hasattr(place, name):
            return getattr(place, name)
    return RENAMED[name]


def vars_of(kind):
    """The members of a class and of those above it, except what comes from classes of Python."""
    out = {}
    for one in reversed(kind.__mro__):
        if one.__module__.startswith("ptcvm"):
            out.update(vars(one))
    return out


def methods(node):
    return {part.name: part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}


def stubbed_methods(name):
    """The names of the methods of a class and of those above it, as the stubs have them."""
    above = [base.id for base in CLASSES[name].bases if isinstance(base, ast.Name) and base.id in CLASSES]
    return set(methods(CLASSES[name])).union(*map(stubbed_methods, above))


def stubbed(method):
    """The parameters of a stub as {name: default}; `...` fits any default."""
    args = method.args
    names = [arg.arg for arg in args.args]
    defaults = [None] * (len(names) - len(args.defaults)) + list(map(ast.unparse, args.defaults))
    keywords = {arg.arg: default and ast.unparse(default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)}
    return {**dict(zip(names, defaults)), **keywords}


def real(function, more=()):
    """The parameters of a function, with those of the functions that take its **options."""
    out = {}
    for one in (function, *more):
        for name, parameter in inspect.signature(one).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD or (one is not function and parameter.kind is not
                                                           parameter.KEYWORD_ONLY):
                continue
            out[name] = None if parameter.default is parameter.empty else repr(parameter.default)
    return out


class Stubs(unittest.TestCase):
    def test_every_public_name_has_a_stub(self):
        names = set(CLASSES) | {node.name for node in STUBS.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(set(ptcvm.__all__) - names, set())
        self.assertTrue((PACKAGE / "py.typed").is_file())

    def test_classes_have_the_methods_of_their_stubs(self):
        for name, node in CLASSES.items():
            for method in methods(node):
                self.assertTrue(hasattr(found(name), method), f"{name}.{method}")

    def test_stubs_have_the_methods_of_their_classes(self):
        for name in set(CLASSES) - set(RENAMED):
            public = {key for key, value in vars_of(found(name)).items()
                      if not key.startswith("_") and isinstance(value, (type(real), property))}
            self.assertEqual(public - stubbed_methods(name), set(), name)

    def test_parameters_and_defaults_are_the_same(self):
        for name, node in CLASSES.items():
            for key, method in methods(node).items():
                function = inspect.getattr_static(found(name), key)
                function = getattr(function, "__func__", function)       # a class method has it
                if key in HIDDEN or isinstance(function, property):
                    continue
                more = OPTIONS.get(key, []) if name in ("Engine", "Tools") else []
                seen = real(function, more if isinstance(more, list) else [more])
                for parameter, default in stubbed(method).items():
                    self.assertIn(parameter, seen, f"{name}.{key}")
                    if default not in ("...", None):
                        default = repr(ast.literal_eval(default))
                    if default != "...":
                        self.assertEqual(seen[parameter], default, f"{name}.{key}({parameter})")
                self.assertEqual(set(seen) - set(stubbed(method)), set(), f"{name}.{key}")


if __name__ == "__main__":
    unittest.main()
