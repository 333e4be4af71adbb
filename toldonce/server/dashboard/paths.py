"""Paths of the dashboard. Pure."""

from urllib.parse import quote, urlencode

ROOT = "/dashboard"
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
PROVIDER = f"{LOGIN}/provider"
"""Leads to the OpenID provider."""
RETURN = f"{LOGIN}/return"
"""Where the provider sends people back to."""
STATIC = f"{ROOT}/static/"


def is_dashboard_path(path: str) -> bool:
    """Return whether a decoded path is the dashboard's.

    >>> is_dashboard_path("/dashboard"), is_dashboard_path("/dashboard/keys"), is_dashboard_path("/dashboards")
    (True, True, False)
    """
    return path == ROOT or path.startswith(ROOT + "/")


def is_open_page(path: str) -> bool:
    """Return whether everyone may open a page: the login, and what it looks like.

    >>> is_open_page("/dashboard/login"), is_open_page("/dashboard/static/style.css"), is_open_page("/dashboard/keys")
    (True, True, False)
    """
    return path in (LOGIN, PROVIDER, RETURN) or path.startswith(STATIC)


def page_path(*steps: str, **query: str) -> str:
    """Return the URL of a page: its steps below the root, escaped, and its query.

    >>> page_path("subjects", "user:a/b", q="red tea")
    '/dashboard/subjects/user%3Aa%2Fb?q=red+tea'
    """
    path = "/".join([ROOT, *(quote(step, safe="") for step in steps)])
    return f"{path}?{urlencode(query)}" if query else path


def is_own_page(target: str) -> bool:
    """Return whether a target to go on to, which anybody may have written, is a page of the dashboard.

    >>> is_own_page("/dashboard/keys?a=b"), is_own_page("//evil.example/dashboard"), is_own_page("/dashboard\\\\@evil")
    (True, False, False)
    """
    return is_dashboard_path(target.partition("?")[0]) and "\\" not in target and target.isprintable()
