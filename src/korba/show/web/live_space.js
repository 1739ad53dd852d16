// The picture of a spatial mechanism that lives in the page: solids of space.js between points.
function spacePicture(root, data) {
  const space = data.space, { canvas, sight, draw: drawn, turning } = openCanvas(root, space);
  const { theme } = document.documentElement.dataset, system = matchMedia("(prefers-color-scheme: dark)");
  const light = space.colors;
  const recolour = () => { space.colors = theme === "dark" || (theme === "auto" && system.matches) ? space.dark : light; };
  let points = [], poses = [], ways = [];
  const draw = () => drawn(
    [...space.parts.map((part) => solidBetween(part, points, poses)), ...space.fans.map((fan) => fanBetween(fan, points))],
    ways, space.names.map(([text, i]) => [text, points[i]]));
  system.addEventListener("change", () => { recolour(); draw(); });
  recolour();
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
        const way = wayInSpace(sight(), event.clientX - before[0], event.clientY - before[1], canvas.clientHeight);
        before = [event.clientX, event.clientY];
        pull((points) => points[handle], all()[handle].map((c, i) => c + way[i]));
      });
      canvas.addEventListener("pointerup", () => { handle = -1; });
      turning(draw);
    },
  };
}

// A solid between two points; or on a body, its axes turned with it, where one or two points say.
function solidBetween([form, color, body, axes, i, j, middle, shape], points, poses) {
  if (body < 0) return [form, between(points[i], points[j], axes[0]), color, shape];
  const turned = (k) => [0, 1, 2].map((r) => [0, 1, 2].reduce((sum, c) =>
    sum + poses[12 * body + 3 * r + c] * axes[3 * k + c], 0));
  const p = points[i], z = j < 0 ? turned(2) : minus(points[j], p);
  const at = p.map((e, k) => e + middle * z[k]);
  return [form, [...turned(0), 0, ...turned(1), 0, ...z, 0, ...at, 1], color, shape];
}

// A triangle of a plate, a little thick.
function fanBetween([i, j, k, thick, color], points) {
  const p = points[i], x = minus(points[j], p), y = minus(points[k], p);
  const z = unit(cross(x, y)).map((e) => e * thick);
  return ["wedge", [...x, 0, ...y, 0, ...z, 0, ...p, 1], color];
}
