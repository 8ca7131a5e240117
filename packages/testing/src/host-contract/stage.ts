/* oxlint-disable vitest/valid-title, vitest/expect-expect, vitest/no-conditional-tests -- A fact's name and checks come from its chapter. */
import type { Chart, Port, PortCall, PortInput, PortOutput, Ports } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import {
  type Channel,
  type OutgoingMessage,
  type Definition,
  HostError,
  type Host,
  type HostOptions,
} from '@dramaturg/host';
import { expect, test } from 'vitest';
import { rehearsalBehaviour, rehearsalCharts } from './rehearsal.ts';

/** The options for a host under test. Its store and its time are chosen by its place. */
export type ContractOptions = Omit<HostOptions, 'store' | 'clock' | 'awake'>;

/** A place where a host can be restarted and finds what the previous host stored. */
export interface HostPlace {
  /** Opens a host, after the previous one has stopped. */
  readonly open: (options: ContractOptions) => Promise<Host>;
  /** Removes the place, after its last host has stopped. */
  readonly close?: () => Promise<void>;
}

export interface HostContractOptions {
  /** The lifecycles of the `lifecycle` format. The contract uses their states and events. */
  readonly lifecycles: {
    readonly conversation: Chart;
    readonly workflow: Chart;
    readonly behaviour: Behaviour;
  };
  /** The chapters to register, such as `order`: all of them by default. */
  readonly chapters?: readonly string[];
  /** Whether several tests run at the same time: on a server, they wait more than they compute. */
  readonly concurrent?: boolean;
  /** Tests that this host does not pass, by name, with the reason. They are shown as skipped. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

type Register = (name: string, prove: (stage: HostStage) => Promise<void>) => void;

/** Registers one fact. */
export interface Fact extends Register {
  /** A fact about the conversation "a", whose contact "ada" was greeted. */
  readonly greeted: Register;
}

export function factsOf(
  makePlace: () => HostPlace | Promise<HostPlace>,
  { lifecycles, concurrent = false }: HostContractOptions,
  reasonsToSkip: ReadonlyMap<string, string>,
): Fact {
  const fact: Register = (name, prove) => {
    const reason = reasonsToSkip.get(name);
    if (reason !== undefined) {
      test.skip(`${name} (${reason})`);
      return;
    }
    test(name, { concurrent }, async ({ onTestFinished }) => {
      const place = await makePlace();
      const stage = new HostStage(place, lifecycles);
      await stage.open();
      onTestFinished(async () => {
        await stage.host.stop({ within: 0 });
        await place.close?.();
      });
      await prove(stage);
    });
  };
  const greeted: Register = (name, prove) =>
    fact(name, async (stage) => {
      await stage.greeted('a', 'ada');
      await prove(stage);
    });
  return Object.assign(fact, { greeted });
}

/** Whether a host reports a slow step, which on a busy machine is not its fault. */
export function isSlowStep(error: unknown): boolean {
  return error instanceof HostError && error.code === 'host/slow-step';
}

/** The code with which a host refuses something. */
export async function refuses(asked: Promise<unknown>, code: string): Promise<void> {
  await expect(asked).rejects.toMatchObject({ code });
}

type Reply = PortOutput<'reply'> | string;

/** One host under test, an agent whose answers the test gives, and a channel that counts. */
export class HostStage {
  readonly agent = new ScriptedAgent();
  readonly channel = new CountingChannel();
  readonly #place: HostPlace;
  readonly lifecycles: HostContractOptions['lifecycles'];
  readonly trouble: { readonly error: unknown; readonly doing: string }[] = [];
  host!: Host;

  constructor(place: HostPlace, lifecycles: HostContractOptions['lifecycles']) {
    this.#place = place;
    this.lifecycles = lifecycles;
  }

  async open(more: Partial<ContractOptions> = {}): Promise<Host> {
    const { conversation, workflow, behaviour } = this.lifecycles;
    const definitions: Definition[] = [
      { name: 'chat', chart: rehearsalCharts.chat, lifecycle: conversation },
      { name: 'desk', chart: rehearsalCharts.desk, lifecycle: conversation },
      { name: 'quiz', chart: rehearsalCharts.quiz, lifecycle: conversation },
      { name: 'job', chart: rehearsalCharts.job, lifecycle: workflow },
      { name: 'crowd', chart: rehearsalCharts.crowd, lifecycle: workflow },
    ];
    this.host = await this.#place.open({
      definitions,
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [conversation.format, behaviour],
      ]),
      ports: this.agent.ports,
      channels: { main: this.channel },
      onError: (error, doing) => {
        if (!isSlowStep(error)) this.trouble.push({ error, doing });
      },
      ...more,
    });
    return this.host;
  }

  /** Reopens the host as after a crash: nothing is finished, and another host takes the place over. */
  async reopen(more: Partial<ContractOptions> = {}): Promise<Host> {
    await this.host.stop({ within: 0 });
    return this.open(more);
  }

  /** Starts a conversation whose agent has greeted the contact, and whose contact has not answered yet. */
  async greeted(
    id: string,
    contact = `contact of ${id}`,
    heartbeat?: object,
    definition: 'chat' | 'quiz' = 'chat',
  ): Promise<void> {
    const lifecycleInput = heartbeat ? { heartbeat_config: heartbeat } : {};
    await this.host.start(definition, { id, contact, lifecycleInput });
    await this.agent.answer(`Hello from ${id}.`);
    // It may have left the state again, because a reminder may be due immediately.
    const hasWaited = async () => (await this.way(id)).includes('WAITING_FOR_REPLY');
    await until(hasWaited, `${id} to wait for a reply`);
    const isDelivered = async () => (await this.host.get(id)).undelivered.length === 0;
    await until(isDelivered, `the receipt of the greeting of ${id}`);
  }

  reaches(id: string, state: string): Promise<void> {
    return until(
      async () => (await this.host.get(id)).state === state,
      async () => `${id} to reach ${state}; it is in ${(await this.host.get(id)).state}`,
    );
  }

  /** Answers the oldest call, after which the instance waits for its contact. */
  async answers(id: string, answer: Parameters<ScriptedAgent['answer']>[0]): Promise<OpenCall> {
    const call = await this.agent.answer(answer);
    await this.reaches(id, 'WAITING_FOR_REPLY');
    return call;
  }

  async stateOf(id: string): Promise<string> {
    return (await this.host.get(id)).state;
  }

  /** The conversation as `role: text`, without lines of the host. */
  async said(id: string): Promise<string[]> {
    const lines = await this.host.transcript(id, { from: 0, limit: 1_000 });
    return lines
      .filter(({ role }) => role !== 'system')
      .map(({ role, text }) => `${role}: ${text}`);
  }

  /** The states that it has been in. */
  async way(id: string): Promise<string[]> {
    const lines = await this.host.journal(id, { from: 0, limit: 1_000 });
    return (lines as unknown as { source: string; event: { type: string; state: string } }[])
      .filter(({ source, event }) => source === 'lifecycle' && event.type === 'state.entered')
      .map(({ event }) => event.state);
  }
}

