export type { DefinitionText, McpEditor, McpHost, McpScope, McpServerOptions } from './mcp-host.ts';
export { mcpRoute } from './mcp-route.ts';
export { mcpServer } from './mcp-server.ts';
export { serveStdio } from './serve-stdio.ts';
