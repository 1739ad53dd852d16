"""Damaged files: whatever a file holds, it loads or says what is wrong, soon."""

import re
import time

import pytest
from law_counts import ASKED
from random_mechanisms import joint_types, random_mechanism, seeded
from test_toml_round_trip import FOUR_BAR

from korba.disk import decoded
from korba.errors import KorbaError
from korba.files.toml_file import dumps, loads, redimension
from korba.model.mechanism import Mechanism

COUNT = 700 if ASKED else 150
"""Damaged texts for each file."""
LONGEST = 2.0
"""Seconds that one text may take."""

NASTY = [
    "nan",
    "-inf",
    "1e400",
    "1e308",
    "-1e308",
    "1e-320",
    "0",
    "-1",
    "true",
    '""',
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "[0, 0]",
    "[0, 0, 0]",
    "[1e200, 1e200, 1e200]",
    "[[1,0,0],[0,1,0],[0,0,1]]",
    '"ground"',
    "[" * 40 + "]" * 40,
    "[" * 3000,
    "{a=" * 40 + "1" + "}" * 40,
    "9" * 400,
    "9" * 5000,
    "0x" + "f" * 600,
    '"' + "a" * 20_000 + '"',
    '"' + "(" * 500 + ")" * 500 + '"',
    '"1/0"',
    '"t"',
    '"1e999 mm"',
    '"10^10^10"',
    '"2**-99999"',
    '"sqrt(-1)"',
    '"0/0"',
    '"exp(1e9)"',
    '"l1"',
    "1979-05-27",
    '"Ż \\u0000 \\U0010ffff"',
    "07:32:00",
    '"5 parsec"',
    '"3 degC"',
    '"__import__(1)"',
    '"a.b"',
    '"1 if t < 2 else 0"',
    "'''x'''",
    "{ x = [0, 1, 2], y = [0, 1, 4] }",
    '{ origin = "a" }',
    "{ x = [0, 1e-320, 1e308], y = [0, 1e308, -1e308] }",
    '{ x = [0, 0, 0], y = "a" }',
    '"A"',
    '"B"',
    "{ stiffness = 1 }",
    "[1, 2, 3, 4]",
    "[0, 0, 0, 0]",
    "[0, 0, 0, 0, 0, 0, 0]",
    '"free"',
    '"xy"',
]
HEADERS = ["[[body]]", "[[joint]]", "[[force]]", "[[drive]]", "[[coupling]]", "[parameters]"]
HEADERS += [
    "[[joints]]",
    "[joint]",
    "[[x]]",
    "[body.frame]",
    "[[joint.friction]]",
    "[[]]",
    "[korba]",
]
KEYS = [
    "name",
    "type",
    "mass",
    "axis",
    "at",
    "on_parent",
    "drawn",
    "lower",
    "law",
    "ş",
    '"a b"',
    "a.b.c",
]
VALUE = re.compile(r"(?<== )[^\n]+|(?<=[\[ ])[-\w.\"]+(?=[,\]])")


def damaged(text, rng):
    """The text after up to four random mutations."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        text = rng.choice(MUTATIONS)(text, rng)
    return text


def flip_byte(text, rng):
    data = bytearray(text.encode())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data.decode("utf-8", errors="replace")


def delete_line(text, rng):
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines) or "#"


def duplicate_line(text, rng):
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return "\n".join(lines)


def swap_lines(text, rng):
    lines = text.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def replace_value(text, rng):
    found = [*VALUE.finditer(text)]
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + rng.choice(NASTY) + text[place.end() :]


def swap_values(text, rng):
    found = [*VALUE.finditer(text)]
    if not found:
        return text
    place, other = rng.choice(found), rng.choice(found)
    return text[: place.start()] + other[0] + text[place.end() :]


def insert_key(text, rng):
    lines = text.split("\n")
    key = rng.choice([*KEYS, *re.findall(r"^[\w-]+(?= =)", text, re.MULTILINE)])
    lines.insert(rng.randrange(len(lines) + 1), f"{key} = {rng.choice(NASTY)}")
    return "\n".join(lines)


def other_header(text, rng):
    found = [*re.finditer(r"^\[.*", text, re.MULTILINE)]
    if not found:
        return rng.choice(HEADERS) + "\n" + text
    place = rng.choice(found)
    return text[: place.start()] + rng.choice(HEADERS) + text[place.end() :]


def cut(text, rng):
    return text[: rng.randrange(1, len(text) + 1)]


MUTATIONS = [flip_byte, delete_line, duplicate_line, swap_lines, swap_values, other_header]
MUTATIONS += [replace_value] * 4 + [insert_key] * 2 + [cut]


def texts():
    """A file written by a person, and small ones with every type of joint, force and drive."""
    yield FOUR_BAR
    for seed, planar in enumerate([True, False, False]):
        rng = seeded(seed)
        types = joint_types(planar)
        yield dumps(random_mechanism(rng, planar, rng.sample(types, 3)))


@pytest.mark.parametrize("number", range(4))
def test_damaged_files_raise_only_korba_errors(number):
    """A damaged file loads and survives saving, or raises a KorbaError, in two seconds of work."""
    text = [*texts()][number]
    rng = seeded(f"fuzz {number}")
    loaded = 0
    for _ in range(COUNT):
        bad = damaged(text, rng)
        start = time.process_time()
        try:
            m = loads(bad)
        except KorbaError as error:
            assert str(error)
        except Exception as error:
            raise AssertionError(f"{error!r} escapes from\n{bad}") from error
        else:
            loaded += 1
            survives_saving(m, bad)
        assert time.process_time() - start < LONGEST, bad
    assert loaded > COUNT / 100


def survives_saving(m, text):
    assert isinstance(m, Mechanism)
    try:
        assert loads(dumps(m)) == m
        assert redimension(m) == m
    except Exception as error:
        raise AssertionError(f"{error!r} when saving what was loaded from\n{text}") from error


def test_damaged_bytes_raise_only_korba_errors():
    """Random bytes are no UTF-8, no TOML, or at least no mechanism."""
    rng = seeded(1)
    for _ in range(300):
        with pytest.raises(KorbaError):
            loads(decoded(rng.randbytes(rng.randint(1, 200)), "noise"))
