"""The figures printed in the papers, one module for each paper, as plain tables."""
