// A spatial mechanism in a page, by WebGL: solids on bodies, lit, with a floor, shadows, trails
// and names. `data` is what space_page.py writes: forms (corners in steps of 16 bits, triangles),
// parts [form, body, matrix, colour], ties between two points, poses [x, y, z, w, i, j, k] of all
// bodies frame by frame. Drag to turn, with shift or two fingers to move, wheel or pinch to zoom.
const LENS = 0.26;  // half the angle that is seen, in rad
const VERTEX = `#version 300 es
in vec3 corner, normal;
uniform mat4 place, sight;
uniform vec2 shift;
out vec3 n, p;
void main() {
  vec4 world = place * vec4(corner, 1.0);
  mat3 M = mat3(place);
  n = normal.x * cross(M[1], M[2]) + normal.y * cross(M[2], M[0]) + normal.z * cross(M[0], M[1]);
  p = world.xyz;
  gl_Position = sight * world;
  gl_Position.xy += shift * gl_Position.w;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, p;
uniform vec3 color, eye, light, rim;
uniform float plain;
out vec4 shown;
void main() {
  vec3 to = normalize(eye - p), m = normalize(n);
  if (dot(m, to) < 0.0) m = -m;
  float lit = 0.48 + 0.55 * max(dot(m, light), 0.0) + 0.08 * m.z;
  float gloss = 0.28 * pow(max(dot(m, normalize(light + to)), 0.0), 32.0);
  vec3 solid = mix(color * lit, vec3(1.0), gloss) + rim * pow(1.0 - dot(m, to), 3.0);
  shown = vec4(plain > 0.5 ? color : solid, 1.0);
}`;

// Matrices of four columns, one behind the other.
const product = (a, b) => b.map((_, k) => {
  const i = k % 4, j = k - i;
  return a[i] * b[j] + a[i + 4] * b[j + 1] + a[i + 8] * b[j + 2] + a[i + 12] * b[j + 3];
});
const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const size = Math.hypot(...a) || 1; return a.map((x) => x / size); };
const applied = (X, p) => [0, 1, 2].map((i) => X[i] * p[0] + X[i + 4] * p[1] + X[i + 8] * p[2] + X[i + 12]);

// The pose of a body; between frames its quaternion is not quite of length one.
function poseMatrix([x, y, z, ...q]) {
  const [w, i, j, k] = q.map((e) => e / Math.hypot(...q));
  return [1 - 2 * (j * j + k * k), 2 * (i * j + w * k), 2 * (i * k - w * j), 0,
          2 * (i * j - w * k), 1 - 2 * (i * i + k * k), 2 * (j * k + w * i), 0,
          2 * (i * k + w * j), 2 * (j * k - w * i), 1 - 2 * (i * i + j * j), 0, x, y, z, 1];
}

// Where a point [x, y, z] of a body, by its number, is in the world.
const placedInSpace = (poses, body, p) => applied(poseMatrix(poses[body]), p);

