"""Which `Host` headers a server answers to, on loopback and on open addresses."""

import json
import time

import pytest

from server.asgi import Call
from server.test_origin_guard import app
from toldonce.server.origin_guard import Authority, HostRule, OriginGuard, parse_authority

OWN = (
    "localhost",
    "LocalHost:8765",
    "localhost.:80",
    "a.b.localhost",
    "127.0.0.1",
    "127.200.3.4:65535",
    "[::1]",
    "[::1]:8765",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]:1",
)
# No server answers to these, wherever it listens.
MALFORMED = (
    "",
    " ",
    ":8765",
    "[::1]evil.example",
    "[::1].evil",
    "[::1].evil.example:8765",
    "[::1]:8765.evil.example",
    "[::1]8765",
    "[::1]:",
    "[::1]:80:80",
    "[::1",
    "::1",
    "::1]",
    "[[::1]]",
    "[]",
    "[localhost]",
    "[127.0.0.1]",
    "[::1%25lo]",
    "[::1%lo]:8765",
    "[::1]@evil.example",
    "localhost:8765@evil.example",
    "evil.example@localhost",
    "localhost:8765:8765",
    "localhost:",
    "localhost:abc",
    "localhost:-1",
    "localhost:+80",
    "localhost:65536",
    "localhost:0x50",
    "localhost: 80",
    "localhost:8\u00b2",
    "localhost/",
    "localhost/.evil.example",
    "localhost\\.evil.example",
    "localhost?.evil.example",
    "localhost#.evil.example",
    "localhost,evil.example",
    "localhost evil.example",
    "localhost\tevil.example",
    "localhost\x00.evil.example",
    "localhost\r\nx: y",
    "localhost..",
    ".localhost",
    "a..localhost",
    "-a.localhost",
    "%6cocalhost",
    "localhost%00.evil.example",
    "127.1",
    "127.0.0.01",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "127.0.0.256",
    "127.0.0.1.1",
    "1.0x7f",
    "http://localhost",
    "//localhost",
    "l\u00f6calhost",
    "a" * 64 + ".localhost",
    "a." * 127 + "localhost",
)
# Well-formed, but names that a stranger's name server can point anywhere.
FOREIGN = (
    "evil.example",
    "evil.example:8765",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "xlocalhost.example",
    "evillocalhost.com",
    "1.127.in-addr.arpa.example",
    "xn--lcalhost-n4a.com",
    "local.example",
    "memory.local.example",
)
LOCAL_NETWORK = (
    "10.0.0.7:8765",
    "[fd00::7]",
    "toldonce",
    "server:8765",
    "memory.local",
    "toldonce.default.svc",
    "toldonce.chat.svc.cluster.local:80",
    "host.docker.internal",
    "box.home.arpa",
)


async def status(host: str, *, loopback: bool, hosts: tuple[str, ...] = ()) -> int:
    call = Call(b"", {"host": host})
    await OriginGuard(app, loopback=loopback, origins=[], hosts=hosts)(call.scope(), call.receive(), call.send())
    return call.status


@pytest.mark.parametrize("loopback", [True, False])
@pytest.mark.parametrize("host", OWN)
async def test_names_of_this_machine_are_answered_everywhere(host: str, loopback: bool) -> None:
    assert await status(host, loopback=loopback) == 200


@pytest.mark.parametrize("loopback", [True, False])
@pytest.mark.parametrize("host", [*MALFORMED, *FOREIGN])
async def test_hostile_hosts_are_refused_everywhere(host: str, loopback: bool) -> None:
    assert await status(host, loopback=loopback) == 403


@pytest.mark.parametrize("host", LOCAL_NETWORK)
async def test_names_of_the_local_network_are_answered_on_an_open_address_alone(host: str) -> None:
    assert await status(host, loopback=False) == 200
    assert await status(host, loopback=True) == 403


@pytest.mark.parametrize("loopback", [True, False])
async def test_a_listed_name_is_answered_as_it_is_listed(loopback: bool) -> None:
    listed = ("memory.example.org", "chat.example.org:8443")
    for host in ("memory.example.org", "MEMORY.example.org.:443", "chat.example.org:8443"):
        assert await status(host, loopback=loopback, hosts=listed) == 200
    for host in ("chat.example.org", "x.memory.example.org", "memory.example.org.evil.example", "example.org"):
        assert await status(host, loopback=loopback, hosts=listed) == 403


@pytest.mark.parametrize("hosts", [("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost",) * 2])
async def test_a_second_host_is_refused_whatever_it_says(hosts: tuple[str, str]) -> None:
    call = Call(b"")
    scope = {**call.scope(), "headers": [(b"host", host.encode()) for host in hosts]}
    await OriginGuard(app, loopback=True, origins=[], hosts=())(scope, call.receive(), call.send())
    assert call.status == 403
    assert "more than one" in json.loads(call.text)["error"]["message"]


def test_an_authority_is_read_in_its_shortest_form() -> None:
    assert parse_authority("[0:0::1]:080") == Authority("::1", 80, is_address=True)
    assert parse_authority("EXAMPLE.org.") == Authority("example.org", None, is_address=False)


@pytest.mark.timing
@pytest.mark.parametrize("text", [":", "[", "]", ".", "a", "1", "a.", "1.", "::", "[:", "-", " ", "0x", "%2e"])
def test_long_hosts_are_read_in_linear_time(text: str) -> None:
    rule = HostRule(loopback=True, listed=[])
    began = time.process_time()
    assert not rule.allows(text * (100_000 // len(text)))
    assert time.process_time() - began < 1
