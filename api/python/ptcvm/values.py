"""Values of the language as values of Python, and back. They cross as EDN text, which has all kinds of values."""
import datetime
import math
import re

MICROSECOND = datetime.timedelta(microseconds=1)
PLAIN_KEYWORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[?!]?")
TOKEN = re.compile(r'[\s,]*(?:("(?:[^"\\]|\\.)*")|(#\{|[\[({])|([\])}])|([^\s,"()\[\]{}]+))', re.S)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
INSTANT = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?Z")
DURATION = re.compile(r"P(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d{1,9}))?S)?)?")
DIGITS_AT_ONCE = 4000            # below the number of digits that Python converts at once


class Keyword(str):
    """A keyword, by its name without the colon. It equals the string of its name and is found under that string."""
    __slots__ = ()

    def __repr__(self):
        return f"Keyword({str.__repr__(self)})"

    def __reduce__(self):
        return Keyword, (str(self),)

    def __str__(self):
        return str.__str__(self)


class Pending(str):
    """The handle of an operation, by the id of the operation. A tool returns one when its answer comes later."""
    __slots__ = ()

    def __repr__(self):
        return f"Pending({str.__repr__(self)})"

    def __hash__(self):
        return hash((Pending, str(self)))

    def __eq__(self, other):
        return isinstance(other, Pending) and str(self) == str(other)

    def __ne__(self, other):
        return not self == other

    def __reduce__(self):
        return Pending, (str(self),)

    def __str__(self):
        return "".join(self)


class Tagged:
    """A value that Python has no type for, as a tag and its content: a function, a regex, a time in nanoseconds."""
    __slots__ = ("tag", "content")

    def __init__(self, tag, content):
        self.tag, self.content = tag, content

    def __repr__(self):
        return f"Tagged({self.tag!r}, {self.content!r})"

    def __eq__(self, other):
        return isinstance(other, Tagged) and (self.tag, self.content) == (other.tag, other.content)

    def __hash__(self):
        return hash((self.tag, frozen(self.content)))


class Entries(tuple):
    """A map as pairs: a map that is a key, or a map with keys that Python takes for equal, such as 1, 1.0 and True."""
    __slots__ = ()


class Elements(tuple):
    """A set as its elements, when Python takes some of them for equal."""
    __slots__ = ()


def frozen(value):
    """Returns the value as something that can be a key."""
    if isinstance(value, list):
        return tuple(frozen(part) for part in value)
    if isinstance(value, dict):
        return Entries((key, frozen(part)) for key, part in value.items())
    return frozenset(value) if isinstance(value, set) else value


def digits_of(number):
    """Returns the decimal digits of an int of any size."""
    if number < 0:
        return "-" + digits_of(-number)
    pieces, base = [], 10 ** DIGITS_AT_ONCE
    while number >= base:
        number, piece = divmod(number, base)
        pieces.append(f"{piece:0{DIGITS_AT_ONCE}d}")
    return str(number) + "".join(reversed(pieces))


def int_of(digits):
    if len(digits) <= DIGITS_AT_ONCE:
        return int(digits)
    if digits[0] == "-":
        return -int_of(digits[1:])
    number, head = 0, len(digits) % DIGITS_AT_ONCE
    for begin in range(head - DIGITS_AT_ONCE, len(digits), DIGITS_AT_ONCE):
        number = number * 10 ** DIGITS_AT_ONCE + int("0" + digits[max(begin, 0):begin + DIGITS_AT_ONCE])
    return number


# ---- Python to EDN

def quoted(text):
    return '"' + ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


def float_text(number):
    if math.isfinite(number):
        return repr(number)
    return "##NaN" if math.isnan(number) else "##Inf" if number > 0 else "##-Inf"


def keyword_text(name):
    return ":" + name if PLAIN_KEYWORD.fullmatch(name) else "#ptc/kw " + quoted(name)


def instant_text(moment):
    if moment.tzinfo is None:
        raise TypeError(f"the time {moment.isoformat()} has no time zone; give it one, such as datetime.timezone.utc")
    moment = moment.astimezone(datetime.timezone.utc)
    fraction = f".{moment.microsecond:06d}" if moment.microsecond else ""
    return f'#inst "{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}Z"'


def duration_text(length):
    micros = length // MICROSECOND
    seconds, fraction = divmod(abs(micros), 1_000_000)
    return f'#duration "PT{"-" if micros < 0 else ""}{seconds}{f".{fraction:06d}" if fraction else ""}S"'


def scalar_text(value):
    """Returns a value without parts as text, or None when the value has parts."""
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    if isinstance(value, Keyword):
        return keyword_text(value)
    if isinstance(value, Pending):
        return "#ptc/pending " + quoted(str(value))
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        return digits_of(value)
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, datetime.datetime):
        return instant_text(value)
    if isinstance(value, datetime.date):
        return f'#date "{value.isoformat()}"'
    return duration_text(value) if isinstance(value, datetime.timedelta) else None


