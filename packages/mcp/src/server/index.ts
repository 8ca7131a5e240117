export type {
  DefinitionText,
  McpAudit,
  McpEditor,
  McpEvents,
  McpHost,
  McpScope,
  McpServerOptions,
} from './mcp-host.ts';
export {
  mcpRoute,
  type McpRouteOptions,
  type SessionClient,
  type SessionLimits,
  Sessions,
} from './sessions.ts';
export { mcpServer, serveStdio } from './mcp-server.ts';
