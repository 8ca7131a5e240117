import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { fixtureServer } from './fixture.ts';

await fixtureServer().connect(new StdioServerTransport());
