// The worker thread: one run of the program, from its files and arguments to its exit code. The page makes a worker for
// each run, since a Go program runs once, and talks to it by messages:
//
//   to here    {module, files: [{name, bytes}], args}    start
//              "stop"                                    end with the best design so far
//   from here  {log: text}, {event: object}, {exit: {code, object, error, outputs: {name: bytes}}}
//
// wasm_exec.js of the Go distribution and memfs.js stand before this text in the same file.
"use strict";

const outputs = ["solution.json", "design.svg"];
const decode = (bytes) => new TextDecoder().decode(bytes);

// lines calls a function with every whole line of a stream.
function lines(call) {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop();
    parts.forEach(call);
  };
}

async function start({ module, files, args }) {
  const memory = memoryFiles();
  globalThis.fs = memory.fs;
  globalThis.process = { getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 1, umask: () => 0o22, cwd: () => "/work", chdir() {} };
  for (const { name, bytes } of files) memory.put("/work/" + name, bytes);

  // Standard output has the object, standard error the events, and errors as text; the log is a file.
  let out = "", errors = "";
  memory.follow(1, (bytes) => { out += decode(bytes); });
  memory.follow(2, lines((line) => {
    try {
      postMessage({ event: JSON.parse(line) });
    } catch {
      errors += line + "\n";
    }
  }));
  memory.follow("/work/run.log", lines((line) => postMessage({ log: line })));

  const go = new Go();
  let code = 0;
  go.argv = ["proxybd", ...args];
  go.env = { HOME: "/tmp", TMPDIR: "/tmp" };
  go.exit = (c) => { code = c; };
  await go.run(await WebAssembly.instantiate(module, go.importObject));

  let object = null;
  try {
    object = JSON.parse(out);
  } catch {
    errors = errors || out;
  }
  const found = {};
  for (const name of outputs) {
    const bytes = memory.get("/work/" + name);
    if (bytes && bytes.length > 0) found[name] = bytes.slice();
  }
  postMessage({ exit: { code, object, error: errors.trim(), outputs: found } });
}

onmessage = ({ data }) => {
  if (data === "stop") globalThis.proxybdStop?.();
  else start(data).catch((e) => postMessage({ exit: { code: 1, object: null, error: String(e), outputs: {} } }));
};
