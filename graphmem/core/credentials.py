"""Credentials in text: what they look like, and what is left when they are taken out. Lives here: the forms that need
no library, the marker that takes a credential's place, and whether a text says more than its secret. Lives elsewhere:
the library of vendors' token forms (adapters.detector_secrets), what a finding leads to (core.admission).

A finding holds the secret itself, so it is never shown, logged or put into a message: only its type is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

SHORTEST = 6  # characters of a secret; anything shorter can't be told from a word
WORDS_LEFT = 3  # telling words that make what is left of a text worth keeping
ASSIGNED = "password"
# What a text must hold somewhere, in lower case, before any pattern is tried.
STRONG_MARKERS = tuple(
    "-----begin akia asia abia acca ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox k_live_ k_test_ sk- aiza npm_ pypi-"
    " eyj".split()
)
MARKERS = (
    *STRONG_MARKERS,
    *"pass pw log sign credential authenticat secret token key bearer basic :// a3t sg. sq0 contrase".split(),
    *"kennwort 密码 口令 パスワード".split(),
)
RUN = re.compile(r"[\w+/=-]{32}|\d{8}:")


@dataclass(frozen=True, slots=True)
class Finding:
    """A credential in a text: what kind of thing it is, and the very characters."""

    type: str
    secret: str = field(repr=False)


# Tokens that are known by their beginning and length, and blocks that say what they are. No prose looks like these, so
# they are taken out of source code too.
STRONG: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "private key",
            (
                r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,16384}?-----END "
                r"[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s]*)"
            ),
        ),
        ("AWS key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,255}|\bgithub_pat_[A-Za-z0-9_]{22,255}"),
        ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,255}"),
        ("Slack token", r"\bxox[abposr]-[A-Za-z0-9-]{10,255}"),
        ("payment key", r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}"),
        ("model key", r"\bsk-(?=[A-Za-z0-9_-]{0,255}\d)[A-Za-z0-9_-]{20,255}"),
        ("Google key", r"\bAIza[0-9A-Za-z_-]{35}"),
        ("npm token", r"\bnpm_[A-Za-z0-9]{36}"),
        ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,512}"),
        ("JWT", r"\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]*"),
    )
)
# What is told by the words around it; group 1 is the secret.
BEARER = re.compile(r"(?i)\b(?:bearer|basic)[ \t]+((?=[^\s]*\d)[A-Za-z0-9._~+/-]{12,2048}=*)")
IN_URL = re.compile(r"(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,64}:([^\s/@]{3,256})@")
_NAMES = (
    r"pass(?:word|wd|phrase|code)|pwd?|passwort|kennwort|contraseña|contrasena|mot de passe|密码|口令|パスワード|"
    r"(?:client[ _-]?|shared[ _-]?)?secret(?:[ _-]?key)?|(?:api|access|auth|account|private|signing"
    r"|encryption)[ _-]?key|"
    r"(?:api|access|auth|refresh|session)?[ _-]?token"
)
_SAID = (
    r"[\"'`]?(?: (?:for|of|to|on|at|für|zum?|de|du|pour)(?: [\w-]{1,20}){1,4})?"
    r"[ \t]*(?P<sign>:=|=>|[=:：是は]|(?:is|was|lautet|ist|es|est)\b)[ \t]*[\"'`]?"
)
SAID = re.compile(rf"(?i)(?<![a-z])(?P<name>{_NAMES}){_SAID}(?P<secret>[^\s\"'`,;，。<>]{{{SHORTEST},256}})")
# A mixed word close behind what speaks of signing in, with no sign between them.
NEAR = re.compile(
    r"(?i)\b(?:pass(?:word|wd|phrase|code)|pwd?|log(?:s|ged|ging)?[ -]?in(?:to)?|sign(?:s|ed|ing)?[ -]?in"
    r"|credentials?|authenticat\w+)\b"
    r"[^\n]{0,80}?(?<![^\s\"'`(/:=])(?P<secret>(?=[a-z!@#$%^&*+?]*\d)(?=[\d!@#$%^&*+?]*[a-z])[a-z0-9!@#$%^&*+?]{8,64})"
    r"(?![\w/.@-]*[\w/@-])"
)
HEX = re.compile(r"(?i)[0-9a-f]{16,}")
DIGITS = 2  # of a mixed word that is no ordinary name
PLACEHOLDER = re.compile(
    r"(?i)\$?\{.*|\$[a-z_]\w*|%.*%|<.*|\*+|x{3,}|\.{3,}|\[.*|(?:your|my|the|example|change|dummy|fake"
    r"|redacted)[-_ ]?\w*|"
    r"(?:os|env|process|config|settings)\.\S*|pass(?:word|wd)?|secret|token"
)
# Words that follow "password:" without being one.
NOT_SECRET = frozenset(
    "required optional string none null true false hidden stored unknown missing empty encrypted hashed rotated expired"
    " changed invalid correct incorrect necessary disabled enabled forgotten something nothing".split()
)


class KnownForms:
    """Finds the forms of this file: the detector of a memory that was given no other."""

    def find(self, text: str) -> tuple[Finding, ...]:
        """The credentials of a text in no order, each once; linear in its length."""
        return distinct(known(text)) if suspicious(text) else ()

    def strong(self, text: str) -> tuple[Finding, ...]:
        """Those alone that are told by their own form, whatever stands around them."""
        return distinct(_strong(text)) if _has_strong(text) else ()


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each secret once, as what it was found as first."""
    kept: dict[str, Finding] = {}
    for found in findings:
        kept.setdefault(found.secret, found)
    return tuple(kept.values())


