// Curves over an input, drawn as SVG: one panel for each quantity, with a mark where the input is.
const UNITS = {
  length: [1000, "mm"], angle: [180 / Math.PI, "deg"], velocity: [1, "m/s"],
  "angular velocity": [1, "rad/s"], acceleration: [1, "m/s\u00B2"],
  "angular acceleration": [1, "rad/s\u00B2"], force: [1, "N"], moment: [1, "N\u00B7m"],
};

// Round numbers from low to high, about `wanted` of them, as [number, text].
function ticks(low, high, wanted, whole) {
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const steps = whole ? [5, 10, 15, 30, 45, 60, 90, 180, 360] : [1, 2, 2.5, 5, 10].map((x) => x * power);
  const step = steps.find((x) => x >= rough * 0.999) || steps[steps.length - 1], shown = [];
  let digits = 0;
  while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6 * step * 10 ** digits) digits++;
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const text = Math.abs(k * step) >= 1e5 ? (k * step).toExponential(1) : (k * step).toFixed(digits);
    shown.push([k * step, text.replace(/^-(0\.?0*)$/, "$1")]);
  }
  return shown;
}

// Least and greatest of curves; peaks at dead points, where speeds have no end, are cut off.
function reach(curves) {
  const all = curves.flat().filter(Number.isFinite).sort((a, b) => a - b);
  if (!all.length) return [-1, 1];
  const low = all[Math.floor(0.03 * (all.length - 1))], high = all[Math.ceil(0.97 * (all.length - 1))];
  const room = Math.max(high - low, 1e-12) * 3;
  let least = Math.max(all[0], low - room), most = Math.min(all[all.length - 1], high + room);
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (most - least < 1e-6 * size + 1e-9) {
    const room = size > 1e-6 ? 0.2 * size : 1;
    least -= room;
    most += room;
  }
  const pad = 0.06 * (most - least);
  return [least - pad, most + pad];
}

// The title with the names of several lines in their colours, in rows of a width; of a crowd the first.
function headRows(title, lines, hues, width) {
  const rows = [escaped(title)];
  let room = width - 6.5 * title.length;
  for (let k = 0; k < (lines.length > 1 ? lines.length : 0); k++) {
    const wide = 6.5 * lines[k].name.length + 8;
    if (wide > room) {
      if (rows.length === 3) {
        rows[2] += `<tspan dx="8">…</tspan>`;
        break;
      }
      rows.push("");
      room = width - 24;
    }
    const gap = rows.at(-1) ? ` dx="8"` : "";
    rows[rows.length - 1] += `<tspan${gap} style="fill:${hues[k % hues.length]}">${escaped(lines[k].name)}</tspan>`;
    room -= wide;
  }
  return rows;
}

// A panel: { title, kind, lines: [{ name, x, y }] } in SI over an axis { name, kind, low, high }.
function panelText(panel, axis, hues, size) {
  const [width, height] = size, left = 58, right = 10, bottom = 36;
  const [toY, unit] = UNITS[panel.kind] || [1, ""], [toX, unitX] = UNITS[axis.kind];
  const heads = headRows(`${panel.title}, ${unit}`, panel.lines, hues, width - left);
  const top = 10 + 14 * heads.length;
  const curves = panel.lines.map((line) => line.y.map((y) => toY * y));
  const [least, most] = reach(curves), low = toX * axis.low, high = toX * axis.high;
  const px = (x) => left + (width - left - right) * (toX * x - low) / (high - low || 1);
  const py = (y) => top + (height - top - bottom) * (most - y) / (most - least);
  const inside = (y) => Math.min(Math.max(py(y), top - 40), height - bottom + 40);
  let text = "";
  for (const [y, word] of ticks(least, most, 4.5)) {
    text += `<path class="grid" d="M${left},${py(y).toFixed(1)}H${width - right}"/>` +
      `<text x="${left - 5}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${word}</text>`;
  }
  for (const [x, word] of ticks(low, high, Math.max(3, width / 90), axis.kind === "angle")) {
    const at = px(x / toX).toFixed(1);
    text += `<path class="grid" d="M${at},${top}V${height - bottom}"/>` +
      `<text x="${at}" y="${height - bottom + 14}" text-anchor="middle">${word}</text>`;
  }
  const clip = `clip${panel.number}`;
  text += `<clipPath id="${clip}"><rect x="${left}" y="${top - 2}" width="${width - left - right}" height="${height - top - bottom + 4}"/></clipPath>`;
  panel.lines.forEach((line, k) => {
    let d = "", pen = false;
    curves[k].forEach((y, i) => {
      if (Number.isFinite(y)) d += (pen ? "L" : "M") + px(line.x[i]).toFixed(1) + "," + inside(y).toFixed(1);
      pen = Number.isFinite(y);
    });
    text += `<path class="curve" clip-path="url(#${clip})" style="stroke:${hues[k % hues.length]}" d="${d || "M0,0"}"/>`;
  });
  text += `<path class="frame" d="M${left},${top}V${height - bottom}H${width - right}"/>` +
    heads.map((row, k) => `<text class="title" x="${left}" y="${15 + 14 * k}">${row}</text>`).join("") +
    `<text x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">${escaped(axis.name)}, ${unitX}</text>` +
    `<path class="marker" d="M0,${top}V${height - bottom}"/>` +
    panel.lines.map((_, k) => `<circle class="dot" r="3.6" style="fill:${hues[k % hues.length]}"/>`).join("");
  return { text, px, py: (y) => inside(toY * y), left, right };
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
