// A file system in memory for programs compiled with GOOS=js: the part of Node's fs module that the Go runtime calls.
// Files are Uint8Arrays by their paths; folders exist where they were made. Standard output and error, and files that
// somebody follows, are also given to a function as they are written.
"use strict";

function memoryFiles() {
  const files = new Map(); // path -> {data: Uint8Array with room to grow, size}
  const folders = new Set(["/", "/tmp", "/work"]);
  const open = new Map(); // descriptor -> {path, position, append}
  const followed = new Map(); // path or descriptor -> function(Uint8Array)
  let next = 3;

  const failure = (code, text) => Object.assign(new Error(text || code), { code });
  const absolute = (path) => {
    const parts = [];
    for (const part of (path.startsWith("/") ? path : "/work/" + path).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return "/" + parts.join("/");
  };
  const parent = (path) => path.slice(0, path.lastIndexOf("/")) || "/";

  function put(path, bytes) {
    files.set(absolute(path), { data: bytes, size: bytes.length });
  }

  function get(path) {
    const f = files.get(absolute(path));
    return f && f.data.subarray(0, f.size);
  }

  // write puts bytes into a file at a position; room is doubled, so that many small writes take linear time.
  function write(path, bytes, position) {
    const f = files.get(path);
    const end = position + bytes.length;
    if (end > f.data.length) {
      const larger = new Uint8Array(Math.max(end, 2 * f.data.length, 1024));
      larger.set(f.data.subarray(0, f.size));
      f.data = larger;
    }
    f.data.set(bytes, position);
    f.size = Math.max(f.size, end);
  }

  function status(path) {
    const f = files.get(path);
    if (!f && !folders.has(path)) throw failure("ENOENT", path);
    const now = Date.now();
    return {
      dev: 1, ino: 1, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 0,
      mode: f ? 0o100644 : 0o40755, size: f ? f.size : 0, atimeMs: now, mtimeMs: now, ctimeMs: now,
      isDirectory: () => !f,
    };
  }

  const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

  const calls = {
    open(path, flags) {
      path = absolute(path);
      const exists = files.has(path) || folders.has(path);
      if (exists && flags & constants.O_CREAT && flags & constants.O_EXCL) throw failure("EEXIST", path);
      if (!exists) {
        if (!(flags & constants.O_CREAT) || !folders.has(parent(path))) throw failure("ENOENT", path);
        put(path, new Uint8Array(0));
      } else if (flags & constants.O_TRUNC && files.has(path)) {
        put(path, new Uint8Array(0));
      }
      open.set(next, { path, position: 0, append: (flags & constants.O_APPEND) !== 0 });
      return next++;
    },
    close(fd) { open.delete(fd); },
    fstat(fd) {
      if (fd < 3) return { ...status("/"), mode: 0o20666, isDirectory: () => false };
      return status(descriptor(fd).path);
    },
    stat: (path) => status(absolute(path)),
    lstat: (path) => status(absolute(path)),
    read(fd, buffer, offset, length, position) {
      if (fd === 0) return 0;
      const at = descriptor(fd);
      const f = files.get(at.path);
      if (!f) throw failure("EISDIR", at.path);
      const from = position === null ? at.position : position;
      const n = Math.max(0, Math.min(length, f.size - from));
      buffer.set(f.data.subarray(from, from + n), offset);
      if (position === null) at.position += n;
      return n;
    },
    write(fd, buffer, offset, length, position) {
      const bytes = buffer.subarray(offset, offset + length);
      const at = fd < 3 ? null : descriptor(fd);
      const to = followed.get(at ? at.path : fd);
      if (to) to(bytes.slice());
      if (at) {
        const from = at.append ? files.get(at.path).size : position === null ? at.position : position;
        write(at.path, bytes, from);
        if (position === null) at.position = from + length;
      }
      return length;
    },
    mkdir(path) {
      path = absolute(path);
      if (files.has(path) || folders.has(path)) throw failure("EEXIST", path);
      if (!folders.has(parent(path))) throw failure("ENOENT", path);
      folders.add(path);
    },
    readdir(path) {
      path = absolute(path);
      if (!folders.has(path)) throw failure(files.has(path) ? "ENOTDIR" : "ENOENT", path);
      return [...files.keys(), ...folders].filter((p) => p !== "/" && parent(p) === path).map((p) => p.slice(p.lastIndexOf("/") + 1));
    },
    rename(from, to) {
      from = absolute(from);
      const f = files.get(from);
      if (!f) throw failure("ENOENT", from);
      files.delete(from);
      files.set(absolute(to), f);
    },
    unlink(path) {
      if (!files.delete(absolute(path))) throw failure("ENOENT", path);
    },
    rmdir(path) {
      if (!folders.delete(absolute(path))) throw failure("ENOENT", path);
    },
    ftruncate(fd, size) {
      const f = files.get(descriptor(fd).path);
      const data = new Uint8Array(size);
      data.set(f.data.subarray(0, Math.min(size, f.size)));
      put(descriptor(fd).path, data);
    },
    truncate(path, size) {
      const data = new Uint8Array(size);
      const f = get(path);
      if (!f) throw failure("ENOENT", path);
      data.set(f.subarray(0, Math.min(size, f.length)));
      put(path, data);
    },
    // Owners, modes and times mean nothing here, and what is written is written.
    fsync() {}, chmod() {}, fchmod() {}, chown() {}, fchown() {}, lchown() {}, utimes() {},
    link() { throw failure("ENOSYS"); },
    symlink() { throw failure("ENOSYS"); },
    readlink() { throw failure("EINVAL"); },
  };

  function descriptor(fd) {
    const at = open.get(fd);
    if (!at) throw failure("EBADF");
    return at;
  }

  // Go calls with a callback. It comes in a later turn of the event loop after writes that somebody follows, so that the
  // messages of the page get their turn while a run goes on.
  const fs = { constants };
  for (const [name, call] of Object.entries(calls)) {
    fs[name] = (...args) => {
      const done = args.pop();
      let result, error = null;
      try {
        result = call(...args);
      } catch (e) {
        error = e.code ? e : failure("EIO", String(e));
      }
      const shown = name === "write" && (args[0] < 3 || followed.has(open.get(args[0])?.path));
      if (shown) setTimeout(() => done(error, result), 0);
      else queueMicrotask(() => done(error, result));
    };
  }
  // The runtime itself writes by this one, a panic for example.
  fs.writeSync = (fd, bytes) => calls.write(fd, bytes, 0, bytes.length, null);
  return { fs, put, get, follow: (path, to) => followed.set(typeof path === "number" ? path : absolute(path), to) };
}
