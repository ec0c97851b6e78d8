"use strict";
// The trees of the page, best first. A walk is a list of choices: what stands at each place, in the
// order in which places are opened. Trees that agree with all choices are left.
const trees = JSON.parse(document.getElementById("trees").textContent);
const part = name => document.querySelector(`[data-part="${name}"]`);
let choices = [];

// What stands at a node, as one string.
const test = node => node.below ? node.below.map(([words]) => words).join(" | ") : `leaf: ${node.says}`;

// Follows the choices through a tree, first children first. Returns the node at the next open
// place and the words that lead there, or null if the tree disagrees; all places may be decided.
function follow(tree) {
  const waiting = [[tree.root, "The first test"]];
  for (const choice of choices) {
    const [node] = waiting.shift() || [null];
    if (node === null || test(node) !== choice) return null;
    if (node.below) waiting.unshift(...node.below.map(([words, child]) => [child, words]));
  }
  return waiting.length ? waiting[0] : [null, ""];
}

function left() {
  const found = [];
  trees.forEach((tree, number) => {
    const place = follow(tree);
    if (place !== null) found.push({tree, number, node: place[0], words: place[1]});
  });
  return found;
}

function element(kind, text, className) {
  const made = document.createElement(kind);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Draws a tree, or the part of it that is decided; `open` counts the places still to be drawn.
function draw(node, open) {
  if (open.left === 0) {
    open.left = -1;
    return element("span", "what comes here?", "open here");
  }
  if (open.left < 0) return element("span", "not chosen yet", "open");
  open.left -= 1;
  const rows = element("span", ` ${node.rows} rows`, "small");
  if (!node.below) {
    const leaf = element("span", "");
    leaf.append(element("span", node.says, "says"), rows);
    return leaf;
  }
  const list = element("ul");
  for (const [words, child] of node.below) {
    const item = element("li", words + ": ");
    item.append(draw(child, open));
    list.append(item);
  }
  return list;
}

function offer(found) {
  const offers = new Map();
  for (const {tree, node} of found) {
    if (node === null) continue;
    const words = test(node);
    if (!offers.has(words)) offers.set(words, {n: 0, best: tree.cost});
    offers.get(words).n += 1;
  }
  const list = part("choices");
  list.replaceChildren();
  for (const [words, {n, best}] of offers) {
    const button = element("button", words);
    button.append(element("div", `${n} ${n === 1 ? "tree" : "trees"}, best cost ${best.toPrecision(5)}`, "small"));
    button.addEventListener("click", () => { choices.push(words); show(); });
    const item = element("li");
    item.append(button);
    list.append(item);
  }
  return offers.size;
}

function show() {
  const found = left();
  const first = found[0];
  // Places at which all trees that are left agree are decided without asking.
  if (first.node !== null && found.every(f => f.node !== null && test(f.node) === test(first.node))) {
    choices.push(test(first.node));
    automatic.push(choices.length);
    show();
    return;
  }
  const done = first.node === null;
  part("left").textContent = found.length === 1 ? "One tree is left." : `${found.length} trees are left.`;
  part("place").textContent = done ? `Tree ${first.number}: cost ${first.tree.cost.toPrecision(6)}` : first.words;
  offer(found);
  part("tree").replaceChildren(draw(first.tree.root, {left: done ? Infinity : choices.length}));
  part("back").disabled = choices.length === automatic.length;
  part("keep").disabled = !done;
}

// How long the list of choices was after each choice that nobody had to make.
let automatic = [];

function back() {
  while (choices.length && automatic.at(-1) === choices.length) { automatic.pop(); choices.pop(); }
  choices.pop();
  while (automatic.length && automatic.at(-1) > choices.length) automatic.pop();
  show();
}

// A kept tree is listed with its number in the set, and saved as a small file.
function keep() {
  const {tree, number} = left()[0];
  const link = element("a", `Tree ${number}, cost ${tree.cost.toPrecision(6)}, ${tree.splits} splits`);
  link.href = "data:application/json," + encodeURIComponent(JSON.stringify({number, ...tree}, null, 1));
  link.download = `tree-${number}.json`;
  const item = element("li");
  item.append(link);
  part("kept").append(item);
}

part("back").addEventListener("click", back);
part("again").addEventListener("click", () => { choices = []; automatic = []; show(); });
part("keep").addEventListener("click", keep);
show();
