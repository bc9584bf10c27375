"""Strict and canonical JSON, by FORMAT.md section 10."""

import json
import math
import struct
import time
import tracemalloc

import numpy as np
import pytest

from hotpack import DamagedError
from hotpack.pure.json_node import Node
from hotpack.pure.json_text import canonical, canonical_double, excerpt, marks, parse, raw_members

REFUSED = [
    b"", b"{", b"[1,]", b"{'a':1}", b"[01]", b"[+1]", b"[1.]", b"[.5]", b"nul", b"[NaN]", b"[Infinity]", b"[-Infinity]", b"[1e999]", b'["\t"]', b'["\n"]',
    b'["\\x"]', b'["\\ud800"]', b'["\\udc00\\ud800"]', b'["\xff"]', b'{"a":1,"a":2}', b'[{"b":{"a":1,"\\u0061":2}}]', b"1 2", b"\xef\xbb\xbf1", b"[1]x",
    b"[" * 65 + b"]" * 65, b"[" * 100_000, b"1" * 5000, b'{"\\ud800":1}', b"\x00",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:20]))
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(DamagedError):
        parse(text)


@pytest.mark.parametrize("text", [b" 1 ", b'{"a":[],"b":{"a":1}}', b'"\\ud83d\\ude00"', b"[" * 64 + b"]" * 64, '"ä\u2028"'.encode(), b"-0.5e-3"])
def test_strict_json_is_accepted(text):
    assert parse(text) == json.loads(text)


def test_offsets_are_those_of_bytes():
    with pytest.raises(DamagedError) as caught:
        parse('["ä", x]'.encode())
    assert caught.value.offset == 7


def test_raw_members_are_the_original_texts():
    text = '{ "a" : [1, 2] ,\n"b\\u0063":{"x" : 1e0},"d":"}" }'
    assert raw_members(text, ("a", "d")) == {"a": "[1, 2]", "d": '"}"'}
    assert raw_members(text, ("bc",)) == {"bc": '{"x" : 1e0}'}


def test_marks_are_those_outside_strings():
    assert "".join(marks('{"a":{"s":[1,2,3]},"b":"[1,2],{"}')) == "{{[,,]},}"
    assert "".join(marks('{"\\"[\\\\":[1,2]}')) == "{[,]}"
    assert "".join(marks('{"a":[,"\\"],')) == "{[,"


@pytest.mark.parametrize("text", ['{"' + '\\"' * 1_000_000, '{"' + "a" * 2_000_000 + '":0}', '{"' + '\\"' * 1_000_000 + '":0}'], ids=["unclosed", "long", "escapes"])
def test_marks_of_long_strings_take_little_memory(text):
    """A list of positions or backtracking would take a multiple of the text."""
    tracemalloc.start()
    began = time.process_time()
    found = list(marks(text))
    assert time.process_time() - began < 20  # quadratic time would be hours
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found[0] == "{" and len(found) <= 2
    assert peak < 2 * len(text)


def test_excerpts_are_short_and_printable():
    assert excerpt("a\x1b\u202e\u2028 b") == r'"a\u001b\u202e\u2028 b"'
    assert excerpt(list(range(100_000))) == "[" + ",".join(map(str, range(100)))[:79] + "…"
    assert len(excerpt("x" * 10**6)) == 81


def test_integers_beyond_doubles_are_damage():
    for text in (b"1" * 401, b"-" + b"1" * 401):
        with pytest.raises(DamagedError, match="no double can hold"):
            Node(parse(text)).number()


def test_canonical_strings_escape_only_what_they_must():
    assert canonical({"a\"\\/": "\b\t\n\f\r\x01\x1f\x7fä\u2028"}) == '{"a\\"\\\\/":"\\b\\t\\n\\f\\r\\u0001\\u001f\x7fä\u2028"}'


def test_numbers_are_written_as_to_chars_does():
    """The examples of FORMAT.md, and others of GCC 12's std::to_chars(double)."""
    texts = ["0.25", "1", "1e-04", "0.001", "100001", "1e+05", "0", "-0", "0.1", "123456.75", "1e+22", "1.5e-07", "0.0015", "5e-324", "1.7976931348623157e+308",
             "12345678", "1e+16", "-2.5", "100010000", "0.00012", "1.2e-05"]  # fmt: skip
    for text in texts:
        assert canonical_double(float(text)) == text


def test_numbers_read_back_as_the_same_doubles():
    bits = np.random.default_rng(3).integers(0, 2**63, 3000, np.uint64).tolist()
    numbers = [struct.unpack("<d", struct.pack("<Q", one))[0] for one in bits] + np.random.default_rng(4).random(3000).tolist()
    for number in filter(math.isfinite, numbers):
        text = canonical_double(number)
        assert float(text) == number and len(text) <= len(repr(number)) + 1
