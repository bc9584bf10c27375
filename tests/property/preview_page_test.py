"""The HTML page of `preview` needs nothing from outside, no name becomes markup, and its policy allows only its own style and script.

Standard library only.
"""

import base64
import hashlib
import html.parser
import unittest
import zlib

import packs
from images import photo, png, put

HOSTILE = ["plain", "</script><script>alert(1)</script>", "\"' onerror='x", "<!--", "кот/猫_😀", "قطة", "a‮gnp.exe", "tab\there", "&lt;b&gt;"]
VOID = {"meta", "img", "input", "rect"}


class Reader(html.parser.HTMLParser):
    """Elements with attributes, and the text of some of them."""

    def __init__(self):
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class", "")))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def file_name(key):
    return key.replace("/", "_")


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class PreviewPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = packs.Scratch()
        folder = cls.scratch.__enter__()
        for i, key in enumerate(HOSTILE):
            name = file_name(key) + ".png"
            put(folder / "images" / name, photo(20, 12, i))
            put(folder / "labels" / name, png([[(x + y + i) % 3 for x in range(20)] for y in range(12)]))
        names = ["<b>sky", "the class whose name is long: Donaudampfschifffahrtsgesellschaft", "\"quoted\" & 'so on'"]
        put(folder / "names.txt", "\n".join([f'"{names[0]}"', *names[1:]]) + "\n")
        packs.run("preview", "--images", "images", "--labels", "labels", "--classes", "names.txt", "--html", "page.html", "-q", cwd=folder)
        cls.page = (folder / "page.html").read_text()
        cls.reader = Reader()
        cls.reader.feed(cls.page)
        cls.names = names

    @classmethod
    def tearDownClass(cls):
        cls.scratch.__exit__()

    def test_every_key_is_text_and_nothing_else(self):
        keys = self.reader.texts[("bdi", "key")]
        wanted = [file_name(key).replace("‮", "‹U+202E›").replace("\t", "‹U+0009›") for key in HOSTILE]
        self.assertEqual(sorted(keys), sorted(wanted))
        self.assertEqual(len(self.reader.all("script")), 1)
        self.assertEqual(len(self.reader.all("style")), 1)
        self.assertEqual(self.reader.open, [])

    def test_class_names_are_text(self):
        for name in self.names:
            self.assertTrue(any(text.startswith(name) for text in self.reader.texts[("option", "")]), name)

    def test_the_title_appears_once_in_the_text(self):
        self.assertEqual(len(self.reader.all("h1")), 1)
        self.assertEqual(self.page.count("9 of 9 samples"), 2)  # <title> and <h1>

    def test_nothing_is_loaded_or_inline_except_what_the_policy_allows(self):
        policy = next(meta["content"] for meta in self.reader.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        self.assertIn("style-src " + digest("".join(self.reader.texts[("style", "")])), policy)
        self.assertIn("script-src " + digest("".join(self.reader.texts[("script", "")])), policy)
        self.assertNotIn("unsafe", policy)
        for tag, attributes in self.reader.elements:
            self.assertNotIn("style", attributes)
            self.assertFalse([name for name in attributes if name.startswith("on")], tag)
            self.assertNotIn("href", attributes)
            if "src" in attributes:
                self.assertTrue(attributes["src"].startswith("data:image/png;base64,"))

    def test_the_mark_of_a_sheet_has_the_checksum_that_png_wants(self):
        folder = self.scratch.path
        packs.run("preview", "--images", "images", "-o", "sheet.png", "-q", cwd=folder)
        chunk = (folder / "sheet.png").read_bytes()[33:69]
        self.assertEqual(chunk[4:8], b"tEXt")
        self.assertEqual(int.from_bytes(chunk[:4], "big"), len(chunk) - 12)
        self.assertEqual(int.from_bytes(chunk[-4:], "big"), zlib.crc32(chunk[4:-4]))

    def test_same_samples_give_the_same_page(self):
        folder = self.scratch.path
        packs.run("preview", "--images", "images", "--labels", "labels", "--classes", "names.txt", "--html", "again.html", "-q", cwd=folder)
        self.assertEqual((folder / "again.html").read_text(), self.page)


if __name__ == "__main__":
    unittest.main()
