"""Names of secrets in the languages of the rules, and words that are no value of one. Data, as regular expressions.

A family's names share the form of its values: a PIN is four digits in every language.
"""

from collections.abc import Mapping

from toldonce.extraction.secret_kinds.formats import id_formats

PASSWORDS = (
    r"passwort|passvort|kennwort|wachtwoord|pass[ -]?words?|passwds?|passwrd|pwd|pw|psw|psk|pass[ -]?phrase|"
    r"pre-?shared[ _-]key|(?:wi-?fi|wlan|network|wpa2?)[ _-](?:key|pass)|"
    r"contrase[ñn]a|palabra clave|mot de passe|mdp|parola d[’']ordine|"
    r"parola chiave|senha|palavra[ -]passe|пароль|пароля|паролем|пароли|has[łl]o|lösenord(?:et)?|passord(?:et)?|"
    r"adgangskode|"
    r"şifre(?:m|si)?|salasana|heslo|jelszó|κωδικός|סיסמה|كلمة (?:المرور|السر)|비밀번호|密码|密碼|口令|"
    r"パスワード|पासवर्ड"
)
# Names that other words run into: 'Netflixpasswort'.
WORD_ENDINGS = ("passwort", "passvort", "kennwort", "wachtwoord")
# Names with other meanings, or of words that are often named: a plain word after them is no value.
WEAK_PASSWORDS = r"pass|clave"
_PLACES = (
    r"front[ -]door|back[ -]door|door|gate|garage|alarm|entry|entrance|access|lock[ -]?box|lock|unlock|"
    r"key[ -]?pad|safe|vault|building|"
    r"lobby|locker|voice[ -]?mail|sim|phone|screen|parental|disarm|apartment|flat|elevator|bike|padlock|house|"
    r"office|security|card|atm|"
    r"bank|debit|credit|secret|tablet|laptop"
)
CODES = (
    rf"(?:(?:{_PLACES})(?:[’']s)?[ _-]+(?:lock[ -])?)?(?:pin(?:[ -]?(?:code|number))?|pass[ -]?code|combination|"
    rf"combo)|puk(?:[ -]?code)?|"
    rf"cv[vc]2?(?:[ -](?:code|number))?|(?:{_PLACES})(?:[’']s)?(?:[ _-]+(?:lock|unlock))?[ _-]+codes?|"
    rf"verification value|"
    r"geheimzahl|(?:tür|haus(?:tür)?|tor|alarm|zugangs|entsperr|sperr|safe|tresor|garagen?n?)[ -]?code|"
    r"kartenprüfnummer|prüfziffer|"
    r"pincode|(?:deur|alarm|toegangs|poort|ontgrendel|kluis)code|"
    r"c[óo]digo (?:pin|de (?:la |el )?(?:puerta|alarma|acceso|desbloqueo|entrada|caja fuerte|portal)|"
    r"del (?:portal|garaje|candado))|"
    r"code (?:pin|secret|wifi|de (?:l[’']immeuble|l[’']alarme|la (?:porte|résidence)|déverrouillage)|"
    r"d[’'](?:entrée|accès)|du (?:portail|coffre))|"
    r"digicode|cryptogramme|codice (?:pin|segreto|della (?:porta|cassaforte)|dell[’']allarme|di (?:accesso|"
    r"sblocco)|del cancello)|"
    r"c[óo]digo (?:da porta|do (?:alarme|portão|cofre|prédio)|de (?:acesso|desbloqueio))|"
    r"пин(?:-?код\w{0,3})?|код (?:от )?(?:двери|домофона|сигнализации|подъезда|доступа|замка|сейфа)|код домофона|"
    r"PIN码|门禁(?:密)?码|门锁密码|支付密码|取款密码|安全码|銀行カードの暗証番号|暗証番号|PINコード|"
    r"セキュリティコード|解除コード|ドアコード"
)
BARE_CODES = r"codes?|c[óo]digo|codice|код|コード"
ONE_TIME = (
    r"(?:one[ -]?time|verification|security|log-?in|sign-?in|auth(?:entication|enticator)?|confirmation|"
    r"back-?up|recovery|access|2fa|"
    r"mfa|sms|two[ -]factor|activation|reset)[ -]+(?:pass)?(?:codes?|pin|password|passcodes?)|otp(?: code)?|2fa|"
    r"tan|mtan|sms-?tan|"
    r"(?:bestätigungs|verifizierungs|sicherheits|einmal|aktivierungs|anmelde|authentifizierungs|"
    r"freischalt)(?:code|passwort|kennwort)|"
    r"c[óo]digo de (?:verificaci[óo]n|confirmaci[óo]n|un solo uso|seguridad|activaci[óo]n|autenticaci[óo]n)|"
    r"code (?:de (?:vérification|confirmation|validation|sécurité)|d[’'](?:activation|authentification)|"
    r"à usage unique)|"
    r"codice (?:di (?:verifica|conferma|sicurezza|attivazione|autenticazione)|otp|monouso)|"
    r"c[óo]digo de (?:verificação|confirmação|segurança|ativação|autenticação)|"
    r"(?:verificatie|bevestigings|beveiligings|activerings|inlog)code|eenmalige code|код (?:подтверждения|"
    r"из смс|проверки|активации|безопасности)|"
    r"验证码|驗證碼|校验码|認証コード|確認コード|認証番号|ワンタイムパスワード"
)
PHRASES = (
    r"(?:seed|recovery|back-?up|secret|mnemonic|wallet|ledger|trezor|metamask)[ -]+(?:phrase|words|seed)|"
    r"mnemonic|seed|(?:12|24|twelve|"
    r"twenty-?four)(?: \w{1,12})? words|(?:wiederherstellungs|seed-?|sicherungs)(?:phrase|wörter)|"
    r"frase (?:semilla|de recuperación|di recupero|"
    r"seed|de recuperação)|phrase (?:de récupération|secrète)|herstel(?:zin|woorden)|сид-?фраза|"
    r"фраза восстановления|助记词|助記詞|リカバリーフレーズ|"
    r"シードフレーズ"
)
KEYS = (
    r"(?:api|access|private|secret|signing|encryption|master|account|storage|licen[sc]e|product|activation|"
    r"wallet|deploy|ssh|service|server|"
    r"client|consumer|application|app|webhook|shared[ _-]?access|function|host|admin|subscription|serial|cd|"
    r"windows|office|root|user|"
    r"integration|ingest|session|cookie|jwt|hmac|salt|recovery)[ _-]?(?:api[ _-]?)?(?:key|secret|"
    r"token)(?:[ _-]?(?:id|data|base64|hash|value))?|"
    r"(?:auth|access|refresh|session|bot|id|bearer|personal access|api|device|push|csrf|oauth|login|"
    r"registration|join|reset|jwt|page|user)[ _-]?"
    r"token|token|secret|authtoken|apikey|accountkey|sharedaccesskey|session[ _-]?id|phpsessid|jsessionid|"
    r"api-?schlüssel|zugangsschlüssel|lizenzschlüssel|produktschlüssel|clave (?:de api|api|secreta|privada|"
    r"de licencia|de producto)|"
    r"clé (?:api|d[’']api|secrète|privée|de licence|de produit)|jeton(?: d[’']accès)?|chiave (?:api|segreta|"
    r"privata|di licenza|prodotto)|"
    r"chave (?:de api|da api|api|secreta|privada|de licença|pix)|(?:api|licentie|product)-?sleutel|(?:api|"
    r"апи)[ -]?ключ|ключ (?:api|лицензии|доступа)|"
    r"секретный ключ|токен|密钥|密鑰|秘钥|令牌|授权码|激活码|APIキー|シークレット(?:キー)?|アクセスキー|"
    r"ライセンスキー|プロダクトキー|トークン"
)
BARE_KEYS = r"keys?|schlüssel|clé|clef|llave|chiave|chave|sleutel|ключ|キー|鍵"
ACCOUNTS = (
    r"(?:bank |checking |savings |current |giro)?(?:account|acct\.?|a/c)(?: (?:number|num|no\.?|nr\.?|#)|[ ]?#)|"
    r"acct|bank account|account and routing|"
    r"kontonummer|konto-?nr\.?|bankkonto|girokonto|n[úu]mero de (?:mi )?cuenta|n\.?º de cuenta|cuenta bancaria|"
    r"numéro de (?:mon )?compte|"
    r"compte bancaire|rib|numero (?:di|del(?: mio)?) conto|conto corrente|n[úu]mero da (?:minha )?conta|"
    r"conta (?:bancária|corrente)|"
    r"(?:bank)?rekeningnummer|bankrekening|номер (?:моего )?сч[её]та|расч[её]тный сч[её]т|лицевой сч[её]т|"
    r"银行账号|银行卡号|银行账户|账号|口座番号|銀行口座|계좌번호"
)
BARE_ACCOUNTS = r"account|konto|cuenta|compte|conto|conta|rekening|сч[её]т|口座|账户"

