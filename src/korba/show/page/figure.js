// Moves the parts of a plane drawing to points in pixels, without rounding them: what is shown can
// be compared with what was computed. A part is one of
//   path    a line through points          hull    a plate round points
//   stamp   a symbol at a point, turned along a second one where it has one
//   rigid   a curve in the frame of a body, given by its origin and a point 1 m along its x axis
//   tie     a symbol stretched from one point to another
function hull(points) {
  const order = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
  const chain = (given) => {
    const kept = [];
    for (const p of given) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 1e-6) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...chain(order), ...chain(order.reverse())];
}

const line = (points) => "M" + points.map((p) => `${p[0]},${p[1]}`).join(" L");

// The attribute of a part at its points: [name, value].
function moved(part, points) {
  const own = part.points.map((i) => points[i]), [p, q] = own;
  if (part.kind === "path") return ["d", line(own)];
  if (part.kind === "hull") return ["d", line(hull(own)) + " Z"];
  const shift = `translate(${p[0]} ${p[1]})`;
  if (!q) return ["transform", shift];
  const x = q[0] - p[0], y = q[1] - p[1], angle = Math.atan2(y, x) * 180 / Math.PI;
  const stretch = part.kind === "tie" ? ` scale(${Math.hypot(x, y) / part.length} 1)` : "";
  return ["transform", `${shift} rotate(${angle})${stretch}`];
}

function drawFigure(svg, parts, points) {
  svg.querySelectorAll("[data-part]").forEach((element) => {
    element.setAttribute(...moved(parts[+element.dataset.part], points));
  });
}
