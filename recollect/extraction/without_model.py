"""What the rules make of messages in a profile's shape. Pure; may run in the child process that reads long messages."""

from recollect.extraction.paragraph import extract_paragraph
from recollect.extraction.rules import RulesReading
from recollect.extraction.rules.records import extract_records
from recollect.extraction.rules.statements import read_statements
from recollect.extraction.sources import ExtractionInput
from recollect.profiles.policies import Profile


def read_without_model(source: ExtractionInput, profile: Profile) -> RulesReading:
    """Read messages by the rules that a profile asks for."""
    form = profile.form
    if form.extractor == "paragraph":
        longest = profile.capacity.max_characters
        return RulesReading(candidates=extract_paragraph(source, max_sentences=form.max_sentences, characters=longest))
    if form.without_model == "records":
        replies_only = profile.trigger.when == "every_turn"
        return RulesReading(candidates=extract_records(source, types=form.types, replies_only=replies_only))
    return read_statements(source, form)
