"""Every limit and every check: one table (`limits`), and one module per thing that is checked."""
