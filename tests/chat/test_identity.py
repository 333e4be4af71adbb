import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from tables import check_each
from toldonce.chat.identity import IDENTITY_HEADERS, IdentityPolicy, identify, is_private_header
from toldonce.errors import BadIdentityError, BadRequestError, BadSettingError
from toldonce.testing import NEW_YEAR
from toldonce.types import Identity, MemoryMode, RequestScope, Subject

SECRET = "a secret of Open WebUI and ours, 32 bytes or more"
LOOPBACK = IdentityPolicy(default_user="local", trusted=True, jwt_secret=None)
NETWORK = replace(LOOPBACK, trusted=False)
SIGNED = replace(LOOPBACK, jwt_secret=SECRET)
NOW_S = int(NEW_YEAR.timestamp())
CLAIMS: Mapping[str, Any] = {"iss": "open-webui", "sub": "ana", "iat": NOW_S, "exp": NOW_S + 300, "name": "Ana"}


def token(*, secret: str = SECRET, algorithm: str = "HS256", without: str = "", **changed: Any) -> bytes:
    claims = {name: value for name, value in {**CLAIMS, **changed}.items() if name != without}
    return jwt.PyJWS().encode(json.dumps(claims).encode(), secret, algorithm=algorithm).encode()


def ask(
    *headers: tuple[bytes, bytes], policy: IdentityPolicy = LOOPBACK, path: str | None = None, body: str | None = None
) -> Identity:
    return identify(headers, path_user=path, body_user=body, policy=policy, now=NEW_YEAR)


def refusal(
    *headers: tuple[bytes, bytes], policy: IdentityPolicy = LOOPBACK, path: str | None = None, body: str | None = None
) -> str:
    with pytest.raises(BadIdentityError) as caught:
        ask(*headers, policy=policy, path=path, body=body)
    return str(caught.value)


def test_without_any_identity_a_loopback_request_is_the_default_users() -> None:
    assert ask() == Identity(subject=Subject("user", "local"), memory=MemoryMode.ON)
    assert ask(policy=replace(LOOPBACK, default_user="")).subject is None


def test_off_loopback_no_plain_name_is_believed() -> None:
    everything = ((b"x-openwebui-user-id", b"ana"), (b"x-toldonce-user", b"ana"))
    assert ask(*everything, policy=NETWORK, path="ana", body="ana").subject is None
    assert ask(policy=NETWORK).subject is None


@check_each(
    ("headers", "path", "body"),
    [
        ([(b"x-openwebui-user-id", b"ana")], None, None),
        ([(b"X-OpenWebUI-User-Id", b" ana\t")], None, None),
        ([(b"x-toldonce-user", b"ana")], None, None),
        ([(b"X-ToldOnce-User", b"user:ana")], None, None),
        ([], "ana", None),
        ([], "user:ana", None),
        ([], None, "ana"),
        ([(b"x-openwebui-user-id", b"ana"), (b"x-toldonce-user", b"user:ana")], "ana", "marcus"),
        ([(b"x-toldonce-user", b"ana")], None, "marcus"),
        ([], "ana", "marcus"),
    ],
)
def test_on_loopback_each_way_to_name_a_user_is_believed_in_its_order(
    headers: list[tuple[bytes, bytes]], path: str | None, body: str | None
) -> None:
    assert ask(*headers, path=path, body=body).subject == Subject("user", "ana")


@check_each("name", ["app:calendar", "global", "shared:team", "ANA", "аna", "ana ", "user:ana", "a,b", "☕"])
def test_a_name_is_taken_literally_and_never_opens_another_kind_of_subject(name: str) -> None:
    assert ask((b"x-openwebui-user-id", name.encode())).subject == Subject("user", name.strip())


def test_a_value_that_is_not_utf_8_is_read_as_latin_1() -> None:
    assert ask((b"x-toldonce-user", b"Jos\xe9")).subject == Subject("user", "José")
    assert ask((b"x-toldonce-user", "José".encode())).subject == Subject("user", "José")


def test_an_empty_user_in_the_body_names_no_user() -> None:
    assert ask(body="").subject == Subject("user", "local")
    assert ask(policy=SIGNED, body="").subject is None


def test_a_signed_header_names_its_subject() -> None:
    assert ask((b"X-OpenWebUI-User-Jwt", token()), policy=SIGNED).subject == Subject("user", "ana")
    assert ask((b"x-openwebui-user-jwt", token()), policy=replace(SIGNED, trusted=False)).subject == Subject(
        "user", "ana"
    )


def test_a_signed_header_overrides_the_bodys_user() -> None:
    assert ask((b"x-openwebui-user-jwt", token()), policy=SIGNED, body="marcus").subject == Subject("user", "ana")


