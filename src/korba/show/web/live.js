// A mechanism that lives in the page: points, sliders, numbers and curves move it by its own
// programs (living.js), and the drawing and the curves follow.
const NEAR = 14;  // pixels from which a point is taken, and not the body under it
// Positions of a curve, and milliseconds that they may take in a drag: others wait for a pause.
const STEPS = 180, FEWEST = 40, BUDGET = 8;
// Units that are typed besides those with prefixes.
const TYPED = {
  length: { cm: 1e-2, in: 0.0254, ft: 0.3048 },
  angle: { rad: 1, "\u00B0": Math.PI / 180 },
  mass: { kg: 1, g: 1e-3, t: 1e3 },
  "angular velocity": { rpm: Math.PI / 30, "deg/s": Math.PI / 180 },
  velocity: { "cm/s": 1e-2, "km/h": 1 / 3.6 },
};

// A quantity is { kind, unit, shown }: its SI unit, and how it is shown: [from SI, unit].
const spoken = (value, [factor, unit]) => Number.isFinite(value) ? `${+(factor * value).toPrecision(4)} ${unit}`.trim() : "no value";
const numberText = ({ shown: [factor, unit] }, value) => `${+(factor * value).toPrecision(6)} ${unit}`.trim();
// The number in SI of a text with a unit or without; NaN if there is none.
const typed = ({ kind, unit, shown }, text) => {
  const parts = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\S*)\s*$/i.exec(text.replace(",", "."));
  if (!parts) return NaN;
  const known = { ...TYPED[kind], [unit]: 1, [shown[1]]: 1 / shown[0] };
  for (const [power, prefix] of Object.entries(PREFIXES)) known[prefix + (BASES[kind] || unit)] = 1000 ** power;
  const word = parts[2].replace(/^[u\u03BC]/, "\u00B5");
  return +parts[1] * (word ? known[word] ?? NaN : 1 / shown[0]);
};

