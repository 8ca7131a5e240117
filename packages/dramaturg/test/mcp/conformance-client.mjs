// A client for the conformance suite, which names the server in the last argument.
import { mcpTools } from '@dramaturg/mcp';

const url = process.argv.at(-1);
const mcp = mcpTools({ servers: { suite: { url } }, allow: { suite: '*' } });
for (const tool of Object.values(await mcp.list()))
  await tool.run({ a: 5, b: 3 }, { key: 'key', signal: AbortSignal.timeout(20_000) });
await mcp.close();
