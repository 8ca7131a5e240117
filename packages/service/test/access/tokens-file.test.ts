import {
  chmod,
  chown,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addToken,
  listTokens,
  readTokens,
  revokeToken,
  TokensError,
  type TokenEntry,
} from '@dramaturg/service';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readTokensText } from '../../src/access/tokens.ts';
import { bearer, serveGuarded } from './guarded.ts';

const hash = (digit: string) => digit.repeat(64);
const request = new Request('http://localhost/');

async function newFile(tokens?: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tokens.json');
  if (tokens !== undefined) await writeFile(file, JSON.stringify({ tokens }), { mode: 0o600 });
  return file;
}

describe('a token', () => {
  test('is returned once, stored as a hash, and found again', async () => {
    const file = await newFile();
    const token = await addToken(file, {
      name: 'desk',
      scopes: ['read', 'operate'],
      roles: ['finance'],
      tenant: 'acme',
      requests_per_minute: 60,
    });
    expect(token).toMatch(/^dmt_[A-Za-z0-9_-]{43}$/);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain(token.slice(4));
    expect(await listTokens(file)).toEqual(JSON.parse(text).tokens);
    // Windows has no such permissions.
    expect((await stat(file)).mode & 0o077).toBe(0);
    const authenticate = await readTokens(file);
    expect(await authenticate(token, request)).toEqual({
      name: 'desk',
      scopes: ['read', 'operate'],
      roles: ['finance'],
      tenant: 'acme',
      limits: { requestsPerMinute: 60, streams: undefined },
    });
    const [{ sha256 }] = (await listTokens(file)) as [TokenEntry];
    for (const other of ['', token.slice(0, -1), `${token}x`, token.toUpperCase(), sha256])
      expect(await authenticate(other, request)).toBeUndefined();
  });

  test('of every name and scope can be read again', async () => {
    const file = await newFile();
    const entry = fc.record(
      {
        name: fc.stringMatching(/^[\p{L}\p{N}][\p{L}\p{N} .@_-]{0,20}[\p{L}\p{N}]$/u),
        scopes: fc.constantFrom<TokenEntry['scopes']>(['read'], ['admin'], ['converse', 'define']),
        tenant: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
        streams: fc.integer({ min: 1 }),
      },
      { requiredKeys: ['name', 'scopes'] },
    );
    await fc.assert(
      fc.asyncProperty(entry, async (given) => {
        await rm(file, { force: true });
        const token = await addToken(file, given);
        const authenticate = await readTokens(file);
        expect(await authenticate(token, request)).toMatchObject({ name: given.name });
      }),
      { numRuns: 30 },
    );
  });

  test('expires', async () => {
    const file = await newFile();
    const expires_at = '2026-03-02T09:30:00+01:00';
    const token = await addToken(file, { name: 'desk', scopes: ['read'], expires_at });
    let now = Date.parse(expires_at) - 1;
    const authenticate = await readTokens(file, { now: () => now });
    expect(await authenticate(token, request)).toMatchObject({ name: 'desk' });
    now += 1;
    expect(await authenticate(token, request)).toBeUndefined();
  });

  test('that is revoked is refused without a restart, and the others are not', async () => {
    const file = await newFile();
    const desk = await addToken(file, { name: 'desk', scopes: ['read'] });
    const app = await addToken(file, { name: 'app', scopes: ['read'] });
    const authenticate = await readTokens(file, { rereadAfterMs: 0 });
    const { ask } = await serveGuarded({ authenticate });
    expect((await ask('GET', '/me', bearer(desk))).status).toBe(200);
    await revokeToken(file, 'desk');
    expect((await ask('GET', '/me', bearer(desk))).status).toBe(401);
    expect((await ask('GET', '/me', bearer(app))).status).toBe(200);
    const late = await addToken(file, { name: 'late', scopes: ['read'] });
    expect((await ask('GET', '/me', bearer(late))).status).toBe(200);
  });
});

