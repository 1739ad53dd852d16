// A mechanism that lives in the page: its own program closes the loops for the input and the sizes
// that are chosen, and the drawing and its curve follow.
function live(root, data, assemble, places) {
  const svg = root.querySelector("svg"), said = root.querySelector(".said");
  const button = root.querySelector("button");
  const input = root.querySelector("[data-input]"), sizes = [...root.querySelectorAll("[data-size]")];
  const q = new Float64Array(data.q.length), closed = new Float64Array(1);
  const flat = new Float64Array(2 * data.count);
  let running = false, before = 0;

  // Points in pixels at a value of the input; null where the loops do not close.
  const at = (value, p) => {
    const sized = p.length ? [p] : [];
    assemble(data.q, [value], ...sized, q, closed);
    if (!(closed[0] >= 1)) return null;
    places(q, ...sized, flat);
    const points = [];
    for (let i = 0; i < data.count; i++) {
      points.push([data.shift[0] + data.scale * flat[2 * i],
                   data.shift[1] - data.scale * flat[2 * i + 1]]);
    }
    return points;
  };
  const curve = (p) => {
    const way = [];
    for (let k = 0; k <= data.steps; k++) {
      const points = at(data.low + (data.high - data.low) * k / data.steps, p);
      way.push(points && points[data.traced]);
    }
    let text = "", pen = false;
    for (const place of way) {
      if (place) text += (pen ? " L" : " M") + place[0].toFixed(2) + "," + place[1].toFixed(2);
      pen = Boolean(place);
    }
    return text;
  };
  const chosen = () => sizes.map((each) => +each.value);
  const show = (sized) => {
    const p = chosen(), points = at(+input.value, p);
    said.textContent = points ? "" : "does not close";
    svg.classList.toggle("open-loops", !points);
    if (points) drawFigure(svg, data.parts, points);
    if (sized) root.querySelector(".way").setAttribute("d", curve(p) || "M0,0");
    for (const each of [input, ...sizes]) {
      const unit = each.dataset.unit === "deg" ? 180 / Math.PI : 1000;
      each.parentElement.querySelector("output").textContent =
        `${(unit * each.value).toFixed(1)} ${each.dataset.unit}`;
    }
    return points;
  };
  const tick = (now) => {
    if (!running) return;
    const span = data.high - data.low, next = +input.value + data.rate * (now - before) / 1000;
    before = now;
    if (next > data.high || next < data.low) {
      if (data.round) input.value = next - Math.sign(data.rate) * span;
      else { data.rate = -data.rate; }
    } else {
      input.value = next;
    }
    if (!show(false) && !data.round) data.rate = -data.rate;
    requestAnimationFrame(tick);
  };
  const toggle = () => {
    running = !running;
    button.textContent = running ? "\u275A\u275A" : "\u25B6";
    before = performance.now();
    if (running) requestAnimationFrame(tick);
  };
  button.addEventListener("click", toggle);
  input.addEventListener("input", () => show(false));
  sizes.forEach((each) => each.addEventListener("input", () => show(true)));
  if (data.grip.length) {
    const drag = (event) => {
      if (!event.buttons) return;
      const points = at(+input.value, chosen());
      if (!points) return;
      const box = svg.getBoundingClientRect(), zoom = svg.viewBox.baseVal.width / box.width;
      const [x, y] = points[data.grip[0]], [a, b] = points[data.grip[1]];
      const now = Math.atan2(y - zoom * (event.clientY - box.top), zoom * (event.clientX - box.left) - x);
      const turn = now - Math.atan2(y - b, a - x), step = Math.atan2(Math.sin(turn), Math.cos(turn));
      let next = +input.value + step;
      if (data.round && next > data.high) next -= data.high - data.low;
      if (data.round && next < data.low) next += data.high - data.low;
      input.value = next;
      show(false);
    };
    svg.addEventListener("pointerdown", (event) => {
      if (running) toggle();
      svg.setPointerCapture(event.pointerId);
      drag(event);
    });
    svg.addEventListener("pointermove", drag);
  }
  show(true);
  return { at, show, input, sizes, toggle, data };
}
