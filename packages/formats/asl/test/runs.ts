import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Agent, failure, type RunOptions } from './run.ts';

/** The runs of the workflows in fixtures/, by workflow and name. What comes of each is in a file `<name>.trace`. */
export const runs: Readonly<Record<string, Readonly<Record<string, () => RunOptions>>>> = {
  order: {
    small: () => ({ input: basket, agents: { ...warehouse, Price: () => ({ sum: 40 }) } }),
    approved: () => ({
      input: basket,
      agents: warehouse,
      decide: () => ({ decision: 'approve', by: 'ana' }),
    }),
    undecided: () => ({ input: basket, agents: warehouse }),
    'price-service-down': () => ({
      input: basket,
      agents: { ...warehouse, Price: () => Promise.reject(failure('Busy', 'come back later')) },
    }),
    'price-service-silent': () => ({
      input: basket,
      agents: { ...warehouse, Price: () => new Promise<never>(() => {}) },
    }),
  },
  review: {
    untitled: () => ({ input: { text: 'Helo' }, agents: editors }),
  },
  release: {
    sent: () => ({
      input: { parts: ['core', 'docs', 'beta'] },
      start: requested,
      agents: { Writer: () => ({ text: 'Faster.' }) },
      decide: inTurn(
        { decision: 'approve', by: 'carla', comment: 'not mine to decide yet' },
        { decision: 'approve', by: 'ana', comment: 'fine' },
        { decision: 'approve', by: 'ana', comment: 'fine again' },
        {
          decision: 'approve',
          by: 'eve',
          roles: ['release-manager'],
          comment: 'a word less',
          edited: { notes: { text: 'Fast.' } },
        },
        { decision: 'approve', approved: [0, 1], by: 'bob' },
        { decision: 'approve' },
      ),
    }),
    'nobody-there': () => ({
      input: { parts: [] },
      start: requested,
      agents: { Writer: () => ({ text: 'Faster.' }) },
    }),
    'late-parts': () => ({
      input: { parts: ['core'] },
      start: requested,
      agents: { Writer: () => ({ text: 'Faster.' }) },
      decide: inTurn(
        { decision: 'approve', by: 'ana', comment: 'fine' },
        { decision: 'approve', by: 'bob', comment: 'fine' },
      ),
    }),
  },
  pipeline: {
    published: () => ({
      ...pipeline,
      agents: newsroom(),
      decide: () => ({ decision: 'approve', by: 'ana' }),
    }),
    refused: () => ({ ...pipeline, agents: newsroom(), decide: () => ({ decision: 'reject' }) }),
    'nobody-there': () => ({ ...pipeline, agents: newsroom() }),
  },
  callbacks: {
    answered: () => ({ input: { text: 'Hi' }, agents: { [queue]: sent }, worker: works }),
    silent: () => ({ input: { text: 'Hi' }, agents: { [queue]: sent } }),
  },
  report: {
    lines: () => ({
      input: { lines: [{ amount: 4 }, { amount: -1 }, { amount: 6 }] },
      agents: { [convert]: ({ amount }: { amount: number }) => ({ euros: amount * 2 }) },
    }),
    empty: () => ({ input: { lines: [] } }),
  },
  debate: {
    confirmed: () => ({
      input: { question: 'Tea or coffee?' },
      agents: debaters,
      decide: () => ({ decision: 'approve', edited: { question: 'Tea?' } }),
    }),
    unconfirmed: () => ({ input: { question: 'Tea or coffee?' }, agents: debaters }),
  },
  nightly: {
    'one-fails': () => ({ input: { sources: ['a', 'bad', 'c'] }, agents: { [load]: loader } }),
    'too-many-fail': () => ({
      input: { sources: ['bad', 'bad', 'c'] },
      agents: { [load]: loader },
    }),
  },
};

const pipeline: RunOptions = {
  input: { topic: 'tea' },
  ...(JSON.parse(
    readFileSync(new URL('fixtures/pipeline/setup.json', import.meta.url), 'utf8'),
  ) as Pick<RunOptions, 'options'>),
};

/** Too busy at first to look for mistakes. */
const newsroom = (): Record<string, Agent> => ({
  Writer: ({ topic }: { topic: string }) => `All about ${topic}.`,
  Spelling: ({ strict }: { strict: boolean }, { calls }) => {
    if (calls === 1) throw failure('Busy', 'one moment');
    return strict ? 1 : 0;
  },
  'workflow:publish': () => ({ at: '/tea' }),
});

const requested = { context: { Execution: { Requestor: 'dan' } } };

/** The next decision for each question, and none once they have all been made. */
function inTurn(...decisions: JsonObject[]): NonNullable<RunOptions['decide']> {
  return () => decisions.shift();
}

const basket: Json = { items: [{ sku: 'lamp' }, { sku: 'bulb' }, { sku: 'cord' }] };

const warehouse: Record<string, Agent> = {
  // Busy at first, like anyone on a Monday.
  Price: (_, { calls }) => {
    if (calls === 1) throw failure('Busy', 'come back later');
    return { sum: 120 };
  },
  Fetch: ({ sku }: { sku: string }) => `shelf ${sku.length}`,
};

const editors: Record<string, Agent> = {
  Spelling: ({ text }: { text: string }) => ({ mistakes: text === 'Helo' ? 1 : 0 }),
  'workflow:publish': ({ title }: { title: string }) => ({ at: `/${title.toLowerCase()}` }),
};

const queue = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
const sent: Agent = () => ({ MessageId: 'm-1' });

const works: NonNullable<RunOptions['worker']> = (actor, { token }) => {
  actor.send({ type: 'task.heartbeat', token });
  actor.send({ type: 'task.succeeded', token, output: { seen: true } });
};

const convert = 'arn:aws:lambda:eu-west-1:123456789012:function:Convert';
const load = 'arn:aws:lambda:eu-west-1:123456789012:function:Load';

const loader: Agent = (source: string) => {
  if (source === 'bad') throw failure('Unreadable', source);
  return `read ${source}`;
};

const debaters: Record<string, Agent> = {
  Optimist: ({ round }: { round: number }) => ({ response: `Tea, for the ${round}. time.` }),
  Sceptic: () => ({ response: 'Neither.' }),
  Judge: () => ({ decision: 'tea' }),
};
