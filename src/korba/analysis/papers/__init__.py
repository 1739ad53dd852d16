"""The four papers' equations at one state: every quantity by the paper's own name."""