def test_with_a_secret_a_request_without_identity_is_anonymous() -> None:
    assert ask(policy=SIGNED).subject is None


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": NOW_S - 59, "iat": NOW_S - 359},
        {"iat": NOW_S + 60},
        {"nbf": NOW_S + 60},
        {"iat": NOW_S + 0.5, "exp": NOW_S + 300.5},
    ],
)
def test_a_token_is_valid_within_a_minute_of_its_times(claims: dict[str, Any]) -> None:
    assert ask((b"x-openwebui-user-jwt", token(**claims)), policy=SIGNED).subject == Subject("user", "ana")


def test_the_time_of_a_token_is_checked_by_the_given_clock() -> None:
    headers = [(b"x-openwebui-user-jwt", token())]
    later = NEW_YEAR + timedelta(minutes=7)
    with pytest.raises(BadIdentityError, match="expired"):
        identify(headers, path_user=None, body_user=None, policy=SIGNED, now=later)


# ---- forged identities

JWT = b"x-openwebui-user-jwt"
ID = b"x-openwebui-user-id"
USER = b"x-toldonce-user"


def part(value: object) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def unsigned(algorithm: str) -> bytes:
    return part({"alg": algorithm, "typ": "JWT"}) + b"." + part(dict(CLAIMS)) + b"."


def tampered() -> bytes:
    head, _, signature = token().split(b".")
    return b".".join((head, part({**CLAIMS, "sub": "marcus"}), signature))


DEEP = base64.urlsafe_b64encode(b"[" * 20_000).rstrip(b"=") + b".e30.AAAA"

FORGED_TOKENS = [
    pytest.param(unsigned("none"), id="alg none"),
    pytest.param(unsigned("None"), id="alg None"),
    pytest.param(unsigned("HS256"), id="no signature"),
    pytest.param(token(algorithm="HS512", secret=SECRET * 2), id="another algorithm and key"),
    pytest.param(token(algorithm="HS384"), id="another algorithm, the right key"),
    pytest.param(token(secret=SECRET[:-1] + "x"), id="wrong key"),
    pytest.param(token(secret="x" * 32), id="somebody's key"),
    pytest.param(tampered(), id="claims changed behind the signature"),
    pytest.param(token(exp=NOW_S - 60), id="expired"),
    pytest.param(token(exp=NOW_S - 86_400), id="expired yesterday"),
    pytest.param(token(iat=NOW_S + 61), id="from the future"),
    pytest.param(token(nbf=NOW_S + 3600), id="not valid yet"),
    pytest.param(token(iss="evil-webui"), id="another issuer"),
    pytest.param(token(iss=["open-webui"]), id="a list of issuers"),
    pytest.param(token(without="iss"), id="no issuer"),
    pytest.param(token(without="exp"), id="no expiry"),
    pytest.param(token(without="iat"), id="no time of issue"),
    pytest.param(token(without="sub"), id="no subject"),
    pytest.param(token(sub=""), id="empty subject"),
    pytest.param(token(sub="a\nb"), id="a control character in the subject"),
    pytest.param(token(sub="a" * 513), id="endless subject"),
    pytest.param(token(sub=7), id="a number for a subject"),
    pytest.param(token(sub=None), id="null for a subject"),
    pytest.param(token(exp=True), id="a truth value for a time"),
    pytest.param(token(exp=str(NOW_S + 300)), id="a string for a time"),
    pytest.param(token(exp=float("nan")), id="NaN for a time"),
    pytest.param(token(exp=float("inf")), id="for ever"),
    pytest.param(token(exp=10**400), id="later than any time"),
    pytest.param(token(iat=None), id="null for a time"),
    pytest.param(token(aud="another service"), id="meant for another audience"),
    pytest.param(token() + b"x", id="something behind the signature"),
    pytest.param(b"Bearer " + token(), id="with a scheme in front"),
    pytest.param(b"", id="empty"),
    pytest.param(b"ana", id="a plain name"),
    pytest.param(b"..", id="empty parts"),
    pytest.param(b"a.b.c.d.e", id="five parts"),
    pytest.param(b"\xff\xfe.\xff.\xff", id="bytes"),
    pytest.param(DEEP, id="a head of 20,000 brackets"),
]


@check_each("forged", FORGED_TOKENS)
def test_a_forged_token_is_refused_by_name(forged: bytes) -> None:
    assert "x-openwebui-user-jwt" in refusal((JWT, forged), policy=SIGNED)


