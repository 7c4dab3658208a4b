"""The word lists of the prose extractor: English function words, honorifics, and endings that show what a name names.
Lives elsewhere: the rules that read them."""

from __future__ import annotations

# Words that begin sentences and are no part of a name.
OPENERS = frozenset(
    """a about above according accordingly actually after afterwards again against all almost along already also
    although always among an and another any anyone anything are around as aside at away back because been before
    behind being below beside besides between beyond both but by can clearly could dear despite did do does done
    down due during each earlier either else even eventually every everyone everything except few finally first
    for formerly fortunately from further furthermore generally given had has have having he hello hence her here
    hers hey hi him his how however i if in indeed initially instead into is it its itself just last lastly late
    later latter least less let like likewise many may maybe me meanwhile might mine more moreover most mostly
    much must my near nearly neither never nevertheless next no nobody none nor not nothing now of off often oh
    okay on once one only onto or originally other others our out outside over overall own per perhaps please
    possibly previously probably rather recently same second see several shall she should similarly since so some
    someone something sometimes soon still subsequently such thank thanks that the their them then there
    thereafter therefore these they third this those though through throughout thus till to today together
    tomorrow too toward towards two under unfortunately unlike until up upon us usually very was we well were what
    whatever when whenever where whereas wherever whether which while who whom whose why will with within without
    would yes yesterday yet you your""".split()
)
HONORIFICS = frozenset("mr mrs ms dr prof sir dame lord lady professor doctor".split())
# Titles that end with a full stop but no sentence.
ABBREVIATIONS = "Mr|Mrs|Ms|Dr|Prof|St|Mt|Ft|Jr|Sr|Inc|Ltd|Co|Corp|Gen|Col|Sen|Gov|Rev|Lt|Capt|No|vs|etc"
ORGANISATIONS = frozenset(
    """agency army association authority bank board bureau college commission committee company corp corporation council
    department federation foundation gmbh group inc institute laboratories league llc ltd ministry museum navy orchestra
    organisation organization party plc school society trust union university""".split()
)
PLACES = frozenset(
    """airport avenue bay beach borough bridge castle city county creek district forest harbor harbour highlands island
    islands lake mountain mountains park peninsula prefecture province region river road sea square station street town
    township valley village""".split()
)
PLACE_OPENERS = frozenset("fort lake mount mt".split())
# What may stand, in small letters, inside of a name.
GLUE = "of the|of|the|de la|de los|de|da|del|della|di|du|van der|van den|van de|van|von|der|den|la|le|al|bin|ibn|y|e"
# A sentence with one of these doesn't say that something is so.
HEDGES = frozenset(
    """allegedly apparently assume assuming believe believed could expected expects guess hope hopefully hypothetically
    if imagine likely longer may maybe might never no nor not perhaps possibly presumably probably reportedly rumoured
    seem seems should supposedly suppose think thinks unless were whether would""".split()
)
# What no value begins with: what follows is a judgement, a place in a sentence, or more sentence.
NO_VALUE = frozenset(
    """a about all also always an any at becoming because being both by due for from going gone good great his how
    important in its just like many more most much my now of on one only our quite rather really so some still such that
    their there these this those to too under used very what when where which who why with without your""".split()
)
