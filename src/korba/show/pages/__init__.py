"""Pages that play, live and are filmed."""