// The matrix of a solid of a width from one point to another.
function between(p, q, wide) {
  const z = minus(q, p), x = unit(cross(Math.abs(unit(z)[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)), y = cross(unit(z), x);
  return [...x.map((e) => e * wide), 0, ...y.map((e) => e * wide), 0, ...z, 0, ...p, 1];
}

// All solids at the poses of bodies: [form, matrix, colour, whether a body looks like it].
function solidsAt(data, poses) {
  const X = poses.map(poseMatrix);
  const rigid = data.parts.map(([form, body, own, color, kind]) =>
    [form, product(X[body], own), color, kind === "shape"]);
  const ties = data.ties.map(([form, ends, wide, color]) => {
    const [p, q] = ends.map(([body, ...at]) => applied(X[body], at));
    return [form, between(p, q, wide), color];
  });
  return [...rigid, ...ties];
}

// The solids of an overlay [colour, heads, text, places]: a rod through its places that ends in heads.
function arrowOf([color, heads, , places], wide) {
  const tip = places.at(-1), before = places.at(-2), apart = (p, q) => Math.hypot(...minus(q, p));
  if (!before) return [["ball", [2 * wide, 0, 0, 0, 0, 2 * wide, 0, 0, 0, 0, 2 * wide, 0, ...tip, 1], color]];
  const whole = places.slice(1).reduce((sum, q, i) => sum + apart(places[i], q), 0);
  const long = Math.min(8 * wide, 0.6 * whole / Math.max(heads, 1)), u = unit(minus(tip, before));
  const back = (way) => tip.map((x, i) => x - way * u[i]);
  const way = heads ? [...places.slice(0, -1), back(Math.min(long, 0.9 * apart(before, tip)))] : places;
  const rods = way.slice(1).map((q, i) => ["cylinder", between(way[i], q, wide), color]);
  const ends = Array.from({ length: heads }, (_, i) => ["head", between(back((i + 1) * long), back(i * long), long / 3), color]);
  return [...rods, ...ends];
}

// Corners and normals of the triangles of a form; faces that meet at a sharp angle stay sharp.
function trianglesOf({ low, step, corners, triangles, wide }) {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const at = new Uint16Array(bytes(corners)), list = new (wide ? Uint32Array : Uint16Array)(bytes(triangles));
  const point = (i) => [0, 1, 2].map((k) => low[k] + step[k] * at[3 * i + k]);
  const faces = [], around = new Map(), key = (i) => `${at[3 * i]} ${at[3 * i + 1]} ${at[3 * i + 2]}`;
  for (let f = 0; f < list.length; f += 3) {
    const [a, b, c] = [point(list[f]), point(list[f + 1]), point(list[f + 2])];
    const normal = cross(minus(b, a), minus(c, a)), face = { normal, towards: unit(normal), places: [a, b, c] };
    face.keys = [0, 1, 2].map((k) => key(list[f + k]));
    for (const own of face.keys) (around.get(own) || around.set(own, []).get(own)).push(face);
    faces.push(face);
  }
  const places = [], normals = [];
  for (const face of faces) {
    face.places.forEach((place, k) => {
      const near = around.get(face.keys[k]).filter((other) => dot(other.towards, face.towards) > 0.7);
      places.push(...place);
      normals.push(...unit(near.reduce((sum, other) => sum.map((x, i) => x + other.normal[i]), [0, 0, 0])));
    });
  }
  return { places: new Float32Array(places), normals: new Float32Array(normals), count: faces.length * 3 };
}

// The eye, and the matrix from the world to the screen, of a view.
function sightOf(data, view, aspect) {
  const [c, s, ct, st] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
  const out = [c * ct, s * ct, st], right = [-s, c, 0], up = cross(out, right);
  const far = data.radius / Math.sin(LENS) / view.zoom, eye = view.centre.map((x, i) => x + far * out[i]);
  const f = 1 / Math.tan(LENS) / Math.max(1, 1 / aspect), near = Math.max(far - 4 * data.radius, far / 50), end = far + 6 * data.radius;
  const look = [right, up, out], turn = [0, 1, 2].flatMap((k) => [...look.map((row) => row[k]), 0]);
  const world = [...turn, ...look.map((row) => -dot(row, eye)), 1];
  const lens = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (end + near) / (near - end), -1, 0, 0, 2 * end * near / (near - end), 0];
  const light = unit([0, 1, 2].map((k) => -0.35 * right[k] + 0.5 * up[k] + 0.8 * out[k]));
  return { eye, right, up, far, light, matrix: product(lens, world) };
}

// Pixels of a point of the world.
function seenAt(sight, p, width, height) {
  const m = sight.matrix, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15], [x, y] = applied(m, p);
  return [width / 2 * (1 + x / w), height / 2 * (1 - y / w)];
}

