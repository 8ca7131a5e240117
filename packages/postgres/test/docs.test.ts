import { readFileSync, writeFileSync } from 'node:fs';
import { createHost, manualClock } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { chartOf, until } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle } from '@dramaturg/lifecycle';
import { plan } from '@dramaturg/plan';
import { sharedPostgres } from '@dramaturg/test-servers';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { describeWithPostgres } from './place.ts';

/** Runs the queries of docs/postgres.md on a store that a host has filled. UPDATE_GOLDEN=1 writes their output into the page. */

const page = new URL('../../../docs/postgres.md', import.meta.url);
const standbyPage = new URL('../../../docs/standby.md', import.meta.url);
const example = new URL('../../../docs/examples/customer-intake.plan.json', import.meta.url);

/** A query, and the output that follows it. */
const shown = /```sql\n([^`]*)```\n\n```text\n([^`]*)```/g;
const setUp = /```sql\n(GRANT [^`]*)```/g;
const anyQuery = /```sql\n([^`]*)```/g;

describeWithPostgres('docs/postgres.md', () => {
  test('shows the real output of its queries', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    await playConversations(url);
    const text = readFileSync(page, 'utf8');
    const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => String } });
    await client.connect();
    await client.query("SET timezone = 'UTC'");
    const outputs: string[] = [];
    for (const [, query = ''] of text.matchAll(shown)) outputs.push(await outputOf(client, query));
    for (const [, statements = ''] of text.matchAll(setUp)) await client.query(statements);
    const leases: unknown[] = [];
    for (const [, query = ''] of readFileSync(standbyPage, 'utf8').matchAll(anyQuery))
      leases.push(...(await client.query<Record<string, string>>(query)).rows);
    await client.end();
    expect(leases).toEqual([expect.objectContaining({ host: expect.anything() })]);
    expect([...text.matchAll(anyQuery)].length).toBe(
      outputs.length + [...text.matchAll(setUp)].length,
    );
    if (process.env['UPDATE_GOLDEN'] === '1') {
      let index = -1;
      const updated = text.replaceAll(shown, (_, query: string) => {
        index += 1;
        return `\`\`\`sql\n${query}\`\`\`\n\n\`\`\`text\n${outputs[index]}\`\`\``;
      });
      writeFileSync(page, updated);
    }
    expect(outputs.length).toBeGreaterThan(2);
    expect(
      Array.from(readFileSync(page, 'utf8').matchAll(shown), ([, , output]) => output),
    ).toEqual(outputs);
  });
});

/** The rows nearly as psql shows them. */
async function outputOf(client: pg.Client, query: string): Promise<string> {
  const { rows, fields } = await client.query<Record<string, string | null>>(query);
  const names = fields.map(({ name }) => name);
  const table = [
    names,
    ...rows.map((row) => names.map((name) => (row[name] ?? '').replaceAll('\n', ' ↵ '))),
  ];
  const widths = names.map((_, at) => Math.max(...table.map((cells) => cells[at]!.length)));
  const [head, ...lines] = table.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join(' | ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return `${[head, rule, ...lines].join('\n')}\n`;
}

const messages = ['Hello', 'Maria Soto', '4711-B', 'billing'];

/** Three conversations: one contact has answered, one was only greeted, and one has asked for a person. */
async function playConversations(url: string): Promise<void> {
  const clock = manualClock({ startAt: Date.UTC(2026, 2, 2, 9) });
  const host = await createHost({
    store: postgresStore(url),
    definitions: [
      {
        name: 'intake',
        chart: chartOf(JSON.parse(readFileSync(example, 'utf8')), plan),
        lifecycle: chartOf(conversationLifecycle, lifecycle),
      },
    ],
    behaviours: new Map([
      [plan.name, plan.behaviour],
      [lifecycle.name, lifecycle.behaviour],
    ]),
    ports: understudyPorts(),
    channels: { sms: { deliver: () => Promise.resolve() } },
    clock,
  });
  const waits = (id: string) =>
    until(async () => {
      const { state, undelivered } = await host.get(id);
      return state === 'WAITING_FOR_REPLY' && undelivered.length === 0;
    }, `${id} to wait`);
  for (const [id, contact] of [
    ['maria', '+56912345678'],
    ['pablo', '+56987654321'],
  ] as const) {
    await host.start('intake', { id, contact, channel: 'sms' });
    await waits(id);
    clock.set(clock.now() + 60_000);
  }
  for (const [index, text] of messages.entries()) {
    await host.receive({ contact: '+56912345678', text, id: `message ${index}` });
    await waits('maria');
    clock.set(clock.now() + 75_000);
  }
  await host.start('intake', { id: 'ines', contact: '+56955555555', channel: 'sms' });
  await waits('ines');
  for (const index of [0, 1, 2, 3]) {
    clock.set(clock.now() + 5_000);
    await host.receive({ contact: '+56955555555', text: 'person', id: `help ${index}` });
    if ((await host.get('ines')).state === 'NEEDS_HUMAN_INTERVENTION') break;
    await until(async () => (await host.get('ines')).state !== 'ACTIVE', 'ines to end her turn');
  }
  await until(
    async () => (await host.get('ines')).undelivered.length === 0,
    'the receipts of ines',
  );
  await host.stop();
}
