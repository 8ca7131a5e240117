import { flushCompileCache } from 'node:module';
import { asl } from '@dramaturg/asl';
import { createHost, type Host, type HostOptions, webhookChannel } from '@dramaturg/host';
import { lifecycle } from '@dramaturg/lifecycle';
import { rehearsalBehaviour } from '@dramaturg/testing/rehearsal';
import {
  type Command,
  type FromChild,
  lostExitCode,
  type Mission,
  type Reply,
  type StoreKind,
} from './protocol.ts';
import { storeOf } from './store-of.ts';

/** The process that is killed: a host on a store. Its channel and its agents are in another process. */
const storeKind = process.argv[2] as StoreKind;
const { restateHost } = storeKind === 'restate' ? await import('@dramaturg/restate') : {};
const { postgresStore } = storeKind === 'postgres' ? await import('@dramaturg/postgres') : {};
const mission = await new Promise<Mission>((resolve) => {
  process.once('message', (given: Mission) => resolve(given));
  // The parent program has ended, maybe by a kill, or the host has stopped: nothing is left to do.
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
});
const { lifecycles, flows } = mission.definitions;
/** Milliseconds that running work has to end before the audit. */
const settleMs = 30_000;

const reached = new Map<string, number>();

const killPointEvents = new Set([
  'checkpoint.saved',
  'decision.made',
  'decision.requested',
  'instance.ended',
  'message.delivered',
  'message.recorded',
  'message.send.requested',
  'state.exited',
  'timer.scheduled',
  'turn.started',
]);

/** Ends the process without any cleanup when it reaches the chosen point. */
function reachPoint(point: string): void {
  const times = (reached.get(point) ?? 0) + 1;
  reached.set(point, times);
  // Reports only counts of 1, 2, 4, 8 ...: this is enough to estimate how often the point is reached.
  if ((times & (times - 1)) === 0) sendToParent({ type: 'point', point, times });
  if (point === mission.killAt?.point && times === mission.killAt.times)
    process.kill(process.pid, 'SIGKILL');
}

function sendToParent(message: FromChild): void {
  // Events may still arrive after the parent program has ended.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

async function post(path: string, input: object, signal: AbortSignal): Promise<never> {
  const response = await fetch(`${mission.world}${path}`, {
    method: 'POST',
    body: JSON.stringify(input),
    signal,
  });
  const answer = (await response.json()) as never;
  reachPoint('call.answered');
  return answer;
}

/** Ends a host that has lost its store, like `dramaturg serve`. */
function endWhenLost({ code }: { readonly code: string }): void {
  if (code === 'store/lost') process.exit(lostExitCode);
}

const channel = webhookChannel({ url: `${mission.world}/deliver` });

const options: Omit<HostOptions, 'store'> = {
  name: 'a host that is killed',
  definitions: Object.entries(flows).map(([name, { chart, lifecycle: kind }]) => ({
    name,
    chart,
    lifecycle: lifecycles[kind],
  })),
  behaviours: new Map([
    ['rehearsal', rehearsalBehaviour],
    [lifecycle.name, lifecycle.behaviour],
    [asl.name, asl.behaviour],
  ]),
  definitionOf: (agent) => /^workflow:(.+)$/.exec(agent)?.[1],
  ports: {
    reply: ({ key, message }, { signal }) => post('/reply', { key, message }, signal),
    runAgent: ({ key, agent }, { signal }) => post('/agent', { key, agent }, signal),
  },
  channels: {
    main: {
      deliver: async (message, use) => {
        reachPoint('channel.called');
        await channel.deliver(message, use);
        reachPoint('channel.acknowledged');
      },
    },
  },
  onError: (error, activity) => {
    const { message, code } = error as NodeJS.ErrnoException;
    // Failures of the channel and a busy machine are part of the test.
    if (!activity.startsWith('delivering') && code !== 'host/slow-step')
      sendToParent({ type: 'trouble', message: `${activity}: ${message} (${code})` });
  },
};
const host = mission.restate
  ? await restateHost!({ ...options, ...mission.restate })
  : await createHost({
      ...options,
      store: mission.database
        ? postgresStore!(mission.database, {
            onError: endWhenLost,
            // The lease of a killed host lasts some seconds, so this host waits.
            standby: { onWaiting: () => sendToParent({ type: 'waiting' }) },
          })
        : storeOf(mission, { atWritePoint: reachPoint }),
    });
sendToParent({ type: 'ready' });
flushCompileCache();

// An emitted event is already stored. The process may end directly after it, before the event has any effect.
void (async () => {
  for await (const { event } of host.events()) {
    if (event.type === 'message.delivered')
      sendToParent({ type: 'receipt', id: String(event['id']) });
    if (killPointEvents.has(event.type)) reachPoint(`stored.${event.type}`);
  }
})().catch((error: NodeJS.ErrnoException) => {
  // A stopping host gives a slow subscriber only as many events as it may have unread.
  if (error.code !== 'host/slow-subscriber') throw error;
});

process.on('message', (command: Command) => {
  void (async () => {
    let reply: Reply;
    try {
      reply = { value: (await perform(host, command)) ?? null };
    } catch (error) {
      reply = { error: `${(error as Error).message} (${(error as { code?: string }).code})` };
    }
    sendToParent({ type: 'reply', number: command.number, reply });
    if (command.do === 'stop') process.disconnect();
  })();
});

async function perform(running: Host, command: Command): Promise<unknown> {
  switch (command.do) {
    case 'start':
      return running.start(command.definition, command.options);
    case 'receive':
      return running.receive(command.message);
    case 'decide':
      return running.send(command.id, { type: 'decision.made', decision: 'yes' });
    case 'decisions':
      return running.decisions({ instance: command.instance });
    case 'decide on':
      return running.decide(command.decision, { decision: 'approve', by: command.by });
    case 'state':
      return running.get(command.id);
    case 'settle':
      return running.settle({ within: settleMs });
    case 'stop':
      return running.stop({ within: command.within });
  }
}
