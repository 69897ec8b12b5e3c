"""Two of the files here run in Letta's own Python and are no tests."""

collect_ignore = ["create_schema.py", "run_server.py"]
