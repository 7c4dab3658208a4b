"""Credentials by detect-secrets, beside the forms that need no library. Lives here: its vendors' plugins, called on the
lines that may hold something. Lives elsewhere: those forms and what a cheap look finds (core.credentials).

Its entropy plugins stay out: in prose they take hashes, ids and inlined images for secrets. The library is imported
when a text first looks suspicious; nothing is ever sent anywhere to be verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module

from graphmem.core.credentials import Finding, KnownForms, distinct, known, suspicious

# Module and class of each plugin, with what people call what it finds.
PLUGINS = (
    ("artifactory", "ArtifactoryDetector", "Artifactory token"),
    ("aws", "AWSKeyDetector", "AWS key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "Azure storage key"),
    ("cloudant", "CloudantDetector", "Cloudant key"),
    ("discord", "DiscordBotTokenDetector", "Discord token"),
    ("github_token", "GitHubTokenDetector", "GitHub token"),
    ("gitlab_token", "GitLabTokenDetector", "GitLab token"),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "IBM key"),
    ("ibm_cos_hmac", "IbmCosHmacDetector", "IBM key"),
    ("mailchimp", "MailchimpDetector", "Mailchimp key"),
    ("npm", "NpmDetector", "npm token"),
    ("openai", "OpenAIDetector", "model key"),
    ("pypi_token", "PypiTokenDetector", "PyPI token"),
    ("sendgrid", "SendGridDetector", "SendGrid key"),
    ("slack", "SlackDetector", "Slack token"),
    ("softlayer", "SoftlayerDetector", "SoftLayer key"),
    ("square_oauth", "SquareOAuthDetector", "payment key"),
    ("stripe", "StripeDetector", "payment key"),
    ("telegram_token", "TelegramBotTokenDetector", "Telegram token"),
    ("twilio", "TwilioKeyDetector", "Twilio key"),
)
SHORTEST = 11  # characters of a token that one of the plugins finds
# Each of these tokens holds such a run, with a digit in it.
RUNS, DIGIT = re.compile(rf"[\w+/=-]{{{SHORTEST},}}"), re.compile(r"\d")
PIECE = 2_000  # characters that a plugin looks at together: some of their patterns aren't linear
OVERLAP = 300  # characters that neighbouring pieces share, more than any of these tokens has


class SecretsDetector(KnownForms):
    """The detector port on detect-secrets."""

    def find(self, text: str) -> tuple[Finding, ...]:
        if not suspicious(text):
            return ()
        return distinct((*known(text), *_vendors(text)))


def _vendors(text: str) -> Iterator[Finding]:
    for piece in _pieces(text):
        if any(map(DIGIT.search, RUNS.findall(piece))):
            for kind, analyse in _plugins():
                yield from (Finding(kind, s) for s in analyse(piece) if _plausible(s, piece))


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text; long ones in pieces that overlap."""
    for line in text.splitlines():
        for start in range(0, max(len(line) - OVERLAP, 1), PIECE - OVERLAP):
            yield line[start : start + PIECE]


def _plausible(secret: str, piece: str) -> bool:
    """Whether it is a token by itself, not the middle of a longer word such as a hash."""
    at = piece.find(secret)
    before = piece[at - 1 : at] if at > 0 else ""
    after = piece[at + len(secret) : at + len(secret) + 1]
    alone = not (before.isalnum() or after.isalnum())
    return len(secret) >= SHORTEST and alone and any(map(str.isdigit, secret))


@cache
def _plugins() -> tuple[tuple[str, Callable[[str], Iterable[str]]], ...]:
    made = []
    for module, name, kind in PLUGINS:
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        made.append((kind, plugin.analyze_string))
    return tuple(made)
