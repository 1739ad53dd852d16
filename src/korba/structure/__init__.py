"""What can move: mobility, structural groups, rational variants."""