function live(root, data, programs) {
  const model = livingMechanism(data, programs), one = (name) => root.querySelector(name);
  const picture = data.axes === 2 ? planePicture(one(".figure svg"), data)
    : spacePicture(one(".figure"), data);
  const inputs = [...root.querySelectorAll("[data-input]")];
  const sizes = [...root.querySelectorAll("[data-size]")];
  const places = data.sizes.map((each, i) => each.shown ? model.count + i : -1).filter((i) => i >= 0);
  const speeds = data.inputs.map((each) => each.speed);
  let position = model.start, active = 0, output = 0, force = 0, swept = null, said = "", running = false;
  let before = 0, rate = 1, panels = [], cost = Infinity, later = 0, frame = 0, stale = false;
  const opened = [];
  const controls = [
    ...inputs.map((slider, i) => ({ slider, each: data.inputs[i], place: i })),
    ...sizes.map((slider, k) => ({
      slider, each: data.sizes[places[k] - model.count], place: places[k],
    })),
  ].map(({ slider, each, place }) => ({
    slider, place, number: slider.parentElement.querySelector(".number"), ends: [slider.min, slider.max],
    each: { ...each, shown: each.read && each.read[1] !== each.unit ? each.read : /^(length|angle)$/.test(each.kind) ? unitFor(each.kind, data.length, data.shown) : [1, each.unit || ""] },
  }));

  const wrapped = (value) => {
    if (!swept || !swept.round) return value;
    const span = 2 * Math.PI;
    return value - span * Math.floor((value - swept.low) / span);
  };
  const show = () => {
    picture.draw(model.points(position), model.poses(position));
    for (const { slider, number, each, place } of controls) {
      const value = place === active && swept ? wrapped(position.asked[place]) : position.asked[place];
      if (value < +slider.min) slider.min = value;
      if (value > +slider.max) slider.max = value;
      slider.value = value;
      slider.setAttribute("aria-valuetext", numberText(each, value));
      if (document.activeElement !== number) number.value = numberText(each, value);
    }
    tell(said, true);
    mark();
  };
  const tell = (text, fault) => {
    one(".said").textContent = text;
    one(".said").classList.toggle("fault", fault);
  };
  const mark = () => {
    if (!swept) return;
    const x = wrapped(position.asked[active]), row = model.shown(position, active, speeds[active]);
    for (const { element, own, drawn, panel } of panels) {
      own.mark(drawn, x, panel.rows.map((k) => row[k]));
      const told = panel.rows.map((k, i) => `${panel.rows.length > 1 ? panel.lines[i] + " " : ""}${spoken(row[k], drawn.toY)}`);
      element.setAttribute("aria-label", `${panel.name}: ${told.join(", ")} at ${spoken(x, drawn.toX)}`);
    }
  };
  // Curves over the range of the active input, and what the drawing needs of it.
  const sweep = (count = STEPS) => {
    const since = performance.now();
    swept = model.sweep(position, active, count);
    for (const each of swept.samples) {
      each.row = model.shown(each.position, active, speeds[active]);
      each.points = model.points(each.position);
    }
    cost = Math.min(cost, (performance.now() - since) / swept.samples.length);
    picture.swept(swept);
    const own = controls[active];
    own.slider.min = swept.low;
    own.slider.max = swept.high;
    drawPanels();
  };
  const resweep = () => {
    const steps = Math.min(Math.floor(BUDGET / (cost || 1e-3)), STEPS);
    clearTimeout(later);
    if (steps >= FEWEST) sweep(steps);
    if (steps < STEPS) later = setTimeout(() => { sweep(); show(); }, 80);
  };
  const drawPanels = () => {
    const shown = [...data.outputs[output].panels, ...data.others, ...(force ? [data.forces[force - 1]] : [])];
    const holder = one(".panels");
    while (holder.children.length > shown.length) holder.lastChild.remove();
    opened.length = Math.min(opened.length, shown.length);
    while (holder.children.length < shown.length) {
      const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      opened.push(openPanel(element));
      element.setAttribute("viewBox", "0 0 420 160");
      element.setAttribute("role", "img");
      grip(element);
      holder.append(element);
    }
    const axis = { ...data.inputs[active], low: swept.low, high: swept.high, length: data.length, written: data.shown };
    const sizes = model.typical(swept, active, speeds[active]), x = swept.samples.map((each) => each.x);
    root.style.setProperty("--panels", Math.max(4, shown.length));
    panels = shown.map((panel, number) => {
      const lines = panel.rows.map((row, k) => ({
        name: panel.lines[k], link: panel.hues[k] ?? panel.hues[0], x, y: swept.samples.map((each) => each.row[row]),
      }));
      const element = holder.children[number], own = opened[number];
      const drawn = panelOf({ title: panel.name, kind: panel.kind, typical: sizes[panel.kind], lines }, axis, data.hues, [420, 160]);
      own.draw(drawn);
      return { element, own, drawn, panel };
    });
  };

  const words = (place, there, why) => {
    if (!why) return "";
    const { each } = controls.find((own) => own.place === place) || controls[0];
    const at = numberText(each, there.asked[place]);
    if (why === "far") return `${each.name} stays at ${at}: that is too far away.`;
    if (why !== "loops") return `${each.name} stops at ${at}: the ${why} is reached.`;
    return place < model.count
      ? `${each.name} stops at ${at}, a dead point: further on the loops do not close, or can close in two ways.`
      : `${each.name} stops at ${at}: further on the loops do not close in this position.`;
  };
  const turnOf = (at) => Math.floor((at.asked[active] - data.inputs[active].low) / (2 * Math.PI));
  // Leads the mechanism to inputs and sizes; what stands in the way is said.
  const lead = (asked, place) => {
    const old = position, there = model.go(position, asked);
    position = there.position;
    said = words(place, position, there.why);
    const moved = old.asked.some((x, i) => i !== active && x !== position.asked[i]);
    if (place >= model.count) picture.sized(programs, position.asked.subarray(model.count));
    stale = stale || moved || (swept.round && turnOf(old) !== turnOf(position));
    tell(said, true);
    frame = frame || requestAnimationFrame(settle);
    return !there.why;
  };
  // What has moved since the last frame is drawn, once.
  const settle = () => {
    if (!frame) return;
    cancelAnimationFrame(frame);
    frame = 0;
    if (stale) resweep();
    stale = false;
    show();
  };
  const set = (place, value) => {
    if (place < model.count && place !== active) { active = place; sweep(); }
    const asked = Float64Array.from(position.asked);
    asked[place] = place === active ? asked[place] + value - wrapped(asked[place]) : value;
    return lead(asked, place);
  };

  const tick = (now) => {
    if (!running) return;
    const step = rate * (swept.high - swept.low) * Math.min(now - before, 100) / 1000 / data.seconds;
    before = now;
    const asked = Float64Array.from(position.asked);
    asked[active] += step;
    if (!swept.round && (asked[active] > swept.high || asked[active] < swept.low)) {
      asked[active] = Math.min(Math.max(asked[active], swept.low), swept.high);
      rate = -rate;
    }
    lead(asked, active);
    settle();
    if (said) { rate = -rate; }
    requestAnimationFrame(tick);
  };
  const button = one(".play");
  const toggle = () => {
    running = !running;
    button.textContent = running ? "\u275A\u275A" : "\u25B6";
    button.setAttribute("aria-label", running ? "pause" : "play");
    before = performance.now();
    if (running) requestAnimationFrame(tick);
  };
  const stop = () => { if (running) toggle(); };
  const reset = () => {
    stop();
    position = model.start;
    said = "";
    speeds.forEach((_, i) => { speeds[i] = data.inputs[i].speed; });
    for (const { slider, ends } of controls) [slider.min, slider.max] = ends;
    picture.sized(programs, position.asked.subarray(model.count));
    sweep();
    showSpeed();
    show();
  };
  const toml = () => "[parameters]\n" + controls.slice(model.count).map(({ each, place }) => {
    const value = position.asked[place], [factor, unit] = each.shown, told = (x) => +x.toPrecision(10);
    return `${each.name} = ${each.bare ? told(value) : JSON.stringify(`${told(factor * value)} ${unit}`.trim())}\n`;
  }).join("");
  const copy = async () => {
    const box = one(".toml");
    box.hidden = false;
    box.value = toml();
    box.rows = box.value.split("\n").length;
    box.select();
    const copied = "The sizes are copied.";
    try { await navigator.clipboard.writeText(box.value); tell(copied, false); }
    catch { tell(document.execCommand("copy") ? copied : "Copy the text below.", false); }
  };

  // A press or a drag in a panel moves the input there.
  const grip = (element) => {
    const to = (event) => {
      if (!event.buttons) return;
      const box = element.getBoundingClientRect(), { left, right } = panels[0].drawn;
      const x = 420 * (event.clientX - box.left) / box.width;
      const part = Math.min(Math.max((x - left) / (420 - left - right), 0), 1);
      stop();
      set(active, swept.low + part * (swept.high - swept.low));
    };
    element.addEventListener("pointerdown", (event) => { element.setPointerCapture(event.pointerId); to(event); });
    element.addEventListener("pointermove", to);
  };
  // A dragged point: inputs by damped least squares, with slopes from the programs.
  const pull = (handle, target) => {
    for (let k = 0; k < 5; k++) {
      const here = handle(model.points(position));
      const step = pulled(model, data, position, handle, target, here);
      if (!step) return;
      lead(step, active);
    }
  };
  picture.drag(pull, () => model.points(position), stop);

  const speedField = one(".speed");
  const speedOf = () => {
    const { kind, speed } = data.inputs[active], own = kind === "angle" ? "angular velocity" : "velocity";
    return { kind: own, unit: BASES[own], shown: unitFor(own, Math.abs(speed), data.shown) };
  };
  const showSpeed = () => { speedField.value = numberText(speedOf(), speeds[active]); };
  speedField.addEventListener("change", () => {
    const value = typed(speedOf(), speedField.value);
    said = "";
    if (Number.isFinite(value)) speeds[active] = value;
    else said = `${speedField.value || "nothing"}: expected a speed such as ${numberText(speedOf(), data.inputs[active].speed)}`;
    sweep();
    showSpeed();
    show();
  });
  for (const { slider, number, each, place } of controls) {
    slider.addEventListener("input", () => { stop(); set(place, +slider.value); showSpeed(); });
    number.addEventListener("change", () => {
      const value = typed(each, number.value);
      number.blur();
      stop();
      if (Number.isFinite(value)) set(place, value);
      else { said = `${number.value || "nothing"}: expected a number such as ${numberText(each, each.value)}`; show(); }
    });
  }
  const choose = (name, chosen) => one(name)?.addEventListener("change", (event) => {
    chosen(event.target.selectedIndex);
    drawPanels();
    show();
  });
  // Names that are drawn, inputs that are looked for, and poses to click.
  const naming = one(".naming"), find = one(".find");
  const named = () => root.classList.toggle("nameless", !naming.checked);
  naming.addEventListener("change", named);
  named();
  find?.addEventListener("input", () => {
    const asked = find.value.trim().toLowerCase();
    inputs.forEach((slider, i) => {
      slider.parentElement.classList.toggle("hidden", !data.inputs[i].name.toLowerCase().includes(asked));
    });
    for (const limb of root.querySelectorAll(".limb")) {
      limb.classList.toggle("hidden", !limb.querySelector(".row:not(.hidden)"));
      if (asked) limb.open = true;
    }
  });
  for (const each of root.querySelectorAll("[data-pose]")) each.addEventListener("click", () => {
    stop();
    const asked = Float64Array.from(position.asked);
    for (const [i, value] of Object.entries(data.poses[each.dataset.pose].values)) asked[i] = value;
    lead(asked, active);
  });
  choose(".output", (number) => { output = number; });
  choose(".force", (number) => { force = number; });
  button.addEventListener("click", toggle);
  one(".reset").addEventListener("click", reset);
  one(".copy").addEventListener("click", copy);
  one(".copy").hidden = !sizes.length;
  root.addEventListener("keydown", (event) => {
    if (/INPUT|SELECT|TEXTAREA|BUTTON/.test(event.target.tagName)) return;
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (event.key === " ") toggle();
    else if (event.key === "r") reset();
    else if (step) { stop(); set(active, wrapped(position.asked[active]) + step * (swept.high - swept.low) / 120); }
    else return;
    event.preventDefault();
  });
  picture.sized(programs, position.asked.subarray(model.count));
  for (let k = 0; k < 3; k++) sweep();  // the first times code is slow
  showSpeed();
  show();
  return {
    data, toml,
    get state() {
      settle();
      return {
        inputs: Object.fromEntries(data.inputs.map((each, i) => [each.name, position.asked[i]])),
        sizes: Object.fromEntries(data.sizes.map((each, i) => [each.name, position.asked[model.count + i]])),
        q: Array.from(position.q), points: model.points(position), said, running,
        active: data.inputs[active].name, speed: speeds[active],
        curves: swept.samples.map((each) => ({ x: each.x, row: Array.from(each.row) })),
        round: swept.round,
      };
    },
  };
}

