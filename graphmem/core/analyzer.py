"""The one declared analyzer of lexical search: text to terms. Lives here: folding, term boundaries,
identifier splitting, and the parts of a query that deserve an exact look-up. Lives elsewhere:
weights (core.ranking) and the index (the stores).

An identifier gives its whole form and its parts, so that both `ConnectionPool.release` and `pool`
find it. Scripts written without spaces give overlapping pairs of characters. Characters newer than
this Python's Unicode tables are terms of their own; every other rule is independent of the Python
version."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, decimal, normalize

MAX_TERM_CHARS = 256  # longer terms are cut there, alike in documents and queries
CACHED_WORD_CHARS = 64  # longer words are rare and would fill the cache
CACHED_WORDS = 1 << 16

STOP_WORDS = frozenset(
    """a about am an and any are as at be been being but by can could did do does for from had has
    have having he her hers him his how i if in into is it its ll me my of on or our ours s she
    should so t than that the their theirs them then there these they this those to too us ve was
    we were what when where which who whom whose why will with would you your yours""".split()
)

_LATIN_WITHOUT_DECOMPOSITION = dict(zip("øØłŁđĐħĦıœŒæÆþÞ", "o O l L d D h H i oe Oe ae Ae th Th".split(), strict=True))
_PLAIN_MARKS = {"’": "'", "ʼ": "'", "‐": "-"}
_SPACELESS = (  # Han, kana, Bopomofo, Hangul; and the letters that pair up to flags
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001f1e6-\U0001f1ff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_SPACELESS_RUN = re.compile(f"[{_SPACELESS}]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
# Sorting a run of combining marks takes quadratic time; the Stream-Safe Text Format of Unicode
# (UAX #15) therefore allows 30 in a row.
_LONG_RUN_OF_MARKS = re.compile(r"[^\w\s\x00-\x7f]{30}")
_MARKS_ON_LATIN = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")

# Of folded text, where all that is left beyond ASCII is part of a term.
_LETTERS = r"[0-9A-Za-z_\x80-\U0010ffff]+"
_JOINTS = r"(?:://|::|->|[./\\:@#'&-])"
_WORD = re.compile(f"#?{_LETTERS}(?:{_JOINTS}{_LETTERS})*")
_PIECE = re.compile(_LETTERS)
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
# Of the shape of a piece.
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def analyze(text: str) -> list[str]:
    """The terms of a document in reading order, repeats included.

    A term holds no white space and no control character. Folding is NFKC, Unicode case folding,
    Latin letters without diacritics, decimal digits as ASCII. A word with inner punctuation,
    underscores, humps or digits gives itself, then its pieces, then their parts.
    """
    terms: list[str] = []
    for word in _WORD.findall(text if text.isascii() else _fold(text)):
        terms += _cached_terms(word) if len(word) <= CACHED_WORD_CHARS else _terms(word)
    return terms


def analyze_query(text: str) -> list[str]:
    """The distinct terms of a query in reading order, without stop words if others remain."""
    terms = list(dict.fromkeys(analyze(text)))
    return [term for term in terms if term not in STOP_WORDS] or terms


def occurrence(text: str) -> tuple[list[str], list[str]]:
    """Two lists of terms, one of which a document has whole wherever it says the text: the text's words as they are, or
    what they divide into where they stand inside other words. Both are empty for a text without terms, and for a single
    character of a script without spaces, which no term tells from others around it."""
    wholes: list[str] = []
    atoms: list[str] = []
    for word in _WORD.findall(text if text.isascii() else _fold(text)):
        terms = _terms(word)
        if _SPACELESS_RUN.match(word):
            if len(word) == 1:
                return [], []
            wholes += terms
            atoms += terms
        elif terms:
            wholes.append(terms[0])
            atoms += [term for term in terms[1:] or terms if analyze(term) == [term]]
    return wholes, atoms


def _fold(text: str) -> str:
    safe = _LONG_RUN_OF_MARKS.sub(r"\g<0> ", text)
    folded = _BEYOND_ASCII.sub(lambda run: run[0].translate(_FOLDS), normalize("NFKC", safe))
    return _SPACELESS_RUN.sub(r" \g<0> ", _MARKS_ON_LATIN.sub("", folded))


class _Folds(dict[int, str]):
    """What each character beyond ASCII becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


