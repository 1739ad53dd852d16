// A plane mechanism in the player: poses [x, y, angle] of its bodies, frame by frame, and points
// [body, x, y] that are fixed to them; body 0 is the ground. The page turns them into pixels.
function placedInPlane(data, poses, [body, x, y]) {
  const [px, py, angle] = body ? poses[body - 1] : [0, 0, 0];
  const c = Math.cos(angle), s = Math.sin(angle);
  return [data.shift[0] + data.scale * (px + c * x - s * y),
          data.shift[1] - data.scale * (py + s * x + c * y)];
}

function pointsInPlane(data, time) {
  const poses = frameAt(data, time);
  return data.points.map((point) => placedInPlane(data, poses, point));
}

// The places of a point at all frames, as text, and kept.
function track(data, point) {
  data.tracks ??= {};
  data.tracks[point] ??= data.frames.map((poses) =>
    placedInPlane(data, poses, data.points[point]).map((x) => x.toFixed(2)).join(","));
  return data.tracks[point];
}

// The drawing and the trails that are `shown`, a set of their numbers, at a time.
function drawPlane(root, data, time, shown) {
  const points = pointsInPlane(data, time);
  drawFigure(root, data.parts, points);
  if (data.over) root.querySelector(".over").innerHTML = data.over[shownFrame(data, time)];
  let passed = data.t.findIndex((t) => t > time);
  if (passed < 0) passed = data.t.length;
  root.querySelectorAll("[data-trail]").forEach((line) => {
    const i = +line.dataset.trail, point = data.trails[i];
    const way = shown.has(i) ? [...track(data, point).slice(0, passed), points[point].join(",")] : [];
    line.setAttribute("points", way.join(" "));
  });
}
