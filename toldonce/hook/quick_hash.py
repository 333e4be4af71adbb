"""SHA-256 without OpenSSL: loading `hashlib` takes a hook longer than all that it hashes. Pure."""


def hex_digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes.

    >>> hex_digest(b"abc")[:16]
    'ba7816bf8f01cfea'
    """
    for name in ("_sha2", "_sha256", "hashlib"):  # since Python 3.12, before it, and everywhere
        try:
            digest: str = __import__(name).sha256(data).hexdigest()
        except (ImportError, AttributeError):
            continue
        return digest
    raise ImportError("there is no hashlib")