// The way in the world of a way on the screen, in pixels, at the distance of what is looked at.
function wayInSpace({ right, up, far }, x, y, height) {
  const size = 2 * far * Math.tan(LENS) / height;
  return right.map((r, i) => size * (x * r - y * up[i]));
}

// A painter by WebGL: a function of what is to be seen. Null where there is no WebGL.
function paintedByCards(canvas, data) {
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enable(gl.DEPTH_TEST);
  const slot = (name) => gl.getUniformLocation(program, name);
  const buffer = (numbers, name) => {
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    return gl.getParameter(gl.ARRAY_BUFFER_BINDING);
  };
  const held = (places, normals) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const corners = buffer(places, "corner");
    if (normals) buffer(normals, "normal");
    return { array, corners, count: places.length / 3 };
  };
  const forms = Object.fromEntries(Object.entries(data.solids).map(([name, solid]) =>
    [name, held(solid.places, solid.normals)]));
  const still = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const floor = held(new Float32Array(data.floor.flat(2))), trail = held(new Float32Array(3));
  const lines = (kind, { array }, count, color, offsets) => {
    gl.uniform3fv(slot("color"), color);
    gl.uniformMatrix4fv(slot("place"), false, still);
    gl.bindVertexArray(array);
    for (const [x, y] of offsets) {
      gl.uniform2f(slot("shift"), x / canvas.width, y / canvas.height);
      gl.drawArrays(kind, 0, count);
    }
    gl.uniform2f(slot("shift"), 0, 0);
  };
  const solid = ([form, X, color], shade) => {
    gl.uniform3fv(slot("color"), shade || color);
    gl.uniformMatrix4fv(slot("place"), false, X);
    gl.bindVertexArray(forms[form].array);
    gl.drawArrays(gl.TRIANGLES, 0, forms[form].count);
  };
  const z = data.level, fall = [1, 0, 0, 0, 0, 1, 0, 0, 0.25, -0.15, 0, 0, -0.25 * z, 0.15 * z, z - 1e-3 * data.radius, 1];
  return (solids, sight, trails, above) => {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...data.colors.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(slot("sight"), false, sight.matrix);
    gl.uniform3fv(slot("eye"), sight.eye);
    gl.uniform3fv(slot("light"), sight.light);
    gl.uniform3fv(slot("rim"), data.colors.rim);
    gl.uniform1f(slot("plain"), 1);
    if (sight.eye[2] > z) for (const each of solids) solid([each[0], product(fall, each[1])], data.colors.shadow);
    lines(gl.LINES, floor, floor.count, data.colors.ghost, [[0, 0]]);
    for (const way of trails) {
      gl.bindBuffer(gl.ARRAY_BUFFER, trail.corners);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(way.flat()), gl.DYNAMIC_DRAW);
      lines(gl.LINE_STRIP, trail, way.length, data.colors.ink, [[0, 0], [1.4, 0], [-1.4, 0], [0, 1.4], [0, -1.4]]);
    }
    gl.uniform1f(slot("plain"), 0);
    for (const each of solids) solid(each);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    for (const each of above) solid(each);
  };
}

