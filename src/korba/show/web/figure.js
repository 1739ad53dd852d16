// Moves the parts of a plane drawing to points in pixels, without rounding them: what is shown can
// be compared with what was computed. A part is one of
//   path    a line through points          hull    a plate round points
//   stamp   a symbol at a point, turned along a second one where it has one
//   rigid   a curve in the frame of a body, given by its origin and a point 1 m along its x axis
//   tie     a symbol stretched from one point to another
//   way     a rail: its frame, a point along it and its block, drawn as far as the block goes
//   stem    a bar from a point to the nearest place of a rail: the point, then those of the rail
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

// Along a rail from its frame: the direction, and how far the block is.
function along([start, ahead, block]) {
  const x = ahead[0] - start[0], y = ahead[1] - start[1], size = Math.hypot(x, y) || 1;
  const u = [x / size, y / size];
  return [u, (block[0] - start[0]) * u[0] + (block[1] - start[1]) * u[1]];
}

// How far along a rail it begins and ends.
function railEnds(part, here) {
  const [low, high] = part.extent || [here, here];
  return [Math.min(low, here) - part.reach, Math.max(high, here) + part.reach];
}

function stem(part, [p, ...rail]) {
  const [u, here] = along(rail), [low, high] = railEnds(part, here), [start] = rail;
  const s = Math.min(Math.max((p[0] - start[0]) * u[0] + (p[1] - start[1]) * u[1], low), high);
  return line([p, start.map((x, i) => x + s * u[i])]);
}

// A rail over its extent, beside the way where it has an offset, or the hatching of one.
function way(part, own) {
  const [u, here] = along(own), ends = railEnds(part, here);
  let side = [-u[1], u[0]];
  if (side[1] < -1e-9) side = [u[1], -u[0]];
  const at = (s) => own[0].map((x, i) => x + s * u[i] + (part.off || 0) * side[i]);
  if (!part.hatch) return line(ends.map(at));
  const length = ends[1] - ends[0], count = Math.max(2, Math.floor(length / part.hatch));
  const strokes = [];
  for (let k = 0; k < count; k++) {
    const foot = at(ends[0] + length * (k + 0.7) / count);
    strokes.push(line([foot, foot.map((x, i) => x + (side[i] - u[i]) * part.hatch * 5 / 6)]));
  }
  return strokes.join(" ");
}

// The attribute of a part at its points: [name, value].
function moved(part, points) {
  const own = part.points.map((i) => points[i]), [p, q] = own;
  if (part.kind === "way") return ["d", way(part, own)];
  if (part.kind === "stem") return ["d", stem(part, own)];
  if (part.kind === "path") return ["d", line(own)];
  if (part.kind === "hull") return ["d", line(hull(own)) + " Z"];
  const shift = `translate(${p[0]} ${p[1]})`;
  if (!q) return ["transform", shift];
  const x = q[0] - p[0], y = q[1] - p[1], angle = Math.atan2(y, x) * 180 / Math.PI;
  const stretch = part.kind === "tie" ? ` scale(${Math.hypot(x, y) / part.length} 1)` : "";
  return ["transform", `${shift} rotate(${angle})${stretch}`];
}

// Curves of bodies at other sizes: x and y of their points, in pixels to a metre. A round one is
// given by its centre and a point.
function reshape(svg, parts, flat, scale) {
  svg.querySelectorAll("[data-part]").forEach((element) => {
    const part = parts[+element.dataset.part], { shape } = part;
    if (!shape) return;
    const points = [];
    for (let i = shape[0]; i < shape[0] + shape[1]; i++) {
      points.push([scale * flat[2 * i], -scale * flat[2 * i + 1]]);
    }
    const d = part.round ? circle(...points) : line(points) + (shape[1] > 2 ? " Z" : "");
    element.querySelectorAll("path").forEach((path) => path.setAttribute("d", d));
  });
}

function circle([x, y], [a, b]) {
  const r = Math.hypot(a - x, b - y), half = `A${r},${r} 0 1 0 `;
  return `M${x + r},${y} ${half}${x - r},${y} ${half}${x + r},${y} Z`;
}

function drawFigure(svg, parts, points) {
  svg.querySelectorAll("[data-part]").forEach((element) => {
    element.setAttribute(...moved(parts[+element.dataset.part], points));
  });
}
