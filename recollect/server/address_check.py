"""The last check of `recollect doctor`: the server's address. Binds a port, and asks who has it."""

from recollect.errors import PortInUseError, SetupError
from recollect.server.doctor import Finding, fail, ok
from recollect.server.http_server import bind
from recollect.server.origin_guard import is_loopback
from recollect.server.probe import answers
from recollect.settings import Settings


async def address_finding(settings: Settings) -> Finding:
    """Report whether a server can listen at its address, or listens there already."""
    what, host, port = "address", settings.host, settings.port
    if port == 0:
        return ok(what, f"{host}, any free port")
    open_to = "" if is_loopback(host) else " (reachable from other machines)"
    try:
        bind(host, port).close()
    except PortInUseError as error:
        near = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        if await answers(f"http://{f'[{near}]' if ':' in near else near}:{port}"):
            return ok(what, f"a Recollect server answers on {host}:{port}{open_to}")
        return fail(what, str(error))
    except SetupError as error:
        return fail(what, str(error))
    return ok(what, f"{host}:{port} is free{open_to}")
