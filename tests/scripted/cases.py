'''Scripted conversations with what memory must hold after them, as the files in `conversations/` say it. Reads them.

One TOML file a conversation:

    kind = "update"              # one of KINDS
    also = ["dates"]             # what else it shows, optional
    about = "One sentence on what this shows."
    user = "ana"                 # optional: profile = "default", time_zone = "Europe/Rome"

    [[session]]
    at = 2026-03-02T09:00:00Z    # when its first turn is said; the others follow, 30 seconds apart
    turns = [                    # roles: user, assistant, tool (a tool turn may have `name`)
      { role = "user", text = "I live in Rome." },
      { role = "assistant", text = "Noted." },
    ]
    model = [                    # what a good model answers for this session; `turn` counts its turns from 1
      { category = "identity", key = "location", value = "Rome", turn = 1, importance = 0.9, quote = "I live in Rome." },
      { text = "The user plays chess.", turn = 1, type = "preference", importance = 0.7, quote = "I play chess" },
      { text = "The user gave chess up.", turn = 1, quote = "I gave chess up", ends = "The user plays chess." },
      { ends = "The user plays chess.", turn = 1, quote = "Forget that I play chess." },   # ends it and keeps nothing
    ]

    [store]                      # the notes and facts at the end; quotations (turns) are no part of it
    holds = [{ says = ["oslo"], not = ["rome"], turn = "2.1" }]
    may = [{ says = ["rain"] }]  # true as well, and worth keeping to some: neither demanded nor refused; optional
    closed = [{ says = ["rome"] }]
    absent = [["concert"], ["paris"]]
    only = true                  # nothing is held beyond `holds` and `may`: the default

    [[recall]]                   # asked a day after the last session
    ask = "Where do I live?"
    first = ["oslo"]
    finds = [["oslo"]]
    never = [["rome"]]

Words are regular expressions, looked for in the memory's line in lower case: its text, and of a fact its category, key
and value as well. All of `says` must be found and none of `not`.

- **holds**: at least one active memory matches. `turn` is the session and turn it must rest on, "2.1" or a list of such:
  some matching memory rests on each. Two memories of the same kind that match the very same entries are a *double*; a
  note and a fact of the same words are not, for they are two ways to find one thing and are shown once.
- **closed**: a memory that was held, matches and has ended; it stands in the history.
- **absent**: no active memory matches all these words, or it is a *false memory*.
- **only**: an active memory that matches no entry of `holds` and `may` is a false memory as well.
- **first**: the best result matches. Standing facts come first whatever is asked, as a block; so the best is one of
  them, or the first result behind them.
- **finds**: each list is matched by a standing fact or by one of the first five results behind them.
- **never**: no note, fact or summary in the result matches: those state what holds. A quotation of an old turn is shown
  with its speaker and date and states only what was said then; it may be shown, but not before the result that `first`
  asks for.
'''
