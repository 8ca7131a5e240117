import { setTimeout as pause } from 'node:timers/promises';
import { whyItStoresNothing } from './outages.ts';
import type { Scene, Trouble } from './trouble.ts';
import type { Victim } from './victim.ts';

const hostCount = 3;

const outageKinds = [
  'host killed',
  'host stopped',
  'all hosts killed',
  'node killed',
  'node stopped',
  'calls to Restate cut',
  'calls to Restate delayed',
  'calls to Restate held',
  'calls to Restate halved',
  'calls to handlers cut',
  'calls to handlers delayed',
  'calls to handlers held',
  'calls to handlers halved',
] as const;
type Outage = (typeof outageKinds)[number];

/** Milliseconds after a trouble within which a host must store again. */
const deadlineMs = 60_000;

/**
 * Several hosts on Restate, which share their work. Kills and stops hosts or nodes of Restate, or disturbs the traffic between
 * them: on the way to Restate, or on the way to the handlers. Restate calls interrupted handlers again, in any of the hosts.
 */
export const restateOutages: Trouble = async (scene, times) => {
  const kinds: Record<string, number> = {};
  const hosts = await Hosts.start(scene);
  for (let outage = 0; outage < times; outage += 1) {
    await pause(scene.chance.between(50, 400));
    const kind = scene.chance.of(outageKinds);
    await makeOutage(scene, hosts, kind);
    await hosts.untilOneStores(kind);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    scene.onProgress(1);
  }
  await hosts.end();
  return { kinds };
};

/** The hosts that serve the handlers. Decides which of them gets the requests of the crowd. */
class Hosts {
  readonly #scene: Scene;
  readonly #hosts: Victim[] = [];

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async start(scene: Scene): Promise<Hosts> {
    const hosts = new Hosts(scene);
    await Promise.all(Array.from({ length: hostCount }, (_, index) => hosts.#startAt(index)));
    hosts.#choose();
    return hosts;
  }

  /** A random host. */
  any(): Victim {
    return this.#scene.chance.of(this.#hosts);
  }

  /** Kills some hosts, and starts others in their place. */
  async kill(victims: readonly Victim[] = this.#hosts): Promise<void> {
    const places = victims.map((victim) => this.#hosts.indexOf(victim));
    for (const index of places) this.#hosts[index]!.kill();
    for (const index of places) await this.#scene.end(this.#hosts[index]!);
    const isAnyLeft = this.#hosts.some((host) => !host.hasEnded);
    if (isAnyLeft) {
      this.#choose();
      // The others do the work for a while.
      await pause(this.#scene.chance.between(0, 300));
    }
    await Promise.all(places.map((index) => this.#startAt(index)));
    this.#choose();
  }

  /** @throws Error when the hosts store nothing for a minute */
  async untilOneStores(kind: Outage): Promise<void> {
    const giveUpAt = performance.now() + deadlineMs;
    for (;;) {
      const host = this.any();
      const because = await whyItStoresNothing(host);
      if (because === undefined) return;
      if (performance.now() > giveUpAt)
        throw new Error(
          `No host stores anything a minute after "${kind}": ${because}. ${host.hostErrors.at(-1) ?? ''}`,
        );
      await pause(20);
    }
  }

  async end(): Promise<void> {
    for (const host of this.#hosts) host.kill();
    for (const host of this.#hosts) await this.#scene.end(host);
  }

  #choose(): void {
    const alive = this.#hosts.filter((host) => !host.hasEnded);
    this.#scene.connect(this.#scene.chance.of(alive));
  }

  /** A host that starts directly after a trouble may not reach Restate, so it is started again, as by a supervisor. */
  async #startAt(index: number): Promise<void> {
    const { start, end, restate } = this.#scene;
    const giveUpAt = performance.now() + deadlineMs;
    for (;;) {
      const host = start({ restate: restate!.missionAt(index % restate!.nodes.length) });
      this.#hosts[index] = host;
      await host.ready;
      if (!host.hasEnded) return;
      await end(host);
      if (performance.now() > giveUpAt) throw new Error(`A host does not start: ${host.errors}`);
    }
  }
}

async function makeOutage(scene: Scene, hosts: Hosts, kind: Outage): Promise<void> {
  const { chance } = scene;
  const restate = scene.restate!;
  const aWhile = () => pause(chance.between(50, 1_500));
  switch (kind) {
    case 'host killed':
      return hosts.kill([hosts.any()]);
    case 'all hosts killed':
      return hosts.kill();
    case 'host stopped': {
      const victim = hosts.any();
      victim.signal('SIGSTOP');
      await aWhile();
      victim.signal('SIGCONT');
      return;
    }
    case 'node killed': {
      const node = chance.of(restate.nodes);
      await node.process.end('SIGKILL');
      await pause(chance.between(0, 500));
      await node.restart();
      return;
    }
    case 'node stopped': {
      const { process } = chance.of(restate.nodes);
      process.signal('SIGSTOP');
      await aWhile();
      process.signal('SIGCONT');
      return;
    }
    default:
      return disturb(scene, kind);
  }
}

/** Disturbs the traffic on the way to a node, or on the way to the handlers. */
async function disturb({ chance, restate }: Scene, kind: Outage): Promise<void> {
  const { toHandlers, toNodes } = restate!;
  const proxy = kind.startsWith('calls to handlers') ? toHandlers : chance.of(toNodes);
  if (kind.endsWith('cut')) {
    proxy.cut();
    return;
  }
  if (kind.endsWith('delayed')) proxy.delay(chance.between(1, 300));
  else if (kind.endsWith('held')) proxy.hold();
  else proxy.halve();
  await pause(chance.between(50, 1_500));
  proxy.pass();
}
