"""Characters of a user over HTTP. Serves through the engine."""

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, Body, Name, SubjectText
from toldonce.server.api.v1.operation import ResourceOperation


class NewCharacterName(Body):
    """The new name of a character."""

    to: Name
    join: bool = Field(default=False, description="Take over the active memories of a character of the new name.")


class RenamedCharacterAnswer(Answer):
    """A character under its new name."""

    subject: SubjectText = Field(description="The subject that holds its memories, as before.")
    joined: int = Field(description="Memories taken over from a character that had the new name.")


OPERATIONS = (
    ResourceOperation(
        "renameCharacter",
        summary="Give a character a new name; it keeps its memories",
        description="409 where a character of the new name has memories, unless `join` says to take them over.",
        calls=lambda engine: engine.characters.rename,
        body=NewCharacterName,
        answer=RenamedCharacterAnswer,
        act="characters.rename",
    ),
)
