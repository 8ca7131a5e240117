import { type ManualClock, manualClock } from '@dramaturg/host';
import { onTestFinished } from 'vitest';
import {
  compile,
  type Compiled,
  conversationLifecycle,
  createHost,
  type HostOptions,
  memoryStore,
  type OutgoingMessage,
  type PortCall,
  type PortInput,
  RejectedError,
  type SpokenLine,
  type StoreLocation,
  type Usage,
} from '../../src/index.ts';

/** Conversations of each format that ask about a balance, and then whether an account is to be closed. */

const task = (key: string, more: object = {}) => ({
  id: key,
  title: key,
  type: 'strict',
  tasks: [
    {
      id: `ask_${key}`,
      description: key,
      required: true,
      deliverables: [{ key, type: 'boolean', required: true, ...more }],
    },
  ],
});
const next = (target: string) => ({
  transitions: [{ target_state_id: target, condition_type: 'all_tasks_complete' }],
});

const planDefinition = {
  id: 'bank',
  title: 'Bank',
  states: [
    { ...task('balance'), ...next('closing') },
    { ...task('closing', { confirm: true }), ...next('address') },
    {
      id: 'address',
      title: 'Address',
      type: 'strict',
      tasks: [
        {
          id: 'ask_city',
          description: 'city',
          required: true,
          deliverables: [{ key: 'city', type: 'string', required: true }],
        },
      ],
    },
  ],
};

const npcState = (key: string, more: object = {}) => ({
  state_key: key,
  label: key,
  prompt_instruction: `Play ${key}.`,
  evaluation_criteria: { pass: 'They agree.', reject: 'They decline.', kick_out: 'They insult.' },
  ...more,
});
const row = (from: string, decision: string, to: string) => ({
  from_state_key: from,
  to_state_key: to,
  decision_type: decision,
  score_delta: 0,
});

const npcDefinition = {
  persona: {
    name: 'Maren',
    description: 'Keeps a bank.',
    persona_identity_prompt: 'You are thrifty with words.',
    perplexity_description: 'Bank keeper',
  },
  machines: [
    {
      machine_key: 'bank',
      name: 'Bank',
      scoring_mode: 'pass_fail',
      states: [
        npcState('balance', { is_initial_state: true }),
        npcState('closing'),
        {
          state_key: 'address',
          label: 'address',
          is_terminal_state: true,
          terminal_outcome: 'ACCEPT',
        },
      ],
      transitions: [row('balance', 'pass', 'closing'), row('closing', 'pass', 'address')],
    },
  ],
  variables: [],
  machine_links: [],
};

const graphState = (name: string, ...exits: string[]) => ({
  type: 'action',
  name,
  objective: `Do ${name}`,
  actions: [`Ask ${name}`, `Talk of ${name}`],
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
  skip_active_memory_retrieval: true,
  exit_conditions: exits.map((to) => ({ description: 'They agree.', next_state: to })),
});

const graphDefinition = {
  description: 'A bank.',
  new_user_initial_state: 'balance',
  returning_user_initial_state: 'balance',
  terminal_state: 'address',
  references: {},
  global_intra_state_navigation_guidelines: [],
  global_action_guidelines: [],
  global_boundary_constraints: [],
  states: [
    graphState('balance', 'closing'),
    graphState('closing', 'address'),
    { ...graphState('address'), actions: ['Say goodbye'] },
  ],
};

export const definitions: Readonly<Record<string, Compiled>> = {
  plan: compile(JSON.stringify(planDefinition), { fileName: 'bank.plan.json' }),
  npc: compile(JSON.stringify(npcDefinition), { format: 'npc' }),
  'context-graph': compile(JSON.stringify(graphDefinition), { format: 'context-graph' }),
};

const plainLifecycle = compile(JSON.stringify(conversationLifecycle));

/** When a conversation starts, in milliseconds since 1970 UTC. */
export const startAt = 1_800_000_000_123;

/** What a port has read. */
export interface Read {
  readonly port: string;
  readonly message: string | undefined;
  readonly early: boolean;
  readonly key: string;
  /** Whether the answer may decide what the second question asks. */
  readonly mayClose: boolean;
  readonly lines: readonly SpokenLine[];
}

export interface Message {
  readonly text: string;
  readonly sentAt?: number;
  readonly replyTo?: string;
  readonly id?: string;
  readonly data?: { readonly replaces: string };
}

/** What a bank has done so far. */
export interface BankState {
  readonly reads: readonly Read[];
  readonly sent: readonly { readonly id: string; readonly text: string }[];
  readonly isSecond: boolean;
  /** The call that has brought a graph to another state in this turn. It may be made again. */
  readonly movedBy: string | undefined;
  /** What was done before the first answer was read, before the second question was written, and while its channel had it. */
  readonly done: readonly string[];
  readonly now: number;
}

export interface Script {
  /** The bank was closed in this state, and is opened with `reopen`. */
  readonly state?: BankState | undefined;
  readonly store?: StoreLocation;
  readonly lifecycle?: Compiled;
  /** Does something before the message that agrees to the first question is read. */
  readonly beforeAnswer?: () => Promise<unknown>;
  /** Does something before the second question is written. */
  readonly beforeQuestion?: () => Promise<unknown>;
  /** Does something while the channel has the second question, which it then accepts or refuses. */
  readonly beforeShown?: () => Promise<unknown>;
  readonly refuses?: boolean;
  /** Does something while a reply is written. */
  readonly onReply?: (message: string | undefined) => Promise<unknown>;
  /** Called before each answer of a port. It may throw. */
  readonly onCall?: () => void;
  /** Called for each message that the channel gets. */
  readonly onDelivery?: (message: OutgoingMessage) => void;
  /** Called once the channel has accepted a message. */
  readonly onShown?: (message: OutgoingMessage) => void;
  /** What each reply consumes. */
  readonly usage?: Usage;
  /** False when the caller stops the host. */
  readonly isClosedAtEnd?: boolean;
  /** Replies are streamed. */
  readonly shows?: boolean;
}

