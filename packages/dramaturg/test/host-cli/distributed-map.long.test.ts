import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { json, newStore, reaches, serve, until } from './processes.ts';

const orders = {
  StartAt: 'Orders',
  States: {
    Orders: {
      Type: 'Map',
      MaxConcurrency: 4,
      ToleratedFailurePercentage: 10,
      ItemReader: {
        Resource: 'arn:aws:states:::s3:getObject',
        ReaderConfig: { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' },
        Parameters: { Bucket: 'lists', Key: 'orders.csv' },
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'Price',
        States: { Price: { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', End: true } },
      },
      ResultWriter: {
        Resource: 'arn:aws:states:::s3:putObject',
        Parameters: { Bucket: 'results', Prefix: 'priced' },
      },
      End: true,
    },
  },
};

/** An agent that fails for one order, and waits at another until a file exists. */
const agentsOf = (gate: string) => `
import { existsSync } from 'node:fs';
export default {
  'arn:aws:states:::lambda:invoke': async ({ id }) => {
    while (id === '15' && !existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20));
    if (id === '3') throw Object.assign(new Error('no'), { error: 'Unlucky' });
    return { id, price: Number(id) * 2 };
  },
};
`;

test.for(['lowdb', 'sqlite'])(
  'a host that is killed within a distributed Map leaves results that are whole and not doubled: %s',
  async (kind) => {
    const store = await newStore();
    const folder = join(store, '..');
    const s3 = join(folder, 'buckets');
    for (const bucket of ['lists', 'results']) await mkdir(join(s3, bucket), { recursive: true });
    const ids = Array.from({ length: 40 }, (_, id) => String(id));
    await writeFile(join(s3, 'lists', 'orders.csv'), ['id', ...ids].join('\n'));
    const [definition, agents, gate] = ['orders.asl.json', 'agents.mjs', 'gate'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    await writeFile(definition, JSON.stringify(orders));
    await writeFile(agents, agentsOf(gate));
    const options = ['--agents', agents, '--s3', s3];
    const host = await serve(store, '--store', kind, '--definition', definition, ...options);
    await dramaturg(['start', store, 'orders', '--id', 'run']);
    // One of four items waits, so all others end.
    await until(async () => {
      const { items } = await json(['items', store, 'run', '--status', 'succeeded']);
      return (items as JsonObject[]).length === 38;
    });
    const { items } = await json(['items', store, 'run', '--status', 'running']);
    expect(items).toMatchObject([
      { path: [{ state: 'Orders', item: 15 }], input: { id: '15' }, states: [{}] },
    ]);
    const table = await dramaturg(['items', store, 'run', '--status', 'failed']);
    expect(table.stdout).toMatch(/Orders › item 3 +failed +\{"id":"3"\} +Unlucky/);
    await host.end('SIGKILL');
    await writeFile(gate, '');
    await serve(store, ...options);
    await reaches(store, 'run', 'COMPLETED');

    const [run, ...others] = await readdir(join(s3, 'results', 'priced'));
    expect(others).toEqual([]);
    const read = async (file: string) =>
      JSON.parse(await readFile(join(s3, 'results', 'priced', run!, file), 'utf8')) as unknown;
    expect((await readdir(join(s3, 'results', 'priced', run!))).toSorted()).toEqual([
      'FAILED_0.json',
      'SUCCEEDED_0.json',
      'manifest.json',
    ]);
    const succeeded = (await read('SUCCEEDED_0.json')) as { Output: string }[];
    const outputs = succeeded.map(({ Output: output }) => JSON.parse(output) as JsonObject);
    expect(outputs).toEqual(
      ids.filter((id) => id !== '3').map((id) => ({ id, price: Number(id) * 2 })),
    );
    expect(await read('FAILED_0.json')).toMatchObject([{ Error: 'Unlucky', Input: '{"id":"3"}' }]);
    expect(await json(['items', store, 'run'])).toEqual({ items: [] });
  },
);
