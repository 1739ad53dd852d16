// Plays the motion of a mechanism: plane ones by moving parts of a drawing (plane.js), spatial ones
// on a canvas that can be turned. `data` is what animate.py writes; nothing is loaded from anywhere.
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

// A spatial mechanism on its canvas, seen from view = [turn, tilt, zoom].
function drawSpace(canvas, data, time, view, colors, shown) {
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
  for (const trail of data.trails.filter((_, i) => shown.has(i))) {
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
  const part = (name) => root.querySelector(name);
  const clock = part(".clock"), slider = part(".time"), button = part(".play");
  const pace = part(".pace"), again = part(".again"), canvas = part("canvas");
  const boxes = [...root.querySelectorAll("[data-way]")], view = [0.9, 0.45, 1.0];
  const start = data.t[0], end = data.t[data.t.length - 1];
  let time = start, running = false, before = 0, shown = new Set();
  const draw = () => {
    if (canvas) drawSpace(canvas, data, time, view, data.colors, shown);
    else drawPlane(root, data, time, shown);
  };
  const show = (at = time) => {
    time = Math.min(Math.max(at, start), end);
    slider.value = end > start ? (time - start) / (end - start) : 0;
    clock.textContent = told(data, time);
    slider.setAttribute("aria-valuetext", clock.textContent);
    draw();
  };
  const choose = () => {
    shown = new Set(boxes.filter((box) => box.checked).map((box) => +box.dataset.way));
    draw();
  };
  const tick = (now) => {
    if (!running) return;
    let next = time + Math.min(now - before, 250) / 1000 * +pace.value;
    before = now;
    if (next > end && again.checked) next = start + (end > start ? (next - start) % (end - start) : 0);
    show(next);
    if (time >= end && !again.checked) toggle();
    requestAnimationFrame(tick);
  };
  const toggle = () => {
    running = !running;
    if (running && time >= end) time = start;
    root.classList.toggle("running", running);
    button.setAttribute("aria-label", running ? "pause" : "play");
    before = performance.now();
    if (running) requestAnimationFrame(tick);
  };
  const pause = () => { if (running) toggle(); };
  const step = (count) => {
    pause();
    const last = data.t.length - 1, now = data.t.findLastIndex((t) => t <= time + 1e-9 * (end - start));
    show(data.t[Math.min(Math.max(now + count, 0), last)]);
  };
  button.addEventListener("click", toggle);
  slider.addEventListener("input", () => show(start + +slider.value * (end - start)));
  boxes.forEach((box) => box.addEventListener("change", choose));
  listenToKeys(root, {
    " ": toggle, ArrowRight: () => step(1), ArrowLeft: () => step(-1), PageDown: () => step(10),
    PageUp: () => step(-10), Home: () => step(-Infinity), End: () => step(Infinity),
    ArrowUp: () => { pace.selectedIndex = Math.min(pace.selectedIndex + 1, pace.length - 1); },
    ArrowDown: () => { pace.selectedIndex = Math.max(pace.selectedIndex - 1, 0); },
  });
  if (canvas) turnable(canvas, view, draw);
  else scrubbable(part("svg"), toggle, (share) => { pause(); show(time + share * (end - start)); });
  choose();
  show();
  if (data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();
  return { show, toggle, data, get time() { return time; }, get running() { return running; } };
}

// The time, and the input there.
function told(data, time) {
  const own = data.input, clock = `${time.toFixed(3)} s`;
  if (!own) return clock;
  const k = Math.max(data.t.findLastIndex((t) => t <= time), 0), next = Math.min(k + 1, data.t.length - 1);
  const step = data.t[next] - data.t[k], share = step > 0 ? Math.min((time - data.t[k]) / step, 1) : 0;
  const value = own.values[k] + share * (own.values[next] - own.values[k]);
  return `${clock}, ${own.name} = ${value.toFixed(1)}${own.unit}`;
}

// Keys do what they say wherever the focus is, but in controls that have a use for them.
function listenToKeys(root, actions) {
  root.ownerDocument.addEventListener("keydown", (event) => {
    const control = event.target.closest("select, button, summary, input[type=checkbox]");
    const own = control && (event.key === " " || control.matches("select"));
    if (own || event.ctrlKey || event.altKey || event.metaKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
}

// A drawing that is tapped to play or pause, and drawn sideways through its time.
function scrubbable(svg, toggle, moved) {
  let way = null;
  svg.addEventListener("pointerdown", (event) => {
    way = 0;
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (way === null) return;
    way += Math.abs(event.movementX);
    if (way > 4) moved(event.movementX / svg.clientWidth);
  });
  svg.addEventListener("pointerup", () => {
    if (way !== null && way <= 4) toggle();
    way = null;
  });
  svg.addEventListener("pointercancel", () => { way = null; });
}

// A canvas that is turned by dragging and zoomed by the wheel.
function turnable(canvas, view, draw) {
  canvas.ratio = canvas.width / canvas.clientWidth;
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    view[0] -= event.movementX / 150;
    view[1] = Math.min(Math.max(view[1] + event.movementY / 150, -1.55), 1.55);
    draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view[2] *= Math.exp(-event.deltaY / 800);
    draw();
  });
}