describe('a file', () => {
  test('that becomes unusable changes nothing, and is reported once', async () => {
    const file = await newFile();
    const token = await addToken(file, { name: 'desk', scopes: ['read'] });
    const good = await readFile(file);
    const errors: string[] = [];
    const authenticate = await readTokens(file, {
      rereadAfterMs: 0,
      onError: ({ code }) => errors.push(code),
    });
    const broken: readonly (() => Promise<void>)[] = [
      () => writeFile(file, good.subarray(0, good.length - 9)),
      () => writeFile(file, ''),
      () => writeFile(file, '{"tokens":[{"name":"desk"}]}'),
      () => rm(file),
    ];
    for (const breaks of broken) {
      await breaks();
      expect(await authenticate(token, request)).toMatchObject({ name: 'desk' });
      expect(await authenticate(token, request)).toMatchObject({ name: 'desk' });
    }
    expect(errors).toEqual([
      'access/tokens-invalid',
      'access/tokens-invalid',
      'access/tokens-invalid',
      'access/tokens-unreadable',
    ]);
    await writeFile(file, '{"tokens":[]}');
    expect(await authenticate(token, request)).toBeUndefined();
    await writeFile(file, good);
    expect(await authenticate(token, request)).toMatchObject({ name: 'desk' });
    await rm(file);
    await authenticate(token, request);
    expect(errors).toHaveLength(5);
  });

  test('is read again by one of the requests that come at once', async () => {
    const file = await newFile();
    const token = await addToken(file, { name: 'desk', scopes: ['read'] });
    const authenticate = await readTokens(file, { rereadAfterMs: 0 });
    await writeFile(file, '{"tokens":[]}');
    const found = await Promise.all(
      Array.from({ length: 50 }, async () => authenticate(token, request)),
    );
    expect(found).toEqual(Array.from({ length: 50 }, () => undefined));
  });

  test.each<[what: string, text: string, problem: string]>([
    ['no JSON', '{"tokens": [', ' 1:13 '],
    ['a list', '[]', '1:1 Expected an object, found an empty list.'],
    ['no tokens', '{"token": []}', 'The field "token" is unknown here. Did you mean "tokens"?'],
    [
      'a field that is unknown',
      `{"tokens": [\n  {"name": "a", "sha256": "${hash('0')}", "scopes": ["read"], "expiry": 1}]}`,
      ' 2:',
    ],
    [
      'a misspelt field',
      `{"tokens": [{"name": "a", "sha256": "${hash('0')}", "scopes": ["read"], "expire_at": "x"}]}`,
      'tokens[0].expire_at: The field "expire_at" is unknown here. Did you mean "expires_at"?',
    ],
    [
      'an unknown scope',
      `{"tokens": [{"name": "a", "sha256": "${hash('0')}", "scopes": ["write"]}]}`,
      'tokens[0].scopes[0]: Expected a scope: read, converse, operate, define or admin',
    ],
    [
      'no scope',
      `{"tokens": [{"name": "a", "sha256": "${hash('0')}", "scopes": []}]}`,
      'tokens[0].scopes: Expected a list of at least 1 item',
    ],
    [
      'a hash of another kind',
      `{"tokens": [{"name": "a", "sha256": "${'0'.repeat(40)}", "scopes": ["read"]}]}`,
      'tokens[0].sha256: Expected the SHA-256 hash of a token: 64 hexadecimal digits in lower case',
    ],
    [
      'a time without a zone',
      `{"tokens": [{"name": "a", "sha256": "${hash('0')}", "scopes": ["read"], "expires_at": "2026-03-02"}]}`,
      'tokens[0].expires_at: Expected a time such as "2027-03-02T09:30:00Z"',
    ],
    [
      'a tenant that is a path',
      `{"tokens": [{"name": "a", "sha256": "${hash('0')}", "scopes": ["read"], "tenant": "../b"}]}`,
      'tokens[0].tenant: Expected 1 to 64 letters',
    ],
    [
      'a name with a line break',
      `{"tokens": [{"name": "a\\nb", "sha256": "${hash('0')}", "scopes": ["read"]}]}`,
      'tokens[0].name: Expected a text of 1 to 128 characters',
    ],
    [
      'a name twice',
      JSON.stringify({
        tokens: ['0', '1'].map((digit) => ({ name: 'a', sha256: hash(digit), scopes: ['read'] })),
      }),
      'tokens[1].name: tokens[0] has the same name.',
    ],
    [
      'a hash twice',
      JSON.stringify({
        tokens: ['a', 'b'].map((name) => ({ name, sha256: hash('0'), scopes: ['read'] })),
      }),
      'tokens[1].sha256: tokens[0] has the same sha256.',
    ],
  ])('with %s is refused with the position', async (_, text, problem) => {
    const file = await newFile();
    await writeFile(file, text);
    const error = await readTokens(file).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TokensError);
    expect((error as TokensError).code).toBe('access/tokens-invalid');
    expect((error as TokensError).message).toContain(problem);
  });

  test('in which a token is in the place of its hash does not show it', async () => {
    const file = await newFile();
    const token = await addToken(await newFile(), { name: 'x', scopes: ['read'] });
    await writeFile(
      file,
      JSON.stringify({ tokens: [{ name: 'a', sha256: token, scopes: ['read'] }] }),
    );
    const error = (await readTokens(file).catch((caught: unknown) => caught)) as TokensError;
    expect(error.message).toContain('[redacted]');
    expect(error.message).not.toContain(token.slice(4, 20));
  });

  test('of any text is read or refused', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((tokens) => JSON.stringify({ tokens })),
      fc
        .array(fc.dictionary(fc.constantFrom('name', 'sha256', 'scopes', 'tenant'), fc.jsonValue()))
        .map((tokens) => JSON.stringify({ tokens })),
    );
    fc.assert(
      fc.property(text, (given) => {
        let found: unknown;
        try {
          found = readTokensText(given, 'tokens.json').length;
        } catch (error) {
          found = (error as TokensError).code;
        }
        expect(typeof found === 'number' || found === 'access/tokens-invalid').toBe(true);
      }),
    );
  });

  test('that does not exist, is a folder or can be written by everybody is refused', async () => {
    const file = await newFile([]);
    await expect(readTokens(`${file}.none`)).rejects.toMatchObject({
      code: 'access/tokens-unreadable',
      hint: expect.stringContaining('dramaturg token create'),
    });
    await expect(readTokens(join(file, '..'))).rejects.toMatchObject({
      code: 'access/tokens-unreadable',
    });
    await chmod(file, 0o602);
    await expect(readTokens(file)).rejects.toMatchObject({
      code: 'access/tokens-writable',
      hint: `Run: chmod o-w ${file}`,
    });
    await chmod(file, 0o644);
    await readTokens(file);
  });
});

