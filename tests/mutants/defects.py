"""The table of defects: what is sound, what is planted instead, and which tests must notice. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One defect."""

    name: str
    file: str
    sound: str
    """The text as it stands, once in the file; where it no longer does, this table is to be mended."""
    planted: str
    noticed_by: tuple[str, ...]
    """Tests (pytest's node ids) of which one at least turns red."""


DEFECTS: tuple[Defect, ...] = (
    Defect(
        name="sse: other separators end a line",
        file="recollect/chat/stream.py",
        sound=r'_END_OF_LINE = re.compile(rb"\r\n?|\n")',
        planted=r'_END_OF_LINE = re.compile(rb"\r\n?|\n|\x0b|\x0c|\xe2\x80\xa8|\xe2\x80\xa9|\xc2\x85")',
        noticed_by=("tests/chat/test_stream.py::test_no_other_separator_ends_a_line",),
    ),
    Defect(
        name="sse: events are serialised anew",
        file="recollect/chat/splice.py",
        sound="                self._waiting[place:place] = self._member\n",
        planted="""\
                place = event.data_start - self._waiting_start
                said = json.loads(b"{" + self._member[:-1] + b"}") | json.loads(event.data)
                self._waiting[place : place + len(event.data)] = json.dumps(said).encode()
""",
        noticed_by=("tests/chat/test_splice.py::test_the_splice_and_the_hold_are_all_that_changes",),
    ),
    Defect(
        name="splice: bytes behind [DONE] are not held",
        file="recollect/chat/splice.py",
        sound="            return [Piece(data=chunk, held=True)]",
        planted="            return [Piece(data=chunk, held=False)]",
        noticed_by=(
            "tests/chat/test_splice.py::test_done_is_held_from_the_first_byte_of_its_line_and_so_is_all_behind_it",
        ),
    ),
    Defect(
        name="identity: any algorithm signs a JWT",
        file="recollect/chat/identity.py",
        sound='            algorithms=["HS256"],',
        planted='            algorithms=["HS256", "HS384", "HS512"],',
        noticed_by=("tests/chat/test_identity.py::test_a_forged_token_is_refused_by_name",),
    ),
    Defect(
        name="text: lone surrogates are not cleaned",
        file="recollect/text.py",
        sound=r'_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")',
        planted=r'_UNSTORABLE = re.compile("[\x00]")',
        noticed_by=(
            "tests/chat/test_request.py::test_a_lone_surrogate_escape_survives_in_the_bytes_and_is_storable_in_the_text",
        ),
    ),
    Defect(
        name="proxy: [DONE] goes out before the commit",
        file="recollect/server/proxy.py",
        sound="if piece.held and not exchange.settled and not await self._settle(exchange, assembler.reply()):",
        planted="if piece.held and not exchange.settled and not self._later(exchange, assembler.reply()):",
        noticed_by=(
            "tests/integration/test_end_of_answer.py::test_the_end_of_an_answer_waits_until_the_turn_is_durable",
        ),
    ),
    Defect(
        name="proxy: a broken stream ends well",
        file="recollect/server/proxy.py",
        sound="""\
            self._broke(error)
            return  # without the closing chunk: what was broken ends as broken
""",
        planted="""\
            self._broke(error)
            await send_body(exchange.send, b"", more=False)
            return
""",
        noticed_by=("tests/integration/test_passing_bytes.py",),
    ),
)
