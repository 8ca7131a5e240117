import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a node may take to answer, in milliseconds. */
const readyWithinMs = 60_000;

/**
 * The program of restate-server: from the variable RESTATE_SERVER, or as npm has installed it in this folder.
 *
 * @throws Error with the next thing to do
 */
export function restateServer() {
  const { RESTATE_SERVER: given } = process.env;
  if (given) return given;
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(`${name}/bin/restate-server`);
  } catch {
    throw new Error(
      'restate-server is not installed. Run "npm install @restatedev/restate-server", or set RESTATE_SERVER to its program.',
    );
  }
}

/**
 * Plans the nodes of a cluster on this machine: their names, folders and ports.
 *
 * @param {{ count: number, firstPort: number, folder: string }} options a first port of 0 takes free ports
 */
export async function planNodes({ count, firstPort, folder }) {
  const ports = firstPort === 0 ? await freePorts(3 * count) : undefined;
  return Array.from({ length: count }, (_, index) => {
    const [ingress, admin, node] = ports?.slice(3 * index) ?? [
      firstPort + 10 * index,
      firstPort + 10 * index + 1,
      firstPort + 10 * index + 2,
    ];
    const name = `node-${index + 1}`;
    return { id: index + 1, name, folder: join(folder, name), ports: { ingress, admin, node } };
  });
}

/** @param {number} count they are found at the same time, so that they differ */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Starts the process of a node. Its log is printed with `log`, a line at a time. */
export async function startNode({ node, all, replication, log }) {
  await mkdir(node.folder, { recursive: true });
  const child = spawn(restateServer(), [], {
    cwd: node.folder,
    // Ctrl+C reaches all processes of the terminal. The starter ends the nodes after the handlers.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      RESTATE_CLUSTER_NAME: 'example',
      RESTATE_NODE_NAME: node.name,
      RESTATE_FORCE_NODE_ID: String(node.id),
      RESTATE_BASE_DIR: node.folder,
      // All addresses are of the loopback interface: nothing of this cluster can be reached from other machines.
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node.ports.node),
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${node.ports.ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${node.ports.admin}`,
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(
        all.map(({ ports }) => `http://127.0.0.1:${ports.node}`),
      ),
      // Each write is on this many nodes before it is acknowledged.
      RESTATE_DEFAULT_REPLICATION: String(replication),
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      // The first node creates the cluster, and the others join it.
      RESTATE_AUTO_PROVISION: String(node.id === 1),
      // Several connections to the handlers, so that all of their processes get work.
      RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: '8',
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MB',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FORMAT: 'compact',
      RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
      // Without network it fails to look for a new release, and says so.
      RESTATE_LOG_FILTER: 'error,octocrab=off',
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', log);
  return child;
}

/** Waits until a node answers calls. */
export async function untilReady({ name, ports }, signal) {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    signal.throwIfAborted();
    const answers = await Promise.all([
      answersAt(`http://127.0.0.1:${ports.ingress}/restate/health`),
      answersAt(`http://127.0.0.1:${ports.admin}/health`),
    ]);
    if (answers.every(Boolean)) return;
    if (Date.now() > deadline) throw new Error(`${name} does not answer. Is a port in use?`);
    await pause(100);
  }
}

async function answersAt(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