// Inputs and sizes that bring a point nearer to a target; null where nothing does.
function pulled(model, data, position, handle, target, here) {
  const error = target.map((x, i) => x - here[i]), size = Math.hypot(...error);
  if (size < 1e-5 * data.length) return null;
  const unit = data.inputs.map((each) => each.kind === "angle" ? 1 : data.length);
  const slopes = unit.map((step, i) => {
    const asked = Float64Array.from(position.asked);
    for (const h of [1e-4 * step, -1e-4 * step]) {
      asked[i] = position.asked[i] + h;
      const there = model.stretch(position, asked);
      if (there.why) continue;
      return handle(model.points(there.position)).map((x, k) => (x - here[k]) * step / h);
    }
    return target.map(() => 0);
  });
  const damping = (0.01 * data.length) ** 2, n = target.length;
  const A = target.map((_, i) => target.map((__, j) =>
    slopes.reduce((sum, s) => sum + s[i] * s[j], i === j ? damping : 0)));
  const y = solved(A, error);
  const change = slopes.map((s) => { let sum = 0; for (let i = 0; i < n; i++) sum += s[i] * y[i]; return sum; });
  const largest = Math.max(...change.map(Math.abs)), limit = Math.min(1, 0.25 / (largest || 1));
  if (largest < 1e-9) return null;
  const asked = Float64Array.from(position.asked);
  change.forEach((x, i) => { asked[i] += limit * x * unit[i]; });
  return asked;
}

