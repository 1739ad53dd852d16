// The picture of a spatial mechanism that lives in the page: solids of space.js between points.
function spacePicture(root, data) {
  const space = data.space, canvas = root.querySelector("canvas"), box = root.querySelector(".names");
  space.solids = Object.fromEntries(Object.entries(space.forms).map(([name, form]) => [name, trianglesOf(form)]));
  const paint = paintedByCards(canvas, space) || paintedByHand(canvas, space);
  const home = { turn: 0.7854, tilt: 0.5, zoom: 1, centre: space.centre }, view = { ...home };
  const still = [[0, 0, 0, 1, 0, 0, 0]];
  let points = [], poses = [], ways = [];
  const sight = () => sightOf(space, view, canvas.clientWidth / canvas.clientHeight || 1.4);
  const draw = () => {
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const now = sight();
    paint([...space.parts.map((part) => solidBetween(part, points, poses)),
           ...space.fans.map((fan) => fanBetween(fan, points))], now, ways);
    drawNames(box, { names: space.names.map(([text, i]) => [text, 0, ...points[i]]) }, still, now, width, height);
  };
  window.addEventListener("resize", draw);
  return {
    draw: (all, own) => { points = all; poses = own; draw(); },
    sized: () => {},
    swept: ({ samples }) => { ways = data.traced.map((each) => samples.map((own) => own.points[each.point])); },
    // A press on a point pulls it along the screen; elsewhere it turns the view.
    drag: (pull, all, stop) => {
      let handle = -1, before = null;
      const near = (event) => {
        const area = canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
        const now = sight(), far = (i) => {
          const [a, b] = seenAt(now, points[i], canvas.clientWidth, canvas.clientHeight);
          return Math.hypot(a - x, b - y);
        };
        const best = data.handles.reduce((own, i) => own < 0 || far(i) < far(own) ? i : own, -1);
        return best >= 0 && far(best) < 16 ? best : -1;
      };
      canvas.addEventListener("pointerdown", (event) => {
        handle = near(event);
        if (handle < 0) return;
        event.stopImmediatePropagation();
        canvas.setPointerCapture(event.pointerId);
        before = [event.clientX, event.clientY];
        stop();
      });
      canvas.addEventListener("pointermove", (event) => {
        if (handle < 0 || !event.buttons) return;
        event.stopImmediatePropagation();
        const { right, up, far } = sight(), size = 2 * far * Math.tan(0.26) / canvas.clientHeight;
        const x = size * (event.clientX - before[0]), y = size * (event.clientY - before[1]);
        before = [event.clientX, event.clientY];
        pull((points) => points[handle], all()[handle].map((c, i) => c + x * right[i] - y * up[i]));
      });
      canvas.addEventListener("pointerup", () => { handle = -1; });
      turnable(canvas, view, home, sight, draw);
    },
    view,
  };
}

// A solid on a body: its axes turn with the body, and one or two points say where it is.
function solidBetween([form, color, body, axes, i, j, middle], points, poses) {
  const turned = (k) => [0, 1, 2].map((r) => [0, 1, 2].reduce((sum, c) =>
    sum + poses[12 * body + 3 * r + c] * axes[3 * k + c], 0));
  const p = points[i], z = j < 0 ? turned(2) : minus(points[j], p);
  let x, y;
  if (body >= 0) { x = turned(0); y = turned(1); }
  else {
    x = unit(cross(Math.abs(unit(z)[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)).map((e) => e * axes[0]);
    y = unit(cross(z, x)).map((e) => e * axes[0]);
  }
  const at = p.map((e, k) => e + middle * z[k]);
  return [form, [...x, 0, ...y, 0, ...z, 0, ...at, 1], color];
}

// A triangle of a plate, a little thick.
function fanBetween([i, j, k, thick, color], points) {
  const p = points[i], x = minus(points[j], p), y = minus(points[k], p);
  const z = unit(cross(x, y)).map((e) => e * thick);
  return ["wedge", [...x, 0, ...y, 0, ...z, 0, ...p, 1], color];
}