_FOLDS = _Folds()


def _fold_character(char: str) -> str:
    kind = category(char)
    if char in _PLAIN_MARKS:
        return _PLAIN_MARKS[char]
    if kind in {"Zs", "Zl", "Zp", "Cc", "Cs", "Sm", "Sk"} or kind[0] == "P" or char == "\u200b":
        return " "
    if kind in {"Cf", "Me"} or "\ufe00" <= char <= "\ufe0f":
        return ""
    if kind in {"So", "Sc", "Co", "Cn"}:
        return char if _SPACELESS_RUN.match(char) else f" {char} "
    if kind == "Nd":
        return str(decimal(char))
    base = normalize("NFD", char)[0]
    latin = _LATIN_WITHOUT_DECOMPOSITION.get(base, base)
    return latin if latin.isascii() else char


def _terms(word: str) -> tuple[str, ...]:
    if _SPACELESS_RUN.match(word):
        return tuple(map("".join, pairwise(word))) or (word,)
    split = [(piece, parts) for piece in _PIECE.findall(word) if (parts := _parts(piece))]
    if not split:
        return ()
    terms = [word]
    for piece, parts in split:
        if piece != word:
            terms.append(piece)
        if parts != [piece]:
            terms += parts
    if _INITIALS.fullmatch(word):
        terms.append(word.replace(".", ""))
    return tuple(_key(term[:MAX_TERM_CHARS]) for term in terms)


_cached_terms = lru_cache(maxsize=CACHED_WORDS)(_terms)


def drop_terms() -> None:
    """Forget the words that were met, as a deletion asks."""
    _cached_terms.cache_clear()


def _key(term: str) -> str:
    return term.lower() if term.isascii() else normalize("NFKC", term.casefold())


def _parts(piece: str) -> list[str]:
    """A piece cut at underscores, humps and digits, found on its shape to serve every script."""
    shape = piece if piece.isascii() else "".join(map(_shape, piece))
    return [piece[part.start() : part.end()] for part in _PART.finditer(shape)]


def _shape(char: str) -> str:
    return char if char.isascii() else "A" if char.isupper() else "a"


_QUOTE_PAIRS = zip("\"`'“‘«「", "\"`'”’»」", strict=True)
_QUOTED = "|".join(rf"(?<!\w){start}([^{end}\x00-\x1f\x7f]{{1,1000}}){end}(?!\w)" for start, end in _QUOTE_PAIRS)
_INITIALS_WITH_DOTS = r"(?:[^\W\d_]\.){2,}(?!\w)"
_NAME = rf"(?:~?/|\.{{1,2}}/|[.#](?=\w))?\w+(?:{_JOINTS}\w+)*(?:\(\))?"
_QUOTED_OR_NAME = re.compile(f"{_QUOTED}|({_INITIALS_WITH_DOTS}|{_NAME})")
_EXACT = re.compile(
    r"[./\\:@#_(]"  # paths, qualified names, times, addresses, snake_case, #42, call()
    r"|[^\W\dA-Z_][A-Z]|[A-Z]{2}[a-z]{2}"  # humps
    r"|[^\W\d_][0-9]"  # r17
    r"|\A(?=.*[0-9])[^-]*-|[A-Z]-[A-Z]"  # QX-1234, r-abc123, 2026-11-03
)
_PROSE = frozenset({"and/or", "e.g.", "i.e.", "a.m.", "p.m.", "e.g", "i.e"})


def exact_terms(query: str) -> tuple[str, ...]:
    """The distinct parts of a query to look up as they stand, in reading order.

    Those are quoted strings, paths, ids, and words that look like identifiers. Case and punctuation
    are kept; a call's parentheses are left off.
    """
    return tuple(dict.fromkeys(filter(None, map(_exact_term, _QUOTED_OR_NAME.finditer(query)))))


def _exact_term(found: re.Match[str]) -> str:
    name = found[found.re.groups]
    if name is None:
        return found[found.lastindex or 0].strip()
    if name.isalpha() and name.islower():
        return ""  # most words: none of the patterns fits
    looks_exact = _EXACT.search(name) and name.strip("_.") and name.lower() not in _PROSE
    return name.removesuffix("()") if looks_exact else ""
