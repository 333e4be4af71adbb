"""Output schemas: the forms in which a model writes memories down."""

from toldonce.extraction.schemas.facts import FACTS
from toldonce.extraction.schemas.memories import MEMORIES
from toldonce.extraction.schemas.notes import SENTENCES, typed
from toldonce.extraction.schemas.output_schema import OutputSchema
from toldonce.extraction.schemas.paragraph import paragraph
from toldonce.profiles.policies import FormPolicy

__all__ = ["MEMORIES", "OutputSchema", "schema_for"]


def schema_for(form: FormPolicy, *, max_characters: int = 0) -> OutputSchema:
    """Return the schema that a policy names; `max_characters` bounds a paragraph (0: the usual length)."""
    if form.extractor == "typed":
        return typed(form)
    if form.extractor == "paragraph":
        return paragraph(form.max_sentences, max_characters)
    return {"memories": MEMORIES, "facts": FACTS, "sentences": SENTENCES}[form.extractor]
