"""Memory sources: one module per provider, and `base`, on which all of them stand."""
