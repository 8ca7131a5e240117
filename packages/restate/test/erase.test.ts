import type { JsonObject, Ports } from '@dramaturg/compiler';
import type { Host } from '@dramaturg/host';
import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restateHost, type RestateHostOptions } from '../src/index.ts';
import { Admin } from '../src/restate/admin.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

async function open(options: Partial<RestateHostOptions> = {}): Promise<Host> {
  const { ingress, admin } = await sharedRestate();
  const host = await restateHost({
    ingress,
    admin,
    namespace: `erase-${process.pid}-${Math.random()}`,
    handlers: { port: await freePort() },
    definitions: [
      { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
    ],
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      [lifecycles.conversation.format, lifecycles.behaviour],
    ]),
    ports: { reply: async ({ message }) => ({ text: `To ${message ?? 'nobody'}.` }) },
    channels: { main: { deliver: async () => {} } },
    ...options,
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return host;
}

async function reaches(host: Host, id: string, state: string): Promise<void> {
  await until(async () => (await host.get(id)).state === state, `${id} to reach ${state}`);
}

describe.skipIf(reason !== undefined)(`erasing on Restate${reason ? ` (${reason})` : ''}`, () => {
  test('refuses while an instance has not ended, and then leaves no trace', async () => {
    const contact = `m4rple-${process.pid}-${Date.now()}`;
    const secret = `v1olet-${Date.now()}`;
    const host = await open();
    await host.start('chat', { id: 'a', contact });
    await reaches(host, 'a', 'WAITING_FOR_REPLY');
    await host.receive({ contact, text: secret, id: 'm1' });
    await reaches(host, 'a', 'WAITING_FOR_REPLY');
    await host.start('chat', { id: 'waiting', contact });
    await host.start('chat', { id: 'other', contact: 'poirot' });
    await host.fork('a', { step: 2, id: 'copy of a' });
    await expect(host.erase({ contact })).rejects.toMatchObject({
      code: 'host/instances-running',
      instances: expect.arrayContaining(['a', 'waiting', 'copy of a']) as string[],
    });
    expect(await tracesOf(contact, secret)).not.toEqual([]);

    const receipt = await host.erase({ contact, running: 'end' });
    expect(receipt).toMatchObject({ instances: 3, ended: 3, unreadable: 0 });
    expect(receipt.lines).toBeGreaterThan(10);
    expect(receipt.bytesAfter).toBeLessThan(receipt.bytesBefore);
    expect((await host.list()).items.map(({ id }) => id)).toEqual(['other']);
    await expect(host.get('a')).rejects.toMatchObject({ code: 'host/unknown-instance' });
    await until(
      async () => (await tracesOf(contact, secret)).length === 0,
      async () => `no trace in ${JSON.stringify(await tracesOf(contact, secret))}`,
    );
    expect(await host.receive({ contact, text: 'Hi.', id: 'm1' })).toMatchObject({
      instance: null,
      code: 'host/no-holder',
    });
    expect(await host.start('chat', { id: 'a', contact })).toMatchObject({ state: 'ACTIVE' });
  });

  test('files that a contact has sent are read by calls, exported, and erased', async () => {
    const files = new Map<string, Uint8Array>();
    const place = {
      write: async (name: string, bytes: Uint8Array) => files.set(name, bytes),
      read: async (name: string) => files.get(name),
      list: async (prefix: string) => [...files.keys()].filter((name) => name.startsWith(prefix)),
      delete: async (name: string) => files.delete(name),
    };
    const read: (Uint8Array | undefined)[] = [];
    const reply: Ports['reply'] = async ({ message }, { transcript, readAttachment }) => {
      const line = (await transcript!(10)).findLast(({ data }) => data?.['attachments']);
      const [file] = (line?.data?.['attachments'] ?? []) as JsonObject[];
      if (file) read.push(await readAttachment!(file));
      return { text: `To ${message ?? 'nobody'}.` };
    };
    const contact = `files-${process.pid}-${Date.now()}`;
    const host = await open({ attachments: { place }, ports: { reply } });
    await host.start('chat', { id: 'a', contact });
    await reaches(host, 'a', 'WAITING_FOR_REPLY');
    const url = `data:image/png;base64,${png.toString('base64')}`;
    const data = { attachments: [{ name: 'letter.png', url }] };
    expect(await host.receive({ contact, text: '', id: 'm1', data })).toMatchObject({
      accepted: true,
    });
    await until(() => read.length > 0, 'the reply to the file');
    expect(Buffer.from(read[0]!)).toEqual(png);
    let exported = '';
    for await (const part of host.export({ contact })) exported += part;
    expect(JSON.parse(exported)).toMatchObject({ files: [{ base64: png.toString('base64') }] });
    expect(await host.erase({ contact, running: 'end' })).toMatchObject({ files: 1 });
    expect(files.size).toBe(0);
  });

  test('a port that stores memories needs one that erases them', async () => {
    const host = await open({ ports: { remember: async () => ({ stored: true }) } });
    await expect(host.erase({ contact: 'anybody' })).rejects.toMatchObject({
      code: 'host/cannot-erase',
    });
  });

  test('retention erases instances whose time is over', async () => {
    const host = await open({ retention: { afterMs: 1 } });
    await host.start('chat', { id: 'a', contact: 'ada' });
    await host.cancel('a');
    await until(async () => (await host.list()).items.length === 0, 'the end of the time');
    await expect(host.get('a')).rejects.toMatchObject({ code: 'host/unknown-instance' });
  });
});

/** Where Restate has one of the texts, in state or in invocations. */
async function tracesOf(...texts: readonly string[]): Promise<readonly string[]> {
  const admin = new Admin((await sharedRestate()).admin);
  const state = await admin.query<{ readonly service_key: string; readonly v: string | null }>(
    `select service_name, service_key, key, value_utf8 v from state where service_name like 'erase-%'`,
  );
  const invocations = await admin.query<Record<string, unknown>>(
    `select target, target_service_key, status from sys_invocation where target_service_name like 'erase-%'`,
  );
  return [...state, ...invocations]
    .map((row) => JSON.stringify(row))
    .filter((row) => texts.some((text) => row.includes(text)));
}
