import {
  type Compiled,
  compile,
  conversationLifecycle,
  type OutgoingMessage,
} from '../../src/index.ts';
import { killedStore, type Written } from './killed-store.ts';
import { type BankState, definitions, type Message, openBank, startAt } from './two-questions.ts';

/**
 * A model of all that may happen around a turn. The contact agrees to the first question of a bank. Then come up to three lines
 * and up to one act of somebody else, each at one of four places, and the process is killed at a write. The ports record what they
 * read, and the rules of turns are checked on the record.
 */

/** Before the first answer is read, before the second question is written, while its channel has it, after it is accepted. */
const places = ['answer', 'question', 'channel', 'later'] as const;
const lineKinds = [
  'bare',
  'fact',
  'quotes the first',
  'quotes the second',
  'sent before',
  'edit',
] as const;
const actKinds = [
  'outage',
  'refusal',
  'failure',
  'timer',
  'update',
  'again',
  'by hand',
  'by hand, unread',
  'taken over',
  'paused',
] as const;

type Place = (typeof places)[number];

/** A line of the contact, or an act. */
export interface Happening {
  readonly place: Place;
  readonly kind: (typeof lineKinds)[number] | (typeof actKinds)[number];
}

const isLine = ({ kind }: Happening) => lineKinds.some((each) => each === kind);
const order = ({ place }: Happening) => places.indexOf(place);

/** The second question can be quoted once its channel has it, and a channel refuses or fails what it has. */
const isPossible = ({ place, kind }: Happening) =>
  kind === 'quotes the second'
    ? place === 'channel' || place === 'later'
    : place === ({ failure: 'later', refusal: 'channel' } as Record<string, Place>)[kind] ||
      // A delivery that takes half an hour is given up.
      !(['failure', 'refusal'].includes(kind) || (place === 'channel' && kind === 'timer'));

const every = (kinds: readonly Happening['kind'][]): Happening[] =>
  places.flatMap((place) => kinds.map((kind) => ({ place, kind }))).filter(isPossible);

/** All orders of up to `lines` lines and up to `acts` acts. */
export function* interleavings(lines = 3, acts = 1, from = 0): Generator<readonly Happening[]> {
  yield [];
  const next = [...(lines > 0 ? every(lineKinds) : []), ...(acts > 0 ? every(actKinds) : [])];
  for (const happening of next) {
    if (order(happening) < from) continue;
    const [restLines, restActs] = isLine(happening) ? [lines - 1, acts] : [lines, acts - 1];
    for (const rest of interleavings(restLines, restActs, order(happening)))
      yield [happening, ...rest];
  }
}

interface Line {
  readonly message: Message & { readonly id: string };
  readonly isFact: boolean;
  readonly isPlain: boolean;
  /** Whether it may answer the second question. An edit does what the edited line does. */
  mayAnswer: boolean;
  /** The id of the edited line. */
  readonly edits?: string;
}

const lifecycleWith = (policies: object) =>
  compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, ...policies },
    }),
  );
const queueing = lifecycleWith({});

/** A reply is made again for a line that comes while it is made. */
export const superseding = lifecycleWith({ overlap: 'supersede' });

export const formats = Object.keys(definitions);

/** What is against the rules in some interleavings. @param halves the kills of each */
export async function problemsOf(
  format: string,
  chosen: readonly (readonly Happening[])[],
  halves: (index: number) => readonly number[],
  lifecycle?: Compiled,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, happenings] of chosen.entries())
    for (const half of halves(index)) {
      const { problems } = await play(format, happenings, { half, lifecycle });
      found.push(...named(happenings, half, problems));
    }
  return found;
}

const named = (happenings: readonly Happening[], half: number, problems: readonly string[]) => {
  const name = happenings.map(({ place, kind }) => `${place}: ${kind}`).join(', ');
  return problems.map((problem) => `${name}, killed at ${half}: ${problem}`);
};

/**
 * What is against the rules in some interleavings that are killed at each of their writes: in turn after it is stored,
 * and before. A play begins at its kill: the writes before it are stored again.
 */
