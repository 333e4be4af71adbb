"""Namespaces of `ToldOnce`: conversations, traces, characters, agent_notes."""

from toldonce.engine.agent_notes import AgentNoteService
from toldonce.engine.apps import CharacterService
from toldonce.engine.conversations import ConversationService
from toldonce.engine.prompt_traces import TraceService
from toldonce.sync.blocking_service import BlockingService, blocking


class BlockingConversationService(BlockingService, namespace="conversations"):
    """Conversations of a user: their settings, their log, and what was formed from them."""

    open = blocking(ConversationService.open)
    get = blocking(ConversationService.get)
    list = blocking(ConversationService.list)
    end = blocking(ConversationService.end)
    save = blocking(ConversationService.save)
    messages = blocking(ConversationService.messages)
    tree = blocking(ConversationService.tree)
    window = blocking(ConversationService.window)
    summary = blocking(ConversationService.summary)
    memories = blocking(ConversationService.memories)
    trace = blocking(ConversationService.trace)
    subject = blocking(ConversationService.subject)


class BlockingTraceService(BlockingService, namespace="traces"):
    """Traces of recorded requests, in the order in which their turns were stored."""

    list = blocking(TraceService.list)
    list_all = blocking(TraceService.list_all)
    get = blocking(TraceService.get)


class BlockingCharacterService(BlockingService, namespace="characters"):
    """Characters of a user who talk with each other."""

    rename = blocking(CharacterService.rename)


class BlockingAgentNoteService(BlockingService, namespace="agent_notes"):
    """Keeps what agents say on a user's behalf: without secrets, and with orders that may be planted held back."""

    remember = blocking(AgentNoteService.remember)