// The same without WebGL: triangles on a flat canvas, the farther ones first.
function paintedByHand(canvas, data) {
  const pen = canvas.getContext("2d"), css = (c) => `rgb(${c.map((x) => Math.round(255 * Math.min(x, 1))).join()})`;
  return (solids, sight, trails, above) => {
    const seen = (p) => seenAt(sight, p, canvas.width, canvas.height);
    pen.fillStyle = css(data.colors.paper);
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const facesOf = (some) => some.flatMap(([form, X, color]) => {
      const { places, count } = data.solids[form], faces = [];
      for (let i = 0; i < 3 * count; i += 9) {
        const [a, b, c] = [0, 3, 6].map((k) => applied(X, places.subarray(i + k, i + k + 3)));
        const n = unit(cross(minus(b, a), minus(c, a))), to = minus(sight.eye, a), side = dot(n, to) < 0 ? -1 : 1;
        const lit = 0.48 + 0.55 * Math.max(side * dot(n, sight.light), 0);
        faces.push([dot(to, to), css(color.map((x) => x * lit)), [a, b, c]]);
      }
      return faces;
    }).sort((f, g) => g[0] - f[0]);
    const draw = (points, color, fill) => {
      pen.beginPath();
      points.map(seen).forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.strokeStyle = pen.fillStyle = color;
      if (fill) { pen.closePath(); pen.fill(); }
      pen.stroke();
    };
    for (const [p, q] of data.floor) draw([p, q], css(data.colors.ghost));
    for (const [, color, corners] of [...facesOf(solids), ...facesOf(above)]) draw(corners, color, true);
    for (const way of trails) draw(way, css(data.colors.ink));
  };
}

// Corners on the screen round what bodies look like: names keep off them.
function outlinesOf(data, solids, sight, width, height) {
  return solids.filter(([, , , shape]) => shape).map(([form, X]) => {
    const { places, count } = data.solids[form], step = 3 * Math.max(1, Math.floor(count / 240)), seen = [];
    for (let i = 0; i < 3 * count; i += step) seen.push(seenAt(sight, applied(X, places.subarray(i, i + 3)), width, height));
    seen.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const turn = (a, p, q) => (p[0] - a[0]) * (q[1] - a[1]) - (p[1] - a[1]) * (q[0] - a[0]);
    const chain = (points) => points.reduce((kept, p) => {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
      kept.push(p);
      return kept;
    }, []).slice(0, -1);
    return [...chain(seen), ...chain(seen.toReversed())];
  });
}

// Whether a box [left, top, right, bottom] and a convex outline have a point in common.
function meets(outline, [left, top, right, bottom]) {
  const box = [[left, top], [right, top], [right, bottom], [left, bottom]];
  const apart = (x, y) => {
    const [one, two] = [outline, box].map((points) => points.map((p) => p[0] * x + p[1] * y));
    return Math.max(...one) < Math.min(...two) || Math.max(...two) < Math.min(...one);
  };
  return !apart(1, 0) && !apart(0, 1) && !outline.some((p, i) => {
    const q = outline[(i + 1) % outline.length];
    return apart(q[1] - p[1], p[0] - q[0]);
  });
}

const AWAY = [0, 20, 44, 72, 104, 140];  // pixels that names go farther from their points

// Names [text, point of the world, colour] over the canvas; where they cover no other and no body,
// with a line to their points if they stand away from them; else only no other.
function drawNames(box, names, sight, width, height, outlines) {
  const taken = [];
  while (box.children.length > names.length) box.lastChild.remove();
  names.forEach(([text, p, color], i) => {
    const span = box.children[i] || box.appendChild(document.createElement("span"));
    const [x, y] = seenAt(sight, p, width, height);
    span.textContent = text;
    span.style.color = color ? `rgb(${color.map((x) => 255 * x)})` : "";
    const wide = 4 + 7.5 * text.length;
    const places = AWAY.flatMap((far) => [[x + 10 + far, y - 22 - far / 2], [x + 10 + far, y + 6 + far / 2],
      [x - 10 - wide - far, y - 22 - far / 2], [x - 10 - wide - far, y + 6 + far / 2],
      [x - wide / 2, y - 22 - far], [x - wide / 2, y + 6 + far]]).map(([a, b]) => [a, b, a + wide, b + 16]);
    const clear = ([a, b, c, d]) => a >= 0 && b >= 0 && c <= width && d <= height &&
      !taken.some((other) => a < other[2] && other[0] < c && b < other[3] && other[1] < d);
    const free = places.filter(clear), wider = ([a, b, c, d]) => [a - 3, b - 3, c + 3, d + 3];
    const own = free.find((each) => !outlines.some((outline) => meets(outline, wider(each)))) || free[0];
    span.style.display = own ? "" : "none";
    if (!own) return;
    span.style.transform = `translate(${own[0]}px, ${own[1]}px)`;
    const edge = [Math.min(Math.max(x, own[0]), own[2]), Math.min(Math.max(y, own[1]), own[3])];
    const [u, v] = [x - edge[0], y - edge[1]], far = Math.hypot(u, v);
    if (far > 24) {
      const line = span.appendChild(document.createElement("i"));
      line.style.cssText = `left: ${edge[0] - own[0]}px; top: ${edge[1] - own[1]}px; width: ${far}px; transform: rotate(${Math.atan2(v, u)}rad)`;
    }
    taken.push(own);
  });
}