// A x = b by elimination, for two or three unknowns with a positive diagonal.
function solved(A, b) {
  const M = A.map((row, i) => [...row, b[i]]), n = b.length;
  for (let k = 0; k < n; k++) {
    for (let i = k + 1; i < n; i++) {
      const f = M[i][k] / M[k][k];
      for (let j = k; j <= n; j++) M[i][j] -= f * M[k][j];
    }
  }
  const x = new Array(n);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = M[i].slice(i + 1, n).reduce((sum, m, j) => sum - m * x[i + 1 + j], M[i][n]) / M[i][i];
  }
  return x;
}

// Where a place of a body goes with it, by its origin and a point 1 m along its x axis.
function pinned([i, j], points, at) {
  const frame = (all) => [all[i], all[i].map((x, k) => all[j][k] - x)];
  const [p, u] = frame(points), d = at.map((x, k) => x - p[k]);
  const x = d[0] * u[0] + d[1] * u[1], y = d[1] * u[0] - d[0] * u[1];
  return (all) => {
    const [p, u] = frame(all);
    return [p[0] + x * u[0] - y * u[1], p[1] + x * u[1] + y * u[0]];
  };
}

// The circle round the curve of a part, in the frame of its body: middle and radius in metres.
function circleRound({ shape: [first, count], round }, flat) {
  const all = Array.from({ length: count }, (_, k) => [flat[2 * (first + k)], flat[2 * (first + k) + 1]]);
  const ends = (i) => [Math.min, Math.max].map((end) => end(...all.map((p) => p[i])));
  const [x, y] = round ? all[0] : [0, 1].map((i) => (ends(i)[0] + ends(i)[1]) / 2);
  return [x, y, Math.max(...all.map((p) => Math.hypot(p[0] - x, p[1] - y)))];
}

