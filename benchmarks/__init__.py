"""Measurements, always beside a peer or a floor in the same run; what counts are ratios."""
