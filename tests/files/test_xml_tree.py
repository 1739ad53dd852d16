"""The XML reader gives small trees, and refuses with a line whatever could do harm."""

import contextlib
import random
import time

import pytest

from korba.disk import LARGEST_FILE
from korba.errors import FileError, KorbaError
from korba.files import xml_tree
from korba.files.xml_tree import parse_xml, read_xml

LAUGHS = '<!ENTITY l0 "lol">' + "".join(
    f'<!ENTITY l{i} "' + f"&l{i - 1};" * 10 + '">' for i in range(1, 10)
)


def refused(text):
    with pytest.raises(FileError) as caught:
        parse_xml(text if isinstance(text, bytes) else text.encode(), "a.xml")
    assert str(caught.value).startswith("a.xml")
    return caught.value


def test_elements_carry_tags_attributes_children_and_lines():
    """What stands in the text stands in the tree, prefixes apart from tags."""
    root = parse_xml(b'<a x="1"\n y="2">\n<b/><x:c k="&lt;"/>\ntext<!-- no --></a>', "s")
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1", "y": "2"}, 1)
    assert [(e.prefix, e.tag, e.line) for e in root.children] == [("", "b", 3), ("x", "c", 3)]
    assert root.children[1].attributes == {"k": "<"}
    assert root.first("b") is root.children[0]
    assert root.first("c") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"<!DOCTYPE a [{LAUGHS}]><a>&l9;</a>", "document type"),
        ('<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', "document type"),
        ('<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', "document type"),
        ("<a>&e;</a>", "undefined entity"),
        ("<a>\n<b>\n</a>", "line 3"),
        ("<a><b x=1/></a>", "column"),
        ('<a x="1" x="2"/>', "duplicate attribute"),
        ("<a/><b/>", "line 1"),
        ("", "no element"),
        ("hello", "line 1"),
        (b"<a>\xff</a>", "not well-formed"),
        (b"\x00\x01\x02", "line 1"),
        ('<?xml version="1.0" encoding="cp1252"?><a/>', "UTF-8"),
        ('<?xml version="1.0" encoding="rot13"?><a/>', "UTF-8"),
        ('<?xml version="1.0" encoding="utf-16"?><a/>', "encoding"),
        ("<a>" * 201 + "</a>" * 201, "200 deep"),
        ("<a>" * 100_000, "200 deep"),
    ],
)
def test_bad_texts_are_refused_with_their_line(text, words):
    """Every bad text is a FileError that names the source and the reason."""
    assert words in str(refused(text))


def test_billion_laughs_are_refused_fast():
    """A text that would unfold to gigabytes costs no time."""
    start = time.perf_counter()
    refused(f"<!DOCTYPE a [{LAUGHS}]><a>&l9;</a>")
    assert time.perf_counter() - start < 0.1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_common_encodings_are_read(encoding):
    """A declared or marked encoding that expat knows gives the same names."""
    name = "iso-8859-1" if encoding == "latin-1" else encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{name}"?><a x="ł"/>'.replace("ł", "é")
    assert parse_xml(text.encode(encoding), "s").attributes == {"x": "é"}


def test_files_that_cannot_be_read_are_file_errors(tmp_path):
    """A missing file, a folder, an impossible name and a file that is too large."""
    large = tmp_path / "large.xml"
    with large.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    for path in (tmp_path / "none.xml", tmp_path, "a\0b", large):
        with pytest.raises(FileError):
            read_xml(path)


def test_many_elements_are_refused(monkeypatch):
    """The count of elements is bounded, so a file of 16 MiB cannot fill the memory."""
    monkeypatch.setattr(xml_tree, "MOST_ELEMENTS", 100)
    parse_xml(b"<a>" + b"<b/>" * 99 + b"</a>", "s")
    assert "more than 100" in str(refused(b"<a>" + b"<b/>" * 100 + b"</a>"))


def test_random_bytes_raise_nothing_else():
    """Whatever the bytes, the outcome is a tree or a KorbaError."""
    rng = random.Random(1)  # noqa: S311
    pieces = ["<", ">", "/", "a", "b:", '"', "=", "&", ";", "!", "[", "]", "--", "?xml", "\0", "é"]
    for _ in range(3000):
        text = "".join(rng.choices(pieces, k=rng.randrange(30)))
        with contextlib.suppress(KorbaError):
            parse_xml(text.encode(), "s")