export async function problemsAtEachWrite(
  format: string,
  chosen: readonly (readonly Happening[])[],
  lifecycle?: Compiled,
): Promise<{ readonly problems: string[]; readonly kills: number }> {
  const problems: string[] = [];
  let kills = 0;
  for (const [index, happenings] of chosen.entries()) {
    const forks: Fork[] = [];
    const onHalf = (fork: Fork) => {
      const write = Math.ceil(fork.half / 2);
      if ((fork.half + write + index) % 2 === 0) forks.push(fork);
    };
    const whole = await play(format, happenings, { lifecycle, onHalf });
    problems.push(...named(happenings, 0, whole.problems));
    for (const from of forks) {
      const killed = await play(format, happenings, { lifecycle, from });
      problems.push(...named(happenings, from.half, killed.problems));
    }
    kills += forks.length;
  }
  return { problems, kills };
}

/** Where the process dies, and what is left. */
interface Fork {
  /** Of the writes, see `killedStore`. */
  readonly half: number;
  readonly written: readonly Written[];
  readonly state: PlayState;
  readonly bank: BankState;
}

/** What the player knows. */
interface PlayState {
  lines: Line[];
  refused: string[];
  /** Ids of messages whose answers did not come. */
  undelivered: string[];
  isDown: boolean;
  owned: boolean;
  /** The messages that the contact has seen, and that ask the second question. The first question may be repeated after it. */
  seen: OutgoingMessage[];
  /** The message that the channel has, but has not accepted. */
  held: OutgoingMessage | undefined;
  /** What happens now at each place, by its position. */
  at: Partial<Record<Place, number>>;
  step: number;
}

const begun: PlayState = {
  lines: [],
  refused: [],
  undelivered: [],
  isDown: false,
  owned: false,
  seen: [],
  held: undefined,
  at: {},
  step: 0,
};

const copyOf = ({ lines, refused, undelivered, seen, at, ...rest }: PlayState): PlayState => ({
  ...rest,
  lines: lines.map((line) => ({ ...line })),
  refused: [...refused],
  undelivered: [...undelivered],
  seen: [...seen],
  at: { ...at },
});

/** A step that has nothing to do. */
const nothing = Symbol('nothing');

interface Playing {
  /** Of the writes at which the process is killed, see `killedStore`; 0 for none. */
  readonly half?: number;
  readonly lifecycle?: Compiled | undefined;
  readonly onHalf?: (fork: Fork) => void;
  /** The kill at which the play begins. */
  readonly from?: Fork;
}

/**
 * Plays one interleaving.
 *
 * @returns what is against the rules
 */
