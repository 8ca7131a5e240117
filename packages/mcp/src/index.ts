export { McpError, type McpErrorCode } from './error.ts';
export { type McpTool, type McpTools, mcpTools } from './client/mcp-tools.ts';
export type { McpUse } from './client/mcp-tools.ts';
export type {
  ClientCredentials,
  HttpServer,
  McpCall,
  McpLimits,
  McpOptions,
  McpProgress,
  McpServer,
  StdioServer,
} from './client/options.ts';
export type { PortsWithMcp } from './client/mcp-tools.ts';