def parts_of(value):
    """Returns opening bracket, parts in order and closing bracket of a collection."""
    if isinstance(value, (dict, Entries)):
        pairs = value.items() if isinstance(value, dict) else value
        return "{", [part for pair in pairs for part in pair], "}"
    if isinstance(value, (set, frozenset, Elements)):
        return "#{", list(value), "}"
    if isinstance(value, (list, tuple)):
        return "[", value, "]"
    if isinstance(value, Tagged):
        return f"#{value.tag} ", [value.content], ""
    raise TypeError(f"a {type(value).__name__} is not a value of the language: {value!r:.80}")


def time_text(value):
    """Returns a date, time or duration as ISO text in quotes, or None for other values."""
    if isinstance(value, (datetime.date, datetime.timedelta)):
        return scalar_text(value).partition(" ")[2]
    return None


def edn_of(value, *, times_as_text=False):
    """Returns the value as EDN text. TypeError: the language has no such value. With times_as_text dates, times and
    durations are strings, as answers of tools must be."""
    out = []
    stack = [(iter((value,)), "", None)]      # parts that are left, closing bracket, collection
    inside = set()                            # ids of the collections on the stack
    while stack:
        for part in stack[-1][0]:
            text = (time_text(part) if times_as_text else None) or scalar_text(part)
            if text is not None:
                out.append(text)
                continue
            opening, parts, end = parts_of(part)
            if id(part) in inside:
                raise ValueError(f"the value contains itself: a {type(part).__name__}")
            inside.add(id(part))
            out.append(opening)
            stack.append((iter(parts), end, part))
            break
        else:
            _, end, part = stack.pop()
            inside.discard(id(part))
            out.append(end)
    return " ".join(out)


# ---- EDN to Python

def unescaped(found):
    escape = found[1]
    return chr(int(escape[1:], 16)) if len(escape) == 5 else ESCAPES.get(escape, escape)


def string_of(token):
    text = token[1:-1]
    return ESCAPE.sub(unescaped, text) if "\\" in text else text


def instant_of(text):
    found = INSTANT.fullmatch(text)
    nanos = int((found[7] or "").ljust(9, "0")) if found else 0
    if not found or nanos % 1000 or found[1] == "0000":
        return Tagged("inst", text)
    parts = [int(part or 0) for part in found.groups()[:6]]
    return datetime.datetime(*parts, nanos // 1000, tzinfo=datetime.timezone.utc)


def date_of(text):
    try:
        return datetime.date(*map(int, text.split("-")))
    except ValueError:                       # beyond the years of Python
        return Tagged("date", text)


def duration_of(text):
    found = DURATION.fullmatch(text)
    nanos = int((found[5] or "").ljust(9, "0")) if found else 1
    if nanos % 1000:
        return Tagged("duration", text)
    sign = -1 if found[3] else 1
    seconds = int(found[1] or 0) * 3600 + int(found[2] or 0) * 60 + sign * int(found[4] or 0)
    try:
        return datetime.timedelta(seconds=seconds, microseconds=sign * nanos // 1000)
    except OverflowError:
        return Tagged("duration", text)


TAGS = {"inst": instant_of, "date": date_of, "duration": duration_of, "ptc/kw": Keyword, "ptc/pending": Pending}
WORDS = {"nil": None, "true": True, "false": False, "##NaN": math.nan, "##Inf": math.inf, "##-Inf": -math.inf}


def atom_of(token):
    if token in WORDS:
        return WORDS[token]
    if token[0] == ":":
        return Keyword(token[1:])
    if token.startswith("#'"):
        return Tagged("ptc/var", token[2:])
    if token[-1] == "N":
        return int_of(token[:-1])
    if token.lstrip("-").isdigit():
        return int_of(token)
    return float(token)


def map_of(parts):
    pairs = [(frozen(key), value) for key, value in zip(parts[::2], parts[1::2])]
    made = dict(pairs)
    return made if len(made) == len(pairs) else Entries(pairs)


def set_of(parts):
    elements = [frozen(part) for part in parts]
    made = set(elements)
    return made if len(made) == len(elements) else Elements(elements)


COLLECTIONS = {"[": list, "{": map_of, "#{": set_of, "(": lambda parts: Pending(parts[1])}


def value_of_edn(text):
    """Returns the value of an EDN text that the engine wrote."""
    stack = [("", [])]
    for token in TOKEN.finditer(text):
        string, opening, closing, atom = token.groups()
        if opening:
            stack.append((opening, []))
            continue
        if atom and atom[0] == "#" and atom[1] not in "'#":
            stack.append((atom, []))
            continue
        if closing:
            kind, parts = stack.pop()
            value = COLLECTIONS[kind](parts)
        elif string is not None:
            value = string_of(string)
        else:
            value = "pending" if atom == "pending" else atom_of(atom)
        while stack[-1][0].startswith("#") and stack[-1][0] != "#{":
            tag = stack.pop()[0][1:]
            value = TAGS[tag](value) if tag in TAGS else Tagged(tag, value)
        stack[-1][1].append(value)
    return stack[0][1][0]
