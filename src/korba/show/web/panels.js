// Curves over an input, drawn as SVG: one panel for each quantity, with a mark where the input is.
const BASES = {
  length: "m", velocity: "m/s", acceleration: "m/s\u00B2", force: "N", moment: "N\u00B7m",
  "angular velocity": "rad/s", "angular acceleration": "rad/s\u00B2",
};
const PREFIXES = { "-4": "p", "-3": "n", "-2": "\u00B5", "-1": "m", 0: "", 1: "k", 2: "M", 3: "G" };
const raised = (k) => String(k).replace(/./g, (c) => c === "-" ? "\u207B" : "\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079"[c]);

// How numbers of a size are shown: [from SI, unit]. Lengths in a unit that they are 5 to 5000 of,
// others 1 to 1000, angles in degrees; what has no prefixes keeps its unit in a wider range.
// A kind that the mechanism was written in some unit of is shown in that.
function unitFor(kind, size, written) {
  if (written && written[kind]) return written[kind];
  if (kind === "angle") return [180 / Math.PI, "deg"];
  const unit = BASES[kind] || "", turns = unit.startsWith("rad");
  if (!unit || !(size > 0) || (turns && size >= 1e-3 && size < 1e5)) return [1, unit];
  const power = Math.floor(Math.log10(kind === "length" ? size / 5 : size) / 3 + 1e-9);
  const prefix = turns || (kind === "acceleration" && power > 0) ? undefined : PREFIXES[power];
  return [1000 ** -power, prefix === undefined ? `10${raised(3 * power)} ${unit}` : prefix + unit];
}

// Round numbers from low to high, about `wanted` of them, as [number, text].
function ticks(low, high, wanted, whole) {
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const steps = whole && rough > 2.5 ? [5, 10, 15, 30, 45, 60, 90, 180, 360] : [1, 2, 2.5, 5, 10].map((x) => x * power);
  const step = steps.find((x) => x >= rough * 0.999) || steps[steps.length - 1], shown = [];
  let digits = 0;
  while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6 * step * 10 ** digits) digits++;
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const text = Math.abs(k * step) >= 1e5 ? (k * step).toExponential(1) : (k * step).toFixed(digits);
    shown.push([k * step, text.replace(/^-(0\.?0*)$/, "$1")]);
  }
  return shown;
}

// Least and greatest of curves; peaks at dead points, where speeds have no end, are cut off. What
// differs by less than 1e-9 of a typical size, or by a millionth of itself, is flat.
function reach(curves, typical) {
  const all = curves.flat().filter(Number.isFinite).sort((a, b) => a - b), natural = typical || 1;
  if (!all.length) return [-natural, natural];
  const low = all[Math.floor(0.03 * (all.length - 1))], high = all[Math.ceil(0.97 * (all.length - 1))];
  const room = high - low > 1e-9 * natural ? 3 * (high - low) : 10 * Math.max(natural, Math.abs(low), Math.abs(high));
  let least = Math.max(all[0], low - room), most = Math.min(all[all.length - 1], high + room);
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (most - least < 1e-6 * size + 1e-9 * natural) {
    const beside = size > 1e-6 * natural ? 0.2 * size : natural;
    least -= beside;
    most += beside;
  }
  const pad = 0.06 * (most - least);
  return [least - pad, most + pad];
}

// How wide a text of a head is at most, in its units: capitals are wider.
function headWidth(text) {
  return 6.5 * text.length + 2.2 * (text.match(/[A-Z@%]/g) || []).length;
}

// The title with the names of several lines, each behind a piece of its line, in rows of a width; of a crowd the first.
function headRows(title, lines, width) {
  const rows = [escaped(title)];
  let room = width - headWidth(title);
  for (let k = 0; k < (lines.length > 1 ? lines.length : 0); k++) {
    const { sign, name } = lines[k], wide = headWidth(sign + name) + 12;
    if (wide > room) {
      if (rows.length === 3) {
        rows[2] += `<tspan dx="8">…</tspan>`;
        break;
      }
      rows.push("");
      room = width - 24;
    }
    const gap = rows.at(-1) ? ` dx="8"` : "";
    rows[rows.length - 1] += `<tspan${gap} class="sign" style="fill:${lines[k].hue}">${sign}</tspan><tspan class="name"> ${escaped(name)}</tspan>`;
    room -= wide;
  }
  return rows;
}

// Lines in the colours of their links, and those of one link with other dashes; others in ink.
const DASHES = [["none", "—"], ["7 4", "- -"], ["2 4", "···"]];
function colour(lines, hues) {
  const seen = {};
  for (const line of lines) {
    const number = line.link ?? -1;
    line.hue = number < 0 ? "currentColor" : hues[number];
    seen[number] = (seen[number] ?? -1) + 1;
    [line.dash, line.sign] = DASHES[seen[number] % DASHES.length];
  }
}

