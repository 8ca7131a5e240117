import type { PortInput } from '@dramaturg/compiler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edges, onValue, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** Plans of several states whose keys a person tells in any order. */
const tellings = fc
  .record({
    states: fc.array(
      fc.record({
        type: fc.constantFrom('strict', 'loose'),
        tasks: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 2, maxLength: 4 },
    ),
    /** Whether a first question decides if the second state is passed by. */
    forks: fc.boolean(),
    confirmed: fc.uniqueArray(fc.nat(12), { maxLength: 3 }),
    order: fc.infiniteStream(fc.nat()),
    sizes: fc.infiniteStream(fc.nat(4)),
    asTool: fc.infiniteStream(fc.boolean()),
  })
  .map(({ states, forks, confirmed, ...rest }) => {
    let next = 0;
    const parts = states.map(({ type, tasks }, at) => {
      const made = tasks.map((keys, index) =>
        task(
          `t${index}`,
          ...Array.from({ length: keys + 1 }, () => {
            next += 1;
            return { key: `k${next}`, confirm: confirmed.includes(next) };
          }),
        ),
      );
      const target = at + 1 < states.length ? `s${at + 1}` : 'end';
      return state(`s${at}`, { type, tasks: made }, edges(to(target, 5)));
    });
    const [first] = parts;
    if (forks)
      Object.assign(
        first!,
        edges(onValue(parts.length > 2 ? 's2' : 'end', 'k1', 'v1', 1), to('s1', 5)),
      );
    return { definition: planOf(...parts, state('end')), keys: next, forks, ...rest };
  });

interface BuiltState {
  readonly id: string;
  readonly tasks: readonly {
    readonly deliverables: readonly { key: string; confirm?: boolean }[];
  }[];
}

test('in whatever order a person tells the values, the end is the same and nothing is asked twice', async () => {
  await fc.assert(
    fc.asyncProperty(tellings, async ({ definition, keys, forks, order, sizes, asTool }) => {
      const conversation = await Conversation.start(definition);
      const states = definition['states'] as unknown as readonly BuiltState[];
      const declared = states.flatMap(({ tasks }) => tasks.flatMap((one) => one.deliverables));
      const confirms = new Set(declared.flatMap(({ key, confirm }) => (confirm ? [key] : [])));
      const untold = Array.from({ length: keys }, (_, index) => `k${index + 1}`);
      const told = new Set<string>();
      // An update of a tool gets no reply.
      let isAnswered = true;
      for (let turns = 0; turns < 60 && !conversation.isOver; turns += 1) {
        const asks: PortInput<'reply'>['asks'] = isAnswered ? conversation.asked.reply.asks : [];
        for (const { name, unconfirmed } of asks) {
          const mayAsk = confirms.has(name) && unconfirmed === `v${name.slice(1)}`;
          expect({ name, again: told.has(name) && !mayAsk }).toEqual({ name, again: false });
        }
        const chunk = Array.from({ length: sizes.next().value }, () => order.next().value)
          .map((place) => untold[place % (untold.length || 1)])
          .filter((key) => key !== undefined);
        // A person who says nothing new answers the question, or confirms.
        const said = chunk.length > 0 ? chunk : asks.slice(0, 1).map(({ name }) => name);
        const deliverables = Object.fromEntries(said.map((key) => [key, `v${key.slice(1)}`]));
        isAnswered = said.length === 0 || !asTool.next().value;
        if (isAnswered) await conversation.turn({ deliverables });
        else await conversation.set(deliverables);
        for (const key of said) {
          told.add(key);
          if (untold.includes(key)) untold.splice(untold.indexOf(key), 1);
        }
      }
      expect(conversation.isOver).toBe(true);
      expectNoEarlyMove(conversation, states);
      const visited = states.filter(({ id }) => Object.hasOwn(conversation.context.tasks, id));
      // A fork leaves its state before all was said.
      const complete = forks ? visited.filter(({ id }) => id !== 's0') : visited;
      const values = valuesOf(conversation);
      expect(valuesOf(conversation)).toEqual({ ...values, ...valuesFor(complete) });
      expect(valuesFor(visited)).toEqual({ ...valuesFor(visited), ...values });
    }),
    { numRuns: scaled(100) },
  );
});

/** What the person says to all questions of some states. */
function valuesFor(states: readonly BuiltState[]): Record<string, unknown> {
  const deliverables = states.flatMap(({ tasks }) => tasks.flatMap((one) => one.deliverables));
  return Object.fromEntries(deliverables.map(({ key }) => [key, `v${key.slice(1)}`]));
}

function valuesOf({ context }: Conversation): Record<string, unknown> {
  const records = Object.entries(context.deliverables);
  return Object.fromEntries(records.map(([key, { value }]) => [key, value]));
}

/** A state is left only after all that it asks for counts, or for the value that its fork names. */
function expectNoEarlyMove({ emitted }: Conversation, states: readonly BuiltState[]): void {
  const collected = new Set<string>();
  for (const event of emitted) {
    if (event.type === 'deliverable.collected') collected.add(event.deliverable);
    if (event.type !== 'state.entered' || event.from === undefined) continue;
    const left = states.find(({ id }) => id === event.from);
    const wanted = (left?.tasks ?? []).flatMap((one) => one.deliverables.map(({ key }) => key));
    const isForked = wanted.includes('k1') && collected.has('k1');
    const missing = isForked ? [] : wanted.filter((key) => !collected.has(key));
    expect({ left: event.from, missing }).toEqual({ left: event.from, missing: [] });
  }
}
