"""Repositories work on the subjects they are given: operators' operations alone span all of them."""

import inspect
from collections.abc import Iterator, Sequence
from typing import get_type_hints

import pytest

from toldonce.store.repositories import (
    access,
    admin,
    conversations,
    embeddings,
    erasures,
    formations,
    health,
    insertions,
    maintenance,
    memories,
    traces,
)
from toldonce.types import EraseRequest, FormationKey, Lease, MaintenanceLease, StaleTerms, Subject, Turn

MODULES = (
    access,
    admin,
    conversations,
    embeddings,
    erasures,
    formations,
    health,
    insertions,
    maintenance,
    memories,
    traces,
)
# A subject, or what names one.
NAMES_A_SUBJECT = (Subject, Sequence[Subject], Turn, EraseRequest, FormationKey, Lease, MaintenanceLease, StaleTerms)
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
    "AdminRepository.ping",
    "AdminRepository.ping_all",
    "AdminRepository.require_writable",
    "AppRepository.summaries",
    "AdminRepository.schema_version",
    "AdminRepository.statistics",
    "AdminRepository.stats",
    "AdminRepository.subjects",
    "AdminRepository.totals",
    "EmbeddingRepository.choose",
    "EmbeddingRepository.embedders",
    "EmbeddingRepository.reembed_backlog",
    "EmbeddingRepository.space_counts",
    "EmbeddingRepository.space_names",
    "ErasureRepository.close",
    "ErasureRepository.pending",
    "ErasureRepository.destroy_keys",
    "ErasureRepository.resume",
    "ErasureRepository.scrub",
    "FormationRepository.due",
    "FormationRepository.list",
    "FormationRepository.next_due",
    "FormationRepository.next_slices",
    "MaintenanceRepository.due",
    "MaintenanceRepository.with_stale_terms",
    "TraceRepository.list_all",
}


def operations() -> Iterator[tuple[str, set[object]]]:
    """Each operation of each repository with the types of its required parameters."""
    for module in MODULES:
        for name, repository in inspect.getmembers(module, inspect.isclass):
            if name.endswith("Repository"):
                for method, function in inspect.getmembers(repository, inspect.iscoroutinefunction):
                    if not method.startswith("_"):
                        hints = get_type_hints(function)
                        needed = [
                            parameter.name
                            for parameter in inspect.signature(function).parameters.values()
                            if parameter.name != "self" and parameter.default is inspect.Parameter.empty
                        ]
                        yield f"{name}.{method}", {hints[parameter] for parameter in needed}


def test_operations_take_a_subject_unless_they_are_for_operators() -> None:
    without = {name for name, types in operations() if not types & set(NAMES_A_SUBJECT)}

    assert without == OF_ALL_SUBJECTS


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_operation_has_a_docstring_of_its_own(module: object) -> None:
    for name, repository in inspect.getmembers(module, inspect.isclass):
        if name.endswith("Repository"):
            for method, function in inspect.getmembers(repository, inspect.isfunction):
                assert method.startswith("_") or inspect.getdoc(function), f"{name}.{method}"
