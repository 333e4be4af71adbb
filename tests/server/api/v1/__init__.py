"""Tests of the REST API under `/v1`."""
