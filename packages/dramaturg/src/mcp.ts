/** Serves definitions to assistants by the Model Context Protocol. See docs/mcp.md#serve-definitions-to-assistants */
export { mcpRoute } from './mcp/server.ts';
