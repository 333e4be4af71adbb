"""Records of an export's JSON files, each with its place. Reads the files."""

from collections.abc import Iterator, Sequence
from typing import Any

from toldonce.datasets.recordings import BadRecord, BadRecordError
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_values import read_values


def json_records(files: ExportFiles, patterns: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """Yield the records of all files that match a pattern, with their places; the name of a lone file does not matter.

    What cannot be read is a `BadRecord`; the file's rest is left, and the next file is read.
    """
    names = [name for pattern in patterns for name in files.named(pattern)]
    if files.archive is None and len(files.names) == 1:
        names = list(files.names)
    for name in names:
        number = 0
        try:
            with files.open(name) as file:
                for number, value in enumerate(read_values(file), start=1):
                    yield value, f"{name}: record {number:,}"
        except BadRecordError as error:
            where = f"{name}: after record {number:,}" if number else name
            yield BadRecord(where=where, reason=str(error)), where
