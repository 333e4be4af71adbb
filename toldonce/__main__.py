"""`python -m toldonce`, and the command `toldonce`. Hooks run at each prompt, and load none of the other commands."""

import sys

_HOOK_OPTIONS = ("--url", "--database", "--user", "--timeout", "--client", "--status-line")


def main() -> None:
    """Run the command line and exit."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and (len(arguments) == 1 or arguments[1].startswith(_HOOK_OPTIONS)):
        from toldonce.hook.command import main as run_hook

        run_hook(arguments[1:])
    from toldonce.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
