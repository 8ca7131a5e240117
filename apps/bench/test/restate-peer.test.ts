import { RestateServer, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { measureTurns, RestatePeer, type RestatePeerName } from '../src/restate-peer/peer.ts';

const missing = whyNoRestate();

describe.skipIf(missing)(`a hand-written Restate object${missing ? ` (${missing})` : ''}`, () => {
  test.for<RestatePeerName>(['one handler', 'accepting'])('makes turns: %s', async (which) => {
    const server = await RestateServer.start();
    const peer = await RestatePeer.start(server, which);
    try {
      const turns = await measureTurns((contact) => peer.turn(contact), 2, 500);
      expect(turns.perSecond).toBeGreaterThan(0);
      expect(turns.p99).toBeGreaterThanOrEqual(turns.p50);
      // The last receipts are stored after the turns that are measured.
      await expect.poll(async () => (await linesStored(server.admin)).unsent).toBe(0);
      const lines = await linesStored(server.admin);
      expect(lines.asked).toBe(lines.answered);
      expect(lines.asked).toBeGreaterThan(0);
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
