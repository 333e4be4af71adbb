"""Repositories work on the subjects they are given: operators' operations alone span all of them."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_type_hints

import pytest

from factories import ANA
from toldonce.errors import BadRequestError
from toldonce.store.repository import Reads, Repository, Writes
from toldonce.store.sql.idempotency import IdempotencyRepository
from toldonce.store.store import Store
from toldonce.types import (
    ConversationTree,
    EraseRequest,
    FormationKey,
    Lease,
    MaintenanceLease,
    StaleTerms,
    Subject,
    Turn,
)

# A subject, or what names one.
NAMES_A_SUBJECT = (
    *(Subject, Sequence[Subject], Turn, ConversationTree),
    *(EraseRequest, FormationKey, Lease, MaintenanceLease, StaleTerms),
)
# Keys and administrative acts belong to no subject.
KEYS_AND_ACTS = (
    "add_audit",
    "add_key",
    "audit",
    "had_any_key",
    "has_valid_key",
    "key_by_hash",
    "key_by_id",
    "hash_of_key",
    "keys",
    "revoke_key",
    "use_key",
)
OF_ALL_SUBJECTS = {
    *(f"AccessRepository.{name}" for name in KEYS_AND_ACTS),
    *(f"AliasRepository.{name}" for name in ("list", "add", "join", "reopen", "kept_conversations", "end")),
    "AppRepository.summaries",
    "AdminRepository.statistics",
    "AdminRepository.stats",
    "AdminRepository.subjects",
    "AdminRepository.totals",
    "AdminRepository.users",
    "EmbeddingRepository.choose",
    "EmbeddingRepository.chosen",
    "EmbeddingRepository.embedders",
    "EmbeddingRepository.read_elsewhere",
    "EmbeddingRepository.reembed_backlog",
    "EmbeddingRepository.space_counts",
    "EmbeddingRepository.space_names",
    "ErasureRepository.close",
    "ErasureRepository.pending",
    "ErasureRepository.destroy_keys",
    "ErasureRepository.drop_cached",
    "ErasureRepository.resume",
    "ErasureRepository.stamp",
    "FormationRepository.due",
    "FormationRepository.list",
    "FormationRepository.next_due",
    "FormationRepository.next_slices",
    "MaintenanceRepository.due",
    "MaintenanceRepository.with_stale_terms",
    "TraceRepository.list_all",
}


def declared() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each operation of each repository, with the function or method that has its parameters and docstring."""
    for repository in Repository.__subclasses__():
        if repository is not IdempotencyRepository:
            for method, found in vars(repository).items():
                if isinstance(found, Reads | Writes):
                    yield f"{repository.__name__}.{method}", found.work
                elif inspect.isfunction(found) and not method.startswith("_"):
                    yield f"{repository.__name__}.{method}", found


def operations() -> Iterator[tuple[str, set[object]]]:
    """Each awaited operation with the types of its required parameters."""
    for name, function in declared():
        hints = get_type_hints(function)
        needed = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.name not in ("self", "db") and parameter.default is inspect.Parameter.empty
        ]
        if inspect.iscoroutinefunction(function) or "db" in hints:
            yield name, {hints[parameter] for parameter in needed}


def test_operations_take_a_subject_unless_they_are_for_operators() -> None:
    without = {name for name, types in operations() if not types & set(NAMES_A_SUBJECT)}

    assert without == OF_ALL_SUBJECTS


def test_every_operation_has_a_docstring_of_its_own() -> None:
    assert [name for name, function in declared() if not inspect.getdoc(function)] == []


@pytest.mark.parametrize("limit", [0, 10_001])
async def test_a_limit_is_checked_for_every_list(store: Store, limit: int) -> None:
    for wrong in (store.apps.summaries(limit=limit), store.memories.held(ANA, limit=limit)):
        with pytest.raises(BadRequestError, match="limit is"):
            await wrong