// The drawing of a plane mechanism: points in metres to pixels, paths, rails, curves, dragging.
function planePicture(svg, data) {
  const pixel = (p) => [data.shift[0] + data.scale * p[0], data.shift[1] - data.scale * p[1]];
  const ways = svg.querySelectorAll(".way");
  let around = [], frames = [];  // circles round curves of bodies; points in pixels
  const lines = data.parts.filter((part) => part.kind === "path" || part.kind === "hull");
  const drawn = [...new Set([...data.handles, ...lines.flatMap((part) => part.points)])];
  const moves = (i) => frames.some((points) => points[i].some((x, k) => Math.abs(x - frames[0][i][k]) > 1e-3));
  // Names stay readable where the drawing is shown small.
  const fitNames = () => svg.style.setProperty("--larger", Math.min(Math.max(0.85 / svg.getScreenCTM().a, 1), 2));
  new ResizeObserver(fitNames).observe(svg);
  const shapes = new Float64Array(2 * Math.max(0, ...data.parts.map((each) => each.shape ? each.shape[0] + each.shape[1] : 0)));
  return {
    draw: (points) => drawFigure(svg, data.parts, points.map(pixel)),
    sized: (programs, sizes) => {
      if (!programs.shapes) return;
      programs.shapes(...(sizes.length ? [sizes] : []), shapes);
      reshape(svg, data.parts, shapes, data.scale);
      around = data.parts.filter((part) => part.shape && part.kind === "rigid").map((part) =>
        [part.points, circleRound(part, shapes)]);
    },
    // Paths of points, ways of blocks, and room for all of it.
    swept: ({ samples }) => {
      frames = samples.map((each) => each.points.map(pixel));
      data.traced.forEach((each, k) => ways[k].setAttribute("d", line(frames.map((points) => points[each.point]))));
      for (const part of data.parts) {
        if (part.kind !== "way" && part.kind !== "stem") continue;
        const all = frames.map((points) => along(part.points.slice(-3).map((i) => points[i]))[1]);
        part.extent = [Math.min(...all), Math.max(...all)];
      }
      const seen = frames.flatMap((points) => [
        ...drawn.map((i) => points[i]),
        ...around.flatMap(([[i, j], [x, y, r]]) => {
          const p = points[i], u = points[j].map((c, k) => c - p[k]);
          const middle = [p[0] + x * u[0] + y * u[1], p[1] + x * u[1] - y * u[0]];
          return [-r, r].map((s) => middle.map((c) => c + s * data.scale));
        }),
      ]);
      const [x, y] = [0, 1].map((i) => seen.map((p) => p[i])), margin = 30;
      const low = [Math.min(0, Math.min(...x) - margin), Math.min(0, Math.min(...y) - margin)];
      const high = [Math.max(data.box[0], Math.max(...x) + margin), Math.max(data.box[1], Math.max(...y) + margin)];
      svg.setAttribute("viewBox", `${low[0].toFixed(1)} ${low[1].toFixed(1)} ${(high[0] - low[0]).toFixed(1)} ${(high[1] - low[1]).toFixed(1)}`);
      fitNames();
    },
    drag: (pull, points, stop) => {
      let handle = null;
      const place = (event) => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        return [(at.x - data.shift[0]) / data.scale, (data.shift[1] - at.y) / data.scale];
      };
      svg.addEventListener("pointerdown", (event) => {
        const [x, y] = place(event), all = points();
        const far = (i) => Math.hypot(all[i][0] - x, all[i][1] - y);
        const near = data.handles.filter(moves).reduce((best, i) => best < 0 || far(i) < far(best) ? i : best, -1);
        const part = data.parts[event.target.closest("[data-part]")?.dataset.part];
        const held = part?.kind === "rigid" && part.points.some(moves) && !(data.scale * far(near) < NEAR);
        handle = held ? pinned(part.points, all, [x, y]) : near < 0 ? null : (points) => points[near];
        stop();
        svg.setPointerCapture(event.pointerId);
      });
      svg.addEventListener("pointermove", (event) => {
        if (event.buttons && handle) pull(handle, place(event));
      });
    },
  };
}