const agrees = (text = '') => /\b(?:yes|ok)\b/i.test(text);

/** A bank on a host. Its first question is shown; its ports answer as a model would that is easy to convince. */
export async function openBank(format: string, script: Script = {}) {
  const manual = manualClock({ startAt: script.state?.now ?? startAt });
  // The waits before retries are the same in each run.
  const clock: ManualClock = { ...manual, world: { ...manual.world, random: () => 0.5 } };
  const reads: Read[] = [...(script.state?.reads ?? [])];
  const sent = [...(script.state?.sent ?? [])];
  const done = new Set(script.state?.done);
  let { isSecond = false, movedBy } = script.state ?? {};
  const once = (name: 'beforeAnswer' | 'beforeQuestion' | 'beforeShown') => async () => {
    if (done.has(name)) return;
    done.add(name);
    await script[name]?.();
  };
  const [beforeAnswer, beforeQuestion] = [once('beforeAnswer'), once('beforeQuestion')];
  const beforeShown = once('beforeShown');
  const note = async (
    port: string,
    { message, early, key }: PortInput<'reply'>,
    { transcript }: PortCall,
    mayClose: boolean,
  ) => {
    script.onCall?.();
    const lines = (await transcript?.(100)) ?? [];
    reads.push({ port, message, early: early === true, key, mayClose, lines });
    if (message !== undefined && port !== 'reply') await beforeAnswer();
  };
  const options: HostOptions = {
    store: script.store ?? memoryStore(),
    clock,
    definitions: {
      bank: {
        definition: definitions[format]!,
        lifecycle: script.lifecycle ?? plainLifecycle,
      },
    },
    ports: {
      extract: async (input, call) => {
        const key = input.asked?.path.at(-1);
        await note('extract', input as never, call, key === 'closing');
        const { message = '' } = input;
        const city = /live in (\w+)/.exec(message)?.[1];
        // As a model that is easy to convince: a "yes" is about the latest value that is wanted.
        const isOpen = !/"closing":\{[^}]*"x-later"/.test(JSON.stringify(input.schema));
        const named = key ?? (isOpen ? 'closing' : 'balance');
        return {
          value: {
            deliverables: {
              ...(agrees(message) && { [named]: true }),
              ...(city !== undefined && { city }),
            },
          },
        };
      },
      choose: async (input, call) => {
        const ids = input.options.map(({ id }) => id);
        const exit = ids.find((id) => id.startsWith('pass') || id.startsWith('E'));
        const isClosing = isSecond && exit !== undefined;
        await note('choose', input as never, call, isClosing);
        const says = agrees(input.message) && (movedBy ?? input.key) === input.key;
        if (says) movedBy = input.key;
        return { option: says && exit !== undefined ? exit : (input.fallback ?? ids[0]!) };
      },
      reply: async (input, call) => {
        await note('reply', input, call, false);
        if (script.shows) call.onText('One moment');
        await script.onReply?.(input.message);
        const text = JSON.stringify([input.asks, input.directions, input.prompt]);
        movedBy = undefined;
        const isFirstOfSecond = !isSecond && input.message !== undefined;
        if (isFirstOfSecond) await beforeQuestion();
        isSecond ||= /closing/.test(JSON.stringify([input.asks, input.directions]));
        return {
          ...(script.usage && { usage: script.usage }),
          text: `${isSecond ? 'Close your account?' : 'Hear your balance?'} ${text.length}`,
        };
      },
      think: () => ({ text: '' }),
      recall: () => ({ memories: [] }),
    },
    channels: {
      main: {
        deliver: async (message) => {
          const { id, text } = message;
          script.onDelivery?.(message);
          const isQuestion =
            text.startsWith('Close') && !sent.some((each) => each.text.startsWith('Close'));
          sent.push({ id, text });
          if (isQuestion) await beforeShown();
          if (isQuestion && script.refuses) throw new RejectedError('The number does not exist.');
          script.onShown?.(message);
        },
      },
    },
    // The retry of a delivery that has timed out is due at once.
    onError: (_, doing) => {
      if (doing.startsWith('delivering')) setImmediate(() => clock.set(clock.now() + 1_000));
    },
  };
  let host = script.state === undefined ? await createHost(options) : (undefined as never);
  if (script.isClosedAtEnd !== false) onTestFinished(() => host.stop({ within: 0 }));
  if (script.state === undefined) {
    await host.start('bank', { id: 'a', contact: 'ada' });
    await host.settle();
  }
  const receive = async ({ text, ...rest }: Message) =>
    host.receive({ contact: 'ada', text, ...rest });
  const events = async () => {
    const lines = await host.journal('a', { from: 0, limit: 10_000 });
    return lines.map((line) => (line as { event: Record<string, unknown> }).event);
  };
  const isClosed = async () =>
    (await events()).some(
      ({ type, deliverable, state }) =>
        (type === 'deliverable.collected' && deliverable === 'closing') ||
        (type === 'state.entered' && state === 'address'),
    );
  return {
    get host() {
      return host;
    },
    reopen: async () => {
      await host?.stop({ within: 0 });
      host = await createHost(options);
    },
    state: (): BankState => ({
      reads: [...reads],
      sent: [...sent],
      isSecond,
      movedBy,
      done: [...done],
      now: clock.now(),
    }),
    clock,
    reads,
    sent,
    receive,
    isClosed,
    events,
  };
}
