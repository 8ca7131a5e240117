import { setTimeout as pause } from 'node:timers/promises';
import type { TcpProxy } from '@dramaturg/test-servers';
import type { Scene, Trouble } from './trouble.ts';
import type { Victim } from './victim.ts';

/** A host with the proxy through which it reaches Postgres. */
interface Node {
  readonly victim: Victim;
  readonly proxy: TcpProxy;
  /** Whether the host has taken the store. */
  isReady: boolean;
}

const outageKinds = [
  'host killed',
  'host stopped',
  'server killed',
  'server stopped',
  'cut',
  'delayed',
  'held',
  'halved',
  'answers lost',
  'traffic lost',
] as const;
type Outage = (typeof outageKinds)[number];

/** Milliseconds after a trouble within which one of the two hosts must have the store. */
const deadlineMs = 60_000;

/**
 * Two hosts of one store in Postgres: one has it, the other one waits. Kills and stops the active host or the server, or disturbs
 * the traffic between them. The waiting host takes over when the active one has lost its lease.
 */
export const outages: Trouble = async (scene, times) => {
  const { chance, onProgress, connect } = scene;
  const kinds: Record<string, number> = {};
  const takeovers: number[] = [];
  let active = await startNode(scene);
  await active.victim.ready;
  connect(active.victim);
  let waiting = await startNode(scene);
  for (let outage = 0; outage < times; outage += 1) {
    await waiting.victim.waits;
    await pause(chance.between(50, 400));
    const kind = chance.of(outageKinds);
    const since = performance.now();
    await makeOutage(scene, active, kind);
    await untilOneHasTheStore(active, waiting, since);
    if (waiting.isReady) {
      takeovers.push(performance.now() - since);
      connect(waiting.victim);
      await endNode(scene, active);
      active = waiting;
      waiting = await startNode(scene);
    }
    active.proxy.pass();
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    onProgress(1);
  }
  for (const node of [waiting, active]) {
    node.victim.kill();
    await endNode(scene, node);
  }
  return { kinds, takeovers };
};

async function startNode({ start, server, database, proxyTo }: Scene): Promise<Node> {
  const proxy = await proxyTo(server!.port);
  const url = new URL(database!);
  url.port = String(proxy.port);
  const victim = start({ database: url.href });
  const node: Node = { victim, proxy, isReady: false };
  void victim.ready.then(() => {
    node.isReady = !victim.hasEnded;
  });
  return node;
}

/** A paused host is resumed for a moment: it must notice that it has lost the store, and do nothing more. */
async function endNode({ end }: Scene, { victim, proxy }: Node): Promise<void> {
  victim.signal('SIGCONT');
  proxy.pass();
  await Promise.race([victim.ended, pause(500)]);
  victim.kill();
  await end(victim);
  await proxy.stop();
}

async function makeOutage({ chance, server }: Scene, node: Node, kind: Outage): Promise<void> {
  const { victim, proxy } = node;
  const aWhile = () => pause(chance.between(50, 1_500));
  switch (kind) {
    case 'host killed':
      victim.kill();
      await victim.ended;
      return;
    case 'host stopped':
      victim.signal('SIGSTOP');
      return;
    case 'server killed':
      await server!.process.end('SIGKILL');
      await server!.restart();
      return;
    case 'server stopped':
      server!.process.signal('SIGSTOP');
      await aWhile();
      server!.process.signal('SIGCONT');
      return;
    case 'cut':
      proxy.cut();
      return;
    case 'delayed':
      proxy.delay(chance.between(1, 300));
      await aWhile();
      proxy.pass();
      return;
    case 'held':
      proxy.hold();
      await aWhile();
      proxy.pass();
      return;
    case 'halved':
      proxy.halve();
      await aWhile();
      return;
    case 'answers lost':
      proxy.blackhole({ towards: ['client'], newConnectionsPass: true });
      return;
    case 'traffic lost':
      proxy.blackhole();
      await aWhile();
      return;
  }
}

/** Waits until the active host answers a request, or the other one has taken over. */
async function untilOneHasTheStore(active: Node, waiting: Node, since: number): Promise<void> {
  while (!waiting.isReady) {
    if (waiting.victim.hasEnded)
      throw new Error(`The host that waits ended: ${waiting.victim.errors}`);
    if (performance.now() - since > deadlineMs)
      throw new Error('No host has the store a minute after the trouble.');
    if (await stores(active.victim)) return;
    await pause(20);
  }
}

let probes = 0;

/** Whether the host stores a new instance within a second. */
async function stores(victim: Victim): Promise<boolean> {
  return (await whyItStoresNothing(victim)) === undefined;
}

/** The reason why the host does not store a new instance within a second; undefined when it does. */
export async function whyItStoresNothing(victim: Victim): Promise<string | undefined> {
  if (victim.hasEnded) return 'it has ended';
  probes += 1;
  const options = { id: `probe-${probes}`, input: { wait: 1 } };
  const written = victim.ask({ do: 'start', definition: 'job', options }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return Promise.race([written, pause(1_000, 'it does not answer for a second')]);
}
