"""What a turn of a conversation says that may be worth keeping. Lives here: a deterministic classifier by the words of
a turn, in a table, for six languages. Lives elsewhere: what becomes of the turn (core.admission).

It errs towards skipping: a turn that no row knows is taken to say nothing durable. Words are matched without case.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Says(StrEnum):
    """What a turn says; the first three are nothing to keep."""

    QUESTION = "question"
    SMALL_TALK = "small-talk"
    NOTHING = "nothing-durable"
    CORRECTION = "correction"
    EXCEPTION = "exception"
    DECISION = "decision"
    PREFERENCE = "preference"
    RULE = "rule"
    FACT = "fact"


DURABLE = frozenset(Says) - {Says.QUESTION, Says.SMALL_TALK, Says.NOTHING}
STATEMENT_WORDS = 4  # a shorter sentence seldom states a fact by itself
SMALL_TALK_WORDS = 8  # a longer turn says more than a greeting does


def _any(*patterns: str) -> str:
    """One expression for several; re compiles and keeps it when it is first searched for, not on import."""
    return "|".join(patterns)


_QUESTION = _any(
    r"[?？]\s*$",
    r"^(?:who|what|when|where|why|how|which|whose|is (?:there|it|this|that)|are (?:there|you|we|they)"
    r"|do(?:es)? (?:you|we"
    r"|it|they|he|she)|did|can|could|would|will you|shall|should (?:i|we))\b",
    r"^(?:wer|was|wann|wo|warum|wieso|wie|welche[rsn]?|kannst|können|könntest|hast|gibt es)\b",
    r"^¿|^(?:qué|quién|cuándo|dónde|por qué|cómo|puedes)\b",
    r"^(?:qui|quand|où|pourquoi|comment|est-ce que|peux-tu|pouvez-vous)\b",
    r"[吗呢][。.]?$|^(?:谁|什么|怎么|为什么|几点)|ですか[。.]?$",
)
_SMALL_TALK = _any(
    r"^\W*$",
    r"^\W*(?:thank|thanks|thx|cheers|hi|hello|hey|good (?:morning|evening|afternoon|night)|bye|goodbye|see you"
    r"|talk (?:to you )?"
    r"(?:later|soon)|ok|okay|cool|nice|great|perfect|awesome|lol|haha\w*|hm+|yes|no|yep|nope|sure|sounds good|got it"
    r"|well done"
    r"|no worries|you're welcome|congratulations|sorry|welcome|right|fine|good (?:job|point|idea))\b",
    r"^\W*(?:danke|vielen dank|hallo|guten (?:morgen|tag|abend)|tschüss|bis (?:morgen|bald|später)|alles klar|super"
    r"|gut|ja|nein)\b",
    r"^\W*(?:gracias|muchas gracias|hola|buen[oa]s|adiós|hasta (?:luego|mañana)|vale|genial|sí)\b",
    r"^\W*(?:merci|bonjour|bonsoir|salut|au revoir|à (?:demain|bientôt)|d'accord|oui|non|super)\b",
    r"^\W*(?:谢谢|你好|您好|早上好|晚安|再见|好的|嗯|哈哈|ありがとう|こんにちは|おはよう|了解|はい)",
)
# In the order of deciding: what corrects may also state a fact, an exception names the rule that it limits.
_SAYS: tuple[tuple[Says, str], ...] = (
    (
        Says.CORRECTION,
        _any(
            r"^(?:no,? )?(?:actually|correction)\b[,: ]",
            r"^(?:wrong \w+|scratch that|strike that|hold on)[,:.]|, not [a-z][\w-]*[.!]?$",
            r"\b(?:got|was|were|has been|have been|is) (?:pushed|moved|postponed|rescheduled|renamed|replaced"
            r"|switched|changed)\b",
            r"\bse (?:cambió|movió|aplazó)\b|\bwurde (?:verschoben|geändert|umbenannt)\b|\ba été (?:déplacée?"
            r"|changée?)\b",
            r"\b(?:that's|that is|that was|this is|was|is|are|were) (?:wrong|incorrect|outdated|mistaken|not (?:right"
            r"|correct|true))\b",
            r"\bi (?:misspoke|was wrong|meant|mistyped|made a mistake)\b",
            r"\bgot (?:my|his|her|our|their|the|it) ?\w* wrong\b",
            r"\b(?:should (?:be|read|say)|is|are|was) [^.]*\b(?:instead of|rather than)\b",
            r"\b(?:it's|it is|is|was|are) [^.,;]+, not \b",
            r"\bnot [^.,;]+ but (?:rather )?\b",
            r"\bno longer\b",
            r"^(?:nein|falsch|korrektur|berichtigung)\b[,:]|\bstimmt (?:so )?nicht\b|\bist falsch\b|\bich meinte\b"
            r"|\bsondern\b",
            r"\bme equivoqué\b|\bes incorrecto\b|\bquise decir\b|^correcci[óo]n\b|\bno es [^.]+ sino\b",
            r"^en fait\b|\bje me suis trompée?\b|\bje voulais dire\b|\bn'est pas [^.]+ mais\b|^correction\b",
            r"^(?:不对|错了|更正)|不是[^。]+(?:而是|，是)|，不是|訂正|間違",
        ),
    ),
    (
        Says.EXCEPTION,
        _any(
            r"\bexcept(?:ion)?\b",
            r"\bunless\b",
            r"\bapart from\b|\bother than on\b|\bbut (?:only|not) (?:on|for|in|at|when|if)\b",
            r"\b(?:doesn't|does not|don't|do not) apply\b",
            r"\bonly (?:on|for|when|if|in|at) [^.]*(?:days?|mondays?|weekends?)\b",
            r"\baußer\b|\bausgenommen\b|\bes sei denn\b|\bmit ausnahme\b",
            r"\bexcepto\b|\bsalvo\b|\ba menos que\b",
            r"\bsauf\b|\bà moins que\b|\bexcepté\b|\bhormis\b",
            r"除了|除非|以外は|を除いて",
        ),
    ),
    (
        Says.DECISION,
        _any(
            r"\b(?:we|i|they|the \w+|he|she) ?(?:'ve|have|has|'s)? ?(?:decided|agreed|chose|chosen|approved|settled"
            r"|resolved"
            r"|picked|selected|committed|standardi[sz]ed|adopted|migrated|switched|hired|bought|cancell?ed)\b",
            r"^(?:decision|decided|agreed|resolved)\b[: ]",
            r"^let's (?:go|stick|use|keep|stay|settle)\b",
            r"\b(?:we|i) (?:won't|will not|are going|'re going|'ll) (?:renew|use|go|switch|keep|adopt|drop|with)\b",
            r"\b(?:haben|hat|habe) [^.]*\b(?:beschlossen|entschieden|vereinbart)\b|\bwir nehmen\b",
            r"\b(?:hemos|he|han|ha) (?:decidido|acordado|elegido)\b|\bdecidimos\b",
            r"\b(?:on|nous|avons|j'|il) ?(?:a|avons|ai)? ?(?:décidé|convenu|choisi)\b",
            r"决定|商定|选定|に決めた|に決定|ことにした",
        ),
    ),
    (
        Says.PREFERENCE,
        _any(
            r"\b(?:i|we) (?:really |much |still |usually |always )?(?:prefer|like|love|hate|dislike|favou?r|enjoy"
            r"|want|need)\b",
            r"\b(?:i|we) (?:don't|do not|can't stand|cannot stand)(?: really)? ?(?:like|want|enjoy|care for|being)?\b",
            r"\b(?:i'd|i would|we'd|we would) (?:rather|prefer|like|love)\b",
            r"\bmy (?:favou?rite|preferred|preference)\b",
            r"\b(?:works?|suits?|fits?) (?:me )?(?:best|better|well)(?: for me)?\b|\boff the menu\b|\b(?:duze"
            r"|sieze) mich\b|以后请|请叫我",
            r"\b(?:from now on|going forward|in future|in the future)\b|\bcall me\b",
            r"\bplease (?:always |never |only )?(?:use|write|keep|send|answer|reply|address|speak|format)\b.*\b(?:me"
            r"|my|when|to|in)\b",
            r"\bprefers?\b|\b\w+'s favou?rite\b|\b(?:likes|dislikes|loves|hates)\b",
            r"\bich (?:bevorzuge|mag|hasse|liebe|möchte|will|hätte (?:gern|lieber))\b|\blieber\b|\bmein\w* lieblings",
            r"\b(?:prefiero|me gustan?|odio|quiero|no me gusta|preferimos)\b|\bfavorit[oa]\b",
            r"\bj(?:e |')(?:préfère|aime|adore|déteste|voudrais|veux)\b|\bpréféré",
            r"喜欢|讨厌|更想|偏好|希望你|好き|嫌い|方がいい",
        ),
    ),
    (
        Says.RULE,
        _any(
            r"\b(?:never|always|must|mustn't|must not|shall|may not|is forbidden|are forbidden|not allowed"
            r"|is required|are required)\b",
            r"^no [\w -]+ (?:before|after|on|during|without|in|at|for)\b",
            r"^(?:please )?(?:do not|don't|only) \w+",
            r"\b(?:notify|alert|remind|tell|inform|warn) (?:me|us) (?:of|about|when|whenever|if)\b",
            r"\b(?:every|each|all|any) [^.]+ (?:needs?|requires?|has to|have to|must|goes|go)\b",
            r"\b(?:should not|shouldn't|should (?:always|never|only)|have to|has to|needs? to be)\b",
            r"^(?:please )?(?:stop|avoid|quit) \w+ing\b|^(?:please )?keep [^.]+ (?:out of|away from|off|under|below"
            r"|within)\b",
            r"^whenever\b|\bevery time\b|\bwithout asking\b|\bis mandatory\b|\bat least once (?:a|per)\b",
            r"\b(?:immer|niemals|nie|müssen|muss|darf nicht|dürfen nicht|verboten)\b|^keine? [^.]+ (?:vor|nach|am"
            r"|ohne|im|in)\b",
            r"\b(?:nunca|siempre|jamás|hay que|debe[ns]?|prohibido)\b|^sin [^.]+ (?:antes|después|los)\b",
            r"\b(?:jamais|toujours|il faut|doit|doivent|interdit)\b|^pas de [^.]+ (?:avant|après|le)\b",
            r"不要|必须|不得|禁止|总是|永远|每次|しないで|してはいけ|必ず|いつも",
        ),
    ),
    (
        Says.FACT,
        _any(
            r"\b(?:my|our|his|her|their) [\w' -]+? (?:is|are|was|were|ends?|begins?|starts?|has|have|lives?|works?"
            r"|runs?|expires?"
            r"|says?|uses?)\b",
            r"\b(?:i|we) (?:live|work|am|was|have|own|use|speak|moved|joined|study|teach|run|manage|lead|come"
            r"|graduated|belong)\b",
            r"\bi(?:'m| am) (?:an?|the|from|in|at|on|allergic|vegetarian|vegan|married|responsible|based)\b",
            r"\b(?:expires?|is due|are due|was founded|is located|is based|is named|is called|was born)\b",
            r"\bich (?:wohne|arbeite|heiße|bin|habe|komme|lebe|spreche)\b|\b(?:mein|unser|dein"
            r"|ihr)e?[rsnm]? [\w ]+ (?:ist|heißt|hat|wohnt|sind)\b",
            r"\b(?:vivo|trabajo|me llamo|soy|tengo)\b|\b(?:mi|mis|nuestr[oa]s?) [\w ]+ (?:se llama|es|son|está|tiene"
            r"|vive)\b",
            r"\bj(?:e |')(?:habite|travaille|suis|m'appelle|ai)\b|\b(?:mon|ma|mes|notre|nos) [\w ]+ (?:est|s'appelle"
            r"|sont|a)\b",
            r"我(?:住|是|叫|在|有)|我(?:的|们)[^。]*(?:是|叫|在)|(?:私|弊社|うち)の[^。]+は|に住んで|で働いて",
        ),
    ),
)
# A wish that is put as a question.
_STANDING = r"\b(?:in (?:the )?future|from now on|going forward|always|by default|künftig|en adelante|désormais)\b"
# Facts that only capitals and digits tell from talk; matched with case.
_NAMED = _any(
    r"^(?i:the|a|an) [\w' .-]+? (?:is|are|runs?|has|have|holds?|expires?|ends?|begins?|starts?|costs?|lives?|uses?"
    r"|belongs?"
    r"|owns?|consists?|contains?|listens?|supports?) (?:on|at|in|from|to|by|a|an|the|called|named|responsible"
    r"|[\w.-]*\d|[A-Z])",
    r"^[A-Z][\w.-]+(?: [A-Z][\w.-]+)* (?:has|is|are|was|runs?|owns?|employs|costs?|lives?|works?|reports?|manages?"
    r"|leads?) ",
)
# A request to do something now is no rule, and what is going on at the moment is no fact.
_PASSING = _any(
    r"^(?:please |now |then |just )?(?:run|open|show|give|try|look|summari[sz]e|list|print|find|search|read|write"
    r"|make|create|add"
    r"|delete|remove|fix|check|go|continue|stop(?! \w+ing)|wait|sort|drop|start|retry|explain|help|tell me|let me"
    r"|click|scroll|rerun|undo"
    r"|hold)\b",
    r"^(?:zeig|öffne|gib|mach|lies|such|warte|starte|schreib|lösch)\w*\b",
    r"^(?:abre|muestra|dame|busca|lee|escribe|haz|espera|borra|ejecuta)\b",
    r"^(?:ouvre|montre|donne|cherche|lis|écris|attends|lance|supprime)\w*\b",
    r"^(?:looking|checking|running|waiting|trying|working|restarting|building|downloading|one moment|just a)\b",
    r"\b(?:right now|at the moment|for now|currently|a (?:minute|second|sec)|one sec|today|tonight|this time|still"
    r"|percent|again)\b",
    r"^(?:打开|显示|给我|运行|开いて|見せて)",
)
# What lasts even where the sentence begins like a request or speaks of the moment.
_LASTING = frozenset({Says.CORRECTION, Says.EXCEPTION, Says.DECISION, Says.PREFERENCE})
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def says(text: str) -> Says:
    """What a turn says, by its first sentence that says something durable; else whether it asks or is small talk."""
    found: list[Says] = []
    for sentence in _SENTENCE.split(text):
        if (plain := " ".join(sentence.split())) or not found:
            found.append(_sentence(plain))
            if found[-1] in DURABLE:
                return found[-1]
    if Says.QUESTION in found:
        return Says.QUESTION
    return Says.SMALL_TALK if set(found) == {Says.SMALL_TALK} else Says.NOTHING


# A statement about something: who or what it is about, then a verb of being or having, then what is said of it.
_STATEMENT = (
    r"^(?!(?:it|that|this|there|here|i|not|one|let|so|well|what|these|those|everything|something|nothing|you|you're)\b)"
    r"[^.?!]*?[^\W\d_]+ (?:is|are|was|were|will be|has|have|had|starts?|ends?|begins?|moves?|moved|closes?|opens?"
    r"|costs?|loses?"
    r"|gets?|goes|runs?|works?|reports?|belongs?|switched|changed|became|ist|sind|hat|wird|es|son|está|tiene|est|sont"
    r"|a) "
    r"(?!\w+ing\b)\S+"
)


def _declares(folded: str) -> bool:
    """Whether a sentence of some length states something of a subject that it names."""
    return len(folded.split()) >= STATEMENT_WORDS and re.search(_STATEMENT, folded) is not None


def _sentence(plain: str) -> Says:
    """What a sentence says, by the first row that knows it; a question or a request isn't kept for its facts."""
    folded = plain.lower()
    if re.search(_QUESTION, folded):
        return Says.PREFERENCE if re.search(_STANDING, folded) else Says.QUESTION
    found = next((kind for kind, words in _SAYS if re.search(words, folded)), Says.NOTHING)
    if found is Says.NOTHING and (re.search(_NAMED, plain) or _declares(folded)):
        found = Says.FACT
    if found in _LASTING:
        return found
    if found is not Says.RULE and len(folded.split()) <= SMALL_TALK_WORDS and re.search(_SMALL_TALK, folded):
        return Says.SMALL_TALK
    return Says.NOTHING if re.search(_PASSING, folded) else found