interface OpenCall {
  readonly port: string;
  readonly key: string;
  readonly input: PortInput<'reply'> & PortInput<'runAgent'>;
  readonly signal: AbortSignal;
  readonly transcript: PortCall['transcript'];
  readonly time: Pick<PortCall, 'now' | 'timeZone'>;
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/** Answers calls on demand of the test, and remembers all calls. */
class ScriptedAgent {
  /** Keys of calls, in the order in which they were made. */
  readonly made: string[] = [];
  /** The signals of these calls. On a slow machine, a call may be aborted before a test finds it among the open ones. */
  readonly signals: AbortSignal[] = [];
  #open: OpenCall[] = [];

  readonly ports: Partial<Ports> = {
    reply: this.#port('reply'),
    runAgent: this.#port('runAgent'),
  };

  get open(): readonly OpenCall[] {
    return this.#open.filter(({ signal }) => !signal.aborted);
  }

  /** Waits for a call and answers it. */
  async answer(reply: Reply): Promise<OpenCall> {
    const call = await this.next();
    const output = typeof reply === 'string' ? { text: reply } : reply;
    this.#close(call);
    call.resolve(output as never);
    return call;
  }

  async finish(result: unknown): Promise<OpenCall> {
    const call = await this.next();
    this.#close(call);
    call.resolve({ result } as never);
    return call;
  }

  async fail(reason: string | Error): Promise<OpenCall> {
    const call = await this.next();
    this.#close(call);
    call.reject(typeof reason === 'string' ? new Error(reason) : reason);
    return call;
  }

  /** Waits for the oldest open call. */
  async next(): Promise<OpenCall> {
    for (;;) {
      await until(() => this.open.length > 0, 'a call');
      // The call may be aborted at the same moment.
      const [call] = this.open;
      if (call !== undefined) return call;
    }
  }

  /** Forgets open calls, which are then never answered, like calls to a dead agent. */
  forget(): void {
    this.#open = [];
  }

  #close(call: OpenCall): void {
    this.#open = this.#open.filter((open) => open !== call);
  }

  #port<Name extends 'reply' | 'runAgent'>(port: Name): Port<Name> {
    return ((input: OpenCall['input'], { signal, transcript, ...time }: PortCall) =>
      new Promise((resolve, reject) => {
        this.made.push(input.key);
        this.signals.push(signal);
        this.#open.push({ port, key: input.key, input, signal, transcript, time, resolve, reject });
      })) as unknown as Port<Name>;
  }
}

/** Accepts each message once, by its id, and counts its calls. */
class CountingChannel implements Channel {
  readonly taken: OutgoingMessage[] = [];
  /** The id of the message of each call. */
  readonly called: string[] = [];
  /** Runs before a message is accepted; a throw is a failure. */
  behave: (message: OutgoingMessage, signal: AbortSignal) => Promise<void> | void = () => {};
  /** Whether it refuses every message. */
  isDown = false;

  get texts(): string[] {
    return this.taken.map(({ text }) => text);
  }

  async deliver(
    message: OutgoingMessage,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    this.called.push(message.id);
    if (this.isDown) throw new Error('not connected');
    await this.behave(message, signal);
    if (!this.taken.some(({ id }) => id === message.id)) this.taken.push(message);
  }
}

/** The first and the longest pause between two polls, in milliseconds. Polls become rarer, because each costs a host on a server work. */
const [pollFirstMs, pollMaxMs] = [2, 50];

/** Half of the limit of a test, so that the error names the awaited condition. */
const pollTimeoutMs = 300_000;

/** Waits by polling, because the test does not know the time of the host. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => Promise<string>),
): Promise<void> {
  for (const start = Date.now(); !(await isSo());) {
    const waitedMs = Date.now() - start;
    if (waitedMs > pollTimeoutMs)
      throw new Error(`Waited in vain for ${typeof what === 'string' ? what : await what()}.`);
    const pauseMs = Math.min(pollMaxMs, pollFirstMs + waitedMs / 10);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Waits long enough for an unexpected event to arrive. */
export function aWhile(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60));
}