# Words before a bare "code" that make it no secret: 'error code', 'postal code'.
NO_SECRET_CODES = (
    r"(?:error|exit|zip|post(?:al)?|area|country|dial(?:l?ing)?|promo(?:tion(?:al)?)?|discount|coupon|voucher|"
    r"referral|gift|status|product|"
    r"item|order|course|bar|qr|http|response|source|class|dress|colou?r|flight|airport|unicode|ascii|morse|zone|"
    r"department|job|"
    r"language|currency|building|penal|civil|tax|hs|sic|icd|cpt|billing|invite|tracking|booking|confirmation|"
    r"postal|codigo|swift|bic|"
    r"return|fehler|postleit|länder|vorwahl|rabatt|gutschein|promo|erreur|postale?|promotionnel|descuento|"
    r"errore|sconto|desconto|erro|"
    r"fout|korting|ошибки|промо)[ -]?$"
)

# Placeholders, and words that are no secrets.
PLACEHOLDERS = (
    r"null|none|nil|true|false|undefined|required|optional|string|str|text|int|wrong|invalid|missing|empty|"
    r"expired|hidden|"
    r"change_?me|value|placeholder|example|your[-_]?[a-z_-]{0,40}|my[-_](?:secret|password|api|key|"
    r"token)[a-z_-]{0,40}|x{3,40}|"
    r"\*{3,40}|\.{3,40}|•{3,40}|…|n/?a|tbd|todo|redacted|(?:os|process|self|config|settings|env|secrets)\..*|"
    r"getenv.*|<.*|\{.*|"
    r"\[.*|\(.*|\$(?:[{(].*|[A-Z_]{1,60})|%[\w(].*|https?://.*|[\w.-]{1,60}\(.*"
)
# Parts of the names of variables: `password=hashed_password` holds none.
VARIABLE_PARTS = frozenset(
    (
        "password passwd secret token hash key pass pwd pw pin id user name value env config settings request form "
        "json data ключ пароль"
    ).split()
)


