export type {
  DefinitionText,
  McpAudit,
  McpEditor,
  McpEvents,
  McpHost,
  McpScope,
  McpServerOptions,
} from './mcp-host.ts';
export { mcpRoute, type McpRouteOptions } from './sessions.ts';
export { mcpServer } from './mcp-server.ts';
export { serveStdio } from './mcp-server.ts';
export { type SessionClient, type SessionLimits, Sessions } from './sessions.ts';
