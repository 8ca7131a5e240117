import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { lowdbStore } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { greeted, hasAsked, json, newStore, reaches, serve, transcriptOf } from './processes.ts';
import { runsAll } from '../../../../.config/scaled.ts';

test('after a host was killed, commands continue with everything that it had acknowledged', async () => {
  const store = await newStore();
  const host = await serve(store, '--definition', 'customer-intake.plan.json');
  await greeted(store, 'conversation', 'ada');
  expect(await dramaturg(['send', store, 'conversation', 'Ada'])).toMatchObject({ code: 0 });
  // A host answers when a message is stored. A host that is killed before the reply sends it after the next message.
  await hasAsked([store], 'conversation');
  await host.end('SIGKILL');
  expect(await dramaturg(['ps', store])).toMatchObject({ code: 0, stderr: '' });
  await dramaturg(['send', store, 'conversation', '4711-B']);
  expect((await transcriptOf(store, 'conversation')).slice(1)).toEqual([
    'contact: Ada',
    'agent: What is your account number?',
    'contact: 4711-B',
    'agent: What kind of issue do you have? (billing, technical or general)',
  ]);
});

test('the next host continues the turn of a killed host', async () => {
  const store = await newStore();
  const agents = join(store, '..', 'slow.mjs');
  await writeFile(agents, 'export const Price = () => new Promise(() => {});\n');
  const host = await serve(store, '--definition', 'order.asl.json', '--agents', agents);
  const input = '{"items": ["lamp"]}';
  await dramaturg(['start', store, 'order', '--id', 'order-1', '--input', input]);
  expect((await json(['show', store, 'order-1']))['calls']).toHaveLength(1);
  await host.end('SIGKILL');
  await serve(store, '--agents', 'agents.mjs');
  await reaches(store, 'order-1', 'COMPLETED');
});

test('a host that stops parks slow work, and a command waits until it has stopped', async () => {
  const store = await newStore();
  const agents = join(store, '..', 'slow.mjs');
  await writeFile(agents, 'export const Price = () => new Promise(() => {});\n');
  const host = await serve(store, '--agents', agents, '--within', '1500');
  await dramaturg(['start', store, 'order.asl.json', '--id', 'order-1']);
  void host.end('SIGTERM');
  await host.says('Stopping ...');
  const listed = await json(['ps', store]);
  expect(listed['instances']).toMatchObject([{ id: 'order-1', state: 'RUNNING' }]);
  expect(await host.exit).toBe(0);
});

test('every acknowledged message is in the transcript once and in order, although hosts were killed', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  await dramaturg(['pause', store, 'conversation']);
  const acknowledged: string[] = [];
  for (let round = 0; round < (runsAll ? 3 : 1); round += 1) {
    const host = await serve(store);
    let killed: Promise<unknown> | undefined;
    for (let number = 0; !host.hasEnded; number += 1) {
      const text = `${round}/${number}`;
      // While a message is on its way.
      if (number === 2 + 2 * round) killed = host.end('SIGKILL');
      const { code } = await dramaturg(['send', store, 'conversation', text]);
      if (code === 0) acknowledged.push(text);
    }
    await killed;
  }
  const said = await transcriptOf(store, 'conversation');
  const received = said.filter((line) => /^contact: \d\/\d+$/.test(line));
  expect(new Set(received).size).toBe(received.length);
  const texts = received.map((line) => line.slice('contact: '.length));
  // A message that was stored when the host was killed may lack its acknowledgement.
  expect(texts.filter((text) => acknowledged.includes(text))).toEqual(acknowledged);
});

test('a parked turn is reported, and continues when the store is opened again', async () => {
  const store = await newStore();
  const agents = join(store, '..', 'slow.mjs');
  await writeFile(agents, 'export const Price = () => new Promise(() => {});\n');
  const input = '{"items": ["lamp"]}';
  expect(
    await dramaturg([
      'start',
      store,
      'order.asl.json',
      '--id',
      'order-1',
      '--input',
      input,
      '--agents',
      agents,
      '--within',
      '100',
    ]),
  ).toEqual({
    code: 0,
    stdout: '✓ order-1: RUNNING\n',
    stderr: 'Some work is still running: it continues when the store is opened again.\n',
  });
  await serve(store, '--agents', 'agents.mjs');
  await reaches(store, 'order-1', 'COMPLETED');
});

test.skipIf(process.platform === 'win32')('the socket of a killed host is taken over', async () => {
  const store = await newStore();
  const killed = await serve(store);
  await killed.end('SIGKILL');
  await serve(store);
  await greeted(store, 'conversation', 'ada');
  expect(await dramaturg(['ps', store])).toMatchObject({ code: 0, stderr: '' });
});

test('a host that has lost its store reports it and stops', async () => {
  const store = await newStore();
  const host = await serve(store);
  await rm(join(store, 'owner.lock'));
  expect(await host.exit).toBe(8);
  expect(host.stderr).toContain('Another owner has taken the store');
});

test('a file in the place of the socket does not count as a host', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  await writeFile(join(store, 'host.sock'), '');
  expect(await dramaturg(['ps', store])).toMatchObject({ code: 0, stderr: '' });
});

test('a store of a program that embeds a host is refused with the name of the program', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  const embedded = await lowdbStore(store).open('the shop');
  try {
    const refused = await dramaturg(['ps', store]);
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toContain(
      `error: The store is in use by "the shop", process ${process.pid}`,
    );
    expect(refused.stderr).toContain(
      `hint: That process is a program that embeds a host and has no socket. To use the store "${store}", stop it or use its own controls.\n`,
    );
  } finally {
    await embedded.close();
  }
});

test.skipIf(process.platform === 'win32')(
  'an answer that is not from a host is reported',
  async () => {
    const store = await newStore();
    await greeted(store, 'conversation', 'ada');
    const other = createServer((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnope');
    });
    await new Promise<void>((resolve) => other.listen(join(store, 'host.sock'), resolve));
    try {
      expect(await dramaturg(['ps', store])).toEqual({
        code: 7,
        stdout: '',
        stderr:
          'error: The host of the store sent an answer that this version does not understand.\n' +
          'hint: Use the same version of Dramaturg for the host and for the command.\n',
      });
    } finally {
      other.close();
    }
  },
);
