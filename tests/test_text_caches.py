"""Caches of users' words are registered, and emptied together."""

import re
from pathlib import Path

from toldonce.extraction import sources
from toldonce.resolution.tokens import tokenize
from toldonce.text import stem
from toldonce.text_caches import clear_text_caches

PACKAGE = Path(__file__).parent.parent / "toldonce"
# Modules with caches that hold no words of users: prompts, schemas, templates, settings, ids, instants, the catalogue.
# Those of an engine's token counter and query builder are emptied by `EngineSteps.forget_texts`.
WITHOUT_USERS_WORDS = {
    "text/markers.py",
    "engine/query_builder.py",
    "extraction/schemas/notes.py",
    "extraction/schemas/output_schema.py",
    "extraction/schemas/paragraph.py",
    "maintenance/capacity.py",
    "maintenance/compaction.py",
    "prompt/render.py",
    "prompt/template.py",
    "providers/openai_models.py",
    "providers/static_embedder.py",
    "providers/token_counter.py",
    "recall/recall.py",
    "resolution/llm_judge.py",
    "store/sql/rows.py",
    "store/sql/snapshot_codec.py",
}


def test_every_cache_of_a_module_that_reads_words_is_registered() -> None:
    missing = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        caches = len(re.findall(r"^(?:@|\w+ = .*)lru_cache\(", text, re.MULTILINE))
        registered = len(re.findall(r"^@register_text_cache$|register_text_cache\(lru_cache\(", text, re.MULTILINE))
        name = path.relative_to(PACKAGE).as_posix()
        if caches != registered and name not in WITHOUT_USERS_WORDS:
            missing.append(f"{name}: {registered} of {caches}")
    assert missing == []


def test_clearing_empties_the_caches_of_sentences_messages_and_words() -> None:
    tokenize("The zyzzyva is in Oslo.")
    sources.readable_text("The zyzzyva is in Oslo.")
    assert sources._CACHE._found
    clear_text_caches()
    assert tokenize.cache_info().currsize == stem.cache_info().currsize == 0
    assert not sources._CACHE._found
    assert sources._CACHE._characters == 0
