import { freePort } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';

/** Wrong calls of commands with `--restate`. None of them needs a server. */
describe('--restate', () => {
  test.for([
    {
      args: ['ps', '--restate', 'localhost:8080'],
      says: '"localhost:8080" is not a URL of Restate.',
      hint: '--restate http://localhost:8080',
    },
    {
      args: ['ps', '--restate=http://ada:pass-word-1@localhost:8080'],
      says: 'has a password',
      hint: 'Restrict who can reach its ports.',
    },
    {
      args: ['ps', '--restate-admin', 'http://localhost:9070', 'conversations'],
      says: '--restate-admin is for instances on Restate, and --restate is missing.',
      hint: '--restate http://localhost:8080',
    },
    {
      args: ['ps', '--restate', 'http://localhost:8080', '--namespace', 'a/b'],
      says: '"a/b" is not a name of a namespace.',
      hint: '--namespace acme',
    },
    { args: ['ps', '--restate'], says: "'--restate <url>' argument missing", hint: '--help' },
    ...['backup', 'restore'].map((command) => ({
      args: [command, '--restate', 'http://localhost:8080', 'target'],
      says: 'works on the files of a store',
      hint: 'name another store here',
    })),
    {
      args: ['repair', '--restate', 'http://localhost:8080'],
      says: 'works on the files of a store',
      hint: 'name another store here',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--listen', '0.0.0.0:9080'],
      says: 'without keys everybody there could call the handlers',
      hint: '--identity-key publickeyv1_...',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--listen', '[::]:9080'],
      says: 'without keys everybody there could call the handlers',
      hint: 'RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE',
    },
    {
      args: [
        'serve',
        '--restate',
        'http://localhost:8080',
        '--listen',
        '0.0.0.0:9080',
        '--identity-key',
        `publickeyv1_${'A'.repeat(44)}`,
      ],
      says: '"0.0.0.0" stands for all addresses of this machine',
      hint: '--advertise http://',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--identity-key', 'ssh-ed25519'],
      says: '"ssh-ed25519" is not a public key of Restate.',
      hint: 'publickeyv1_',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--listen', '9080'],
      says: '"9080" is not an address to listen on.',
      hint: '--listen 127.0.0.1:9080',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--fsync', 'always'],
      says: '--fsync is for the folder of a store',
      hint: 'Leave out --fsync',
    },
    {
      args: ['serve', '--restate', 'http://localhost:8080', '--standby'],
      says: 'processes on Restate need not wait',
      hint: 'Leave out --standby.',
    },
    {
      args: ['serve', 'conversations', '--listen', '127.0.0.1:9080'],
      says: '--listen is for handlers on Restate, and --restate is missing.',
      hint: '--restate http://localhost:8080',
    },
  ])('$args', async ({ args, says, hint }) => {
    const { code, stdout, stderr } = await dramaturg(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toContain(hint);
  });

  test('says that nothing answers at the address', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await dramaturg([
      'start',
      '--restate',
      url,
      'customer-intake.plan.json',
    ]);
    expect(code).toBe(7);
    expect(stderr).toContain(`Restate does not answer at ${url}`);
    expect(stderr).toContain('Start restate-server, or correct --restate and --restate-admin.');
  });
});
