// The page: takes files, runs the program in a worker thread, and shows what it says while it runs and in the end.
"use strict";

const $ = (id) => document.getElementById(id);

// What the page was built with: in the folder of files these are fetched, in the single file they are in the page.
const parts = globalThis.proxybdParts ?? {
  worker: async () => "worker.js",
  program: async () => fetch("proxybd.wasm.gz"),
};

let chosen = []; // {name, bytes}
let worker = null;
let running = false; // from the click until the result, also while the program is loaded
let stops = 0; // how often Stop was pressed in this run
let trace = []; // {seconds, objective, bound}

// The program is compiled once, in the background; the bar shows how much of it is there.
const program = load().catch((e) => {
  fail("The program could not be loaded: " + e.message + (location.protocol === "file:" ? "\nA browser does not load parts of a page from files: open proxybd.html instead, or serve this folder." : ""));
  throw e;
});
program.catch(() => {});

async function load() {
  const response = await parts.program();
  if (!response.ok) throw new Error(response.status + " " + response.statusText);
  const total = Number(response.headers.get("Content-Length")) || 7.5e6;
  let seen = 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(chunk, to) {
      seen += chunk.length;
      $("loading").value = Math.min(1, seen / total);
      to.enqueue(chunk);
    },
  }));

  // A server may have unpacked the file on its way: the first two bytes of what arrives say.
  const [head, body] = counted.tee();
  const first = (await head.getReader().read()).value ?? new Uint8Array();
  const packed = first[0] === 0x1f && first[1] === 0x8b;
  const stream = packed ? body.pipeThrough(new DecompressionStream("gzip")) : body;
  const module = await WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
  $("loading").hidden = true;
  return module;
}

// Examples are written here, so that the page needs no other file.
const examples = {
  "two facilities (CSV)": ["facilities.csv", "problem,cap\nname,cities\n\nfacility,capacity,fixed_cost,x,y\nHamburg,60,120,10.0,53.6\nBerlin,80,150,13.4,52.5\nMunich,70,140,11.6,48.1\n\nclient,demand,x,y\nKiel,20,10.1,54.3\nLeipzig,35,12.4,51.3\nStuttgart,30,9.2,48.8\nVienna,25,16.4,48.2\n\ncosts,Hamburg,Berlin,Munich\nKiel,10,36,88\nLeipzig,40,19,43\nStuttgart,65,63,23\nVienna,96,68,44\n"],
  "a network (CSV)": ["network.csv", "problem,mcndp\nname,rail\n\nnode,x,y\nHamburg,10.0,53.6\nBerlin,13.4,52.5\nLeipzig,12.4,51.3\nMunich,11.6,48.1\n\narc,from,to,cost,capacity,fixed_cost\n1,Hamburg,Berlin,3,40,60\n2,Hamburg,Leipzig,4,30,70\n3,Berlin,Leipzig,2,30,30\n4,Leipzig,Munich,4,60,90\n5,Berlin,Munich,6,25,110\n6,Munich,Leipzig,4,40,80\n\ncommodity,origin,destination,demand\nsteel,Hamburg,Munich,20\npaper,Berlin,Munich,15\nbeer,Munich,Leipzig,10\n"],
  "a knapsack (LP)": ["knapsack.lp", "maximize\n value: 60 tent + 35 stove + 25 book + 48 rope + 30 lamp\nsubject to\n weight: 5 tent + 3 stove + 2.5 book + 4 rope + 2 lamp <= 10\nbinary\n tent stove book rope lamp\nend\n"],
  "an infeasible model (LP)": ["infeasible.lp", "minimize\n cost: x + 2 y\nsubject to\n demand: x + y >= 12\n supply: x + 2 y <= 10\nbounds\n y >= 1\nend\n"],
};
for (const [title, [name, text]] of Object.entries(examples)) {
  const button = document.createElement("button");
  button.textContent = title;
  button.onclick = () => { choose([{ name, bytes: new TextEncoder().encode(text) }]); start(); };
  $("examples").append(button);
}

function choose(files) {
  chosen = files;
  $("chosen").textContent = files.map((f) => f.name + " (" + f.bytes.length.toLocaleString("en") + " bytes)").join(", ");
  $("run").disabled = files.length === 0 || running;
}

