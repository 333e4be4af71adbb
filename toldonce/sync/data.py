"""Namespaces of `ToldOnce`: apps, erasure, transfer, embedder."""

from toldonce.engine.apps import AppService
from toldonce.engine.embedder import EmbedderService
from toldonce.engine.erasure import ErasureService
from toldonce.engine.transfer import TransferService
from toldonce.sync.blocking_service import BlockingService, blocking


class BlockingAppService(BlockingService, namespace="apps"):
    """Apps of a user, and their memories by number."""

    register = blocking(AppService.register)
    list = blocking(AppService.list)
    remove = blocking(AppService.remove)
    memories = blocking(AppService.memories)
    count = blocking(AppService.count)
    delete_memory = blocking(AppService.delete_memory)
    delete_memories = blocking(AppService.delete_memories)
    memories_of_all_users = blocking(AppService.memories_of_all_users)
    delete_memories_of_all_users = blocking(AppService.delete_memories_of_all_users)
    delete_memory_of_all_users = blocking(AppService.delete_memory_of_all_users)
    remove_for_all_users = blocking(AppService.remove_for_all_users)


class BlockingErasureService(BlockingService, namespace="erasure"):
    """Permanent erasure of more than one memory. `AsyncToldOnce.erase` erases one."""

    messages = blocking(ErasureService.messages)
    conversation = blocking(ErasureService.conversation)
    subject = blocking(ErasureService.subject)
    finish = blocking(ErasureService.finish)


class BlockingTransferService(BlockingService, namespace="transfer"):
    """Export and import, in threads: others are answered meanwhile."""

    export_to = blocking(TransferService.export_to)
    import_from = blocking(TransferService.import_from)


class BlockingEmbedderService(BlockingService, namespace="embedder"):
    """The embedder in use, and its replacement."""

    status = blocking(EmbedderService.status)
    check = blocking(EmbedderService.check)
    try_out = blocking(EmbedderService.try_out)
    use = blocking(EmbedderService.use)
    reembed = blocking(EmbedderService.reembed)