_MAX_SHORT = 5
SHORT_ID_NAMES = frozenset(name for known in id_formats() for name in known.names if len(name) <= _MAX_SHORT)
_AS_WRITTEN = {".": r"\.", "'": "[’']", "-": "[ -]?", " ": "[ _-]", "/": "/"}


def _id_names(*, is_short: bool) -> str:
    """Return the names of ids as one expression, longest first; a short one is a word of some language as well."""
    names = {name for known in id_formats() for name in known.names}
    chosen = sorted(
        (name for name in names if (len(name) <= _MAX_SHORT and name.isascii()) == is_short), key=len, reverse=True
    )
    return "|".join("".join(_AS_WRITTEN.get(char, char) for char in name) for name in chosen)


# Families in the order in which names are tried at one place.
FAMILIES: Mapping[str, str] = {
    "one_time_code": ONE_TIME,
    "code": CODES,
    "phrase": PHRASES,
    "key": KEYS,
    "id": _id_names(is_short=False),
    "short_id": _id_names(is_short=True),
    "account": ACCOUNTS,
    "password": PASSWORDS,
    "weak_password": WEAK_PASSWORDS,
    "bare_code": BARE_CODES,
    "bare_key": BARE_KEYS,
    "bare_account": BARE_ACCOUNTS,
}