@pytest.mark.parametrize(
    ("headers", "path", "body", "named"),
    [
        pytest.param([(ID, b"ana")], None, None, "x-openwebui-user-id", id="id header alone"),
        pytest.param([(USER, b"ana")], None, None, "x-toldonce-user", id="our header alone"),
        pytest.param([], "ana", None, "path", id="path alone"),
        pytest.param([], None, "ana", "user", id="body alone"),
        pytest.param([(JWT, token()), (ID, b"marcus")], None, None, "x-openwebui-user-id", id="beside a good token"),
        pytest.param([(JWT, token()), (ID, b"ana")], None, None, "x-openwebui-user-id", id="the same beside a token"),
        pytest.param([(JWT, token()), (USER, b"marcus")], None, None, "x-toldonce-user", id="ours beside a token"),
        pytest.param([(JWT, token())], "marcus", None, "path", id="path beside a token"),
        pytest.param([(b"X-TOLDONCE-USER", b"ana")], None, None, "x-toldonce-user", id="in capitals"),
        pytest.param([(USER, b"")], None, None, "x-toldonce-user", id="empty"),
    ],
)
@pytest.mark.parametrize("trusted", [True, False])
def test_with_a_secret_every_plain_name_is_refused(
    headers: list[tuple[bytes, bytes]], path: str | None, body: str | None, named: str, trusted: bool
) -> None:
    assert named in refusal(*headers, policy=replace(SIGNED, trusted=trusted), path=path, body=body)


@pytest.mark.parametrize("policy", [LOOPBACK, NETWORK, SIGNED])
@pytest.mark.parametrize(
    "name",
    [*IDENTITY_HEADERS, "x-openwebui-chat-id", "x-toldonce-session", "x-toldonce-memory", "x-toldonce-profile"],
)
def test_a_header_that_comes_twice_is_refused_even_with_the_same_value(name: str, policy: IdentityPolicy) -> None:
    for other in (name, name.upper()):
        assert name in refusal((name.encode(), b"on"), (other.encode(), b"on"), policy=policy)


@pytest.mark.parametrize("policy", [LOOPBACK, NETWORK])
def test_a_token_without_a_secret_is_refused_with_the_setup_hint(policy: IdentityPolicy) -> None:
    assert "TOLDONCE_JWT_SECRET" in refusal((JWT, token()), policy=policy)


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ([(ID, b"ana"), (USER, b"marcus")], None),
        ([(USER, b"ana")], "marcus"),
        ([(ID, b"ana")], "marcus"),
        ([(ID, b"ana"), (USER, b"ANA")], None),
    ],
)
def test_sources_that_contradict_each_other_are_refused(headers: list[tuple[bytes, bytes]], path: str | None) -> None:
    assert "different users" in refusal(*headers, path=path)


@pytest.mark.parametrize("value", [b"a\x00b", b"a\x7f", b"a" * 513, b"\x1b[31m"])
def test_a_header_that_cannot_be_a_name_is_refused_by_its_own_name(value: bytes) -> None:
    assert "x-toldonce-user" in refusal((USER, value))
    assert "x-openwebui-user-id" in refusal((ID, value))


def test_a_path_that_cannot_be_a_name_is_refused() -> None:
    for path in ("", "a\nb", "\udcff"):
        assert "path" in refusal(path=path)


@pytest.mark.parametrize("user", ["a\nb", "\ud83d", "a\0b", "a" * 513])
def test_a_body_whose_user_cannot_be_a_name_is_anonymous(user: str) -> None:
    assert ask(body=user).subject is None
    assert ask((b"x-toldonce-memory", b"read"), body=user).subject is None


@pytest.mark.parametrize("value", [b"", b"  "])
def test_an_empty_header_counts_as_absent(value: bytes) -> None:
    identity = ask((JWT, value), (ID, value), (USER, value), (b"x-toldonce-memory", value))
    assert (identity.subject, identity.memory) == (Subject("user", "local"), MemoryMode.ON)


@pytest.mark.parametrize("policy", [LOOPBACK, NETWORK, SIGNED])
def test_with_memory_off_a_bad_identity_does_not_break_the_chat(policy: IdentityPolicy) -> None:
    off = (b"x-toldonce-memory", b"off")
    for headers in ([(USER, b"a"), (USER, b"b")], [(ID, b"a"), (USER, b"b")], [(USER, b"a\0")], [(JWT, b"forged")]):
        identity = ask(*headers, off, policy=policy, path="\udcff", body="a\nb")
        assert (identity.subject, identity.memory) == (None, MemoryMode.OFF)


def test_the_default_user_is_a_users_name_whatever_it_looks_like() -> None:
    assert ask(policy=replace(LOOPBACK, default_user="app:cal")).subject == Subject("user", "app:cal")


@pytest.mark.parametrize("secret", ["", " "])
def test_a_secret_that_everybody_knows_is_refused_at_the_start(secret: str) -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_JWT_SECRET"):
        replace(LOOPBACK, jwt_secret=secret)


