// Plays the motion of a mechanism: plane ones by moving parts of a drawing (plane.js), spatial ones
// in a space that can be turned (space.js). `data` is what animate.py writes; nothing is loaded from anywhere.

// The frames beside a time: the numbers of both, and how far it is from the one to the other. A motion
// with overlays, which are there at its frames, goes from frame to frame.
function beside({ t, over }, time) {
  const last = t.length - 1;
  let k = 0, high = last;
  while (high - k > 1) {
    const middle = (k + high) >> 1;
    if (t[middle] <= time) k = middle; else high = middle;
  }
  const next = Math.min(k + 1, last), step = t[next] - t[k];
  const s = step > 0 ? Math.min(Math.max((time - t[k]) / step, 0), 1) : 0;
  return [k, next, over ? Math.round(s) : s];
}

// The number of the frame that is shown where there are overlays.
function shownFrame(data, time) {
  const [k, next, s] = beside(data, time);
  return s ? next : k;
}

// Poses of the bodies at a time.
function frameAt(data, time) {
  const [k, next, s] = beside(data, time);
  return data.frames[k].map((row, n) => row.map((x, i) => x + s * (data.frames[next][n][i] - x)));
}

// Buttons, keys and the clock.
function play(root, data) {
  const part = (name) => root.querySelector(name);
  const clock = part(".clock"), slider = part(".time"), button = part(".play");
  const pace = part(".pace"), again = part(".again"), canvas = part("canvas");
  const boxes = [...root.querySelectorAll("[data-way]")];
  const start = data.t[0], end = data.t[data.t.length - 1];
  let time = start, running = false, before = 0, shown = new Set();
  const draw = () => (space ? space.draw(time, shown) : drawPlane(root, data, time, shown));
  const space = canvas && openSpace(root, data, draw);
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
  if (!space) scrubbable(part("svg"), toggle, (share) => { pause(); show(time + share * (end - start)); });
  choose();
  show();
  if (data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();
  return { data, space, get time() { return time; }, get running() { return running; } };
}

// The time, and the input there.
function told(data, time) {
  const own = data.input, clock = `${time.toFixed(3)} s`;
  if (!own) return clock;
  const [k, next, s] = beside(data, time), value = own.values[k] + s * (own.values[next] - own.values[k]);
  return `${clock}, ${own.name} = ${value.toFixed(1).replace(/^-(0\.0)$/, "$1")}${own.unit}`;
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
  let last = null, way = 0;
  svg.addEventListener("pointerdown", (event) => {
    [last, way] = [event.clientX, 0];
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (last === null) return;
    const step = event.clientX - last;
    [last, way] = [event.clientX, way + Math.abs(step)];
    if (way > 4) moved(step / svg.clientWidth);
  });
  svg.addEventListener("pointerup", () => {
    if (last !== null && way <= 4) toggle();
    last = null;
  });
  svg.addEventListener("pointercancel", () => { last = null; });
}
