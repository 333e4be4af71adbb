"""Records, forms, searches and erases, then prints which live objects of the process still hold an erased name."""

import gc
import sys
import time
from collections.abc import Iterator
from types import FrameType

from toldonce import ToldOnce
from toldonce.extraction.sources import MAX_INLINE_CHARACTERS

# Written backwards: only what was recorded and kept says it forwards.
NAME = "ellivlazteuq"[::-1]
OWNER = "uluzlibmo"[::-1]
WORDS = (NAME, OWNER)


def referents(holder: object) -> Iterator[object]:
    """Return what an object holds, and what is within tuples that the collector does not track."""
    waiting = gc.get_referents(holder)
    while waiting:
        held = waiting.pop()
        yield held
        if not gc.is_tracked(held):
            waiting += gc.get_referents(held)


def says(held: object) -> bool:
    if isinstance(held, bytes):
        held = held.decode("latin-1")
    return isinstance(held, str) and any(word in held.casefold() for word in WORDS)


def holders() -> list[str]:
    """Describe each object that holds one of the words."""
    gc.collect()
    own = globals()
    return [
        repr(holder)[:200]
        for holder in gc.get_objects()
        if holder is not own and not isinstance(holder, FrameType) and any(map(says, referents(holder)))
    ]


def main(url: str) -> None:
    """Print the holders before and after erasing."""
    memory = ToldOnce(url)
    filler = "The old mill by the river turns slowly. " * (MAX_INLINE_CHARACTERS // 30)
    for month in range(1, 5):
        text = f"I moved to {NAME.title()} in May 201{month}, and my flat is near the harbour. "
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Nice."}]
        memory.record(messages, user=OWNER, conversation="flat")
        memory.form()
    memory.record([{"role": "user", "content": f"My cat lives in {NAME.title()}. {filler}"}], user=OWNER)
    memory.form()
    memory.search(f"where is {NAME.title()}?", user=OWNER)
    memory.prompt(f"Is {NAME.title()} nice?", user=OWNER, conversation="flat")
    del messages, text
    sys.stdout.write(f"{len(holders())}\n")
    memory.erasure.subject(OWNER)
    time.sleep(0.2)  # threads that answered drop their last job
    sys.stdout.write("\n".join(holders()))
    memory.close()


if __name__ == "__main__":
    main(sys.argv[1])
