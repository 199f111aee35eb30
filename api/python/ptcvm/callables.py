"""Whether a callable can take the arguments that the signature of its tool promises. Internal."""
import inspect

from .errors import Error
from .signature import Signature

POSITIONAL_ONLY, VAR_POSITIONAL, VAR_KEYWORD = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL,
                                                inspect.Parameter.VAR_KEYWORD)


def parameters_of(function):
    """Returns the parameters of a callable, or None when Python does not know them. What a wrapper wraps may take
    others than the wrapper."""
    try:
        return list(inspect.signature(function, follow_wrapped=False).parameters.values())
    except (TypeError, ValueError):
        return None


def promised_arguments(signature):
    """Returns whether every call has an argument, by the names of the arguments; None when the signature names none."""
    try:
        with Signature(signature) as read:
            schema = read.json_schema().get("inputSchema")
    except Error:
        return None                           # the library refuses such a tool and says why
    if schema is None:
        return None
    required = schema.get("required", [])
    return {name.replace("-", "_"): name in required for name in schema.get("properties", {})}


def split_call(parameters, promised):
    """Returns the parameters that are left when the first one takes the Call, and what is wrong, or ""."""
    first = parameters[0] if parameters else None
    if first is None or first.kind in (inspect.Parameter.KEYWORD_ONLY, VAR_KEYWORD):
        return parameters, "with wants_call its first parameter takes the Call, and it has no such parameter"
    if first.kind is VAR_POSITIONAL:
        return parameters, ""
    is_taken = first.kind is not POSITIONAL_ONLY and first.name in promised
    return parameters[1:], f"its first parameter {first.name} takes the Call" if is_taken else ""


def misfits(function, signature, wants_call):
    """Returns why the callable cannot take the arguments of the signature, each reason as a text."""
    parameters, promised = parameters_of(function), promised_arguments(signature)
    if parameters is None or promised is None:
        return []
    found = []
    if wants_call:
        parameters, wrong = split_call(parameters, promised)
        found += [wrong] if wrong else []
    named = {one.name: one for one in parameters if one.kind not in (POSITIONAL_ONLY, VAR_POSITIONAL, VAR_KEYWORD)}
    takes_all = any(one.kind is VAR_KEYWORD for one in parameters)
    found += [f"it has no parameter {name}" for name in promised if name not in named and not takes_all]
    for one in parameters:
        if one.kind in (VAR_POSITIONAL, VAR_KEYWORD) or one.default is not one.empty:
            continue
        if one.kind is POSITIONAL_ONLY:
            found.append(f"its parameter {one.name} takes no argument by name")
        elif one.name not in promised:
            found.append(f"it needs {one.name}, which the signature does not have")
        elif not promised[one.name]:
            found.append(f"it needs {one.name}, which calls may leave out: give the parameter a default")
    return found


def require_fit(name, signature, function, wants_call):
    """Raises TypeError for a callable that cannot take the arguments of the signature."""
    found = misfits(function, signature, wants_call)
    if found:
        raise TypeError(f"the function of the tool {name} does not fit {signature}: {'; '.join(found)}")
