// Plays the motion of a mechanism: plane ones by moving parts of a drawing, spatial ones on a canvas
// that can be turned. `data` is what animation.py writes; nothing is loaded from anywhere.
// What a frame holds (points in a plane, poses in space) at a time, between the two beside it.
function frameAt(data, time) {
  const t = data.t, last = t.length - 1;
  let k = 0, high = last;
  while (high - k > 1) {
    const middle = (k + high) >> 1;
    if (t[middle] <= time) k = middle; else high = middle;
  }
  const next = Math.min(k + 1, last), step = t[next] - t[k];
  const s = step > 0 ? Math.min(Math.max((time - t[k]) / step, 0), 1) : 0;
  return data.frames[k].map((row, n) => row.map((x, i) => x + s * (data.frames[next][n][i] - x)));
}

// A point of a body in space: rows of the rotation, then the place.
function placedInSpace(pose, p) {
  return [0, 1, 2].map((i) =>
    pose[3 * i] * p[0] + pose[3 * i + 1] * p[1] + pose[3 * i + 2] * p[2] + pose[9 + i]);
}

// A plane mechanism and the trails of its points.
function drawPlane(root, data, time) {
  drawFigure(root, data.parts, frameAt(data, time));
  root.querySelectorAll("[data-trail]").forEach((part) => {
    const trail = data.trails[+part.dataset.trail], shown = [];
    for (let k = 0; k < trail.length && data.t[k] <= time; k++) shown.push(trail[k].join(","));
    part.setAttribute("points", shown.join(" "));
  });
}

// A spatial mechanism on its canvas, seen from view = [turn, tilt, zoom].
function drawSpace(canvas, data, time, view, colors) {
  const pen = canvas.getContext("2d"), poses = frameAt(data, time);
  const [turn, tilt, zoom] = view, width = canvas.width, height = canvas.height;
  const c = Math.cos(turn), s = Math.sin(turn), ct = Math.cos(tilt), st = Math.sin(tilt);
  const size = zoom * Math.min(width, height) / (2.1 * data.radius);
  const seen = (p) => {
    const x = p[0] - data.centre[0], y = p[1] - data.centre[1], z = p[2] - data.centre[2];
    const across = -s * x + c * y, along = c * x + s * y;
    return [width / 2 + size * across, height / 2 - size * (ct * z - st * along),
            st * z + ct * along];
  };
  pen.fillStyle = colors.paper;
  pen.fillRect(0, 0, width, height);
  const strokes = [];
  for (const mark of data.marks) {
    const world = mark.points.map((p) => placedInSpace(poses[p[0]], p.slice(1)));
    const points = world.map(seen);
    strokes.push([points.reduce((sum, p) => sum + p[2], 0) / points.length, mark, points]);
  }
  for (const trail of data.trails) {
    const points = trail.filter((_, k) => data.t[k] <= time).map(seen);
    strokes.push([-Infinity, { kind: "trail", color: 0 }, points]);
  }
  strokes.sort((a, b) => a[0] - b[0]);
  for (const [, mark, points] of strokes) stroke(pen, mark, points, colors, canvas.ratio || 1);
}

function stroke(pen, mark, points, colors, ratio) {
  const line = (from, to, width, color) => {
    pen.beginPath();
    pen.moveTo(from[0], from[1]);
    pen.lineTo(to[0], to[1]);
    pen.lineWidth = width * ratio;
    pen.strokeStyle = color;
    pen.lineCap = "round";
    pen.stroke();
  };
  const disc = (p, radius, fill) => {
    pen.beginPath();
    pen.arc(p[0], p[1], radius * ratio, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    pen.lineWidth = 1.2 * ratio;
    pen.strokeStyle = colors.ink;
    pen.stroke();
  };
  const hue = colors.hues[mark.color];
  if (mark.kind === "trail") {
    for (let k = 1; k < points.length; k++) line(points[k - 1], points[k], 1.6, colors.accent);
  } else if (mark.kind === "bar") {
    line(points[0], points[1], 6, hue);
    line(points[0], points[1], 1.6, colors.shine);
  } else if (mark.kind === "curve") {
    for (let k = 1; k < points.length; k++) line(points[k - 1], points[k], 1.4, hue);
  } else if (mark.kind === "axis") {
    line(points[0], points[1], 11, colors.ink);
    line(points[0], points[1], 8.6, colors.soft);
  } else if (mark.kind === "base") {
    disc(points[0], 3, colors.ink);
  } else {
    disc(points[0], 6, colors.soft);
  }
}

// Buttons, keys and the clock.
function play(root, data) {
  const clock = root.querySelector(".clock"), slider = root.querySelector("input");
  const button = root.querySelector("button"), pace = root.querySelector("select");
  const canvas = root.querySelector("canvas"), view = [0.9, 0.45, 1.0];
  const start = data.t[0], end = data.t[data.t.length - 1];
  let time = start, running = false, before = 0;
  const show = () => {
    slider.value = end > start ? (time - start) / (end - start) : 0;
    clock.textContent = `${time.toFixed(3)} s`;
    if (canvas) drawSpace(canvas, data, time, view, data.colors); else drawPlane(root, data, time);
  };
  const tick = (now) => {
    if (!running) return;
    time += (now - before) / 1000 * +pace.value;
    before = now;
    if (time > end) time = start + (end > start ? (time - start) % (end - start) : 0);
    show();
    requestAnimationFrame(tick);
  };
  const toggle = () => {
    running = !running;
    button.textContent = running ? "\u275A\u275A" : "\u25B6";
    button.setAttribute("aria-label", running ? "pause" : "play");
    before = performance.now();
    if (running) requestAnimationFrame(tick);
  };
  button.addEventListener("click", toggle);
  slider.addEventListener("input", () => {
    time = start + +slider.value * (end - start);
    show();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === " " && event.target !== button) { event.preventDefault(); toggle(); }
  });
  if (canvas) {
    canvas.ratio = canvas.width / canvas.clientWidth;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      view[0] -= event.movementX / 150;
      view[1] = Math.min(Math.max(view[1] + event.movementY / 150, -1.55), 1.55);
      show();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view[2] *= Math.exp(-event.deltaY / 800);
      show();
    });
  }
  show();
  if (data.autoplay) toggle();
  return { show: (at) => { time = at; show(); }, toggle, data };
}