// A panel: { title, kind, typical, lines: [{ name, x, y }] } in SI over an axis { name, kind, low,
// high, length }, with a typical size of its quantity and a typical length: where all of it stands.
function panelOf(panel, axis, hues, size) {
  const [width, height] = size, left = 58, right = 10, bottom = 36;
  const [least, most] = reach(panel.lines.map((line) => line.y), panel.typical);
  const largest = panel.kind === "length" ? axis.length : Math.max(Math.abs(least), Math.abs(most));
  const toY = unitFor(panel.kind, largest, axis.written), toX = unitFor(axis.kind, axis.length, axis.written);
  colour(panel.lines, hues);
  const heads = headRows(`${panel.title}, ${toY[1]}`, panel.lines, width - left);
  const top = 10 + 14 * heads.length, { low, high } = axis;
  const px = (x) => left + (width - left - right) * (x - low) / (high - low || 1);
  const far = (y) => top + (height - top - bottom) * (most - y) / (most - least);
  const between = (y, room) => Math.min(Math.max(y, top - room), height - bottom + room);
  const levels = ticks(toY[0] * least, toY[0] * most, 4.5).map(([y, word]) => [far(y / toY[0]), word]);
  const places = ticks(toX[0] * low, toX[0] * high, Math.max(3, width / 90), axis.kind === "angle").map(([x, word]) => [px(x / toX[0]), word]);
  const way = (line) => {
    let d = "", pen = false;
    line.y.forEach((y, i) => {
      if (Number.isFinite(y)) d += (pen ? "L" : "M") + px(line.x[i]).toFixed(1) + "," + between(far(y), 40).toFixed(1);
      pen = Number.isFinite(y);
    });
    return d || "M0,0";
  };
  return {
    heads, levels, places, left, right, top, bottom, width, height, px, toX, toY,
    py: (y) => between(far(y), 0),
    ways: panel.lines.map(way), hues: panel.lines.map((line) => line.hue), dashes: panel.lines.map((line) => line.dash),
    under: `${axis.name}, ${toX[1]}`,
  };
}

// The elements of a panel, made once: what changes is set as attributes.
let panelCount = 0;
function openPanel(svg) {
  const clip = `clip${panelCount++}`, known = new Map();
  const make = (tag, kind, holder) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    if (kind) element.setAttribute("class", kind);
    holder.append(element);
    return element;
  };
  const set = (element, values) => {
    const old = known.get(element) || {};
    for (const [name, value] of Object.entries(values)) {
      if (old[name] === value) continue;
      if (name === "html") element.innerHTML = value;
      else element.setAttribute(name, value);
    }
    known.set(element, { ...old, ...values });
  };
  const grid = make("path", "grid", svg), box = make("rect", "", make("clipPath", "", svg));
  box.parentElement.id = clip;
  const [words, curves, frame, titles] = ["words", "curves", "", "titles"].map((kind) => kind ? make("g", kind, svg) : make("path", "frame", svg));
  const under = make("text", "", svg), marker = make("path", "marker", svg), dots = make("g", "dots", svg);
  under.setAttribute("text-anchor", "middle");
  // As many children as rows, each with its attributes.
  const filled = (holder, tag, kind, rows) => {
    while (holder.children.length > rows.length) holder.lastChild.remove();
    while (holder.children.length < rows.length) make(tag, kind, holder);
    rows.forEach((row, k) => set(holder.children[k], row));
  };
  const draw = (at) => {
    const { left, right, top, bottom, width, height } = at, foot = height - bottom;
    set(grid, { d: at.levels.map(([y]) => `M${left},${y.toFixed(1)}H${width - right}`).join("") +
      at.places.map(([x]) => `M${x.toFixed(1)},${top}V${foot}`).join("") || "M0,0" });
    set(box, { x: left, y: top - 2, width: width - left - right, height: foot - top + 4 });
    filled(words, "text", "", [
      ...at.levels.map(([y, word]) => ({ x: left - 5, y: (y + 4).toFixed(1), "text-anchor": "end", html: word })),
      ...at.places.map(([x, word]) => ({ x: x.toFixed(1), y: foot + 14, "text-anchor": "middle", html: word })),
    ]);
    filled(curves, "path", "curve", at.ways.map((d, k) => ({
      d, "clip-path": `url(#${clip})`, style: `stroke:${at.hues[k]};stroke-dasharray:${at.dashes[k]}`,
    })));
    set(frame, { d: `M${left},${top}V${foot}H${width - right}` });
    filled(titles, "text", "title", at.heads.map((html, k) => ({ x: left, y: 15 + 14 * k, html })));
    set(under, { x: (left + width - right) / 2, y: height - 6, html: escaped(at.under) });
    set(marker, { d: `M0,${top}V${foot}` });
    filled(dots, "circle", "dot", at.hues.map((hue) => ({ r: 3.6, style: `fill:${hue}` })));
  };
  // The marker at x, and dots on the curves there; without a value none.
  const mark = (at, x, values) => {
    const place = at.px(x).toFixed(1);
    set(marker, { transform: `translate(${place} 0)` });
    filled(dots, "circle", "dot", values.map((y) => ({
      cx: place, cy: at.py(y).toFixed(1), visibility: Number.isFinite(y) ? "visible" : "hidden",
    })).map((row) => row.visibility === "hidden" ? { ...row, cy: at.top } : row));
  };
  return { draw, mark };
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
