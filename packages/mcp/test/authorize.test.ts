import { mcpTools } from '@dramaturg/mcp';
import { expect, test } from 'vitest';
import { httpServer } from './servers/http.ts';
import { oauthServer } from './servers/oauth.ts';
import { calling, codeOf } from './use.ts';

const secret = 'geheim-geheim-geheim';

test('a program gets a token by its client credentials, and a new one when it is revoked', async () => {
  await using server = await oauthServer(secret);
  const { url, issuer } = server;
  const clientCredentials = { clientId: 'desk', clientSecret: secret, scope: 'tools', issuer };
  await calling({ servers: { crm: { url, clientCredentials } } }, async (call) => {
    expect(await call('echo', { a: 1 })).toBe('{"a":1}');
    expect(await call('echo')).toBe('{}');
    expect(server.requests).toHaveLength(1);
    server.revoke();
    expect(await call('echo', { b: 2 })).toBe('{"b":2}');
  });
  expect(server.requests.map((each) => Object.fromEntries(each))).toMatchObject([
    { grant_type: 'client_credentials', scope: 'tools', resource: url },
    { grant_type: 'client_credentials', scope: 'tools', resource: url },
  ]);
});

test('a wrong secret is one sentence without the secret', async () => {
  await using server = await oauthServer(secret);
  const { url, issuer } = server;
  const clientCredentials = { clientId: 'desk', clientSecret: 'wrong-wrong-wrong', issuer };
  await calling({ servers: { crm: { url, clientCredentials } } }, async (call) => {
    expect(await codeOf(call('echo'))).toBe('mcp/unauthorized');
    await expect(call('echo')).rejects.not.toThrow('wrong-wrong-wrong');
  });
});

test('another authorization server than the expected one does not see the secret', async () => {
  await using server = await oauthServer(secret);
  const clientCredentials = {
    clientId: 'desk',
    clientSecret: secret,
    issuer: 'https://login.example.com',
  };
  await calling({ servers: { crm: { url: server.url, clientCredentials } } }, async (call) => {
    expect(await codeOf(call('echo'))).not.toBe('no error');
  });
  expect(server.requests).toEqual([]);
});

test('the function of a token is asked again after 401, once', async () => {
  await using server = await httpServer({ token: 'Zx82-bb41-77' });
  const given = ['Zx81-aa30-66', 'Zx82-bb41-77'];
  const token = () => given.shift() ?? 'Zx82-bb41-77';
  await calling({ servers: { crm: { url: server.url, token } } }, async (call) => {
    expect(await call('echo')).toBe('{}');
  });
  expect(server.tokens.slice(0, 2)).toEqual(['Bearer Zx81-aa30-66', 'Bearer Zx82-bb41-77']);
  await using strict = await httpServer({ token: 'other-token' });
  let asked = 0;
  const changing = () => `token-${(asked += 1)}`;
  await calling({ servers: { crm: { url: strict.url, token: changing } } }, async (call) => {
    expect(await codeOf(call('echo'))).toBe('mcp/unauthorized');
  });
  expect(strict.tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a server has one way to authorize', () => {
  const issuer = 'https://login.example.com';
  const clientCredentials = { clientId: 'desk', clientSecret: secret, issuer };
  const crm = { url: 'https://crm.example.com/mcp', token: 'x', clientCredentials };
  expect(() => mcpTools({ servers: { crm }, allow: {} })).toThrow('Choose one.');
});