describe('changes of a file', () => {
  test('at the same time are made one after another, or refused', async () => {
    const file = await newFile();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        addToken(file, { name: `t-${index}`, scopes: ['read'] }),
      ),
    );
    const made = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? [`t-${index}`] : [],
    );
    const codes = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as TokensError).code] : [],
    );
    expect(made.length).toBeGreaterThan(0);
    expect(new Set([...codes, 'access/tokens-busy'])).toEqual(new Set(['access/tokens-busy']));
    expect((await listTokens(file)).map(({ name }) => name).toSorted()).toEqual(made.toSorted());
    expect(await readdir(join(file, '..'))).toEqual(['tokens.json']);
  });

  test('keep the permissions and the owner, so that a service of another user can read it', async () => {
    const file = await newFile([]);
    await chmod(file, 0o640);
    // Only root can give a file away.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(file, 1234, 2345);
    const { uid, gid } = await stat(file);
    await addToken(file, { name: 'desk', scopes: ['read'] });
    await revokeToken(file, 'desk');
    const after = await stat(file);
    expect([after.mode & 0o777, after.uid, after.gid]).toEqual([0o640, uid, gid]);
    expect(uid === 1234).toBe(isRoot);
  });

  test('that are wrong leave the file as it is', async () => {
    const file = await newFile();
    await addToken(file, { name: 'desk', scopes: ['read'] });
    const before = await readFile(file, 'utf8');
    const read = { scopes: ['read'] } as const;
    const wrong: readonly [change: () => Promise<unknown>, code: string][] = [
      [() => addToken(file, { name: 'desk', scopes: ['read'] }), 'access/token-exists'],
      [() => addToken(file, { name: ' ', scopes: [...read.scopes] }), 'access/tokens-invalid'],
      [() => addToken(file, { name: 'a', scopes: [] }), 'access/tokens-invalid'],
      [() => addToken(file, { name: 'a', scopes: ['all' as 'read'] }), 'access/tokens-invalid'],
      [
        () => addToken(file, { name: 'a', scopes: ['read'], expires_at: 'tomorrow' }),
        'access/tokens-invalid',
      ],
      [() => revokeToken(file, 'nobody'), 'access/token-unknown'],
    ];
    for (const [change, code] of wrong) await expect(change()).rejects.toMatchObject({ code });
    expect(await readFile(file, 'utf8')).toBe(before);
    await writeFile(file, '{');
    await expect(revokeToken(file, 'desk')).rejects.toMatchObject({
      code: 'access/tokens-invalid',
    });
    expect(await readFile(file, 'utf8')).toBe('{');
    await rename(file, `${file}.new`);
    await expect(revokeToken(file, 'desk')).rejects.toMatchObject({
      code: 'access/tokens-busy',
      hint: expect.stringContaining('delete'),
    });
    await expect(addToken(join(file, 'x'), { name: 'a', scopes: ['read'] })).rejects.toMatchObject({
      code: 'access/tokens-unreadable',
    });
  });
});
