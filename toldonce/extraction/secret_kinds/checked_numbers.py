"""Card numbers, IBANs and national numbers that their form and check digits give away without a name. Pure."""

import re
from collections.abc import Iterator

from toldonce.extraction.secret_kinds.checksums import CHECKS, compact, is_iban, is_luhn
from toldonce.extraction.secret_kinds.formats import id_formats, shape_pattern
from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.lazy_pattern import LazyPattern

_DIGITS = LazyPattern(r"(?<![A-Za-z0-9_.+])\d(?:[ .\u00a0-]?\d){12,22}(?![A-Za-z0-9_]|[.,-]\d)")
_GROUP = LazyPattern(r"\d+")
_IBAN = LazyPattern(
    r"(?<![A-Za-z0-9_-])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{1,4}){3,8}(?![A-Za-z0-9_-])|"
    r"(?<![\w/.-])[a-z]{2}\d{2}[a-z0-9]{11,30}(?![\w/.-])"
)
_BLOCK = LazyPattern(r"[A-Za-z0-9]+")
# Prefixes of card issuers, by length (ISO/IEC 7812): numbers of devices and articles can pass the same checksum.
_ISSUERS = {
    13: LazyPattern("4"),
    14: LazyPattern("3(?:0[0-5]|[689])"),
    15: LazyPattern("3[47]"),
    16: LazyPattern(
        r"4|5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|6(?:011|4[4-9]|5)|35(?:2[89]|[3-8])|62|50|5[6-9]|"
        r"220[0-4]"
    ),
    17: LazyPattern("62"),
    18: LazyPattern("62|5018|6304"),
    19: LazyPattern("4|6(?:011|4[4-9]|5|2)"),
}
# Groups in which cards are printed. Any other grouping is a phone or an order number, unless a card is named.
_GROUPINGS = frozenset({(16,), (15,), (4, 4, 4, 4), (4, 6, 5), (4, 4, 4, 4, 3), (6, 13), (8, 8)})
_CARD_WORD = LazyPattern(
    r"card|visa|mastercard|maestro|amex|american express|diners|discover|\bjcb|unionpay|debit|kredit|\bcc\b|"
    r"\bpan\b|charge|\bpay\b"
    r"|karte|tarjeta|tarjet|\bcarte\b|\bcarta\b|cart[aã]o|kaart|карт|卡|カード",
    re.IGNORECASE,
)
# What is named so is no card, though its number may pass the checksum.
_OTHER_NUMBER = LazyPattern(
    r"\border(?:s|\s(?:number|no|nr|id|#))?\b|invoice|track|parcel|shipment|ticket|booking|reserv|refer|\bref\b|"
    r"phone|\btel\b|\bfax\b|mobile|\bcell\b|whatsapp|\bcall|"
    r"\bimei|serial|\bean\b|isbn|article|\bitem\b|\bsku\b|\bid\b|product|timestamp|barcode|bestell|auftrag|"
    r"rechnung|sendung|paket|"
    r"telefon|handy|pedido|factura|fatura|env[ií]o|tel[eé]f|móvil|movil|commande|facture|colis|suivi|ordine|"
    r"fattura|spedizione|"
    r"encomenda|bestelling|factuur|pakket|заказ|трек|посылк|телефон|订单|单号|电话|手机|快递|注文|電話|伝票|追跡",
    re.IGNORECASE,
)
_NEAR = 48


def _alone_pattern() -> str:
    shapes = {known.alone: shape_pattern(known.shape).replace(r"\ ", "[ ]?") for known in id_formats() if known.alone}
    return rf"(?<![\w-])(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern in shapes.items())})(?![\w-])"


_ALONE = LazyPattern(_alone_pattern())


def find_numbers(text: str) -> Iterator[FoundSecret]:
    """Yield the numbers in a text that are a card's, an account's or a person's by their form and checksum.

    >>> [found.shape for found in find_numbers("4111 1111 1111 1111, and order 4111 1111 1111 1111")]
    ['card']
    """
    for match in _DIGITS.finditer(text):
        if (span := _card(text, match)) is not None:
            yield FoundSecret(*span, "card")
    for match in _IBAN.finditer(text):
        if (end := _iban_end(match)) is not None:
            yield FoundSecret(match.start(), end, "iban")
    for match in _ALONE.finditer(text):
        check = match.lastgroup or ""
        if CHECKS[check](compact(match.group())):
            yield FoundSecret(match.start(), match.end(), "ssn" if check == "ssn" else "id")


def _card(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of the card's number within a run of digits, or None."""
    groups = [group.span() for group in _GROUP.finditer(text, match.start(), match.end())]
    before = text[max(0, match.start() - _NEAR) : match.start()]
    other, named = _last(_OTHER_NUMBER, before), _last(_CARD_WORD, before)
    if other > named:
        return None
    is_named = named >= 0
    for first in range(len(groups)):
        for last in range(len(groups), first, -1):
            window = groups[first:last]
            digits = "".join(text[start:end] for start, end in window)
            if not is_named and tuple(end - start for start, end in window) not in _GROUPINGS:
                continue
            if _is_card(digits):
                return window[0][0], window[-1][1]
    return None


def _last(pattern: LazyPattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def _is_card(digits: str) -> bool:
    issued = _ISSUERS.get(len(digits))
    return issued is not None and bool(issued.match(digits)) and len(set(digits)) > 1 and is_luhn(digits)


def _iban_end(match: re.Match[str]) -> int | None:
    """Return where the account number ends: words after it look like more of its groups."""
    blocks = [block.end() for block in _BLOCK.finditer(match.string, match.start(), match.end())]
    return next((end for end in reversed(blocks) if is_iban(match.string[match.start() : end])), None)
