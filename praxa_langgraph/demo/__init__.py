"""A small customer story recalled from real, embedded memory providers.

Run it with `python -m praxa_langgraph.demo ["a question"] [--json]`.
"""
