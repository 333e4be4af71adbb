"""Who may call the server: API keys, JWTs of an identity provider, Open WebUI's signed header."""
