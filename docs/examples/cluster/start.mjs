#!/usr/bin/env node
import cluster from 'node:cluster';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { planNodes, restateServer, startNode, untilReady } from './nodes.mjs';

const help = `Starts three nodes of restate-server and four handler processes on this machine.

Usage: node start.mjs [--port <number>] [--handlers-port <number>] [--data <folder>]

  --port           the first port of the nodes (default: 8080); 0 takes free ports
  --handlers-port  the port that the handler processes share (default: 9080); 0 takes a free one
  --data           the folder of the nodes' data (default: cluster-data)

Ctrl+C stops everything.
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    'handlers-port': { type: 'string', default: '9080' },
    data: { type: 'string', default: 'cluster-data' },
    help: { type: 'boolean', short: 'h' },
  },
});

const handlersCount = 4;
const replication = 2;

const stopping = new AbortController();
/** The processes of the nodes, by name. */
const nodeProcesses = new Map();

if (values.help) say(help);
else {
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  // Also when this process ends by an error, nothing stays behind.
  process.once('exit', () => {
    for (const child of nodeProcesses.values()) child.kill('SIGKILL');
  });
  try {
    restateServer();
    await startAll();
    if (!stopping.signal.aborted)
      await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
  } catch (error) {
    if (!stopping.signal.aborted) {
      warn(error.message);
      process.exitCode = 1;
    }
  }
  await stopAll();
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function warn(text) {
  process.stderr.write(`${text}\n`);
}

async function startAll() {
  const nodes = await planNodes({
    count: 3,
    firstPort: Number(values.port),
    folder: join(process.cwd(), values.data),
  });
  say(`Starting ${nodes.length} nodes that keep each write ${replication} times ...`);
  await Promise.all(nodes.map((node) => keepNode(node, nodes)));
  await Promise.all(nodes.map((node) => untilReady(node, stopping.signal)));
  for (const { name, ports } of nodes)
    say(
      `  ${name}  process ${nodeProcesses.get(name).pid}  calls http://127.0.0.1:${ports.ingress}  console http://127.0.0.1:${ports.admin}`,
    );

  say(`Starting ${handlersCount} handler processes ...`);
  const [{ ports }] = nodes;
  const settings = {
    RESTATE_INGRESS: `http://127.0.0.1:${ports.ingress}`,
    RESTATE_ADMIN: `http://127.0.0.1:${ports.admin}`,
    HANDLERS_PORT: values['handlers-port'],
  };
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'handler.mjs') });
  // The first one registers the handlers before the others start, so that they are registered once.
  for (let count = 0; count < handlersCount; count += 1) await keepHandler(settings);
  say(`Ready. Try it in another terminal:

  npx dramaturg start --restate ${settings.RESTATE_INGRESS} --restate-admin ${settings.RESTATE_ADMIN} intake --contact ada
  npx dramaturg ps --restate ${settings.RESTATE_INGRESS} --restate-admin ${settings.RESTATE_ADMIN}

Kill any of these processes: the others go on, and it is started again. Ctrl+C stops everything.`);
}

/** Keeps a node running: one that has died is started again with its data. */
async function keepNode(node, all) {
  const child = await startNode({
    node,
    all,
    replication,
    log: (text) => process.stderr.write(text.replaceAll(/^(?=.)/gm, `${node.name}: `)),
  });
  nodeProcesses.set(node.name, child);
  child.once('exit', (code, signal) => {
    nodeProcesses.delete(node.name);
    if (stopping.signal.aborted) return;
    say(`${node.name} has died (${signal ?? code}). Starting it again ...`);
    void pause(1_000).then(() => (stopping.signal.aborted ? undefined : restartNode(node, all)));
  });
}

async function restartNode(node, all) {
  await keepNode(node, all);
  await untilReady(node, stopping.signal).then(
    () => say(`${node.name} is back: process ${nodeProcesses.get(node.name)?.pid}`),
    (error) => stopping.signal.aborted || warn(error.message),
  );
}

/** Keeps a handler process running: another one takes the place of one that has died. Fulfils when it is ready. */
function keepHandler(settings) {
  const worker = cluster.fork(settings);
  return new Promise((resolve, reject) => {
    worker.once('exit', () => reject(new Error('A handler process has not started.')));
    worker.once('message', () => {
      say(`  handler  process ${worker.process.pid}`);
      resolve();
      worker.once('exit', (code, signal) => void replaceHandler(signal ?? code, settings));
    });
  });
}

/** Tries again until one has started: the node that it calls first may be away. */
async function replaceHandler(because, settings) {
  if (stopping.signal.aborted) return;
  say(`A handler process has died (${because}). Starting another ...`);
  for (let isStarted = false; !isStarted;) {
    await pause(500);
    if (stopping.signal.aborted) return;
    isStarted = await keepHandler(settings).then(
      () => true,
      (error) => stopping.signal.aborted || warn(error.message),
    );
  }
}

async function stopAll() {
  say('Stopping ...');
  const workers = Object.values(cluster.workers ?? {});
  await Promise.all(workers.map((worker) => ended(worker.process, 'SIGTERM')));
  await Promise.all([...nodeProcesses.values()].map((child) => ended(child, 'SIGTERM')));
  say('Stopped.');
}

/** Ends a process, by force if it does not end within ten seconds. */
async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(force);
}
