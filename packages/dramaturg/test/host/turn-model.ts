import {
  type Compiled,
  compile,
  conversationLifecycle,
  type OutgoingMessage,
} from '../../src/index.ts';
import { killedStore } from './killed-store.ts';
import { definitions, type Message, openBank, startAt } from './two-questions.ts';

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
  readonly edited?: Line;
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
      const { problems } = await play(format, happenings, half, lifecycle);
      const name = happenings.map(({ place, kind }) => `${place}: ${kind}`).join(', ');
      found.push(...problems.map((problem) => `${name}, killed at ${half}: ${problem}`));
    }
  return found;
}

/**
 * Plays one interleaving.
 *
 * @param half of the writes at which the process is killed, see `killedStore`; 0 for none
 * @returns what is against the rules, and whether the process was killed
 */
async function play(
  format: string,
  happenings: readonly Happening[],
  half = 0,
  lifecycle: Compiled = queueing,
) {
  const problems: string[] = [];
  const lines: Line[] = [];
  const store = killedStore();
  const refused = new Set<string>();
  let undelivered: Line[] = [];
  let [isDown, owned] = [false, false];
  /** The messages that the contact has seen, and that ask the second question. The first question may be repeated after it. */
  let seen: OutgoingMessage[] = [];
  const bank = await openBank(format, {
    store,
    lifecycle,
    refuses: happenings.some(({ kind }) => kind === 'refusal'),
    beforeAnswer: () => happen('answer'),
    beforeQuestion: () => happen('question'),
    beforeShown: () => happen('channel'),
    onCall: () => {
      if (!isDown) return;
      isDown = false;
      throw new Error('an outage');
    },
    onDelivery: ({ role, text }) => {
      if (owned && role === 'agent') problems.push(`T10: said while a person has it: ${text}`);
    },
    onShown: (message) => {
      if (message.text.startsWith('Close')) seen.push(message);
      else if (message.text.startsWith('Hear')) seen = [];
    },
  });
  const { host: first } = bank;
  store.killAt(half);

  /** An act, whose answer a kill may keep back. */
  const attempt = async (act: () => Promise<unknown>) => {
    const done = act().then(
      () => true,
      () => false,
    );
    return bank.host === first ? Promise.race([done, store.death.then(() => false)]) : done;
  };
  const deliver = async (line: Line) => {
    undelivered.push(line);
    const isAnswered = await attempt(async () => {
      const answer = await bank.receive(line.message);
      if (!answer.accepted) refused.add(line.message.id);
    });
    if (isAnswered) undelivered = undelivered.filter((each) => each !== line);
    // A line without a time of its provider is as old as its arrival. The question may be shown while it is stored, or again after a kill.
    line.mayAnswer ||= line.isPlain ? seen.length > 0 : line.edited?.mayAnswer === true;
  };
  const say = (
    text: string,
    more: Partial<Message> = {},
    mayAnswer = seen.length > 0,
    edited?: Line,
  ) => {
    const isFact = text.startsWith('I live');
    const isPlain = Object.keys(more).length === 0;
    const message = { id: `m${lines.length}`, text, ...more };
    const line: Line = { message, isFact, isPlain, mayAnswer, ...(edited && { edited }) };
    lines.push(line);
    return deliver(line);
  };
  const settled = async () => {
    await attempt(() => bank.host.settle());
    if (!store.isDead) return;
    await bank.reopen();
    for (const line of undelivered.splice(0)) await deliver(line);
    await bank.host.settle();
  };
  const lastLine = async () =>
    (await bank.host.transcript('a', { from: 0, limit: 1_000 })).at(-1)!.id;
  const happen = async (place: Place) => {
    for (const happening of happenings) {
      if (happening.place !== place) continue;
      const done = carryOut(happening);
      // A message by hand waits for the channel, which is busy with the question.
      if (place !== 'channel' || !happening.kind.startsWith('by hand')) await done;
      // It is decided before the next line comes.
      else for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    }
  };
  const carryOut = async ({ kind }: Happening) => {
    const count = lines.length;
    const { host, sent } = bank;
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
        const text = edited.isFact ? `I live in Rome${count}` : `yes, edited ${count}`;
        return say(text, { data: { replaces: edited.message.id } }, edited.mayAnswer, edited);
      }
      case 'again':
        return attempt(() => bank.receive(lines[0]!.message));
      case 'outage':
        isDown = true;
        return undefined;
      case 'failure': {
        const message = seen.at(-1)?.id ?? '';
        const report = { instance: 'a', message, status: 'failed', reason: 'x' } as const;
        if (message !== '' && (await attempt(() => host.reportDelivery(report)))) seen.pop();
        return undefined;
      }
      case 'timer':
        bank.clock.set(bank.clock.now() + 1_900_000);
        return undefined;
      case 'update':
        return (
          format === 'plan' &&
          attempt(() => host.send('a', { type: 'plan.update', deliverables: { city: 'Bergen' } }))
        );
      case 'by hand':
        return attempt(async () =>
          host.intervene('a', 'I look into it.', { by: 'ana', upTo: await lastLine() }),
        );
      case 'by hand, unread':
        return attempt(() => host.intervene('a', 'Your parcel is here.', { by: 'ana' }));
      case 'taken over':
        return attempt(async () => {
          ({ accepted: owned } = await host.takeOver('a', { by: 'ana' }));
        });
      case 'paused':
        return attempt(() => host.pause('a'));
      default:
        return undefined;
    }
  };

  await say('Yes!');
  await settled();
  await happen('later');
  await settled();
  isDown = false;
  // An act whose answer was lost may have been stored.
  owned = false;
  for (let count = 0; count < 2; count += 1) {
    await attempt(() => bank.host.handBack('a', { by: 'ana' }));
    await settled();
    if ((await bank.host.get('a')).state === 'PAUSED') await attempt(() => bank.host.resume('a'));
    await settled();
  }
  for (let retries = 0; retries < 3; retries += 1) {
    if (!(await bank.host.get('a')).waits.some((wait) => wait.for === 'retry')) break;
    bank.clock.set(bank.clock.now() + 60_000);
    await settled();
  }
  if ((await bank.host.get('a')).state === 'NEEDS_HUMAN_INTERVENTION') {
    await attempt(() => bank.host.resume('a'));
    await settled();
  }
  for (let count = 0; count < 4 && !(await bank.isClosed()); count += 1) {
    await say('yes');
    await settled();
  }
  await check();
  return { problems, wasKilled: first !== bank.host, bank };

  async function check() {
    if (!(await bank.isClosed())) problems.push('T5: the second question is not asked in the end');
    const stored = (await bank.host.transcript('a', { from: 0, limit: 1_000 })).filter(
      ({ role }) => role !== 'system',
    );
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
      if (count > 1 || (count === 0 && !refused.has(id)))
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
        !refused.has(id) &&
        !isLast
      )
        problems.push(`T3: ${text} is not read`);
      if (isAlone && !mayAnswer && readers.some(({ mayClose, early }) => mayClose && !early))
        problems.push(`T2: ${text} is judged by the second question`);
    }
  }
}
