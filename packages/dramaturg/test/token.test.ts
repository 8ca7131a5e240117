import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTokens } from '@dramaturg/service';
import { describe, expect, test } from 'vitest';
import { readExpiry } from '../src/cli/commands/token.ts';
import { dramaturg, folderWith } from './command.ts';

const request = new Request('http://localhost/');

test('a token is created, listed and revoked', async () => {
  const cwd = await folderWith({});
  const created = await dramaturg(
    [
      'token',
      'create',
      '--name',
      'desk',
      '--scope',
      'read',
      '--scope',
      'operate',
      '--role',
      'finance',
      '--tenant',
      'acme',
    ],
    { cwd },
  );
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^dmt_[\w-]{43}\n$/),
    stderr: '✓ The token "desk" is valid now. It is shown only here: "tokens.json" has its hash.\n',
  });
  const file = join(cwd, 'tokens.json');
  const authenticate = await readTokens(file, { rereadAfterMs: 0 });
  const token = created.stdout.trim();
  expect(await authenticate(token, request)).toMatchObject({
    name: 'desk',
    scopes: ['read', 'operate'],
    roles: ['finance'],
    tenant: 'acme',
  });
  const listed = await dramaturg(['token', 'list'], { cwd });
  expect(listed.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'SCOPES', 'TENANT', 'ROLES', 'EXPIRES'],
    ['desk', 'read operate', 'acme', 'finance', 'never'],
    [''],
  ]);
  expect(listed.stdout).not.toContain(token);
  expect(await dramaturg(['token', 'revoke', 'desk'], { cwd })).toEqual({
    code: 0,
    stdout: '✓ The token "desk" is revoked.\n',
    stderr: '',
  });
  expect(await authenticate(token, request)).toBeUndefined();
  expect((await dramaturg(['token', 'list'], { cwd })).stdout).toBe(
    '"tokens.json" has no tokens.\n',
  );
});

test('with --json each prints one object, and a list has no hashes', async () => {
  const cwd = await folderWith({});
  const file = ['--json', '--file', 'keys.json'];
  const create = ['token', 'create', '--name', 'app', '--scope', 'converse', '--expires', '90d'];
  const created = JSON.parse((await dramaturg([...create, ...file], { cwd })).stdout);
  expect(created).toEqual({
    token: expect.stringMatching(/^dmt_/),
    name: 'app',
    scopes: ['converse'],
    expires_at: expect.stringMatching(/Z$/),
  });
  const { token: _, ...entry } = created;
  const listed = await dramaturg(['token', 'list', ...file], { cwd });
  expect(JSON.parse(listed.stdout)).toEqual({ tokens: [entry] });
  const revoked = await dramaturg(['token', 'revoke', 'app', ...file], { cwd });
  expect(JSON.parse(revoked.stdout)).toEqual({ revoked: 'app' });
});

describe('a wrong call changes nothing and says what to do', () => {
  const create = ['create', '--name', 'a', '--scope', 'read'];
  test.each<[args: readonly string[], stderr: string]>([
    [['create', '--scope', 'read'], 'error: A token needs a name.\nhint: Add a name'],
    [['create', '--name', 'a'], 'error: A token needs a scope.\nhint: Add at least one'],
    [['create', '--name', 'a', '--scope', 'write'], 'Expected a scope: read, converse, operate'],
    [['create', 'a', '--scope', 'read'], 'error: "a" has no meaning here.\nhint: Write --name a'],
    [[...create, '--expires', 'soon'], 'error: "soon" is not a time.\nhint: Write how long'],
    [[...create, '--expires', '2001-01-01T00:00:00Z'], 'is over, or more than a century away.'],
    [[...create, '--tenant', '../x'], 'tokens[1].tenant: Expected 1 to 64 letters'],
    [['create', '--name', 'desk', '--scope', 'read'], 'has a token "desk".\nhint: Choose another'],
    [['revoke'], 'error: The name of the token is missing.\nhint: "dramaturg token list'],
    [['revoke', 'nobody'], 'has no token "nobody".\nhint: "dramaturg token list'],
    [['list', '--scope', 'read'], 'error: --scope is for "dramaturg token create".'],
    [['list', 'desk'], 'error: "desk" has no meaning here.\nhint: Leave it out.'],
    [['list', '--file', 'none.json'], 'error: There is no file "none.json".\nhint: Create it with'],
    [['delete', 'desk'], "error: Command-argument value 'delete' is invalid"],
  ])('%j', async (args, stderr) => {
    const cwd = await folderWith({});
    await dramaturg(['token', 'create', '--name', 'desk', '--scope', 'read'], { cwd });
    const before = await readFile(join(cwd, 'tokens.json'), 'utf8');
    const result = await dramaturg(['token', ...args], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(stderr) });
    expect(await readFile(join(cwd, 'tokens.json'), 'utf8')).toBe(before);
  });

  test('a damaged file is refused with the position', async () => {
    const cwd = await folderWith({});
    await writeFile(join(cwd, 'tokens.json'), '{"tokens": [{"name": 1}]}');
    const { code, stderr } = await dramaturg(['token', 'list'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('The tokens in "tokens.json" are invalid: 1:13 tokens[0]: The fields');
  });
});

test('an expiry is a duration or a time with its zone', () => {
  const now = Date.parse('2026-03-02T09:30:00Z');
  expect(readExpiry('90d', now)).toBe('2026-05-31T09:30:00.000Z');
  expect(readExpiry('12h', now)).toBe('2026-03-02T21:30:00.000Z');
  expect(readExpiry('30m', now)).toBe('2026-03-02T10:00:00.000Z');
  expect(readExpiry('2026-03-02T12:00+02:00', now)).toBe('2026-03-02T10:00:00.000Z');
  for (const wrong of [
    '',
    '0d',
    '-1d',
    '1.5d',
    '90',
    '90 d',
    '2026-05-01',
    '2026-05-01T00:00',
    '999999999d',
    'Infinityd',
  ])
    expect(() => readExpiry(wrong, now)).toThrow(/is not a time|is over/);
});
