"""Pictures: structure graphs now; schemes, plots and animation come to this room."""
