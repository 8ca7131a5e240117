import { RestateServer, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { type RestatePeerName, startRestatePeer } from '../src/side-by-side/restate-peer.ts';

const missing = whyNoRestate();

describe.skipIf(missing)(`a hand-written Restate object${missing ? ` (${missing})` : ''}`, () => {
  test.for<RestatePeerName>(['one handler', 'accepting'])('makes turns: %s', async (which) => {
    const server = await RestateServer.start();
    const peer = await startRestatePeer(server, which, {
      reply: async (text) => `You said: ${text}`,
      deliver: async () => {},
    });
    try {
      for (const text of ['one', 'two'])
        await Promise.all(['ada', 'bob'].map((contact) => peer.turn(contact, text)));
      // A turn ends with the delivery; its receipt is stored afterwards.
      await expect.poll(async () => (await linesStored(server.admin)).unsent).toBe(0);
      expect(await linesStored(server.admin)).toEqual({ asked: 4, answered: 4, unsent: 0 });
    } finally {
      await server.stop();
      await peer.close();
    }
  });
});

/** Counts the lines of all transcripts, and the conversations with a message that has no receipt. */
async function linesStored(admin: string) {
  const response = await fetch(`${admin}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: `select key, value_utf8 from state` }),
  });
  const { rows } = (await response.json()) as {
    readonly rows: readonly { readonly key: string; readonly value_utf8: string }[];
  };
  return {
    asked: rows.filter(({ key }) => key.endsWith('-in')).length,
    answered: rows.filter(({ key }) => key.endsWith('-out')).length,
    unsent: rows.filter(({ value_utf8: value }) => value.includes('"unsent"')).length,
  };
}
