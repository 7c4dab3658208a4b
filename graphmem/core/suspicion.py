"""Text that a memory must not take at its word. Lives here: what text that wants to be obeyed looks like, guesses about
persons, and special categories of personal data. Lives elsewhere: what becomes of it (core.admission).

The categories follow article 9 of the GDPR, with a person's money and state of mind beside them.
"""

from __future__ import annotations

import re

# What a text must hold somewhere, in lower case, before the patterns below are tried; each of them needs one.
_STEMS = (
    *"ignor disregard forget overrid bypass <| inst] sys> ## system assistant developer agent model llm prompt".split(),
    *"instruct tell mention inform reveal alert pretend key password credential secret customer conversation".split(),
    *"vergiss olvida oublie 忽略 无视 忘记 無視 忘れ".split(),
    *(
        "</",
        "<memory",
        "<context",
        "<evidence",
        "if you",
        "guideline",
        "rules",
        "restriction",
        "whoever",
        "anyone who",
        "from now",
        "from here",
        "point on",
        "achtung",
        "verschweig",
        "chatgpt",
        "claude",
    ),
    *("you are now", "when you", "when the", "the following", " ai", "chat history", " bot"),
)
# Each pattern needs two things together that honest notes seldom have: who is addressed or what is overridden, and how.
_INSTRUCTION = "|".join(
    (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|earlier|above|all|your"
            r"|these"
            r"|the safety|"
            r"everything)\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|told|reviews?"
            r"|messages?|restrictions?)"
        ),
        r"\bdisregard your\b|\boverride (?:the|your) (?:safety|system|instructions?)",
        r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?inst\]|<</?sys>>|^\s*#{2,}\s*(?:system|instruction)s?\b",
        r"^\s*(?:system|assistant|developer)\s*:\s*(?:you|ignore|new|from|override|the user)\b",
        (
            r"\byou are now (?:in|an?|the|no longer|free|dan\b|operating|acting)\b[^.\n]{0,40}\b(?:mode|ai|assistant"
            r"|model|agent|jailbroken"
            r"|unrestricted|restrictions?|dan)\b"
        ),
        (
            r"\b(?:note|message|instructions?|attention|hint) (?:to|for) (?:the|any|all)?\s*(?:ai|assistants?|agents?"
            r"|models?|llms?|bots?)\b"
        ),
        (
            r"\b(?:ai|llm) (?:agents?|assistants?|models?)\b[^.\n]{0,20}\b(?:reading|processing|summari[sz]ing|must"
            r"|should)\b"
        ),
        (
            r"\b(?:reveal|print|show|output|repeat|leak|disclose)\b[^.\n]{0,20}\b(?:your|the|hidden"
            r"|system)\b[^.\n]{0,12}\b(?:system |hidden |"
            r"initial )(?:prompt|instructions?)"
        ),
        (
            r"\b(?:do not|don't|never|must not|without) (?:tell|telling|mention|inform|informing|reveal"
            r"|alert)(?:ing)?\b[^.\n]{0,30}"
            r"\b(?:the user|them|anybody|anyone|humans?|the owner)\b"
        ),
        r"\bwhen (?:you|the (?:assistant|agent|model|ai)) (?:recall|read|see|retrieve|process|load)s?\b[^.\n]{0,40},",
        r"\b(?:execute|run) the following\b[^.\n]{0,30}\b(?:command|code|script|tool)\b[^\n]{0,20}:",
        (
            r"\b(?:send|forward|post|upload|exfiltrate|email)\b[^.\n]{0,40}\b(?:api keys?|passwords?|credentials?"
            r"|secrets?|private keys?|"
            r"customer (?:list|data)|conversation|chat history)\b[^\n]{0,20}\bto\b"
        ),
        (
            r"\b(?:directive|instruction|order|command)s? (?:to|for) (?:the|any|all|every|each)?\s*(?:ai|assistants?"
            r"|agents?|models?|llms?|bots?)\b"
        ),
        (
            r"(?:^|[.!:]\s+)(?:assistant|ai|model|agent|chatgpt|claude|gemini|copilot|llm|bot|ki|ia)\s*[,:]\s*(?!is\b"
            r"|was\b)\w+"
        ),
        r"\bfrom (?:now|here|this point)(?: on)?,? (?:you (?:are|must|will|should|have)|answer|respond|act|obey)\b",
        (
            r"\b(?:whoever|anyone who|any agent that) (?:processes|reads|summari[sz]es|loads"
            r"|retrieves)\b[^.\n]{0,60}\b(?:must|should|has to)\b"
        ),
        r"</?(?:memory|system|instructions?|context|evidence|prompt)>",
        r"\bif you(?: are|'re) (?:an?|the) (?:\w+ )?(?:ai|assistant|agent|model|llm|bot)\b",
        (
            r"\b(?:any|all|every) (?:ai )?(?:assistant|agent|model|llm|bot)s? (?:\w+ing|that|which"
            r"|who)\b[^.\n]{0,40}\b(?:must|should|has to|have to)\b"
        ),
        (
            r"\b(?:instructions?|guidelines?|rules|restrictions?) (?:\w+ ){0,2}(?:no longer apply|(?:is|are) (?:void"
            r"|cancelled|revoked|lifted))\b"
        ),
        r"\bachtung,? (?:ki|ai|assistent)\b|\bverschweige?n?\b[^.\n]{0,30}\bnutzer",
        r"\bpretend (?:that|to be|you)\b",
        r"\bignorier\w*\b[^.\n]{0,40}\b(?:anweisungen|regeln|vorgaben)\b|\bvergiss (?:alles|alle)\b",
        r"\bignora\w*\b[^.\n]{0,40}\b(?:instrucciones|reglas)\b|\bolvida todo\b",
        r"\bignore\w*\b[^.\n]{0,40}\b(?:instructions|consignes|règles)\b|\boublie (?:tout|toutes)\b",
        r"(?:忽略|无视|忘记)[^。\n]{0,15}(?:指令|指示|规则|提示)|(?:指示|命令)を(?:無視|忘れ)",
    )
)

