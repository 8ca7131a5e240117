import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { type Entry, FairQueue } from '../../src/admission/lane.ts';

/** The same rule in the simplest way: a list of the groups in the order of their turns, each with its keys. */
class Model {
  #groups: { readonly group: string; readonly keys: string[] }[] = [];

  has({ key, group }: Entry): boolean {
    return this.#groups.some((each) => each.group === group && each.keys.includes(key));
  }

  add({ key, group }: Entry): void {
    const found = this.#groups.find((each) => each.group === group);
    if (found) found.keys.push(key);
    else this.#groups.push({ group, keys: [key] });
  }

  delete({ key, group }: Entry): void {
    const keys = this.#groups.find((each) => each.group === group)?.keys ?? [];
    if (keys.includes(key)) keys.splice(keys.indexOf(key), 1);
  }

  take(): Entry | undefined {
    for (let next = this.#groups.shift(); next; next = this.#groups.shift()) {
      const key = next.keys.shift();
      if (next.keys.length > 0) this.#groups.push(next);
      if (key !== undefined) return { key, group: next.group };
    }
    return undefined;
  }
}

test('groups take turns, the first key of a group comes first, and deleted entries do not come', () => {
  const step = tuple(
    constantFrom('add' as const, 'add' as const, 'delete' as const, 'take' as const),
    integer({ min: 0, max: 3 }),
    integer({ min: 0, max: 3 }),
  );
  assert(
    property(array(step, { maxLength: 100 }), (steps) => {
      const queue = new FairQueue();
      const model = new Model();
      const doBoth = {
        add: (entry: Entry, isThere: boolean) =>
          isThere ? [] : [queue.add(entry), model.add(entry)],
        delete: (entry: Entry, isThere: boolean) => {
          model.delete(entry);
          return [queue.delete(entry), isThere];
        },
        take: () => [queue.take(), model.take()],
      };
      for (const [what, number, member] of steps) {
        const entry = { key: `${number} of ${member}`, group: `${member}` };
        const isThere = model.has(entry);
        expect(queue.has(entry)).toBe(isThere);
        const [answer, expected] = doBoth[what](entry, isThere);
        expect(answer).toEqual(expected);
      }
      for (let next = model.take(); next; next = model.take()) expect(queue.take()).toEqual(next);
      expect(queue.take()).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});
