// A mechanism as it computes, without elements of the page: positions by its own programs, led from
// one closed position to the next, and curves over the range of an input.
//
// A position is { q, asked }: coordinates, and the inputs and sizes that they belong to. It is never
// changed; a way that cannot be gone to its end leads to the last position that is closed.
const LONGEST = 4000;  // stretches of a way that one waits for
const APART = 0.03, MANY = 12;  // of positions to begin again from: how far apart, and how many
const CLOSER = 24, LAST = 6;  // positions in the last steps before a dead point
const SINGULAR = 1e-3;  // smallest pivot over the largest, below which rates and forces are not known
function livingMechanism(data, programs) {
  const count = data.inputs.length, nq = data.q.length;
  const own = [...data.inputs, ...data.sizes].map((each) => each.value);
  const start = { q: Float64Array.from(data.q), asked: Float64Array.from(own) };
  const turns = data.inputs.map((each) => each.kind === "angle");
  // Longest stretches: so much of an input or a size that Newton's steps stay on the branch.
  const stride = [
    ...data.inputs.map((each) => each.kind === "angle" ? 0.3 : 0.2 * data.length),
    ...data.sizes.map((each) => each.kind === "angle" ? 0.2
      : each.kind === "length" ? Math.max(0.1 * Math.abs(each.value), 0.05 * data.length)
        : Infinity),
  ];
  // What inputs and sizes are measured in.
  const unit = [...data.inputs, ...data.sizes].map((each) =>
    each.kind === "angle" ? 1 : each.kind === "length" ? data.length : Math.abs(each.value) || 1);
  const part = new Float64Array(1), gap = new Float64Array(1), firm = new Float64Array(1);
  const panels = [...data.outputs.flatMap((each) => each.panels), ...data.others, ...data.forces];
  const row = new Float64Array(1 + Math.max(-1, ...panels.flatMap((each) => each.rows)));
  const rated = panels.flatMap((each) => /^(length|angle)$/.test(each.kind) ? [] : each.rows);
  const flat = new Float64Array(data.axes * data.count);
  let samples = [];

  const sizesOf = (position) => data.sizes.length ? [position.asked.subarray(count)] : [];
  const mixed = (a, b, s) => a.map((x, i) => x + s * (b[i] - x));
  const within = (q) => {
    const [low, high] = data.limits;
    for (let i = 0; i < nq; i++) {
      const slack = 1e-9 * data.units[i];
      if (low[i] !== null && q[i] < low[i] - slack) return data.coordinates[i];
      if (high[i] !== null && q[i] > high[i] + slack) return data.coordinates[i];
    }
    return "";
  };

  // One stretch: the position at its end, or as far as loops close and joints go.
  const stretch = (from, asked) => {
    const q = new Float64Array(nq);
    programs.follow(from.q, from.asked, asked, q, part, gap);
    const made = part[0] >= 1 ? asked : mixed(from.asked, asked, part[0]);
    const good = part[0] > 0 && gap[0] <= data.tolerance;
    if (!good) return { position: from, why: "loops" };
    const limit = within(q);
    if (limit) return beforeLimit(from, asked, limit);
    return { position: { q, asked: made }, why: part[0] >= 1 ? "" : "loops" };
  };
  const beforeLimit = (from, asked, limit) => {
    let position = from, low = 0, high = 1;
    for (let k = 0; k < 40; k++) {
      const middle = (low + high) / 2, next = mixed(from.asked, asked, middle);
      const q = new Float64Array(nq);
      programs.follow(from.q, from.asked, next, q, part, gap);
      if (part[0] >= 1 && !within(q)) { low = middle; position = { q, asked: next }; }
      else high = middle;
    }
    return { position, why: `limit of ${limit}` };
  };

  // From a position towards other inputs and sizes, by stretches.
  const led = (from, asked) => {
    let parts = 1;
    asked.forEach((x, i) => {
      parts = Math.max(parts, Math.ceil(Math.abs(x - from.asked[i]) / stride[i]));
    });
    if (parts > LONGEST) return { position: from, why: "far" };
    let position = from;
    for (let k = 1; k <= parts; k++) {
      const end = k < parts ? mixed(from.asked, asked, k / parts) : asked;
      const next = stretch(position, end);
      position = next.position;
      if (next.why) return { position, why: next.why };
    }
    return { position, why: "" };
  };
  const sameSizes = (a, b) => a.every((x, i) => i < count || Math.abs(x - b[i]) <= 1e-12 * Math.max(unit[i], Math.abs(x)));

  // Positions that were reached, the first that of the page, none near to the next.
  const trail = [start];
  const remember = (position) => {
    if (distance(trail.at(-1).asked, position.asked) < APART) return;
    trail.push(position);
    if (trail.length > MANY) trail.splice(1, 1);
  };

  // The same; from a dead point the way back starts at a position of the curves beside it, and from
  // the edge of where loops close at one on the way there.
  const go = (from, asked) => {
    const there = led(from, asked);
    if (!there.why) remember(there.position);
    if (!there.why || there.why === "far") return there;
    let best = there, left = distance(there.position.asked, asked);
    const known = samples.filter((each) => sameSizes(each.position.asked, from.asked));
    known.sort((a, b) => distance(a.position.asked, asked) - distance(b.position.asked, asked));
    const begun = [...known.slice(0, 3).map((each) => each.position), ...trail.slice().reverse()];
    for (const each of begun) {
      const other = led(each, asked), rest = distance(other.position.asked, asked);
      if (rest < left - 1e-9) { best = other; left = rest; }
      if (!other.why) break;
    }
    return best;
  };
  const distance = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]) / unit[i], 0);

  // Bodies in space: rotation by rows and place, the base first.
  const poses = (position) => {
    const own = new Float64Array(12 * (data.bodies || []).length);
    own[0] = own[4] = own[8] = 1;
    if (own.length > 12) programs.bodies(position.q, ...sizesOf(position), own.subarray(12));
    return own;
  };
  const placed = (X, body, p) => [0, 1, 2].map((i) => X[12 * body + 9 + i] +
    X[12 * body + 3 * i] * p[0] + X[12 * body + 3 * i + 1] * p[1] + X[12 * body + 3 * i + 2] * p[2]);
  const inSpace = (position) => {
    const X = poses(position);
    programs.shapes(...sizesOf(position), flat);
    return data.on.map((body, i) => placed(X, body, flat.subarray(3 * i, 3 * i + 3)));
  };
  const points = (position) => {
    if (data.axes === 3) return inSpace(position);
    programs.places(position.q, ...sizesOf(position), flat);
    const all = [];
    for (let i = 0; i < data.count; i++) {
      all.push(Array.from(flat.subarray(data.axes * i, data.axes * (i + 1))));
    }
    return all;
  };
  // Everything that curves show at a position, one input running at a speed; without rates and
  // forces where it is singular.
  const shown = (position, input, speed) => {
    const speeds = new Float64Array(count);
    speeds[input] = speed;
    programs.curves(position.q, speeds, ...sizesOf(position), row, firm);
    if (!(firm[0] > SINGULAR)) for (const i of rated) row[i] = NaN;
    return Float64Array.from(row);
  };

  // The next position of the last curves, led to the sizes and other inputs of one at a dead point.
  const beside = (from, input) => {
    const known = samples.filter((each) => Math.abs(each.x - from.asked[input]) > 1e-6 * unit[input]);
    known.sort((a, b) => Math.abs(a.x - from.asked[input]) - Math.abs(b.x - from.asked[input]));
    samples = [];
    for (const { x, position } of known.slice(0, 3)) {
      const asked = Float64Array.from(from.asked);
      asked[input] = x;
      const there = led(position, asked);
      if (!there.why) return there.position;
    }
    return null;
  };

  // Before a dead point coordinates go with the root of what is left of the way: positions stand at
  // squares of even steps there, so that curves bend smoothly.
  const nearer = (list, middle, why, input) => {
    if (why !== "loops" || !list.length) return;
    const end = list.at(-1), from = list.at(-1 - LAST) || middle;
    list.splice(-LAST);
    let at = from;
    for (let k = CLOSER - 1; k > 0; k--) {
      const asked = Float64Array.from(from.position.asked);
      asked[input] = end.x + (from.x - end.x) * (k / CLOSER) ** 2;
      const next = stretch(at.position, asked);
      if (next.why) break;
      at = { x: asked[input], position: next.position };
      list.push(at);
    }
    list.push(end);
  };

  // Positions over the range of an input, others as they are: from the present one up and down.
  const spans = data.inputs.map((each) => each.high - each.low);
  const sweep = (from, input, steps) => {
    const { low, high, endless } = data.inputs[input], value = from.asked[input];
    const turn = turns[input] ? Math.floor((value - low) / (2 * Math.PI) + 1e-9) : 0;
    const first = low + 2 * Math.PI * turn;
    const step = spans[input] / steps, tiny = 1e-12 * unit[input], middle = { x: value, position: from };
    const march = (list, sign, end) => {
      let at = list.length ? list[list.length - 1] : middle;
      const number = Math.floor((at.x - first) / step + (sign > 0 ? 1e-9 : 1 - 1e-9));
      for (let k = number + sign; ; k += sign) {
        const x = sign > 0 ? Math.min(first + k * step, end) : Math.max(first + k * step, end);
        if (sign * (x - at.x) <= tiny) return "";
        if (list.length > 2 * steps) return "many";
        const asked = Float64Array.from(from.asked);
        asked[input] = x;
        const next = stretch(at.position, asked), reached = next.position.asked[input];
        if (sign * (reached - at.x) > tiny) {
          at = { x: reached, position: next.position };
          list.push(at);
        }
        if (next.why) return next.why;
      }
    };
    const up = [], down = [], length = 2 * Math.PI;
    const room = turns[input] ? length : endless ? high - low : 2 * (high - low);
    const last = turns[input] ? first + length : endless ? high : value + room;
    let above = march(up, 1, last);
    let below = march(down, -1, turns[input] ? first : endless ? low : value - room);
    const round = turns[input] && !above && !below;
    if (turns[input] && above && !below) below = march(down, -1, (up.at(-1) || middle).x - length);
    if (turns[input] && below && !above) above = march(up, 1, (down.at(-1) || middle).x + length);
    if (above === "many" || below === "many") {  // the range has become much wider: coarser steps
      spans[input] = room;
      return sweep(from, input, steps);
    }
    nearer(up, middle, above, input);
    nearer(down, middle, below, input);
    const all = [...down.reverse(), middle, ...up];
    const seed = all.length === 1 ? beside(from, input) : null;
    if (seed) return sweep(seed, input, steps);
    spans[input] = round ? length : Math.max(all.at(-1).x - all[0].x, 1e-3 * room);
    samples = all;
    return { samples: all, round, low: all[0].x, high: all.at(-1).x };
  };
  // Sizes that quantities have by the length and the mass of the mechanism, its speed and its forces.
  const typical = ({ samples }, input, speed) => {
    const L = data.length, rate = Math.abs(speed) / unit[input];
    let force = data.mass * (data.gravity + rate * rate * L);
    for (const { kind, rows } of [...data.others, ...data.forces]) {
      const lever = { force: 1, moment: L }[kind];
      for (const i of lever ? rows : []) {  // the middle one: at dead points there is no largest
        const own = samples.map(({ row }) => Math.abs(row[i])).filter(Number.isFinite).sort((a, b) => a - b);
        force = Math.max(force, own[own.length >> 1] / lever || 0);
      }
    }
    return {
      angle: 1, "angular velocity": rate, "angular acceleration": rate * rate, moment: force * L,
      length: L, velocity: rate * L, acceleration: rate * rate * L, force,
    };
  };
  return { start, go, sweep, points, poses, shown, typical, count, stretch };
}
