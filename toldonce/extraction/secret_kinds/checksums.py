"""Checksums of cards, accounts and national numbers, as their issuers publish them. Pure.

The rules are facts of ISO/IEC 7812 (cards), ISO 13616 (IBAN) and the offices that issue each number; python-stdnum's
documentation lists them with their sources.
"""

from collections.abc import Callable, Mapping, Sequence

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
# Characters of an IBAN by country (SWIFT's IBAN registry).
_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29
ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20
LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29
PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
YE30
"""
IBAN_LENGTHS = {item[:2]: int(item[2:]) for item in _LENGTHS.split()}
# Values of a codice fiscale's characters at odd places, 0 to 9 and A to Z alike (DM 12/03/1974).
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def compact(text: str) -> str:
    """Return the letters and digits of a text, in capitals.

    >>> compact("12-34 56x")
    '123456X'
    """
    return "".join(char for char in text if char.isalnum()).upper()


def is_luhn(digits: str) -> bool:
    """Return whether the last digit is right by Luhn's rule.

    >>> is_luhn("4111111111111111"), is_luhn("4111111111111112")
    (True, False)
    """
    numbers = [int(char) for char in digits]
    doubled = [number * 2 - 9 if number > 4 else number * 2 for number in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Return whether an account number has a its country's length and the right check digits (ISO 13616, mod 97).

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE89 3704 0044 0532 0130 01")
    (True, False)
    """
    number = compact(text)
    turned = number[4:] + number[:4]
    return len(number) == IBAN_LENGTHS.get(number[:2]) and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(char) * weight for char, weight in zip(digits, weights, strict=False))


def _is_ssn(number: str) -> bool:
    return number[:3] not in {"000", "666"} and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


def _is_nino(number: str) -> bool:
    return number[0] not in "DFIQUV" and number[1] not in "DFIOQUV" and number[:2] not in {"BG", "GB", "KN", "NK"}


def _is_ahv(number: str) -> bool:
    return -_weighted(number, (1, 3) * 6) % 10 == int(number[12])


def _is_nir(number: str) -> bool:
    return len(number) == 15 and 97 - int(number[:13]) % 97 == int(number[13:])


def _is_dni(number: str) -> bool:
    return _DNI_LETTERS[int(number[:8]) % 23] == number[8]


def _is_nie(number: str) -> bool:
    return _is_dni(str("XYZ".index(number[0])) + number[1:])


def _is_codice_fiscale(number: str) -> bool:
    places = [int(char) if char.isdigit() else ord(char) - ord("A") for char in number[:15]]
    return (sum(_ODD[place] for place in places[::2]) + sum(places[1::2])) % 26 == ord(number[15]) - ord("A")


def _is_cpf(number: str) -> bool:
    first = _weighted(number, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(number, range(11, 1, -1)) * 10 % 11 % 10
    return number[9:] == f"{first}{second}"


def _is_cnpj(number: str) -> bool:
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    first = -_weighted(number, weights[1:]) % 11 % 10
    second = -_weighted(number, weights) % 11 % 10
    return number[12:] == f"{first}{second}"


def _is_cuit(number: str) -> bool:
    return str(-_weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) == number[10]


def _is_rut(number: str) -> bool:
    check = -_weighted(number[-2::-1], (2, 3, 4, 5, 6, 7, 2, 3)) % 11
    return "0123456789K"[check] == number[-1]


def _is_cn_resident(number: str) -> bool:
    weights = [2 ** (17 - place) % 11 for place in range(17)]
    return "10X98765432"[_weighted(number, weights) % 11] == number[17]


def _is_kr_resident(number: str) -> bool:
    return (11 - _weighted(number, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10 == int(number[12])


def _is_snils(number: str) -> bool:
    return _weighted(number, range(9, 0, -1)) % 101 % 100 == int(number[9:])


def _is_be_national(number: str) -> bool:
    check = int(number[9:])
    return check in (97 - int(number[:9]) % 97, 97 - int("2" + number[:9]) % 97)


def _is_hetu(number: str) -> bool:
    return _HETU_LETTERS[int(number[:9]) % 31] == number[9]


def _is_any(number: str) -> bool:
    return bool(number)


# Checks by the name that `id_formats.csv` gives them; each takes the letters and digits of what its shape matched.
CHECKS: Mapping[str, Callable[[str], bool]] = {
    "ssn": _is_ssn,
    "nino": _is_nino,
    "ahv": _is_ahv,
    "nir": _is_nir,
    "dni": _is_dni,
    "nie": _is_nie,
    "codice_fiscale": _is_codice_fiscale,
    "cpf": _is_cpf,
    "cnpj": _is_cnpj,
    "cuit": _is_cuit,
    "rut": _is_rut,
    "curp": _is_any,
    "pan": _is_any,
    "cn_resident": _is_cn_resident,
    "kr_resident": _is_kr_resident,
    "snils": _is_snils,
    "be_national": _is_be_national,
    "personnummer": is_luhn,
    "hetu": _is_hetu,
}
