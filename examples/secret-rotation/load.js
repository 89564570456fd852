// Puts an HTTPS server under load, runs a command in the middle of it, goes on until new connections get another certificate,
// and counts:
//   node load.js https://127.0.0.1:8444 COMMAND ARGUMENT…

import { spawn } from "node:child_process";
import { Agent, get } from "node:https";

const [address, command, ...args] = process.argv.slice(2);
const ANSWERS = 100; // From each certificate.
const KEPT = 10;
const kept = new Agent({ keepAlive: true, maxSockets: KEPT });
const sockets = new Set();
const certificates = new Map();
let requests = 0;
let failures = 0;
let isDone = false;

/** Over one of the kept connections, or over a new one. */
function ask(agent) {
  requests++;
  return new Promise((resolve) => {
    const request = get(address, { agent, rejectUnauthorized: false }, (response) => {
      if (agent === kept) sockets.add(response.socket);
      else count(response.socket.getPeerCertificate().subject.CN);
      response.resume().on("end", resolve);
    });
    request.on("error", (error) => {
      failures++;
      console.log(`failed: ${error.message}`);
      resolve();
    });
  });
}

function count(name) {
  const answers = (certificates.get(name) ?? 0) + 1;
  certificates.set(name, answers);
  if (answers !== ANSWERS) return;
  if (certificates.size === 1) change();
  else isDone = true;
}

function change() {
  spawn(command, args, { stdio: "inherit" }).on("exit", (code) => {
    if (code !== 0) isDone = true;
  });
}

async function askOnAndOn(agent) {
  while (!isDone) await ask(agent);
}

await Promise.all([...Array(KEPT).fill(kept), false, false].map(askOnAndOn));
kept.destroy();

console.log(`requests: ${requests}, failures: ${failures}`);
console.log(`connections kept open: ${KEPT}, dropped: ${sockets.size - KEPT}`);
console.log(`certificates of new connections: ${[...certificates.keys()].join(", ")}`);
process.exitCode = failures === 0 ? 0 : 1;
