"""Draws the pictures of docs/plane.md from the mechanisms of section 3.2."""

from pathlib import Path

import numpy as np

import korba as kb

HERE = Path(__file__).parent


def planar(name, links, joints, drive):
    bodies = [kb.Body(link) for link in links]
    return kb.Mechanism(name, bodies, joints, drives=[drive], plane="xy")


def four_bar():
    B, C = (0, 0.2), (0.505719, 0.522875)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
    ]
    drive = kb.JointDrive("motor", "A", "10*t")
    return planar("four-bar", ("crank", "coupler", "rocker"), joints, drive)


def crank_slider():
    B = 0.1 * np.array([0.5, np.sqrt(0.75)])
    C = (B[0] + np.sqrt(0.09 - B[1] ** 2), 0)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "slider", at=C),
        kb.Prismatic("S", "ground", "slider", at=C, axis=(1, 0)),
    ]
    drive = kb.JointDrive("motor", "A", "20*t")
    return planar("crank and slider", ("crank", "coupler", "slider"), joints, drive)


def triad():
    places = {"A": (0, 0), "C": (0.35, 0.35), "D": (0.5, -0.1)}
    places |= {"E": (0.55, 0.30), "F": (0.80, 0.50), "G": (0.9, 0.1)}
    ends = {"A": "01", "C": "23", "E": "34", "F": "35", "D": "04", "G": "05"}
    name = {"0": "ground"}
    joints = [
        kb.Revolute(j, name.get(p, p), name.get(c, c), at=places[j]) for j, (p, c) in ends.items()
    ]
    joints.append(kb.Prismatic("S", "1", "2", at=(0, 0), axis=(1, 1)))
    drive = kb.JointDrive("actuator", "S", "0.2*t")
    return planar("actuator and triad", "12345", joints, drive)


def main():
    pictures = {"four_bar_centres": kb.draw(kb.course.instant_centres(four_bar()))}
    slider = kb.motion(crank_slider(), [0.0])
    M = {"M": ("coupler", (0.216708, 0.119895))}
    pictures["slider_velocity"] = kb.draw(kb.course.velocity_plan(slider, 0, M))
    pictures["slider_acceleration"] = kb.draw(kb.course.acceleration_plan(slider, 0, M))
    group = kb.motion(triad(), [0.0])
    pictures["triad_velocity"] = kb.draw(kb.course.velocity_plan(group))
    pictures["triad_acceleration"] = kb.draw(kb.course.acceleration_plan(group))
    for name, text in pictures.items():
        (HERE / f"{name}.svg").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
