import { appendFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditFile, type AuditEntry } from '@dramaturg/service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { authenticate, bearer, serveGuarded } from './guarded.ts';

async function newPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'audit.jsonl');
}

async function entriesIn(path: string): Promise<AuditEntry[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

const entry = (request: string): AuditEntry => ({
  at: '2026-03-02T09:30:00.000Z',
  request,
  principal: 'desk',
  via: 'token',
  action: 'pause',
  outcome: 'started',
});

describe('an action of an operator', () => {
  test('has a line before it and a line with its outcome', async () => {
    const entries: AuditEntry[] = [];
    const { ask } = await serveGuarded({
      authenticate,
      onAudit: (each) => void entries.push(each),
    });
    const { headers } = await ask(
      'POST',
      '/instances/i%2F1/pause',
      bearer('desk'),
      '{"text":"private"}',
    );
    const constant = {
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      request: headers['x-request-id'],
      principal: 'desk',
      via: 'token',
      address: '127.0.0.1',
      action: 'pause',
      target: 'i/1',
    };
    expect(entries).toEqual([
      { ...constant, outcome: 'started' },
      { ...constant, outcome: 'done', status: 200 },
    ]);
    expect(JSON.stringify(entries)).not.toContain('private');
  });

  test('that is refused, fails or is denied has a line that says so', async () => {
    const entries: AuditEntry[] = [];
    const { ask, reached } = await serveGuarded({
      authenticate,
      onAudit: (each) => void entries.push(each),
    });
    await ask('POST', '/instances/a/pause', bearer('desk'), '{"status":409}');
    await ask('POST', '/backup', bearer('root'));
    await ask('POST', '/instances/b/pause', bearer('app'));
    await ask('PUT', '/definitions/c', bearer('author'));
    expect(
      entries.map(({ principal, action, target, outcome, status }) => [
        principal,
        action,
        target,
        outcome,
        status,
      ]),
    ).toEqual([
      ['desk', 'pause', 'a', 'started', undefined],
      ['desk', 'pause', 'a', 'refused', 409],
      ['root', 'backup', undefined, 'started', undefined],
      ['root', 'backup', undefined, 'failed', 500],
      ['app', 'pause', 'b', 'denied', 403],
      ['author', 'define', 'c', 'started', undefined],
      ['author', 'define', 'c', 'done', 200],
    ]);
    expect(reached).toEqual(['a']);
  });

  test('reading and conversing have no lines', async () => {
    const entries: AuditEntry[] = [];
    const { ask } = await serveGuarded({
      authenticate,
      onAudit: (each) => void entries.push(each),
    });
    await ask('GET', '/me', bearer('app'));
    await ask('POST', '/messages', bearer('app'), '"Hi"');
    expect(entries).toEqual([]);
  });

  test('without tokens, or over the socket, has lines too', async () => {
    const entries: AuditEntry[] = [];
    const onAudit = (each: AuditEntry) => void entries.push(each);
    const open = await serveGuarded({ onAudit });
    await open.ask('POST', '/instances/a/pause');
    const socket = await serveGuarded({ onAudit, via: 'socket' });
    await socket.ask('POST', '/instances/a/pause', { host: 'any.example' });
    expect(entries.map(({ principal, outcome }) => [principal, outcome])).toEqual([
      ['loopback', 'started'],
      ['loopback', 'done'],
      ['socket', 'started'],
      ['socket', 'done'],
    ]);
  });

  test('is refused when its line cannot be written, and its answer is sent when the last one cannot', async () => {
    const errors: unknown[] = [];
    let failing = 1;
    const { ask, reached } = await serveGuarded({
      authenticate,
      onAudit: async () => {
        failing -= 1;
        if (failing === 0) throw new Error('The disk /var/private is full.');
      },
      onError: (error) => errors.push(error),
    });
    const refused = await ask('POST', '/instances/a/pause', bearer('desk'));
    expect(refused).toMatchObject({ status: 503, body: { code: 'access/audit' } });
    expect(JSON.stringify(refused.body)).not.toContain('private');
    expect(reached).toEqual([]);
    failing = 2;
    expect((await ask('POST', '/instances/b/pause', bearer('desk'))).status).toBe(200);
    expect(reached).toEqual(['b']);
    failing = 1;
    expect((await ask('POST', '/instances/c/pause', bearer('app'))).status).toBe(403);
    expect(errors.length).toBeGreaterThanOrEqual(3);
  });
});

describe('an audit file', () => {
  test('belongs to its user, and has every entry in order, also of two processes', async () => {
    const path = await newPath();
    const [one, other] = [await auditFile(path), await auditFile(path)];
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) =>
        (index % 2 === 0 ? one : other).append(entry(`r-${index}`)),
      ),
    );
    await one.close();
    await other.close();
    const requests = (await entriesIn(path)).map(({ request }) => Number(request.slice(2)));
    expect(requests.filter((index) => index % 2 === 0)).toEqual(
      Array.from({ length: 100 }, (_, index) => index * 2),
    );
    expect(requests).toHaveLength(200);
    // Windows has no such permissions.
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(one.append(entry('late'))).rejects.toThrow('The audit log is closed.');
  });

  test('goes on after a line that a crash has cut off', async () => {
    const path = await newPath();
    await writeFile(path, `${JSON.stringify(entry('r-1'))}\n{"at":"2026-`);
    const audit = await auditFile(path);
    await audit.append(entry('r-2'));
    await audit.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect([lines.length, JSON.parse(lines[2]!)]).toEqual([3, entry('r-2')]);
  });

  test('begins anew when it was rotated or deleted', async () => {
    const path = await newPath();
    const audit = await auditFile(path);
    await audit.append(entry('r-1'));
    await rename(path, `${path}.1`);
    await audit.append(entry('r-2'));
    await rm(path);
    await audit.append(entry('r-3'));
    await appendFile(path, '');
    await audit.append(entry('r-4'));
    await audit.close();
    expect((await entriesIn(`${path}.1`)).map(({ request }) => request)).toEqual(['r-1']);
    expect((await entriesIn(path)).map(({ request }) => request)).toEqual(['r-3', 'r-4']);
  });

  test('keeps an entry in one line, however its ids are written', async () => {
    const path = await newPath();
    const audit = await auditFile(path);
    const target = 'a\nb\r\u2028"{"';
    await audit.append({ ...entry('r-1'), target });
    await audit.close();
    expect(await entriesIn(path)).toEqual([{ ...entry('r-1'), target }]);
  });

  test('that cannot be opened is refused at once', async () => {
    const path = await newPath();
    await expect(auditFile(join(path, 'x'))).rejects.toThrow('ENOENT');
    await expect(auditFile(join(path, '..'))).rejects.toThrow('EISDIR');
  });

  // Only Linux has this device.
  test.runIf(existsSync('/dev/full'))('on a full disk rejects the entry', async () => {
    const audit = await auditFile('/dev/full');
    await expect(audit.append(entry('r-1'))).rejects.toThrow('ENOSPC');
    await expect(audit.append(entry('r-2'))).rejects.toThrow('ENOSPC');
    await audit.close();
  });
});