# ---- how memory serves


def test_memory_is_on_read_record_or_off() -> None:
    modes = (
        (b"on", "ON"),
        (b"active", "ON"),
        (b"Active", "ON"),
        (b"READ", "READ"),
        (b"record", "RECORD"),
        (b" off ", "OFF"),
    )
    for value, mode in modes:
        assert ask((b"X-ToldOnce-Memory", value)).memory is MemoryMode[mode]


@pytest.mark.parametrize("value", [b"yes", b"on,off", b"\xff"])
def test_another_memory_mode_is_refused_with_what_it_takes(value: bytes) -> None:
    with pytest.raises(BadRequestError, match=r"on \(or active\), read, record or off"):
        ask((b"x-toldonce-memory", value))


def test_a_profile_is_the_named_one_or_that_of_the_key() -> None:
    keyed = replace(LOOPBACK, key_profiles={"sk-app": "app", "sk-other": "user"})
    authorized = (b"Authorization", b"Bearer sk-app")
    assert ask((b"x-toldonce-profile", b"tiered")).scope == RequestScope(profile="tiered")
    assert ask((b"x-toldonce-profile", b"")).scope == RequestScope()
    assert ask(authorized, policy=keyed).scope == RequestScope(key_profile="app")
    assert ask(authorized, (b"x-toldonce-profile", b"session"), policy=keyed).scope.profile == "session"
    assert ask((b"authorization", b"Bearer sk-ap"), policy=keyed).scope == RequestScope()


def test_characters_app_and_interaction_are_read() -> None:
    scope = ask(
        (b"x-toldonce-characters", b"system=Kira; user=Marcus"),
        (b"x-toldonce-app", b"calendar"),
        (b"x-toldonce-interaction", b"qa"),
    ).scope
    assert scope == RequestScope(characters=("Kira", "Marcus"), app="calendar", interaction="qa")


@pytest.mark.parametrize("value", [b"Kira", b"system=Kira", b"system=; user=Marcus", b"system=A; user=B; other=C"])
def test_characters_that_cannot_be_read_are_refused_with_an_example(value: bytes) -> None:
    with pytest.raises(BadRequestError, match="system=Kira; user=Marcus"):
        ask((b"x-toldonce-characters", value))


def test_open_webuis_chat_is_a_conversation_with_its_history() -> None:
    identity = ask((b"x-openwebui-chat-id", b"4f-2"), (b"x-toldonce-session", b"other"))
    assert (identity.conversation, identity.append, identity.temporary) == ("4f-2", False, False)


@pytest.mark.parametrize("chat", [b"local", b"local:socket-1", b"local-1"])
def test_a_temporary_chat_is_marked(chat: bytes) -> None:
    identity = ask((b"x-openwebui-chat-id", chat))
    assert (identity.conversation, identity.temporary) == (chat.decode(), True)


def test_a_session_of_any_name_may_send_only_its_newest_message() -> None:
    identity = ask((b"x-openwebui-chat-id", b""), (b"x-toldonce-session", b"local-radio"))
    assert (identity.conversation, identity.append, identity.temporary) == ("local-radio", True, False)


def test_without_an_id_the_conversation_is_open() -> None:
    identity = ask((b"x-toldonce-session", b" "))
    assert (identity.conversation, identity.append, identity.temporary) == (None, False, False)


def test_an_endless_conversation_id_is_refused() -> None:
    with pytest.raises(BadRequestError, match="x-toldonce-session"):
        ask((b"x-toldonce-session", b"a" * 513))


def test_our_headers_and_open_webuis_never_go_upstream() -> None:
    for name in (*(header.encode() for header in IDENTITY_HEADERS), b"X-ToldOnce-Anything", b"x-openwebui-user-email"):
        assert is_private_header(name)
    for name in (b"authorization", b"x-request-id", b"x-toldoncelike", b"openai-organization"):
        assert not is_private_header(name)


NAMES = st.sampled_from([JWT, ID, USER, b"X-ToldOnce-Memory", b"x-toldonce-session", b"x-openwebui-chat-id", b"accept"])
WHO = st.none() | st.text(max_size=5)


@fuzzed(300)
@given(st.lists(st.tuples(NAMES, st.binary(max_size=12)), max_size=4), WHO, WHO, st.sampled_from([NETWORK, SIGNED]))
def test_no_bytes_make_somebody_of_a_request_that_proves_nothing(
    headers: list[tuple[bytes, bytes]], path: str | None, body: str | None, policy: IdentityPolicy
) -> None:
    try:
        identity = ask(*headers, policy=policy, path=path, body=body)
    except (BadIdentityError, BadRequestError):
        return
    assert identity.subject is None