async function play(
  format: string,
  happenings: readonly Happening[],
  { half = 0, lifecycle = queueing, onHalf, from }: Playing = {},
) {
  const problems: string[] = [];
  const state = copyOf(from?.state ?? begun);
  const { lines } = state;
  let isOpen = false;
  const store = killedStore({
    written: from?.written ?? [],
    onHalf:
      onHalf &&
      ((at, written) => {
        if (isOpen)
          onHalf({ half: at, written: [...written], state: copyOf(state), bank: bank.state() });
      }),
  });
  const refuses = happenings.some(({ kind }) => kind === 'refusal');
  const onShown = (message: OutgoingMessage) => {
    state.held = undefined;
    if (message.text.startsWith('Close')) state.seen.push(message);
    else if (message.text.startsWith('Hear')) state.seen = [];
  };
  const bank = await openBank(format, {
    store,
    lifecycle,
    state: from?.bank,
    isClosedAtEnd: false,
    refuses,
    beforeAnswer: () => happen('answer'),
    beforeQuestion: () => happen('question'),
    beforeShown: () => happen('channel'),
    onCall: () => {
      if (!state.isDown) return;
      state.isDown = false;
      throw new Error('an outage');
    },
    onDelivery: (message) => {
      const { role, text } = message;
      state.held = message;
      if (state.owned && role === 'agent')
        problems.push(`T10: said while a person has it: ${text}`);
    },
    onShown,
  });
  isOpen = true;
  const { host: first } = bank;
  let isDead = from !== undefined;
  if (!isDead) store.killAt(half);

  /** An act, whose answer a kill may keep back. */
  const attempt = async (act: () => Promise<unknown>) => {
    if (isDead) return false;
    const done = act().then(
      () => true,
      () => false,
    );
    return bank.host === first ? Promise.race([done, store.death.then(() => false)]) : done;
  };
  const deliver = async (line: Line) => {
    const { id } = line.message;
    state.undelivered.push(id);
    const isAnswered = await attempt(async () => {
      const answer = await bank.receive(line.message);
      if (!answer.accepted) state.refused.push(id);
    });
    if (isAnswered) state.undelivered = state.undelivered.filter((each) => each !== id);
    // A line without a time of its provider is as old as its arrival. The question may be shown while it is stored, or again after a kill.
    line.mayAnswer ||= line.isPlain
      ? state.seen.length > 0
      : lineOf(line.edits)?.mayAnswer === true;
  };
  const lineOf = (id: string | undefined) => lines.find(({ message }) => message.id === id);
  const say = (
    text: string,
    more: Partial<Message> = {},
    mayAnswer = state.seen.length > 0,
    edits?: string,
  ) => {
    const isFact = text.startsWith('I live');
    const isPlain = Object.keys(more).length === 0;
    const message = { id: `m${lines.length}`, text, ...more };
    const line: Line = { message, isFact, isPlain, mayAnswer, ...(edits && { edits }) };
    lines.push(line);
    return deliver(line);
  };
  const settled = async () => {
    await attempt(() => bank.host.settle());
    if (!store.isDead && !isDead) return;
    isDead = false;
    await bank.reopen();
    for (const id of state.undelivered.splice(0)) await deliver(lineOf(id)!);
    await bank.host.settle();
  };
  const lastLine = async () =>
    (await bank.host.transcript('a', { from: 0, limit: 1_000 })).at(-1)!.id;
  const happen = async (place: Place, after = -1) => {
    for (const [index, happening] of happenings.entries()) {
      if (happening.place !== place || index <= after) continue;
      state.at[place] = index;
      const done = carryOut(happening);
      // A message by hand waits for the channel, which is busy with the question.
      if (place !== 'channel' || !happening.kind.startsWith('by hand')) await done;
      // It is decided before the next line comes.
      else for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    }
    delete state.at[place];
  };
  const carryOut = async ({ kind }: Happening) => {
    const count = lines.length;
    const { sent } = bank;
    switch (kind) {
      case 'bare':
        return say(['yes', 'yes, please', 'ok', 'ok, yes'][count % 4]!);
      case 'fact':
        return say(`I live in Oslo${count}`);
      case 'quotes the first':
        return say(`yes, the first ${count}`, { replyTo: sent[0]!.id }, false);
      case 'quotes the second': {
        const second = sent.find(({ text }) => text.startsWith('Close'));
        return second && say(`yes, the second ${count}`, { replyTo: second.id }, true);
      }
      case 'sent before':
        return say(`yes, before ${count}`, { sentAt: startAt - 1_000 }, false);
      case 'edit': {
        const edited = lines.at(-1)!;
        const { id } = edited.message;
        const text = edited.isFact ? `I live in Rome${count}` : `yes, edited ${count}`;
        return say(text, { data: { replaces: id } }, edited.mayAnswer, id);
      }
      case 'again':
        return attempt(() => bank.receive(lines[0]!.message));
      case 'outage':
        state.isDown = true;
        return undefined;
      case 'failure': {
        const message = state.seen.at(-1)?.id ?? '';
        const report = { instance: 'a', message, status: 'failed', reason: 'x' } as const;
        if (message !== '' && (await attempt(() => bank.host.reportDelivery(report))))
          state.seen.pop();
        return undefined;
      }
      case 'timer':
        bank.clock.set(bank.clock.now() + 1_900_000);
        return undefined;
      case 'update':
        return (
          format === 'plan' &&
          attempt(() =>
            bank.host.send('a', { type: 'plan.update', deliverables: { city: 'Bergen' } }),
          )
        );
      case 'by hand':
        return attempt(async () =>
          bank.host.intervene('a', 'I look into it.', { by: 'ana', upTo: await lastLine() }),
        );
      case 'by hand, unread':
        return attempt(() => bank.host.intervene('a', 'Your parcel is here.', { by: 'ana' }));
      case 'taken over':
        return attempt(async () => {
          ({ accepted: state.owned } = await bank.host.takeOver('a', { by: 'ana' }));
        });
      case 'paused':
        return attempt(() => bank.host.pause('a'));
      default:
        return undefined;
    }
  };

  const resumedIn = (name: string) => async () =>
    (await bank.host.get('a')).state === name ? attempt(() => bank.host.resume('a')) : nothing;
  const isHeld = happenings.some(({ kind }) => kind === 'taken over' || kind === 'paused');
  const handedBack = [
    () => attempt(() => bank.host.handBack('a', { by: 'ana' })),
    resumedIn('PAUSED'),
  ];
  const retried = async () => {
    const { waits } = await bank.host.get('a');
    if (!waits.some((wait) => wait.for === 'retry')) return nothing;
    return bank.clock.set(bank.clock.now() + 60_000);
  };
  let isClosed = false;
  const closed = async () => (isClosed ||= await bank.isClosed());
  const answered = async () => ((await closed()) ? nothing : say('yes'));
  const steps: readonly (() => Promise<unknown>)[] = [
    () => say('Yes!'),
    () => happen('later'),
    async () => {
      // An act whose answer was lost may have been stored.
      [state.isDown, state.owned] = [false, false];
      return nothing;
    },
    ...(isHeld ? [...handedBack, ...handedBack] : []),
    retried,
    retried,
    retried,
    resumedIn('NEEDS_HUMAN_INTERVENTION'),
    checkSilence,
    answered,
    answered,
    answered,
    answered,
  ];
  if (from) {
    // The rest of what happens meets a dead host, and the channel decides about what it has.
    for (const place of places) if (place in state.at) await happen(place, state.at[place]);
    if (state.held && !(refuses && state.held.text.startsWith('Close'))) onShown(state.held);
    await settled();
    state.step += 1;
  }
  for (; state.step < steps.length; state.step += 1)
    if ((await steps[state.step]!()) !== nothing) await settled();
  await check();
  await bank.host.stop({ within: 0 });
  return { problems };

  /** The agent says something after a line that answers its question. */
  async function checkSilence() {
    const { ended, state: status } = await bank.host.get('a');
    const spoken = await spokenLines();
    const last = spoken.findLastIndex(({ role }) => role !== 'contact');
    const open = spoken.slice(last + 1).find(({ id }) => {
      const line = lineOf(id);
      return line && !line.edits && (line === lines[0] || line.mayAnswer);
    });
    if (open && !ended) problems.push(`T5: nobody answers ${open.text} in ${status}`);
    return nothing;
  }

  async function spokenLines() {
    const stored = await bank.host.transcript('a', { from: 0, limit: 1_000 });
    return stored.filter(({ role }) => role !== 'system');
  }

  async function check() {
    if (!(await closed())) problems.push('T5: the second question is not asked in the end');
    const stored = await spokenLines();
    for (const { port, lines: read, message, early } of bank.reads) {
      const texts = read.map(({ text }) => text);
      if (
        texts.join('\n') !==
        stored
          .slice(0, read.length)
          .map(({ text }) => text)
          .join('\n')
      )
        problems.push(`T1: ${port} reads ${texts.join(' | ')}`);
      const marked = read.filter(({ isNew }) => isNew !== undefined);
      const known = marked.map(({ text }) => text);
      const said = message?.split('\n') ?? [];
      if (
        !said.every((text) => known.includes(text)) ||
        (!early && port !== 'reply' && said.length !== marked.length)
      )
        problems.push(
          `T1: ${port} of ${said.join(' | ')} has the marked lines ${known.join(' | ')}`,
        );
    }
    const { ended } = await bank.host.get('a');
    const judged = bank.reads.filter(
      ({ port, message }) => message !== undefined && (port === 'extract' || port === 'choose'),
    );
    const judgedTexts = judged.flatMap(({ message }) => message!.split('\n'));
    const lastJudged = stored.findLastIndex(({ text }) => judgedTexts.includes(text));
    for (const { message, isFact, mayAnswer } of lines) {
      const { id, text } = message;
      const count = stored.filter((line) => line.id === id).length;
      // A conversation that has ended takes no more lines.
      if (count > 1 || (count === 0 && !state.refused.includes(id)))
        problems.push(`T1: ${text} is stored ${count} times`);
      const readers = judged.filter((read) => read.message!.split('\n').includes(text));
      const isAlone = lines.filter((line) => line.message.text === text).length === 1;
      // A line that waits after the one that ends the conversation is not read.
      const isLast = ended && stored.findIndex((line) => line.id === id) > lastJudged;
      // A graph judges the lines of a turn at each state on its way.
      if (isAlone && new Set(readers.map(({ key }) => key.split('/')[1])).size > 1)
        problems.push(`T3: ${text} is read twice`);
      if (
        isAlone &&
        isFact &&
        format === 'plan' &&
        readers.length === 0 &&
        !state.refused.includes(id) &&
        !isLast
      )
        problems.push(`T3: ${text} is not read`);
      if (isAlone && !mayAnswer && readers.some(({ mayClose, early }) => mayClose && !early))
        problems.push(`T2: ${text} is judged by the second question`);
    }
  }
}
