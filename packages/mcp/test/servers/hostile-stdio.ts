/** Answers the handshake, then does with the first call what its argument says. */
import { createInterface } from 'node:readline';

const [mode = ''] = process.argv.slice(2);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const result = (id: unknown, value: unknown) => say({ jsonrpc: '2.0', id, result: value });

if (mode === 'garbage-first') process.stdout.write('Listening on nothing!\n\u0000\n{"a":\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (mode === 'mute') continue;
  if (method === 'initialize')
    result(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'hostile', version: '1' },
    });
  else if (method === 'tools/list' && mode === 'endless-list')
    result(id, { tools: [], nextCursor: 'again' });
  else if (method === 'tools/list' && mode === 'odd-list')
    result(id, { tools: [null, 3, { name: 7 }, { name: 'go', inputSchema: 'none' }] });
  else if (method === 'tools/list') result(id, { tools: [{ name: 'go', inputSchema: {} }] });
  else if (method === 'tools/call') {
    if (mode === 'flood') {
      const part = 'x'.repeat(1_000_000);
      for (let count = 0; count < 20; count += 1) process.stdout.write(part);
    } else if (mode === 'refuse')
      say({ jsonrpc: '2.0', id, error: { code: -32_602, message: 'No such thing.' } });
    else if (mode === 'odd-result') result(id, { content: 'not a list', structuredContent: [1] });
    else if (mode === 'foreign-ids') {
      result(999, { content: [{ type: 'text', text: 'foreign' }] });
      result(id, { content: [{ type: 'text', text: 'own' }] });
    } else if (mode !== 'silent') result(id, { content: [{ type: 'text', text: 'gone' }] });
  }
}
