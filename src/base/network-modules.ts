// The network modules of Node, each loaded when it is first used: what only reads files and runs commands does without TLS and HTTP/2 (10 MiB of memory). And without
// their ES modules: importing node:http by its name reads its getters for WebSocket and the like, and those load all of fetch (14 MiB).

export function http(): typeof import("node:http") {
  return process.getBuiltinModule("node:http");
}

export function https(): typeof import("node:https") {
  return process.getBuiltinModule("node:https");
}

export function http2(): typeof import("node:http2") {
  return process.getBuiltinModule("node:http2");
}

export function tls(): typeof import("node:tls") {
  return process.getBuiltinModule("node:tls");
}
