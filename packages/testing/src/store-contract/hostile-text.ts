import type { Json } from '@dramaturg/compiler';
import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact, reopened } from './stage.ts';

/** Ids with a special meaning in a file system, a query or an object. All are different records. */
const ids = [
  '.',
  '..',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  'C:\\con',
  'con',
  'CON',
  'nul.txt',
  'a',
  'A',
  'a ',
  ' a',
  'a.',
  'a\0b',
  'a\nb',
  'é',
  'e\u0301',
  '\u{1F642}',
  '__proto__',
  'constructor',
  'toString',
  '%',
  "'; DROP TABLE records; --",
  '{"$ne":null}',
  '-rf',
  '~',
  'record.json',
  'x'.repeat(1_024),
  `${'x'.repeat(1_023)}y`,
  '\u{1F642}'.repeat(512),
];

export function hostileText(fact: Fact): void {
  fact('H8 any text is a valid id, and each names a different record', async (store, place) => {
    for (const [index, id] of ids.entries()) {
      await store.create(aRecord({ id, contact: id, parent: id, snapshot: id, journal: [id] }));
      await store.commit({
        id,
        expectedRevision: 1,
        updatedAt: index,
        timers: [{ key: id, at: index }],
        parts: { set: [{ key: id, value: id }] },
        effects: [aLetter(id, id)],
      });
    }
    const again = await reopened(store, place);
    for (const [index, id] of ids.entries()) {
      expect(await again.read(id)).toMatchObject({
        id,
        contact: id,
        parent: id,
        snapshot: id,
        updatedAt: index,
        parts: [{ key: id, value: id }],
        outbox: [aLetter(id, id)],
        timers: [{ key: id, at: index }],
      });
      expect(await again.journal(id, { from: 0, limit: 10 })).toEqual([id]);
      const named = await again.list({ contact: id, parent: id }, { limit: 10 });
      expect(named.items.map((found) => found.id)).toEqual([id]);
      expect(await again.acknowledge({ id, letter: id })).toBeDefined();
    }
    const listed = await allOf((after) => again.list({}, { limit: 7, ...after }));
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect((await again.due(1_000, 100)).map(({ id }) => id)).toEqual(ids);
  });

  fact('H8 names that are properties of every object name no record', async (store) => {
    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(await store.read(id)).toBeUndefined();
      await expect(store.commit({ id, expectedRevision: 1 })).rejects.toMatchObject({
        code: 'store/unknown',
      });
    }
  });

  fact('H8 text of any sort reads back as it was', async (store, place) => {
    const texts = [
      '\0',
      '\uFEFFbom',
      '\uD800 half a pair',
      '\r\n',
      '\u2028\u2029',
      '"\\',
      '</script>',
      '\u{10FFFF}',
    ];
    const snapshot: Json = {
      texts,
      ...Object.fromEntries(texts.map((text) => [text, text])),
      constructor: 'own',
      toJSON: 'own',
      numbers: [0, -0.5, 1e-300, 1.7e308, Number.MAX_SAFE_INTEGER],
    };
    const parts = [{ key: 'p', value: snapshot }];
    await store.create(
      aRecord({ snapshot, parts, transcript: texts, outbox: [aLetter('m', snapshot)] }),
    );
    const again = await reopened(store, place);
    const record = await again.read('lunch-with-maria');
    expect(record!.snapshot).toEqual(snapshot);
    expect(record!.parts).toEqual(parts);
    expect(record!.outbox).toEqual([aLetter('m', snapshot)]);
    expect(await again.transcript('lunch-with-maria', { from: 0, limit: 10 })).toEqual(texts);
  });

  fact('H8 a key __proto__ reaches no prototype', async (store, place) => {
    const snapshot = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}') as Json;
    await store.create(aRecord({ snapshot, journal: [snapshot] }));
    await store.commit(aChange({ effects: [aLetter('e', snapshot)] }));
    const again = await reopened(store, place);
    const record = await again.read('lunch-with-maria');
    expect(JSON.stringify(record!.snapshot)).toBe(JSON.stringify(snapshot));
    expect(Object.getPrototypeOf(record!.snapshot)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  fact('invalid names are refused', async (store) => {
    await store.create(aRecord());
    const names = ['', 'x'.repeat(1_025), '\uD800', 5, null, undefined, {}] as string[];
    for (const name of names) {
      const refused = { code: 'store/bad-request' };
      await expect(store.create(aRecord({ id: name }))).rejects.toMatchObject(refused);
      await expect(store.read(name)).rejects.toMatchObject(refused);
      await expect(store.journal(name, { from: 0, limit: 1 })).rejects.toMatchObject(refused);
      await expect(store.commit(aChange({ effects: [aLetter(name, 1)] }))).rejects.toMatchObject(
        refused,
      );
      const parts = [{ key: name, value: 1 }];
      await expect(store.create(aRecord({ id: 'new', parts }))).rejects.toMatchObject(refused);
      await expect(store.commit(aChange({ parts: { set: parts } }))).rejects.toMatchObject(refused);
      await expect(store.commit(aChange({ parts: { removed: [name] } }))).rejects.toMatchObject(
        refused,
      );
      await expect(store.commit(aChange({ timers: [{ key: name, at: 1 }] }))).rejects.toMatchObject(
        refused,
      );
    }
    expect(await store.read('lunch-with-maria')).toMatchObject({ revision: 1, outbox: [] });
  });

  fact('values that are not JSON are refused', async (store) => {
    await store.create(aRecord());
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const values = [circle, 1n, () => 1, Symbol('s')] as unknown as Json[];
    for (const value of values) {
      const refused = { code: 'store/bad-request' };
      await expect(store.commit(aChange({ snapshot: value }))).rejects.toMatchObject(refused);
      const set = [{ key: 'p', value }];
      await expect(store.commit(aChange({ parts: { set } }))).rejects.toMatchObject(refused);
      await expect(store.commit(aChange({ journal: [1, value] }))).rejects.toMatchObject(refused);
      await expect(
        store.commit(aChange({ effects: [{ id: 'm', body: value }] })),
      ).rejects.toMatchObject(refused);
    }
    expect(await store.read('lunch-with-maria')).toMatchObject({
      revision: 1,
      journalLength: 0,
      outbox: [],
    });
  });
}
