// Zoom, pan and choose: the picture of a tree is an SVG element whose viewBox moves.
// Nodes carry data-node; a click or Enter on one is told to the server.
window.treeproofTree = (() => {
  const LARGEST = 1.6; // a small tree is not blown up to fill the canvas
  const READABLE = 1.5; // the smallest words of a picture, of size 8, are 12 pixels high
  let drag = null;
  let whole = false; // whether the user asked for the whole tree

  const canvas = () => document.querySelector('[data-part="tree"]');
  const picture = () => canvas()?.querySelector("svg");
  const view = (svg) => svg.viewBox.baseVal;

  function setView(svg, x, y, width, height) {
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  // Show all of a tree if its words are then large enough to be read, or if the user
  // asked for all of it; else begin at its root.
  function fit() {
    const svg = picture();
    if (!svg?.dataset.width) return;
    const box = canvas().getBoundingClientRect();
    if (!box.width || !box.height) return;
    const width = parseFloat(svg.dataset.width), height = parseFloat(svg.dataset.height);
    const all = Math.min(box.width / width, box.height / height, LARGEST);
    const scale = whole ? all : Math.max(all, READABLE);
    const w = box.width / scale, h = box.height / scale;
    const root = svg.querySelector('[data-node="0"]')?.getBBox();
    const left = root ? root.x + root.width / 2 - w / 2 : 0;
    setView(svg, w < width ? Math.min(Math.max(left, 0), width - w) : (width - w) / 2,
            h < height ? 0 : (height - h) / 2, w, h);
  }

  function fitWhole() {
    whole = true;
    fit();
  }

  // The keyboard reaches nodes that are outside of the view; they are moved into it.
  function show(node) {
    const svg = picture(), box = node.getBBox(), v = view(svg);
    const inside = box.x >= v.x && box.x + box.width <= v.x + v.width &&
      box.y >= v.y && box.y + box.height <= v.y + v.height;
    if (!inside)
      setView(svg, box.x + box.width / 2 - v.width / 2,
              box.y + box.height / 2 - v.height / 2, v.width, v.height);
  }

  function zoom(factor, px, py) {
    const svg = picture();
    if (!svg) return;
    const v = view(svg), box = canvas().getBoundingClientRect();
    const fx = px === undefined ? 0.5 : (px - box.left) / box.width;
    const fy = py === undefined ? 0.5 : (py - box.top) / box.height;
    const w = v.width / factor, h = v.height / factor;
    setView(svg, v.x + (v.width - w) * fx, v.y + (v.height - h) * fy, w, h);
  }

  function pan(dx, dy) {
    const svg = picture();
    if (!svg) return;
    const v = view(svg), box = canvas().getBoundingClientRect();
    setView(svg, v.x - (dx * v.width) / box.width, v.y - (dy * v.height) / box.height,
            v.width, v.height);
  }

  function choose(target) {
    canvas().querySelectorAll(".tp-chosen").forEach((e) => e.classList.remove("tp-chosen"));
    target.classList.add("tp-chosen");
    emitEvent("tp_node", { node: parseInt(target.dataset.node) });
  }

  // A new picture has arrived: prepare it once it is in the document.
  function fresh(tries = 40) {
    const svg = picture();
    if (!svg || svg.dataset.width) {
      if (tries > 0) setTimeout(() => fresh(tries - 1), 50);
      return;
    }
    whole = false;
    svg.dataset.width = view(svg).width;
    svg.dataset.height = view(svg).height;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.querySelectorAll("[data-node]").forEach((node) => {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
    });
    watchCanvas();
    fit();
  }

  const inCanvas = (event) => event.target.closest?.('[data-part="tree"]');

  document.addEventListener("wheel", (event) => {
    if (!inCanvas(event) || !picture()) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
  }, { passive: false });

  document.addEventListener("pointerdown", (event) => {
    if (inCanvas(event)) drag = { x: event.clientX, y: event.clientY, moved: false };
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    pan(dx, dy);
    drag = { x: event.clientX, y: event.clientY, moved: true };
  });
  document.addEventListener("pointerup", (event) => {
    const still = drag && !drag.moved;
    drag = null;
    const node = event.target.closest?.("[data-node]");
    if (still && node && inCanvas(event)) choose(node);
  });
  document.addEventListener("keydown", (event) => {
    if (!inCanvas(event)) return;
    const node = event.target.closest("[data-node]");
    const act = {
      "+": () => zoom(1.25), "-": () => zoom(0.8), "0": fitWhole,
      ArrowLeft: () => pan(40, 0), ArrowRight: () => pan(-40, 0),
      ArrowUp: () => pan(0, 40), ArrowDown: () => pan(0, -40),
      Enter: () => node && choose(node), " ": () => node && choose(node),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("focusin", (event) => {
    const node = inCanvas(event) && event.target.closest("[data-node]");
    if (node && !drag) show(node);
  });
  window.addEventListener("resize", fit);
  // The canvas also changes size when its tab is opened or the chosen node is shown.
  const sizes = new ResizeObserver(fit);
  const watchCanvas = () => canvas() && sizes.observe(canvas());

  // Pictures that are wider than their boxes show their roots first.
  function centre(tries = 40) {
    const roots = document.querySelectorAll('.tp-picture [data-node="0"]');
    if (!roots.length && tries > 0) setTimeout(() => centre(tries - 1), 50);
    roots.forEach((root) => {
      const box = root.closest(".tp-picture"), all = box.getBoundingClientRect();
      const own = root.getBoundingClientRect();
      box.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
    });
  }

  // On a narrow window the search is far below the button that starts it.
  function follow() {
    const search = document.querySelector(".tp-search");
    if (window.innerWidth <= 900) search?.scrollIntoView({ block: "start" });
  }

  return { fit, fitWhole, zoom, fresh, centre, follow };
})();
