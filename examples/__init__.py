"""Small programs that put federated memory into the graphs people build; the tests run each."""
