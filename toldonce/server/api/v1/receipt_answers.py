"""How the receipt of an erasure looks over HTTP under `/v1`. Pure."""

from datetime import datetime

from pydantic import Field

from toldonce.server.api.v1.fields import Answer
from toldonce.types import ErasureStatus


class ReceiptPlaceAnswer(Answer):
    """One place where erased data was or may remain."""

    name: str
    reach: ErasureStatus
    count: int
    text: str


class ReceiptAnswer(Answer):
    """Result of an erasure, place by place."""

    id: str
    at: datetime
    done: bool = Field(description="Nothing is pending: no byte of it is left in database or log.")
    places: list[ReceiptPlaceAnswer]