_HEDGE = (
    r"\b(?:seems?|appears?|probably|likely|perhaps|maybe|may be|might|could be|must be|i (?:think|guess|suspect"
    r"|believe|assume)|apparently"
    r"|presumably|judging|suggests?|looks? like|sounds? like|tends? to"
    r"|vermutlich|wahrscheinlich|scheint|wirkt|wohl|offenbar|parece|probablemente|quizás?|semble|probablement"
    r"|peut-être)\b"
    r"|可能|似乎|大概|看起来|多分|らしい|ようだ"
)
_PERSON = (
    r"\b(?:he|she|they|his|her|their|him|the (?:user|customer|caller|client|patient|employee|candidate|author"
    r"|colleague|person|man|woman)"
    r"|(?:der|die) (?:nutzer|kunde|person|anrufer|kollege|mitarbeiter)\w*|er|sie|el (?:usuario|cliente)|la (?:usuaria"
    r"|clienta)"
    r"|l'utilisat(?:eur|rice)|le client|il|elle)\b|用户|客户|他|她|ユーザー|彼"
)

# Somebody named, inside a sentence or by what is theirs; matched with case.
_NAMED = r"\b[A-Z][a-z]+'s\b|(?<=[a-z,] )[A-Z][a-z]+\b"

# Words of each special category, of which one is enough.
CATEGORIES: dict[str, str] = {
    "health": (
        r"\b(?:diagnos\w+|diabet\w+|(?:anti)?depress\w+|anxiety|disorder|cancer|hiv|pregnan\w+|medication|insulin"
        r"|therap(?:y"
        r"|ist)|illness|ill|sick"
        r"|disabilit\w+|disabled|epilep\w+|asthma|surgery|addict\w+|alcoholic|drinking problem|drunk|autis\w+|adhd"
        r"|bipolar|burn-?out|allerg\w+"
        r"|krank\w*|schwanger\w*|depressiv|enferm\w+|deprimid[oa]|embarazad\w+|malade|enceinte|déprimée?)\b|抑郁|糖尿病|怀孕"
        r"|癌|病気|妊娠|うつ"
    ),
    "politics": (
        r"\b(?:votes?|voted|voting|republican|democrat|socialist|communist|conservative party|labour party|the greens"
        r"|left-wing|right-wing"
        r"|political (?:views?|opinions?|party)|trade union|union member)\b"
    ),
    "religion": (
        r"\b(?:muslim|christian|jewish|jew|hindu|buddhist|catholic|protestant|atheist|religio\w+|judaism|islam"
        r"|christianity|buddhism|hinduism|mosque|synagogue"
        r"|ramadan)\b"
    ),
    "sexuality": r"\b(?:gay|lesbian|bisexual|homosexual|heterosexual|transgender|sexual\w*|sex life)\b",
    "origin": r"\b(?:ethnic\w*|racial|race is|skin colou?r|immigrant|refugee|undocumented)\b",
    "family": r"\b(?:marriage|divorc\w+|affair|custody|pregnancy|breakup|separated|cheating)\b",
    "mood": (
        r"\b(?:angry|sad|unhappy|lonely|stressed|upset|anxious|frustrated|jealous|suicidal|unstable|grieving"
        r"|overwhelmed)\b"
    ),
    "money": r"\b(?:financial trouble|in debt|bankrupt\w*|broke|can't afford|poor credit|gambl\w+)\b",
    "crime": r"\b(?:convicted|criminal record|arrested|in prison|on parole)\b",
}
# A mood or an empty purse is nobody's special category when they tell it of themselves.
SPECIAL = ("health", "politics", "religion", "sexuality", "origin", "crime")


def instructs(text: str) -> bool:
    """Whether a text reads as if it wanted to be obeyed by whoever recalls it."""
    folded = text.lower()
    return any(stem in folded for stem in _STEMS) and _has(_INSTRUCTION, folded)


def categories(text: str) -> tuple[str, ...]:
    """The sensitive matters that a text touches, in the order of the table."""
    return tuple(name for name, words in CATEGORIES.items() if _has(words, text))


def guesses_about_person(text: str, *, concluded: bool) -> bool:
    """Whether a text guesses at a sensitive matter of a person: concluded by somebody, or worded as a guess."""
    person = _has(_PERSON, text) or (concluded and re.search(_NAMED, text) is not None)
    return person and (concluded or _has(_HEDGE, text)) and bool(categories(text))


def _has(words: str, text: str) -> bool:
    """Whether an expression matches somewhere; re compiles and keeps it when it is first searched for."""
    return re.search(words, text.lower(), re.MULTILINE) is not None