def _has_strong(text: str) -> bool:
    folded = text.lower()
    return any(marker in folded for marker in STRONG_MARKERS)


def suspicious(text: str) -> bool:
    """Whether a text may hold a credential at all; most don't, and are done here."""
    folded = text.lower()
    return any(marker in folded for marker in MARKERS) or RUN.search(text) is not None


def known(text: str) -> Iterator[Finding]:
    """The credentials that this file knows the form of."""
    if _has_strong(text):
        yield from _strong(text)
    for found in BEARER.finditer(text):
        yield Finding("bearer token", found[1])
    for found in IN_URL.finditer(text):
        if not PLACEHOLDER.fullmatch(found[1]):
            yield Finding("password in an address", found[1])
    for found in SAID.finditer(text):
        secret = found["secret"].rstrip(".!?)]}")
        if len(secret) >= SHORTEST and _plausible(secret, found["name"], found["sign"]):
            yield Finding(ASSIGNED if _is_password(found["name"]) else "secret", secret)
    yield from _near(text)


def _near(text: str) -> Iterator[Finding]:
    for found in NEAR.finditer(text):
        secret = found["secret"]
        if sum(map(str.isdigit, secret)) >= DIGITS and not HEX.fullmatch(secret):
            yield Finding(ASSIGNED, secret)


def _strong(text: str) -> Iterator[Finding]:
    for name, pattern in STRONG:
        for found in pattern.finditer(text):
            yield Finding(name, found[0])


def _is_password(name: str) -> bool:
    return "secret" not in name.lower() and not name.lower().endswith(("key", "token"))


def _plausible(secret: str, name: str, sign: str) -> bool:
    """Whether what follows a name such as `password` is a secret and not a word, a placeholder or a number."""
    if PLACEHOLDER.fullmatch(secret) or secret.lower() in NOT_SECRET or "://" in secret:
        return False
    kinds = (str.isdigit, str.isalpha, lambda c: not c.isalnum() and c not in "-_/.()")
    mixed = sum(any(map(kind, secret)) for kind in kinds) > 1
    return mixed or (_is_password(name) and sign in "=:：" and not secret.isdigit())


def scrub(text: str, findings: Iterable[Finding]) -> str:
    """The text with a visible marker in the place of each credential; markers show its type and nothing of it."""
    for found in sorted(findings, key=lambda f: (-len(f.secret), f.secret)):
        text = text.replace(found.secret, marker(found.type))
    return text


def marker(kind: str) -> str:
    """What stands in the place of a credential of a type."""
    return f"[credential removed: {kind}]"


_MARKER = re.compile(r"\[credential removed: [^\]]*\]")
_TELLING = re.compile(r"[^\W\d_]{2,}")
# Words that only introduce a credential, in the languages that the forms know.
_INTRODUCING = frozenset(
    "the my our your is was it this here use using for with and of to in at key keys api access auth secret token"
    " password passwd passphrase pwd login user credential credentials bearer basic authorization private client"
    " remember that please das der die mein ist lautet passwort kennwort la mi es contraseña le mon est mot de"
    " passe".split()
)


def says_more(scrubbed: str) -> bool:
    """Whether a text from which credentials were taken still says something: at least three words (or four letters of a
    script without spaces) that don't just introduce a credential."""
    rest = _MARKER.sub(" ", scrubbed)
    telling = {word for word in _TELLING.findall(rest.lower()) if word not in _INTRODUCING}
    unspaced = sum(ord(c) > 0x2E80 for word in telling for c in word)  # noqa: PLR2004 - CJK begins there
    return len(telling) >= WORDS_LEFT or unspaced > WORDS_LEFT
