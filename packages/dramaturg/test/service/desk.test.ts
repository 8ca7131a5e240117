import type { Authenticate, Scope } from 'dramaturg/service';
import { expect, test } from 'vitest';
import { served } from './stage.ts';

/** Tokens such as `ana.read+operate`: a name and scopes. */
const tokens: Authenticate = (token) => {
  const [name = '', scopes = ''] = token.split('.');
  return { name, scopes: scopes.split('+') as Scope[], roles: ['night shift'] };
};

const as = (token: string) => ({ authorization: `Bearer ${token}` });

test('a token tells its name, its roles, and what it may do', async () => {
  const { ask } = await served({ tokens });
  expect((await ask('GET', '/me')).status).toBe(401);
  expect((await ask('GET', '/me', undefined, as('ana.operate+read'))).body).toEqual({
    name: 'ana',
    roles: ['night shift'],
    scopes: ['read', 'operate'],
  });
  const { scopes } = (await ask('GET', '/me', undefined, as('root.admin'))).body as never;
  expect(scopes).toEqual(['read', 'converse', 'operate', 'define', 'admin']);
});

test('without tokens nobody has a name, and everything is allowed', async () => {
  const { ask } = await served();
  expect((await ask('GET', '/me')).body).toEqual({
    name: null,
    roles: [],
    scopes: ['read', 'converse', 'operate', 'define', 'admin'],
  });
});

test('queues are counted: an instance is in one queue or in none', async () => {
  const { ask, host } = await served();
  const none = { needsPerson: 0, decisions: 0, failed: 0, paused: 0, all: 0 };
  expect((await ask('GET', '/queues')).body).toEqual(none);
  await host.start('intake', { id: 'a', contact: 'ada', channel: 'main' });
  await host.start('intake', { id: 'b', contact: 'ben', channel: 'main' });
  await host.settle();
  await host.pause('a');
  expect((await ask('GET', '/queues')).body).toEqual({ ...none, paused: 1, all: 2 });
  const { items } = (await ask('GET', '/instances?queue=paused')).body;
  expect(items).toMatchObject([{ id: 'a', queue: 'paused', waitingSince: expect.any(Number) }]);
  await host.resume('a');
  await host.cancel('b');
  expect((await ask('GET', '/queues')).body).toEqual({ ...none, all: 1 });
});
