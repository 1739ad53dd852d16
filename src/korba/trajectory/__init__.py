"""What moves: t, q, v and a of a mechanism, and what one asks of them."""
