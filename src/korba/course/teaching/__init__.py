"""For lessons: methods step by step, exercises with numbers of one's own, and answers checked."""
