"""LlamaIndex's own memory with our block, in an environment that has LlamaIndex."""

from pathlib import Path

import pytest

from framework_environment import run_with_framework

LLAMA_INDEX = "llama-index-core==0.14.25"


@pytest.mark.process
def test_a_block_recalls_and_records_near_and_far() -> None:
    program = Path(__file__).with_name("llama_index_program.py")
    assert run_with_framework(program, LLAMA_INDEX) == ""
