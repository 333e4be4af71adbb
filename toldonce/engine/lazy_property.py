"""Properties that are computed at their first use, once even if several threads ask at the same time. Pure."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    lazy_property = cached_property
else:

    class lazy_property(cached_property):  # noqa: N801  (named like the decorator that it extends)
        """A `cached_property` computed under its object's `lock`: the original has none from Python 3.12 on.

        The blocking client asks for services in the threads of its callers, while the thread of the event loop makes
        its own: without the lock, an engine could have two workers, and wake the one that does not run. Objects whose
        properties use each other share one reentrant lock.
        """

        def __get__(self, instance, owner=None):
            """Return the value, computed under the lock if it is not there yet."""
            if instance is None:
                return self
            values = vars(instance)
            with values["lock"]:
                if self.attrname not in values:
                    values[self.attrname] = self.func(instance)
                return values[self.attrname]