async function take(list) {
  const files = await Promise.all([...list].map(async (f) => ({ name: f.name.replaceAll("/", "_"), bytes: new Uint8Array(await f.arrayBuffer()) })));
  if (files.length > 0) choose(files);
}
$("files").onchange = (e) => take(e.target.files);
for (const [event, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  document.addEventListener(event, (e) => {
    e.preventDefault();
    $("drop").classList.toggle("over", over);
    if (event === "drop") take(e.dataTransfer.files);
  });
}
$("drop").onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") $("files").click(); };

// plan returns the arguments of the program for the files: the main one, and those that go with it.
function plan() {
  const ends = (f, ...list) => list.some((e) => f.name.toLowerCase().replace(/\.(gz|zst|bz2)$/, "").endsWith(e));
  const main = chosen.find((f) => ends(f, ".cor", ".smps", ".bd")) ?? chosen.find((f) => !ends(f, ".scen", ".tim", ".sto")) ?? chosen[0];
  const draws = chosen.find((f) => f !== main && ends(f, ".scen")) ??
    (ends(main, ".lp", ".mps", ".nl") ? chosen.find((f) => f !== main && ends(f, ".csv")) : undefined);
  let command = $("command").value;
  if (command === "auto") command = ends(main, ".lp", ".mps", ".nl") && !draws ? "mip" : "solve";
  const args = [command, main.name, "--json", "--progress", "ndjson", "--log", "run.log", "--log-every", "200ms", "--solution", "solution.json"];
  if (command === "solve") args.push("--svg", "design.svg");
  if (command !== "lp") args.push("--gap", $("gap").value.trim() || "1e-4");
  if (draws) args.push("--scenarios", draws.name);
  args.push("--time-limit", ($("limit").value || "60") + "s", ...$("flags").value.trim().split(/\s+/).filter(Boolean));
  return args;
}

// Not every command has events; the flags of the one that is asked for are left as they are.
const events = new Set(["mip", "solve"]);

$("run").onclick = () => start();
$("stop").onclick = () => {
  // The first time the program ends with what it has; the second time the thread is ended.
  if (stops++ === 0) worker.postMessage("stop");
  else finish({ code: 5, object: null, error: "The run was ended without a result.", outputs: {} });
};

async function start() {
  if (running || chosen.length === 0) return;
  running = true;
  delete document.body.dataset.done;
  let args = plan();
  if (!events.has(args[0])) args = args.filter((a) => a !== "--progress" && a !== "ndjson");
  trace = [];
  stops = 0;
  show("result", true);
  for (const id of ["error", "chart", "design"]) show(id, false);
  for (const id of ["summary", "downloads", "tables", "log"]) $(id).textContent = "";
  $("log").textContent = "$ proxybd " + args.join(" ") + "\n";
  $("run").disabled = true;
  try {
    const module = await program;
    worker = new Worker(await parts.worker());
    $("stop").disabled = false;
    worker.onmessage = ({ data }) => {
      if (data.log !== undefined) log(data.log);
      if (data.event) follow(data.event);
      if (data.exit) finish(data.exit);
    };
    worker.onerror = (e) => finish({ code: 1, object: null, error: e.message, outputs: {} });
    worker.postMessage({ module, files: chosen, args });
  } catch (e) {
    finish({ code: 1, object: null, error: String(e), outputs: {} });
  }
}

function log(line) {
  const box = $("log");
  const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
  box.append(line + "\n");
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function follow(event) {
  const point = { seconds: event.seconds, objective: event.objective ?? null, bound: event.bound ?? null };
  if (point.objective === null && point.bound === null) return;
  trace.push(point);
  draw();
}

function finish({ code, object, error, outputs }) {
  worker?.terminate();
  worker = null;
  running = false;
  $("stop").disabled = true;
  $("run").disabled = chosen.length === 0;
  if (object) summarise(object);
  const message = object?.message ?? error;
  if (message && code !== 0) fail(message);
  if (outputs["design.svg"]) {
    const image = document.createElement("img");
    image.alt = "Picture of the design";
    image.src = URL.createObjectURL(new Blob([outputs["design.svg"]], { type: "image/svg+xml" }));
    $("design").replaceChildren($("design").lastElementChild, image);
    show("design", true);
  }
  if (outputs["solution.json"]) tables(JSON.parse(new TextDecoder().decode(outputs["solution.json"])));
  for (const [name, bytes] of Object.entries(outputs)) download(name, bytes);
  if (object) download("result.json", new TextEncoder().encode(JSON.stringify(object, null, 1)));
  document.body.dataset.done = object?.status ?? "error";
}

function fail(message) {
  show("result", true);
  show("error", true);
  $("error").textContent = message;
}

function show(id, visible) { $(id).hidden = !visible; }

function summarise(o) {
  const number = (v) => (typeof v === "number" ? v.toPrecision(10).replace(/\.?0+($|e)/, "$1") : "none");
  const rows = [["status", o.status], ["objective", number(o.objective)], ["bound", number(o.bound)]];
  if (typeof o.gap === "number") rows.push(["gap", (100 * o.gap).toFixed(2) + "%"]);
  rows.push(["time", o.seconds.toFixed(2) + " s"]);
  if (o.infeasible_because) rows.push(["because", o.infeasible_because]);
  if (o.open_names) rows.push(["open", o.open_names.length + ": " + o.open_names.slice(0, 40).join(", ") + (o.open_names.length > 40 ? " ..." : "")]);
  if (typeof o.nodes === "number") rows.push(["nodes", String(o.nodes)]);
  $("summary").replaceChildren(...rows.flatMap(([k, v]) => [element("dt", k), element("dd", v)]));
}

function element(name, text) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  return e;
}

// tables shows the tables of a solution, each up to so many rows; the whole is in the file.
function tables(solution) {
  const most = 200;
  for (const [name, rows] of Object.entries(solution)) {
    if (!Array.isArray(rows) || rows.length === 0 || typeof rows[0] !== "object") continue;
    const keys = Object.keys(rows[0]);
    const head = element("tr");
    head.append(...keys.map((k) => element("th", k.replaceAll("_", " "))));
    const table = element("table");
    table.append(head);
    for (const row of rows.slice(0, most)) {
      const line = element("tr");
      line.append(...keys.map((k) => element("td", typeof row[k] === "number" ? String(+row[k].toPrecision(8)) : String(row[k] ?? ""))));
      table.append(line);
    }
    const box = element("details");
    const scroll = element("div");
    scroll.className = "scroll";
    scroll.append(table);
    box.append(element("summary", name + " (" + rows.length + (rows.length > most ? ", the first " + most + " are shown" : "") + ")"), scroll);
    $("tables").append(box);
  }
}

function download(name, bytes) {
  const link = element("a", name);
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  $("downloads").append(link, " ");
}

// draw shows the trace as two step lines, once there are two points.
function draw() {
  if (trace.length < 2) return;
  show("chart", true);
  const width = Math.min(640, $("chart").clientWidth), height = 240, left = 90, bottom = 30;
  const values = trace.flatMap((p) => [p.objective, p.bound]).filter((v) => v !== null);
  let low = Math.min(...values), high = Math.max(...values);
  if (low === high) { low -= 1; high += 1; }
  const last = Math.max(trace.at(-1).seconds, 0.001);
  const x = (t) => left + (width - left - 10) * t / last;
  const y = (v) => 10 + (height - bottom - 20) * (high - v) / (high - low);
  const line = (key) => {
    let d = "";
    for (const p of trace) {
      if (p[key] === null) continue;
      d += d === "" ? `M${x(p.seconds)} ${y(p[key])}` : `H${x(p.seconds)}V${y(p[key])}`;
    }
    return d === "" ? "" : `<path class="${key === "bound" ? "bound" : "cost"}" d="${d}H${x(last)}"/>`;
  };
  const label = (v) => (+v.toPrecision(7)).toLocaleString("en", { maximumSignificantDigits: 7 });
  $("chart").querySelector("svg")?.remove();
  $("chart").insertAdjacentHTML("beforeend", `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="Objective and bound over time">
<path class="axis" d="M${left} 10V${height - bottom}H${width - 10}"/><path class="grid" d="M${left} ${y(high)}H${width - 10}M${left} ${y(low)}H${width - 10}"/>
<text x="${left - 6}" y="${y(high) + 4}" text-anchor="end">${label(high)}</text><text x="${left - 6}" y="${y(low) + 4}" text-anchor="end">${label(low)}</text>
<text x="${width - 10}" y="${height - 10}" text-anchor="end">${last.toFixed(1)} s</text>
<text class="cost" x="${left + 10}" y="${height - 10}">objective</text><text class="bound" x="${left + 90}" y="${height - 10}">bound</text>${line("bound")}${line("objective")}</svg>`);
}
