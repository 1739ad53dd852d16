"""Where the names of a picture stand."""

import xml.etree.ElementTree as ET

from korba.show.schemes.labels import WIDE

SVG = "{http://www.w3.org/2000/svg}"


def label_boxes(picture):
    """Text and left, top, right, bottom of every name that a picture placed."""
    for element in ET.fromstring(picture).iter(f"{SVG}text"):
        rim = element.get("class", "").startswith("halo") or element.get("stroke")
        if element.get("text-anchor") == "middle" and not rim:
            size = float(element.get("font-size", 13))
            x, y = float(element.get("x")), float(element.get("y")) - 0.35 * size
            text = "".join(element.itertext())
            half, high = WIDE * size * len(text) / 2, 1.1 * size / 2
            yield text, (x - half, y - high, x + half, y + high)


def check_labels(picture):
    """No name outside the page or over another."""
    root = ET.fromstring(picture)
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = list(label_boxes(picture))
    for i, (name, (left, top, right, bottom)) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, name
        for other, (a, b, c, d) in boxes[:i]:
            assert right <= a or c <= left or bottom <= b or d <= top, f"{name} over {other}"
