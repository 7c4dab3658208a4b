"""Credentials are found by their forms and their introductions, and nothing else is; what is left is judged by what it
says. The secrets are put together here, from parts that no scanner knows."""

from __future__ import annotations

import pytest

from benchmarks.admission import SECRETS
from graphmem.core.credentials import Finding, KnownForms, says_more, scrub

FORMS = KnownForms()
STRONG = {"aws-key", "github-token", "slack-token", "stripe-key", "google-key", "openai-key", "npm-token", "jwt"}


def secrets(text: str) -> set[str]:
    return {found.secret for found in FORMS.find(text)}


@pytest.mark.parametrize("name", sorted(STRONG | {"private-key"}))
def test_what_its_own_form_tells_is_found_anywhere(name: str) -> None:
    text = f"see ({SECRETS[name]}), then go on"
    assert secrets(text) == {SECRETS[name]}
    assert {found.secret for found in FORMS.strong(text)} == {SECRETS[name]}


@pytest.mark.parametrize(
    "text",
    [
        "password: {}",
        "my password is {}.",
        "DB_PASSWORD={}",
        'api_key = "{}"',
        "Authorization: Bearer {}",
        "Das Passwort lautet {}",
        "la contraseña es {}",
        "密码是{}",
        "the client secret: '{}'",
        "https://deploy:{}@git.example.org/x",
    ],
)
def test_what_is_introduced_as_a_credential_is_found(text: str) -> None:
    secret = "tr0ub4" + "dor-and-3"
    assert secrets(text.format(secret)) == {secret}


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000, record r-fcd73cf96f400aef220f",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "![icon](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
        "password: required",
        "The password is stored in the vault.",
        "token budget: 2000 tokens",
        "api_key = os.environ['API_KEY']",
        "postgres://user:${DB_PASSWORD}@host/db, postgres://user:password@host/db",
        "https://docs.example.org:8080/guide@v2",
        "the primary key is order_id, the secret is out",
        "bearer certificates are transferable",
    ],
)
def test_what_only_resembles_a_credential_is_left_alone(text: str) -> None:
    assert secrets(text) == set()


def test_a_marker_takes_the_place_of_each_and_says_only_the_type() -> None:
    text = f"from {SECRETS['aws-key']} to {SECRETS['npm-token']} and {SECRETS['aws-key']}"
    assert (
        scrub(text, FORMS.find(text))
        == "from [credential removed: AWS key] to [credential removed: npm token] and [credential removed: AWS key]"
    )


def test_a_finding_never_shows_its_secret() -> None:
    assert "hidden" not in repr(Finding("password", "hidden-1"))


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("My password is {}", False),
        ("api key: {}", False),
        ("The reporting job logs in with {}", True),
        ("{} {}", False),
        ("东京的服务器用{}", True),
        ("密码是{}", False),
    ],
)
def test_a_text_that_only_introduces_its_secret_says_no_more(text: str, more: bool) -> None:
    assert says_more(text.replace("{}", "[credential removed: password]")) is more
