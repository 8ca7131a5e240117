import { whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import type { RunMessage } from '@dramaturg/inspector/server';
import { textOf } from '../../src/cli/host/restate/location.ts';
import { StoreExhibit } from '../../src/cli/inspect/store-exhibit.ts';
import { dramaturg } from '../command.ts';
import { hasAsked, json, Running, until } from './processes.ts';
import { oneSays, reaches, restate, serve, transcriptOf } from './restate-processes.ts';

const missing = whyNoRestate();

describe.skipIf(missing)(`commands with --restate${missing ? ` (${missing})` : ''}`, () => {
  test('say that nobody serves the namespace', async () => {
    const place = await restate();
    const { code, stderr } = await dramaturg(['start', ...place, 'customer-intake.plan.json']);
    expect(code).toBe(7);
    expect(stderr).toContain('has no handlers of the namespace');
    expect(stderr).toContain(`"dramaturg serve ${place.join(' ')}" serves them.`);
  });

  test('hold a conversation that several processes serve', async () => {
    const place = await restate();
    const handlers = [await serve(place), await serve(place)];
    expect(
      await dramaturg([
        'start',
        ...place,
        'customer-intake',
        '--id',
        'first',
        '--contact',
        'ada',
        '--agents',
        'agents.mjs',
      ]),
    ).toEqual({
      code: 0,
      stdout: '✓ first: ACTIVE\n',
      stderr: expect.stringContaining('--agents is ignored') as string,
    });
    await reaches(place, 'first', 'WAITING_FOR_REPLY');
    expect(await dramaturg(['send', ...place, 'first', 'Ada'])).toMatchObject({ code: 0 });
    await oneSays(handlers, 'ada: What is your account number?\n');
    await hasAsked(place, 'first');
    // The other process goes on when one is killed.
    await handlers.shift()!.end('SIGKILL');
    expect(await dramaturg(['send', ...place, '--from', 'ada', '4711-B'])).toMatchObject({
      code: 0,
    });
    await oneSays(handlers, 'ada: What kind of issue do you have?');
    expect((await transcriptOf(place, 'first')).slice(1)).toEqual([
      'contact: Ada',
      'agent: What is your account number?',
      'contact: 4711-B',
      'agent: What kind of issue do you have? (billing, technical or general)',
    ]);
    for (const handler of handlers) {
      expect(await handler.end('SIGTERM')).toBe(0);
      expect(handler.stdout).toMatch(/Stopping \.\.\.\nStopped\.\n$/);
      expect(handler.stderr).toBe('');
    }
  });

  test('list, show and control instances', async () => {
    const place = await restate();
    await serve(place);
    for (const id of ['one', 'two'])
      await dramaturg([
        'start',
        ...place,
        'customer-intake.plan.json',
        '--id',
        id,
        '--contact',
        id,
      ]);
    await reaches(place, 'two', 'WAITING_FOR_REPLY');
    const { instances } = await json(['ps', ...place]);
    expect(instances).toMatchObject([{ id: 'one' }, { id: 'two' }]);
    expect(await dramaturg(['pause', ...place, 'two'])).toMatchObject({
      stdout: '✓ two: PAUSED\n',
    });
    expect(await dramaturg(['pause', ...place, 'two'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('An instance in "PAUSED" does not accept "pause".') as string,
    });
    expect((await dramaturg(['ps', ...place, '--state', 'PAUSED'])).stdout).toMatch(/^two /m);
    expect(await dramaturg(['resume', ...place, 'two'])).toMatchObject({ code: 0 });
    const tail = new Running(['tail', ...place, 'two']);
    const follow = new Running(['logs', ...place, 'two', '--follow']);
    await follow.says('name');
    await until(() => tail.stderr.includes('Waiting for events.'));
    expect(await dramaturg(['cancel', ...place, 'two', '--reason', 'enough'])).toMatchObject({
      stdout: '✓ two: FAILED\n',
    });
    expect([await follow.exit, await tail.exit]).toEqual([0, 0]);
    expect(tail.stdout).toContain('instance.ended');
    expect((await dramaturg(['logs', ...place, 'two', '--journal'])).stdout).toContain(
      'instance.ended',
    );
    expect(await dramaturg(['show', ...place, 'nothing'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"dramaturg ps ${place.join(' ')} --all"`) as string,
    });
  });

  test('show a run in the inspector that another process decides', async () => {
    const place = await restate();
    await serve(place);
    await dramaturg(['start', ...place, 'customer-intake', '--id', 'seen', '--contact', 'ada']);
    await reaches(place, 'seen', 'WAITING_FOR_REPLY');
    const [, url, , admin, , namespace] = place;
    const exhibit = new StoreExhibit({
      folder: textOf({ restate: url!, restateAdmin: admin!, namespace: namespace! }),
      allowsSending: true,
      isAttached: false,
      settings: { limits: {}, settleTimeoutMs: 0 },
    });
    expect(await exhibit.runs()).toMatchObject([{ id: 'seen', state: 'WAITING_FOR_REPLY' }]);
    const told: RunMessage[] = [];
    const leaving = new AbortController();
    const following = exhibit.follow('seen', (message) => told.push(message), leaving.signal);
    await until(() => told.some((message) => message.kind === 'status' && message.live));
    const message = { type: 'message.received', text: 'Ada', id: 'from-the-page' };
    expect(await exhibit.send('seen', { event: message })).toBeUndefined();
    await until(() => told.some(({ kind }) => kind === 'events'));
    leaving.abort();
    await following;
  });

  test('let a person decide for a workflow', async () => {
    const place = await restate();
    await serve(place, 'refund.asl.json');
    const started = await dramaturg([
      'start',
      ...place,
      'refund',
      '--id',
      'refund-1',
      '--by',
      'dan',
      '--input',
      'refund.json',
    ]);
    expect(started).toMatchObject({ code: 0 });
    const open = async () =>
      (await json(['decisions', ...place]))['decisions'] as readonly unknown[];
    await until(async () => (await open()).length === 1);
    const refused = await dramaturg(['decide', ...place, 'refund-1', 'approve', '--by', 'dan']);
    expect(refused).toMatchObject({ code: 6 });
    const decision = ['refund-1', 'approve', '--by', 'ana', '--edit', 'amount=40'];
    expect(await dramaturg(['decide', ...place, ...decision])).toMatchObject({ code: 0 });
    await reaches(place, 'refund-1', 'COMPLETED');
    expect(await open()).toEqual([]);
  });
});
