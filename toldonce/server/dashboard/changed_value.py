"""The value of a fact whose sentence a person corrected. Pure."""

_END = ' .!。"'


def changed_value(old_text: str, old_value: str, text: str) -> str | None:
    """Return the words of a corrected sentence in the place where the old one had the fact's value.

    The value stays as it was if the old sentence did not name it, or the new one still does.

    Returns:
        The value; None if the new sentence cannot be compared with the old one.

    >>> changed_value("The user lives in Bergen.", "Bergen", "The user lives in Oslo.")
    'Oslo'
    >>> changed_value('The user said: "I live in Bergen."', "Bergen", 'The user said: "I live in Oslo"')
    'Oslo'
    >>> changed_value("The user lives in Bergen.", "Bergen", "Bergen is the user's home.")
    'Bergen'
    """
    before, found, after = old_text.partition(old_value)
    if not found:
        return old_value
    words, after = text.rstrip(_END), after.rstrip(_END)
    if words.startswith(before) and words.endswith(after):
        changed = words[len(before) : len(words) - len(after)].strip()
        if changed:
            return changed
    return old_value if old_value in text else None
