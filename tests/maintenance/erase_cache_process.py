"""Records, forms, searches and erases, then prints which live objects of the process still hold an erased name.

With `elsewhere` as the second argument another process erases.
"""

import gc
import subprocess
import sys
import time
from types import FrameType

from toldonce import ToldOnce
from toldonce.extraction.sources import MAX_INLINE_CHARACTERS

# Written backwards: only what was recorded and kept says it forwards.
NAME = "ellivlazteuq"[::-1]
OWNER = "uluzlibmo"[::-1]


def says(held: object) -> bool:
    """Return whether a text has one of the names, or a tuple that the collector does not track has such a text."""
    if isinstance(held, bytes):
        held = held.decode("latin-1")
    if isinstance(held, str):
        text = held.casefold()
        return NAME in text or OWNER in text
    return not gc.is_tracked(held) and any(map(says, gc.get_referents(held)))


def holders() -> list[str]:
    """Describe each object that holds one of the names."""
    gc.collect()
    saying = [held for held in {id(held): held for held in gc.get_referents(*gc.get_objects())}.values() if says(held)]
    return [
        repr(holder)[:200]
        for holder in gc.get_referrers(*saying)
        if holder is not saying and holder is not globals() and not isinstance(holder, FrameType)
    ]


def erase(memory: ToldOnce, url: str, where: str) -> None:
    """Erase all of the owner, here or in another process, and wait until this one may be clean."""
    if where == "here":
        memory.erasure.subject(OWNER)
        time.sleep(0.2)  # threads that answered drop their last job
        return
    program = f"import sys, toldonce; toldonce.ToldOnce(sys.argv[1], worker=False).erasure.subject({OWNER!r})"
    subprocess.run([sys.executable, "-c", program, url], check=True)
    deadline = time.monotonic() + 30.0
    while holders() and time.monotonic() < deadline:
        time.sleep(0.5)


def main(url: str, where: str) -> None:
    """Print the holders before and after erasing."""
    gc.unfreeze()  # the fork server froze what it had loaded, such as the modules' caches
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
    erase(memory, url, where)
    sys.stdout.write("\n".join(holders()))
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
