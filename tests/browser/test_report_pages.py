"""Reports in a browser: every picture is there, and the mechanism in them lives."""

import korba as kb


def test_a_report_shows_and_lives(opened, tmp_path):
    """Nothing is logged or asked for, no picture is blank, and the frame's mechanism moves."""
    kb.report(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), tmp_path / "report.html", theme="dark")
    shown = opened(tmp_path / "report.html", within="iframe")
    pictures = shown.page.locator("svg").all()
    assert len(pictures) > 3
    for picture in pictures:
        box = picture.bounding_box()
        assert box["width"] > 100 and box["height"] > 50
    for title in ("mechanism", "motion", "forces", "reduced-inertia"):
        assert shown.ink(f"#{title} ~ .figure svg", whole=True) > 0.005
    assert shown.ink("svg") > 0.005
    before = shown.places()
    shown.slide("[data-input]", 1.0)
    assert abs(shown.places() - before).max() > 0.01
