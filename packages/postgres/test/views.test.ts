import { sharedPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

describeWithPostgres('the views of a store in Postgres', () => {
  test('show any text, with signs that jsonb refuses replaced', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('the test');
    onTestFinished(() => store.close());
    const texts = ['\0', '\uD800 half', '\uDFFF', '\\u0000', '\\\\uD800', '😀', '"', '\u2028'];
    const shown = ['�', '� half', '�', '\\ufffd', '\\\\ufffd', '😀', '"', '\u2028'];
    await store.create(
      aRecord({
        id: 'a\0␀',
        contact: 'a\0',
        transcript: texts.map((text, at) => ({ role: 'contact', text, at })),
        timers: [{ key: '\0', at: 5 }],
        createdAt: 1e300,
      }),
    );
    const query = queryOf(url);
    const rows = (await query('SELECT text FROM dramaturg.transcript ORDER BY line')) as {
      text: string;
    }[];
    expect(rows.map(({ text }) => text)).toEqual(shown);
    expect(await query('SELECT id, contact, started FROM dramaturg.instances')).toEqual([
      { id: 'a␀0␀1', contact: 'a␀0', started: null },
    ]);
    expect(await query('SELECT timer, due FROM dramaturg.timers')).toEqual([
      { timer: '�', due: new Date(5) },
    ]);
  });

  test('show lines that are no events of a host', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('the test');
    onTestFinished(() => store.close());
    const lines = [1, 'text', null, [], { at: 'yesterday', event: 7 }, { at: 1e300, text: [1] }];
    await store.create(aRecord({ journal: lines, transcript: lines }));
    const query = queryOf(url);
    expect(await query('SELECT at, type FROM dramaturg.journal')).toEqual(
      lines.map(() => ({ at: null, type: null })),
    );
    expect(await query('SELECT at FROM dramaturg.transcript')).toHaveLength(lines.length);
    expect(await query('SELECT * FROM dramaturg.deliverables')).toEqual([]);
    expect(await query('SELECT id, since FROM dramaturg.instances')).toEqual([
      { id: 'a', since: null },
    ]);
  });

  test('a value that was collected again is shown once, the newest', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('the test');
    onTestFinished(() => store.close());
    const collected = (value: number) => ({
      at: value,
      source: 'flow',
      event: { type: 'deliverable.collected', deliverable: 'age', value, state: 's' },
    });
    await store.create(aRecord({ journal: [collected(1), collected(2)] }));
    await store.commit({ id: 'a', expectedRevision: 1, journal: [collected(3), collected(4)] });
    expect(await queryOf(url)('SELECT deliverable, value FROM dramaturg.deliverables')).toEqual([
      { deliverable: 'age', value: 4 },
    ]);
  });

  test('a value that was withdrawn is not shown until it is collected again', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('the test');
    onTestFinished(() => store.close());
    const line = (type: string, deliverable: string, value?: number) => ({
      at: 1,
      source: 'flow',
      event: { type: `deliverable.${type}`, deliverable, state: 's', ...(value && { value }) },
    });
    await store.create(
      aRecord({ journal: [line('collected', 'age', 1), line('withdrawn', 'age')] }),
    );
    const shown = () => queryOf(url)('SELECT deliverable, value FROM dramaturg.deliverables');
    expect(await shown()).toEqual([]);
    const journal = [line('collected', 'years', 1), line('collected', 'age', 2)];
    await store.commit({ id: 'a', expectedRevision: 1, journal });
    expect(await shown()).toEqual([
      { deliverable: 'age', value: 2 },
      { deliverable: 'years', value: 1 },
    ]);
  });
});
