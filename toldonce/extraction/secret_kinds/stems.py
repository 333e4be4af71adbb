"""A cheap look at which families of names a text may hold: most texts hold none. Pure."""

from toldonce.extraction.secret_kinds.names import SHORT_ID_NAMES

# Families whose values have at least so many digits.
MIN_DIGITS = {
    "one_time_code": 3,
    "code": 3,
    "bare_code": 4,
    "id": 2,
    "short_id": 2,
    "account": 5,
    "bare_account": 7,
    "bare_key": 2,
}
# Parts of words of which each name of a family has one.
_STEMS = {
    "password": "pass pwd psk psw kennwort wachtwoord contrase palabra mdp parola senha palavra парол hasł "
    "haslo lösen adgang şifre "
    "salasana heslo jelsz κωδ סיס كلمة 비밀 密码 密碼 口令 パス पास wifi wi-fi wlan wpa network shared",
    "weak_password": "pass clave",
    "code": "pin code combination combo puk cvv cvc verification geheimzahl prüf código codigo codice digicode "
    "cryptogramme пин код "
    "门禁 门锁 支付 取款 安全 暗証 コード",
    "bare_code": "code código codigo codice код コード",
    "one_time_code": "code otp pin password 2fa tan código codigo codice код 验证 驗證 校验 認証 確認 "
    "ワンタイム passwort kennwort",
    "phrase": "phrase words seed mnemonic wörter frase zin woorden фраза 助记 助記 フレーズ",
    "key": "key secret token sessid session schlüssel clave clé jeton chiave chave sleutel ключ токен 密钥 密鑰 "
    "秘钥 令牌 授权 激活 キー シークレット "
    "トークン",
    "bare_key": "key schlüssel clé clef llave chiave chave sleutel ключ キー 鍵",
    "account": "acc a/c konto cuenta compte rib conto conta rekening сч 账 卡号 口座 계좌",
    "bare_account": "account konto cuenta compte conto conta rekening сч 口座 账",
}
_ASCII = {family: tuple(stem for stem in stems.split() if stem.isascii()) for family, stems in _STEMS.items()}
_OTHER = {family: tuple(stem for stem in stems.split() if not stem.isascii()) for family, stems in _STEMS.items()}
_SHORT_PASSWORDS = frozenset(("pw",))


def has_stem(folded: str, words: frozenset[str], family: str) -> bool:
    """Return whether a family's names may be in a text.

    Args:
        folded: The text in lower case.
        words: Its words.
        family: A key of `names.FAMILIES`.
    """
    if family == "id":
        return True
    if family == "short_id":
        return not words.isdisjoint(SHORT_ID_NAMES)
    if family == "password" and not words.isdisjoint(_SHORT_PASSWORDS):
        return True
    if has_any(folded, _ASCII[family]):
        return True
    return not folded.isascii() and has_any(folded, _OTHER[family])


def has_any(folded: str, stems: tuple[str, ...]) -> bool:
    """Return whether one of some stems is in a text."""
    for stem in stems:  # noqa: SIM110 - twice as fast as `any` over a generator, and nearly all texts go through all of them
        if stem in folded:
            return True
    return False
