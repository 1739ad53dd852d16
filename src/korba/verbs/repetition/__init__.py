"""Repeated programs: steps traced once for links that are alike, for mechanisms of many links."""