// A space on a canvas: how it is seen, `draw(solids, trails, names, above)`, and `turning(draw again)`, by
// which the reader turns it. Solids that are `above` are hidden by none of the others.
function openCanvas(root, data) {
  const canvas = root.querySelector("canvas"), box = root.querySelector(".names");
  data.solids = Object.fromEntries(Object.entries(data.forms).map(([name, form]) => [name, trianglesOf(form)]));
  const paint = paintedByCards(canvas, data) || paintedByHand(canvas, data);
  const home = { turn: 0.7854, tilt: 0.5, zoom: 1, centre: data.centre }, view = { ...home };
  const sight = () => sightOf(data, view, canvas.clientWidth / canvas.clientHeight || 1.4);
  const draw = (solids, trails, names, above = []) => {
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const now = sight();
    paint(solids, now, trails, above);
    drawNames(box, names, now, width, height, names.length ? outlinesOf(data, solids, now, width, height) : []);
  };
  const turning = (drawAgain) => {
    turnable(canvas, view, home, sight, drawAgain);
    window.addEventListener("resize", drawAgain);
  };
  return { canvas, view, sight, draw, turning };
}

// A space in the player: `draw(time, trails shown)`, and the view.
function openSpace(root, data, drawAgain) {
  const space = openCanvas(root, data);
  const draw = (time, shown) => {
    const poses = frameAt(data, time), trails = [...shown].map((i) => {
      const [body, ...p] = data.trails[i];
      return [...data.frames.filter((_, k) => data.t[k] <= time), poses].map((own) => placedInSpace(own, body, p));
    });
    const names = data.names.map(([text, body, ...p]) => [text, placedInSpace(poses, body, p)]);
    const over = data.over ? data.over[shownFrame(data, time)] : [];
    const texts = over.map(([color, , text, places]) => [text, places.at(-1), color]);
    space.draw(solidsAt(data, poses), trails, [...names, ...texts], over.flatMap((mark) => arrowOf(mark, data.wide)));
  };
  space.turning(drawAgain);
  return { draw, view: space.view };
}

// Drag to turn; with shift, another button or two fingers to move; wheel or pinch to zoom; twice to go home.
function turnable(canvas, view, home, sight, draw) {
  const fingers = new Map();
  const slide = (x, y) => {
    view.centre = minus(view.centre, wayInSpace(sight(), x, y, canvas.clientHeight));
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId), now = [event.clientX, event.clientY];
    if (!before) return;
    const [x, y] = minus(now, before), other = [...fingers].find(([id]) => id !== event.pointerId);
    if (other) {
      const apart = (p) => Math.hypot(...minus(p, other[1]));
      view.zoom *= apart(now) / Math.max(apart(before), 1);
      slide(x / 2, y / 2);
    } else if (event.shiftKey || event.buttons > 1) {
      slide(x, y);
    } else {
      view.turn -= x / 150;
      view.tilt = Math.min(Math.max(view.tilt + y / 150, -1.55), 1.55);
    }
    fingers.set(event.pointerId, now);
    draw();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom *= Math.exp(-event.deltaY / 800);
    draw();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => { Object.assign(view, home); draw(); });
}
