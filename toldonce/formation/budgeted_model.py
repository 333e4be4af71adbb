"""Ask a model within a subject's budget: booked before the call, settled after it. Writes the store."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toldonce.errors import BreakerOpenError, ModelError, ModelFault, StoreFullError, StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy, Profile
from toldonce.providers.circuit_breaker import GuardedModel
from toldonce.providers.protocols import LanguageModel, ModelAnswer
from toldonce.types import AddMemory, CostPurpose, FormationResult, Lease, MemoryKind, Reservation, Subject

logger = logging.getLogger(__name__)

# Tokens booked for an answer before it is known: a batch's memories take some 300.
ANSWER_TOKENS = 500
# Bytes of a prompt per token where no cap rests on it: counting costs 2 ms for each 1,600 tokens, and the server's own
# count takes the place of this one in any case.
_BYTES_PER_TOKEN = 3


class BudgetedModel:
    """A language model that works for one subject, on its budget. It is asked in one piece of work, then dropped.

    The first call for a purpose costs that purpose's units, calls that follow cost tokens alone: a creation is paid
    once, however often its model is asked.
    """

    def __init__(
        self, model: LanguageModel, runtime: Runtime, purpose: CostPurpose, subject: Subject, policy: BudgetPolicy
    ):
        """Spend for `purpose`; `with_budget` makes one."""
        self._model = model
        self._runtime = runtime
        self._purpose = purpose
        self._subject = subject
        self._policy = policy
        self._ahead: Reservation | None = None
        self.covered = False
        """Whether the units were found to be at hand before: they are spent, and not refused."""
        self.paid = False
        """Whether the units were spent."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def unrationed(self) -> LanguageModel:
        """The model itself."""
        return self._model

    async def book_ahead(self, *, beside: float) -> None:
        """Book the units of the first call now, if the budget has them and `beside` more, as far as it can hold both.

        Raises:
            BudgetSpentError: it has not; nothing was booked.
        """
        units = units_of(self._purpose, self._policy)
        needs = min(units + beside, self._policy.capacity)
        booked = replace(self._booking(units, tokens=0), needs=needs)
        await self._runtime.store.budgets.reserve(self._subject, booked, self._policy)
        self._ahead = booked

    async def release(self) -> None:
        """Give back what was booked ahead of a call that was not made."""
        booked, self._ahead = self._ahead, None
        if booked is not None:
            await self._settle(booked, None)

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask, if the budget allows and the breaker lets it through.

        Raises:
            BudgetSpentError: the budget is spent; the model was not asked.
            BreakerOpenError: the model kept failing; it was not asked.
            ModelError: it was asked and failed. What was booked stays spent, unless its server did no work.
        """
        if isinstance(self._model, GuardedModel):
            self._model.breaker.check()
        prompt = f"{system}\n{user}\n{json.dumps(schema)}"
        booked, self._ahead = await self._taken_ahead(prompt) or await self._reserved(prompt), None
        units = booked.units
        before, self.paid = self.paid, True
        try:
            answer = await self._model.answer(system=system, user=user, schema=schema, schema_name=schema_name)
        except BreakerOpenError:
            self.paid = before
            await self._settle(booked, None)
            raise
        except ModelError as error:
            if error.fault is ModelFault.SERVER:
                self.paid = before
                await self._settle(booked, None)
            else:
                _count(self._runtime, self._subject, units)
                await self._settle(booked, booked.tokens)
            raise
        _count(self._runtime, self._subject, units)
        await self._settle(booked, await self._used(prompt, answer))
        return answer

    async def _taken_ahead(self, prompt: str) -> Reservation | None:
        if self._ahead is None:
            return None
        return replace(self._ahead, tokens=await self._estimate(prompt) + ANSWER_TOKENS)

    async def _reserved(self, prompt: str) -> Reservation:
        units = 0.0 if self.paid else units_of(self._purpose, self._policy)
        booked = self._booking(units, await self._estimate(prompt) + ANSWER_TOKENS)
        booked = replace(booked, needs=0.0) if self.covered else booked
        await self._runtime.store.budgets.reserve(self._subject, booked, self._policy)
        return booked

    def _booking(self, units: float, tokens: int) -> Reservation:
        clock = self._runtime.clock
        return Reservation(id=new_id(clock), purpose=self._purpose, units=units, tokens=tokens, at=clock.now())

    async def _estimate(self, prompt: str) -> int:
        if not self._policy.tokens_per_day:
            return len(prompt.encode(errors="replace")) // _BYTES_PER_TOKEN
        return await asyncio.to_thread(self._runtime.counter.count, prompt)

    async def _used(self, prompt: str, answer: ModelAnswer) -> int:
        if answer.usage is not None:
            return answer.usage.prompt_tokens + answer.usage.completion_tokens
        said = json.dumps(answer.data, ensure_ascii=False, default=str)
        return await asyncio.to_thread(lambda: sum(map(self._runtime.counter.count, (prompt, said))))

    async def _settle(self, booked: Reservation, tokens: int | None) -> None:
        """Settle; where the database does not answer the call stays as it was booked, and its answer is used."""
        try:
            await self._runtime.store.budgets.settle(self._subject, booked.id, tokens=tokens)
        except (StoreUnavailableError, StoreFullError) as error:
            logger.warning("not settled", extra={"purpose": booked.purpose, "error": str(error)})


def units_of(purpose: CostPurpose, policy: BudgetPolicy) -> float:
    """Return what work for a purpose costs.

    >>> units_of(CostPurpose.COMPACT, BudgetPolicy()), units_of(CostPurpose.JUDGE, BudgetPolicy(judge=0.6))
    (25.0, 0.6)
    """
    match purpose:
        case CostPurpose.CREATE | CostPurpose.EPISODE:
            return policy.create
        case CostPurpose.COMPACT:
            return policy.compact
        case CostPurpose.TURN:
            return policy.turn
        case CostPurpose.JUDGE:
            return policy.judge


def with_budget(runtime: Runtime, purpose: CostPurpose, subject: Subject, profile: Profile) -> BudgetedModel | None:
    """Return the model as it may be asked on a subject's budget; None where there is no model.

    Hand it to whatever asks: its calls raise `BudgetSpentError` and `BreakerOpenError` (nothing was asked, work goes on
    at their `until`) beside `ModelError` (it was asked, and failed).
    """
    model = runtime.model
    if isinstance(model, BudgetedModel):
        model = model.unrationed
    return None if model is None else BudgetedModel(model, runtime, purpose, subject, profile.budget)


def on_budget(runtime: Runtime, lease: Lease, profile: Profile) -> Runtime:
    """Return the runtime of one formation, whose model spends the budget of the subject that is written to."""
    purpose = CostPurpose.CREATE if lease.key.stage == "extract" else CostPurpose.EPISODE
    return replace(runtime, model=with_budget(runtime, purpose, lease.key.subject, profile))


async def charge_rule_work(runtime: Runtime, lease: Lease, profile: Profile, result: FormationResult) -> bool:
    """Pay the units of memories that rules made; return whether there was something to pay.

    Rules cost no tokens, but a creation costs its units whether rules or a model made it.

    Raises:
        BudgetSpentError: the budget is spent.
    """
    asked = isinstance(runtime.model, BudgetedModel) and runtime.model.paid
    made = any(isinstance(change, AddMemory) and change.memory.kind is not MemoryKind.TURN for change in result.changes)
    if asked or not made or not profile.budget.capacity:
        return False
    units = units_of(CostPurpose.CREATE, profile.budget)
    booked = Reservation(
        id=new_id(runtime.clock), purpose=CostPurpose.CREATE, units=units, tokens=0, at=runtime.clock.now()
    )
    if isinstance(runtime.model, BudgetedModel) and runtime.model.covered:
        booked = replace(booked, needs=0.0)
    await runtime.store.budgets.reserve(lease.key.subject, booked, profile.budget)
    await runtime.store.budgets.settle(lease.key.subject, booked.id, tokens=0)
    _count(runtime, lease.key.subject, units)
    return True


def _count(runtime: Runtime, subject: Subject, units: float) -> None:
    runtime.metrics.app_energy += units if subject.kind == "app" else 0.0
