"""The last check of `toldonce doctor`: the server's address. Binds a port, and asks who has it."""

from toldonce.errors import PortInUseError, SetupError
from toldonce.server.doctor import Finding, fail, ok
from toldonce.server.http_server import bind
from toldonce.server.origin_guard import is_loopback
from toldonce.server.probe import answers
from toldonce.settings import Settings


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
            return ok(what, f"a ToldOnce server answers on {host}:{port}{open_to}")
        return fail(what, str(error))
    except SetupError as error:
        return fail(what, str(error))
    return ok(what, f"{host}:{port} is free{open_to}")
